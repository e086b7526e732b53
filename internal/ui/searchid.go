package ui

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// pageOf is how the page of what an id names is found, by what ids of its kind begin with; an empty
// address: there is none.
var pageOf = map[string]func(v *frame.Visit, s belay.Principal, id string) (string, error){
	"ws": func(v *frame.Visit, s belay.Principal, id string) (string, error) {
		w, err := v.UI.App.Workspace(v.Context(), s, belay.WorkspaceRef{ID: id})
		return frame.WorkspacePath(w.Organization.Name, w.Name), err
	},
	"run": func(v *frame.Visit, s belay.Principal, id string) (string, error) {
		r, err := v.UI.Runs.Show(v.Context(), s, id)
		return workspaces.RunPath(r.Organization, r.Workspace, r.ID), err
	},
	"wscr": func(v *frame.Visit, s belay.Principal, id string) (string, error) {
		if !v.UI.OffersRequests() {
			return "", nil
		}
		r, err := v.UI.App.ChangeRequest(v.Context(), s, id)
		return frame.OnePath(r.ID), err
	},
	"sv": func(v *frame.Visit, s belay.Principal, id string) (string, error) {
		state, err := v.UI.App.StateVersion(v.Context(), s, id)
		if err != nil {
			return "", err
		}
		w, err := v.UI.App.Workspace(v.Context(), s, belay.WorkspaceRef{ID: state.WorkspaceID})
		return frame.WorkspacePath(w.Organization.Name, w.Name) + "/state/" + strconv.FormatInt(state.Serial, 10), err
	},
	"prj": func(v *frame.Visit, s belay.Principal, id string) (string, error) {
		p, err := v.UI.App.Project(v.Context(), s, id)
		return frame.OrganizationPath(p.Organization.Name, "projects/") + url.PathEscape(p.ID), err
	},
}

// byID is the page of what an id names, if the visitor may see it; empty: there is none.
func byID(v *frame.Visit, s belay.Principal, id string) string {
	kind, rest, _ := strings.Cut(id, "-")
	find := pageOf[kind]
	if find == nil || rest == "" {
		return ""
	}
	to, err := find(v, s, id)
	if err != nil {
		return ""
	}
	return to
}
