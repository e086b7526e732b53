package organizations

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// viewsPart is the saved views of the list of workspaces, and how what is shown is saved.
type viewsPart struct {
	Form, Here string
	Ways       []viewWay
	Kept       *viewWay // the view that is shown; nil: none
	Name       string   // that was typed
	Share      bool     // the visitor may share views
	Shared     bool     // and ticked it
	May        bool     // change the view that is shown
}

type viewWay struct {
	ID, Name, Path string
	Here, Shared   bool
}

// mostViewsShown is above how many a person and an organization may have.
const mostViewsShown = 100

// listViews are the views of the list that the visitor may open.
func listViews(v *frame.Visit, o *app.OrganizationView, list []backlog.WorkspaceView) *viewsPart {
	part := &viewsPart{Form: v.FormSecret(), Here: listed(v, ""), Share: o.Can.Has(belay.ReadExplorer), Name: v.PostFormValue("name"), Shared: v.PostForm.Has("shared")}
	v.SeeViews(o, list)
	paths := frame.ViewPaths(o.Name, list)
	here := frame.ViewHere(paths, v.ListAsked(o.Name))
	for i := range list {
		w := &list[i]
		part.Ways = append(part.Ways, viewWay{ID: w.ID, Name: w.Name, Path: paths[i], Here: i == here, Shared: w.Shared()})
	}
	if here >= 0 {
		part.Kept = &part.Ways[here]
		part.May = !part.Kept.Shared || part.Share
	}
	return part
}

// viewsKept reads the views of a list that are shown.
func viewsKept(v *frame.Visit, s belay.Principal, organization string) func() ([]backlog.WorkspaceView, error) {
	return func() ([]backlog.WorkspaceView, error) {
		list, _, err := v.UI.App.WorkspaceViews(v.Context(), s, organization, belay.Page{Number: 1, Size: mostViewsShown})
		return list, err
	}
}

// keepListView saves what the address asks for under a name.
func keepListView(v *frame.Visit, s belay.Principal, o *app.OrganizationView) (string, error) {
	p := backlog.WorkspaceViewPatch{Name: patch.Of(frame.Trimmed(v.PostFormValue("name"))), Query: patch.Of(backlog.ViewQuery(v.URL.Query())), Shared: v.Ticked("shared")}
	w, err := v.UI.App.CreateWorkspaceView(v.Context(), s, o.Name, p)
	v.ForgetSide(o.ID)
	if err != nil {
		return "", err
	}
	list, err := viewsKept(v, s, o.Name)()
	for i, path := range frame.ViewPaths(o.Name, list) {
		if list[i].ID == w.ID {
			return path, err
		}
	}
	return frame.OrganizationPath(o.Name, "workspaces?") + w.Query, err
}

// forgetListView forgets a view. What it asks for is shown on.
func forgetListView(v *frame.Visit, s belay.Principal, o *app.OrganizationView) (string, error) {
	defer v.ForgetSide(o.ID)
	return listed(v, ""), v.UI.App.DeleteWorkspaceView(v.Context(), s, v.PostFormValue("view"))
}

// viewActs are the forms of the list that are about its views.
var viewActs = map[string]func(*frame.Visit, belay.Principal, *app.OrganizationView) (string, error){
	"keep-view": keepListView, "forget-view": forgetListView,
}
