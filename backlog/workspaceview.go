package backlog

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// WorkspaceView is what a list of workspaces is asked for, kept under a name: for one person, or
// for everybody in the organization.
type WorkspaceView struct {
	ID             string
	OrganizationID string
	UserID         string // whose own it is; empty: it is shared
	Name           string
	Query          string // of the address of the list
	CreatedBy      string
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Organization   belay.Organization // read with the row: its name
}

// WorkspaceViewPatch is a change of a view; create is a patch of an empty one.
type WorkspaceViewPatch struct {
	Name, Query patch.Field[string]
	Shared      patch.Field[bool]
}

// Parameters of the list of workspaces that a view keeps.
var workspaceViewParams = []string{"age", "columns", "engine", "lock", "project", "requests", "run", "search", "sort", "tags"}

// maxViewQuery is how long the query of a view may be: browsers and proxies take addresses as long.
const maxViewQuery = 2000

// Shared says that the view is everybody's in the organization.
func (w *WorkspaceView) Shared() bool { return w.UserID == "" }

// Apply changes the view, or says all that is wrong with the patch. Whose it is, the caller knows.
func (w *WorkspaceView) Apply(p WorkspaceViewPatch) error {
	var problems belay.Problems
	p.Name.Into(&w.Name)
	p.Query.Into(&w.Query)
	w.Name = strings.TrimSpace(w.Name)
	belay.CheckLabel(&problems, "name", "Name", w.Name)
	query, err := KeptQuery(w.Query)
	if w.Query = query; err != nil {
		problems.Attribute("query", "%s", err.Error())
	}
	return problems.Err()
}

// KeptQuery is the part of an address of the list of workspaces that a view keeps, in one order.
func KeptQuery(query string) (string, error) {
	asked, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return "", belay.Refuse(belay.Invalid, "Query is not the query of an address")
	}
	for name := range asked {
		if !slices.Contains(workspaceViewParams, name) {
			return "", belay.Refuse(belay.Invalid, "Query has no parameter %q: there are %s", name, strings.Join(workspaceViewParams, ", "))
		}
	}
	kept := ViewQuery(asked)
	if len(kept) > maxViewQuery {
		return "", belay.Refuse(belay.Invalid, "Query is too long (maximum is %d characters)", maxViewQuery)
	}
	return kept, nil
}

// ViewQuery is the query of a view, taken from an address of the list that may ask for more.
func ViewQuery(asked url.Values) string {
	kept := url.Values{}
	for _, name := range workspaceViewParams {
		if values := slices.DeleteFunc(slices.Clone(asked[name]), func(value string) bool { return value == "" }); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept.Encode()
}
