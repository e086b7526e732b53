package changes

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// requestsPage is the backlog of an organization.
type requestsPage struct {
	Show, Workspace, Project string
	Assignee                 string // by whom they are taken; "none": by nobody
	Filtered                 bool
	Projects                 []string // suggestions
	MayFile                  bool
	New                      string // where one is filed
	Campaigns                string // the same by what filed them; empty: not for the visitor
	Filed                    *filedPart
	Part                     workspaces.RequestsPart
}

// filedPart tells of the change requests that a bulk action made.
type filedPart struct {
	Subject string
	Count   int
}

// ShowRequests lists the change requests of an organization.
func ShowRequests(v *frame.Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	listRequests(v, s, http.StatusOK, "")
}

func listRequests(v *frame.Visit, s belay.Principal, status int, problem string) {
	o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.Refuse(err)
		return
	}
	path := frame.OrganizationPath(o.Name, "change-requests")
	page := requestsPage{
		Show: v.Asked("show"), Workspace: v.Asked("workspace"), Project: v.Asked("project"), Assignee: v.Asked("assignee"),
		MayFile: o.Can.Has(belay.CreateChangeRequests), New: path + "/new",
	}
	if o.Can.Has(belay.ReadExplorer) {
		page.Campaigns = frame.OrganizationPath(o.Name, "changes")
	}
	page.Filtered = page.Workspace != "" || page.Project != "" || page.Assignee != ""
	want := backlog.ChangeRequestQuery{Page: v.Page(workspaces.RequestsPerPage)}
	if err := askedRequests(v, s, &o, &page, &want); err != nil {
		v.Refuse(err)
		return
	}
	list, total, err := v.UI.App.ChangeRequests(v.Context(), s, o.Name, want)
	if err == nil {
		page.Part, err = workspaces.RequestsShown(v, o.Name, list)
	}
	if err != nil {
		v.Refuse(err)
		return
	}
	page.Part.ByWorkspace, page.Part.MayArchive = true, o.Can.Has(belay.ArchiveChangeRequests)
	page.Part.Return, page.Part.Turns = v.URL.RequestURI(), v.Turns(path, want.Page, total)
	v.Show(status, "requests", frame.Frame{
		Title: "Change requests", OwnHead: true, Error: problem, Visitor: s.Name, Place: v.Place(&o, "changes"), Page: page,
	})
}

// askedRequests reads the filters of the backlog.
func askedRequests(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *requestsPage, want *backlog.ChangeRequestQuery) error {
	switch page.Show {
	case "all":
	case "archived":
		archived := true
		want.Archived = &archived
	default:
		archived := false
		page.Show, want.Archived = "open", &archived
	}
	if page.Workspace != "" {
		want.WorkspaceNames = []string{page.Workspace}
	}
	if page.Assignee != "" {
		want.Assignees = []string{page.Assignee}
	}
	projects, _, err := v.UI.App.Projects(v.Context(), s, o.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: 100}})
	if err != nil {
		return err
	}
	for _, p := range projects {
		page.Projects = append(page.Projects, p.Name)
	}
	if page.Project != "" {
		named, _, err := v.UI.App.Projects(v.Context(), s, o.Name, belay.ProjectQuery{
			Names: []string{page.Project}, Page: belay.Page{Number: 1, Size: 1},
		})
		if err != nil {
			return err
		}
		want.Projects = []string{} // a project that is not there has nothing
		for _, p := range named {
			want.Projects = append(want.Projects, p.ID)
		}
	}
	return askedFiled(v, s, o, page, want)
}

// askedFiled keeps to what one bulk action made, where the address names it.
func askedFiled(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *requestsPage, want *backlog.ChangeRequestQuery) error {
	id := v.Asked("filed")
	if id == "" || !o.Can.Has(belay.ReadExplorer) {
		return nil
	}
	b, err := v.UI.App.BulkAction(v.Context(), s, o.Name, id)
	if err != nil {
		return err
	}
	page.Filed, want.ActionIDs = &filedPart{b.Subject, b.CreatedCount}, []string{b.ID}
	return nil
}
