package belay

import (
	"hash/fnv"
	"time"

	"github.com/hashicorp/go-version"
)

// How assessments come (docs/health.md).
const (
	FirstAssessment = 2 * time.Minute // after assessments came into force
	KeptAssessments = 30              // results of a workspace
)

// AssessesEngine says whether an engine is new enough for assessments.
func AssessesEngine(release string) bool {
	v, err := version.NewSemver(release)
	return err == nil && v.GreaterThanOrEqual(oldestAssessed)
}

var oldestAssessed = version.Must(version.NewSemver("0.15.4"))

// Assessed says whether assessments are in force in the workspace: it or its organization
// wants them, and there is somebody to carry them out with an engine that can.
func (w *Workspace) Assessed() bool {
	return (w.AssessmentsEnabled || w.Organization.AssessmentsEnforced) && w.Mode() != LocalExecution && AssessesEngine(w.EngineRelease)
}

// NextAssessment is when the next assessment of the workspace is due: an interval after the
// last one, or soon where there was none. Workspaces that began together part from each other
// by up to a 24th of the interval with each assessment, until they are all over the day.
func (w *Workspace) NextAssessment(now time.Time, interval time.Duration) time.Time {
	first := now.Add(FirstAssessment)
	if w.AssessedAt.IsZero() {
		return first
	}
	next := w.AssessedAt.Add(interval + apart(w.ID, interval/24))
	if next.Before(first) {
		return first
	}
	return next
}

// apart is a part of a while that belongs to an id, before or after.
func apart(id string, most time.Duration) time.Duration {
	const steps = 1 << 16
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // never fails
	return most * time.Duration(int64(sum.Sum32()%(2*steps))-steps) / steps
}

// AssessmentHindrance is why a workspace whose assessments are in force is not assessed now;
// empty when it can be. applied says that a run was ever applied, newest is the status that
// the newest run has.
func (w *Workspace) AssessmentHindrance(applied bool, newest string) string {
	switch {
	case w.AssessingID != "":
		return "An assessment is in progress"
	case !applied:
		return "No run was applied yet"
	case newest != "applied" && newest != "planned_and_finished":
		return "The newest run is " + newest
	case w.ResourceCount == 0:
		return "There are no resources"
	case w.ConfigurationID == "":
		return "Configuration version is missing"
	default:
		return ""
	}
}
