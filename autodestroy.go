package belay

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var activityDuration = regexp.MustCompile(`^[1-9][0-9]{0,3}[dh]$`)

func checkActivityDuration(problems *Problems, duration string) {
	if duration != "" && !activityDuration.MatchString(duration) {
		problems.Attribute("auto-destroy-activity-duration",
			"Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')")
	}
}

func parseActivityDuration(text string) time.Duration {
	if !activityDuration.MatchString(text) {
		return 0
	}
	n, _ := strconv.Atoi(text[:len(text)-1]) // the pattern leaves only digits
	if strings.HasSuffix(text, "d") {
		n *= 24
	}
	return time.Duration(n) * time.Hour
}

// applyAutoDestroy settles when the workspace is to be destroyed: at a moment, or a while
// after its latest change. A while that is given wins over a moment; what the workspace
// has of its own takes the place of what its project gives, until it has nothing more.
func (w *Workspace) applyAutoDestroy(problems *Problems, p WorkspacePatch) {
	at, duration, inherits := p.AutoDestroyAt, p.AutoDestroyActivityDuration, p.InheritsProjectAutoDestroy
	if inherits.Value {
		w.OwnDestroyAt, w.OwnDestroyDuration = time.Time{}, ""
	}
	duration.Into(&w.OwnDestroyDuration)
	checkActivityDuration(problems, w.OwnDestroyDuration)
	at.Into(&w.OwnDestroyAt)
	w.OwnDestroyAt = w.OwnDestroyAt.UTC().Truncate(time.Millisecond)
	switch {
	case duration.Value != "":
		w.OwnDestroyAt = time.Time{}
	case at.Given():
		w.OwnDestroyDuration = "" // a fixed moment takes the place of a counted one
	case at.Null || duration.Set: // clients take a schedule away by naming one of the two
		w.OwnDestroyAt, w.OwnDestroyDuration = time.Time{}, ""
	}
	if at.Set || duration.Set || inherits.Set { // a schedule that is set anew counts, whatever came of the one before
		w.arm()
	}
	own := w.OwnDestroyDuration != "" || !w.OwnDestroyAt.IsZero()
	switch {
	case own:
		w.InheritsProjectAutoDestroy = false
	case inherits.Given():
		w.InheritsProjectAutoDestroy = inherits.Value
	case at.Set || duration.Set:
		w.InheritsProjectAutoDestroy = true
	}
}

// DestroyDuration is the auto-destroy duration in force: its own, or the project's.
func (w *Workspace) DestroyDuration() string {
	if w.InheritsProjectAutoDestroy {
		return w.Project.AutoDestroyActivityDuration
	}
	return w.OwnDestroyDuration
}

// DestroyAt is when the next destroy is due: the latest change plus the duration, while it
// is armed, or the moment that was set; zero when neither is.
func (w *Workspace) DestroyAt() time.Time {
	switch d := parseActivityDuration(w.DestroyDuration()); {
	case d > 0 && (w.DestroyDisarmed || w.Destroyed):
		return time.Time{}
	case d > 0:
		return w.LatestChangeAt.Add(d)
	default:
		return w.OwnDestroyAt
	}
}

// DestroyWarnings is how long before a destroy people are reminded of it, the first first.
var DestroyWarnings = []time.Duration{24 * time.Hour, 12 * time.Hour}

// DestroyNext is when the schedule is to be looked at next after a moment: at a reminder that
// was not sent yet, or when the destroy is due. Zero: never.
func (w *Workspace) DestroyNext(after time.Time) time.Time {
	at := w.DestroyAt()
	if at.IsZero() {
		return at
	}
	for _, before := range DestroyWarnings {
		if warn := at.Add(-before); warn.After(after) && !w.reminded(warn) {
			return warn
		}
	}
	return at
}

// WarnsAt says whether a moment is one of the reminders of the schedule in force.
func (w *Workspace) WarnsAt(moment time.Time) bool {
	at := w.DestroyAt()
	return !at.IsZero() && slices.ContainsFunc(DestroyWarnings, func(before time.Duration) bool { return at.Add(-before).Equal(moment) })
}

