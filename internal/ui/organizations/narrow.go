package organizations

import (
	"net/url"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// orders is where the heads of the columns that order the list lead, and how it is ordered now.
type orders struct {
	Name, Changed         string // addresses
	NameSort, ChangedSort string // ascending, descending, or empty
}

// ordersOf is the orders of the list as it is asked for.
func ordersOf(v *frame.Visit) orders {
	asked := v.Asked("sort")
	to := func(sort string) string {
		query := v.URL.Query()
		query.Del("page")
		query.Set("sort", sort)
		return "?" + query.Encode()
	}
	o := orders{Name: to("name"), Changed: to("changed")}
	switch asked {
	case "changed":
		o.ChangedSort, o.Changed = "descending", to("oldest")
	case "oldest":
		o.ChangedSort = "ascending"
	case "last":
		o.NameSort = "descending"
	default:
		o.NameSort, o.Name = "ascending", to("last")
	}
	return o
}

// dropped is the one thing that a list had better not ask for: without it most are left.
type dropped struct {
	Name, Path string
	Left       int
}

// dropping finds what of a question that nothing fits keeps most workspaces out.
func dropping(v *frame.Visit, s belay.Principal, organization string, want belay.WorkspaceQuery) (best *dropped, err error) {
	var less []dropped
	var wants []belay.WorkspaceQuery
	for _, one := range []struct {
		param, name string
		drop        func(*belay.WorkspaceQuery)
	}{
		{"search", "the name", func(q *belay.WorkspaceQuery) { q.Search = "" }},
		{"tags", "the tags", func(q *belay.WorkspaceQuery) { q.Tags, q.Tagged = nil, nil }},
		{"run", "the run", func(q *belay.WorkspaceQuery) { q.RunStatuses = nil }},
		{"project", "the project", func(q *belay.WorkspaceQuery) { q.Projects = nil }},
		{"lock", "the lock", func(q *belay.WorkspaceQuery) { q.Lock, q.LockedBy, q.LockedBefore = "", "", time.Time{} }},
		{"engine", "the engine", func(q *belay.WorkspaceQuery) { q.Engines = nil }},
		{"age", "the age", func(q *belay.WorkspaceQuery) { q.ChangedBefore = time.Time{} }},
		{"requests", "the change requests", func(q *belay.WorkspaceQuery) { q.OpenRequests = false }},
		{"health", "the health", func(q *belay.WorkspaceQuery) { q.Health = "" }},
	} {
		query := v.URL.Query()
		if !slices.ContainsFunc(query[one.param], func(value string) bool { return value != "" }) {
			continue
		}
		query.Del(one.param)
		query.Del("page")
		less = append(less, dropped{one.name, (&url.URL{Path: v.URL.Path, RawQuery: query.Encode()}).String(), 0})
		wants = append(wants, want)
		one.drop(&wants[len(wants)-1])
	}
	totals, err := v.UI.App.WorkspaceTotals(v.Context(), s, organization, wants)
	for i, total := range totals {
		if less[i].Left = total; total > 0 && (best == nil || total > best.Left) {
			best = &less[i]
		}
	}
	return best, err
}
