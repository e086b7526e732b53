package workspaces

import (
	"strconv"
	"time"

	"github.com/belayhq/belay"
)

// stateWays is where one goes from the shown state: to those beside it, and to the newest.
type stateWays struct {
	Older, Newer *stateWay
	Compare      *stateWay // with the one before it
	Alone        string    // without the comparison
	Arrived      *stateWay // a current state that came since the page was opened
}

type stateWay struct {
	Serial int64
	Path   string
	At     time.Time
}

// waysFrom is the ways from the shown state. What is shown of it goes along: an opened resource is
// seen through its versions.
func (t *tabVisit) waysFrom(page *statePage, marks []belay.StateMark) (ways stateWays) {
	shown := page.Shown
	if shown == nil {
		return ways
	}
	var before *belay.StateMark
	for i := range marks {
		m := &marks[i]
		if m.Status != belay.StateFinalized || m.Problem != "" || m.Serial == shown.Serial {
			continue
		}
		path := Link(t.Visit, page.Path+"/"+strconv.FormatInt(m.Serial, 10), "from", "", "page", "", "rollback", "", "seen", "", "changed", "")
		switch way := (&stateWay{m.Serial, path, m.CreatedAt}); {
		case m.Serial > shown.Serial:
			ways.Newer = way
		case before == nil:
			before, ways.Older = m, way
		}
	}
	here := page.Path + "/" + strconv.FormatInt(shown.Serial, 10)
	switch {
	case shown.From != "":
		ways.Alone = Link(t.Visit, here, "from", "", "changed", "", "page", "", "rollback", "", "seen", "")
	case before != nil:
		from := strconv.FormatInt(before.Serial, 10)
		ways.Compare = &stateWay{before.Serial, Link(t.Visit, here, "from", from, "page", "", "seen", ""), before.CreatedAt}
	}
	ways.Arrived = t.arrived(page, marks)
	return ways
}

// arrived is the current state, if the page was opened before it came; and has the page ask for itself
// so that it stays with the state that it shows.
func (t *tabVisit) arrived(page *statePage, marks []belay.StateMark) (came *stateWay) {
	current := int64(-1)
	for i := range marks {
		if marks[i].ID == t.w.CurrentStateVersionID {
			current = marks[i].Serial
			if seen, err := strconv.ParseInt(t.Asked("seen"), 10, 64); err == nil && seen < current && page.Shown.Serial != current {
				came = &stateWay{current, page.Path, marks[i].CreatedAt}
			}
		}
	}
	if t.Asked("seen") == "" {
		t.self = Link(t.Visit, page.Path+"/"+strconv.FormatInt(page.Shown.Serial, 10), "seen", strconv.FormatInt(current, 10))
	} else {
		t.self = t.URL.RequestURI()
	}
	return came
}
