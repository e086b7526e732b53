package organizations

import (
	"net/url"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
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

// asFilters is what a list asks for as filters of the explorer, what work may change first, and whether they say all of it: the
// explorer asks otherwise for tags, and not for locks, ages and change requests.
func asFilters(want belay.WorkspaceQuery, projects []app.ProjectView) (filters []explorer.Asked, whole bool) {
	ask := func(field string, operator explorer.Operator, values ...string) {
		filters = append(filters, explorer.Asked{Field: field, Operator: operator, Values: values})
	}
	if want.Engines != nil {
		ask("workspace_terraform_version", explorer.Satisfies, want.Engines...)
		want.Engines = nil
	}
	switch never := slices.Contains(want.RunStatuses, ""); {
	case want.RunStatuses == nil, never && len(want.RunStatuses) > 1:
	case never:
		ask("current_run_status", explorer.IsEmpty)
		want.RunStatuses = nil
	default:
		ask("current_run_status", explorer.Is, want.RunStatuses...)
		want.RunStatuses = nil
	}
	if want.Health == belay.OnlyDrifted {
		ask("drifted", explorer.Is, "true")
		want.Health = belay.AnyHealth
	}
	if len(projects) > 0 {
		names := make([]string, len(projects))
		for i := range projects {
			names[i] = projects[i].Name
		}
		ask("project_name", explorer.Is, names...)
		want.Projects = nil
	}
	if want.Search != "" {
		ask("workspace_name", explorer.Contains, want.Search)
		want.Search = ""
	}
	want.Scope.Everything = true
	return filters, want.Unfiltered()
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
