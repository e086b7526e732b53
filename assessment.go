package belay

import (
	"hash/fnv"
	"time"

	"github.com/hashicorp/go-version"
)

// Assessment is the result of a health assessment: what a plan that nobody applies found out
// about a workspace.
type Assessment struct {
	ID             string
	WorkspaceID    string
	OrganizationID string
	RunID          string // of the run that planned it, which is in no list
	Succeeded      bool
	Problem        string // why it did not succeed; else empty
	CreatedAt      time.Time
	Findings
}

// Findings is what an assessment found.
type Findings struct {
	ResourcesDrifted   int // managed ones that are otherwise than the state says, and that the plan would act on
	ResourcesUndrifted int // the other managed ones
	ChecksPassed       int
	ChecksFailed       int
	ChecksErrored      int
	ChecksUnknown      int
}

// Drifted says that some resource has drifted.
func (a *Assessment) Drifted() bool { return a.Succeeded && a.ResourcesDrifted > 0 }

// AllChecksSucceeded says that every check passed; where there is none, none failed.
func (a *Assessment) AllChecksSucceeded() bool {
	return a.Succeeded && a.ChecksFailed+a.ChecksErrored+a.ChecksUnknown == 0
}

// ChecksBroken says that checks failed, or could not be carried out.
func (a *Assessment) ChecksBroken() bool { return a.ChecksFailed+a.ChecksErrored > 0 }

// What people are told of assessments, as notifications call it.
const (
	TriggerDrifted          = "assessment:drifted"
	TriggerCheckFailure     = "assessment:check_failure"
	TriggerAssessmentFailed = "assessment:failed"
)

// Triggers is what people are told of a result, after the one before it, which may be none:
// what is new, and every failure.
func (a *Assessment) Triggers(before *Assessment) (list []string) {
	if !a.Succeeded {
		return []string{TriggerAssessmentFailed}
	}
	if a.Drifted() && (before == nil || !before.Drifted()) {
		list = append(list, TriggerDrifted)
	}
	if a.ChecksBroken() && (before == nil || !before.ChecksBroken()) {
		list = append(list, TriggerCheckFailure)
	}
	return list
}

// AssessmentNews is what a delivery tells of an assessment: the result, and the one before.
type AssessmentNews struct {
	New   Assessment  `json:"new"`
	Prior *Assessment `json:"prior,omitempty"`
}

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
