package belay

import (
	"regexp"
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

// DestroyAt is when the next destroy is due: the latest change plus the duration, or the
// moment that was set; zero when neither is.
func (w *Workspace) DestroyAt() time.Time {
	if d := parseActivityDuration(w.DestroyDuration()); d > 0 {
		return w.LatestChangeAt.Add(d)
	}
	return w.OwnDestroyAt
}
