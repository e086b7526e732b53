package run

import (
	"slices"
	"strconv"
	"time"

	"github.com/belayhq/belay"
)

// Query is what a list of runs asks for. Its conditions add up; a list that is not nil
// and empty matches nothing.
type Query struct {
	WorkspaceID    string // of one workspace, or of the organization
	OrganizationID string
	Scope          belay.Scope // the workspaces whose runs the caller may read
	WithoutPlans   bool        // leaves plan-only runs out
	Unfinished     bool        // neither over nor resting

	Operations, Statuses, Sources []string
	PoolNames, WorkspaceNames     []string
	Group                         string // non_final, final or discardable
	User, Commit, Basic           string
	WholeCommit                   string    // a commit by all of its letters
	From, To                      time.Time // made within; zero: no bound
	Admin                         string    // part of an id, or of the name of a workspace or organization

	Briefly bool // without what happened to them, and how many there are
	Beyond  int  // how many more than fit the page are read, where several queries are asked at once
	Page    belay.Page
}

// NoneFinal says that the query asks for statuses all of which are of runs that are not over.
func (q *Query) NoneFinal() bool {
	return len(q.Statuses) > 0 && !slices.ContainsFunc(q.Statuses, func(s string) bool { return Status(s).Final() || Status(s) == ForceCanceled })
}

// DayCount is how many runs of a status were made on a day.
type DayCount struct {
	Day    int // since 1970, UTC
	Status Status
	Count  int
}

// year is the timeframe of the last 365 days.
const year = 365 * 24 * time.Hour

// Timeframe bounds the query to a year, such as 2026, or to the last one.
func (q *Query) Timeframe(text string, now time.Time) error {
	switch n, err := strconv.Atoi(text); {
	case text == "":
	case text == "year":
		q.From = now.Add(-year)
	case err != nil || len(text) != 4:
		return belay.Refuse(belay.BadRequest, "filter[timeframe] must be a year such as 2026, or year")
	default:
		q.From = time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC)
		q.To = q.From.AddDate(1, 0, 0)
	}
	return nil
}

// StatusesOf is the statuses of a group; nil when there is no such group.
func StatusesOf(group string) []string {
	var list []string
	for _, s := range Statuses {
		in := map[string]bool{"final": s.Final(), "non_final": !s.Final(), "discardable": s.Resting()}
		if in[group] {
			list = append(list, string(s))
		}
	}
	return list
}

// Capacity is how busy an organization is.
type Capacity struct {
	Running int // phases that runners carry out
	Pending int // runs that wait for something
	Limit   int // plans and applies at once; 0: any number
}