// Remind notes that people are reminded of the schedule now, and says whether they were not yet
// of this: once of each reminder, and once of two that are late together.
func (w *Workspace) Remind(moment, now time.Time) bool {
	if !w.WarnsAt(moment) || w.reminded(moment) {
		return false
	}
	for _, before := range DestroyWarnings {
		if warn := w.DestroyAt().Add(-before); !warn.After(now) {
			w.DestroyReminded = warn
		}
	}
	return true
}

// reminded says whether a reminder of the schedule in force was sent, whatever the clock says.
func (w *Workspace) reminded(warn time.Time) bool {
	return w.WarnsAt(w.DestroyReminded) && !warn.After(w.DestroyReminded)
}

// FireDestroy takes the moment away that has come: one moment destroys once, whatever comes
// of it. A duration counts again from the next state.
func (w *Workspace) FireDestroy() {
	w.OwnDestroyAt = time.Time{}
	w.DestroyDisarmed, w.DestroyFailed = w.DestroyDuration() != "", false
}

// arm lets a duration count, after a change. What was destroyed stays so until the next state.
func (w *Workspace) arm() { w.DestroyDisarmed, w.DestroyFailed = false, false }

// Change notes that the workspace was given a state.
func (w *Workspace) Change(at time.Time) {
	w.LatestChangeAt, w.Destroyed = at, false
	w.arm()
}

// DestroyStatus is what documents say of the schedule: errored while its last moment made no
// run and nothing changed since, else nothing.
func (w *Workspace) DestroyStatus() string {
	if w.DestroyFailed {
		return "errored"
	}
	return ""
}

// CheckSchedule refuses a schedule that destroys to those who may not apply runs there: setting
// one is asking for such a run. before is how it was; taking one away is everybody's.
func (w *Workspace) CheckSchedule(can Permission, before *Workspace) error {
	same := w.OwnDestroyAt.Equal(before.OwnDestroyAt) && w.DestroyDuration() == before.DestroyDuration()
	if same || w.OwnDestroyAt.IsZero() && w.DestroyDuration() == "" || can.Has(ApplyRuns) {
		return nil
	}
	name := "auto-destroy-at"
	if w.DestroyDuration() != "" {
		name = "auto-destroy-activity-duration"
	}
	return mayNotDestroy(name)
}

// CheckSchedule is the same for what a project gives its workspaces.
func (p *Project) CheckSchedule(can Permission, before string) error {
	if p.AutoDestroyActivityDuration == before || p.AutoDestroyActivityDuration == "" || can.Has(ApplyRuns) {
		return nil
	}
	return mayNotDestroy("auto-destroy-activity-duration")
}

func mayNotDestroy(name string) error {
	var problems Problems
	problems.Attribute(name, "Only those who may apply runs there can have it destroyed")
	return problems
}

// DestroyHindrance is why a workspace can't be destroyed by its schedule; empty when it can.
func (w *Workspace) DestroyHindrance() string {
	switch {
	case w.Mode() == LocalExecution:
		return "Workspace execution mode is local"
	case !w.AllowDestroyPlan:
		return "Destroy plans are not allowed in this workspace"
	case w.Lock.Held() && w.Lock.Holder.Type != "runs":
		return "Workspace is locked"
	default:
		return ""
	}
}

// DestroyAfter is the duration that a project gives its workspaces; 0 for none.
func (p *Project) DestroyAfter() time.Duration {
	return parseActivityDuration(p.AutoDestroyActivityDuration)
}

// DestroyNews is what is told of a schedule: a moment that comes, or what came of one.
type DestroyNews struct {
	At           time.Time `json:"at,omitzero"`
	Problem      string    `json:"problem,omitempty"` // why no run was made
	RunID        string    `json:"run,omitempty"`
	RunStatus    string    `json:"status,omitempty"`
	RunCreatedAt time.Time `json:"created,omitzero"`
}
