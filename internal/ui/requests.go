package ui

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// requestsPage is the backlog of an organization.
type requestsPage struct {
	Show, Workspace, Project string
	Filtered                 bool
	Projects                 []string // suggestions
	MayFile                  bool
	New                      string // where one is filed
	Campaigns                string // the same by what filed them; empty: not for the visitor
	Filed                    *filedPart
	Part                     requestsPart
}

// filedPart tells of the change requests that a bulk action made.
type filedPart struct {
	Subject string
	Count   int
}

func (u *UI) showRequests(v *visit) {
	s, ok := v.signedIn()
	if !ok {
		return
	}
	v.listRequests(s, http.StatusOK, "")
}

func (v *visit) listRequests(s belay.Principal, status int, problem string) {
	o, err := v.ui.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.refuse(err)
		return
	}
	path := organizationPath(o.Name, "change-requests")
	page := requestsPage{
		Show: v.asked("show"), Workspace: v.asked("workspace"), Project: v.asked("project"),
		MayFile: o.Can.Has(belay.CreateChangeRequests), New: path + "/new",
	}
	if o.Can.Has(belay.ReadExplorer) {
		page.Campaigns = organizationPath(o.Name, "changes")
	}
	page.Filtered = page.Workspace != "" || page.Project != ""
	want := belay.ChangeRequestQuery{Page: v.page(requestsPerPage)}
	if err := v.askedRequests(s, &o, &page, &want); err != nil {
		v.refuse(err)
		return
	}
	list, total, err := v.ui.App.ChangeRequests(v.Context(), s, o.Name, want)
	if err == nil {
		page.Part, err = v.requestsPart(o.Name, list)
	}
	if err != nil {
		v.refuse(err)
		return
	}
	page.Part.ByWorkspace, page.Part.MayArchive = true, o.Can.Has(belay.ArchiveChangeRequests)
	page.Part.Return, page.Part.Turns = v.URL.RequestURI(), v.turns(path, want.Page, total)
	v.show(status, "requests", frame{
		Title: "Change requests", OwnHead: true, Error: problem, Visitor: s.Name, Place: v.place(&o, "changes"), Page: page,
	})
}

// askedRequests reads the filters of the backlog.
func (v *visit) askedRequests(s belay.Principal, o *app.OrganizationView, page *requestsPage, want *belay.ChangeRequestQuery) error {
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
	projects, _, err := v.ui.App.Projects(v.Context(), s, o.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: 100}})
	if err != nil {
		return err
	}
	for _, p := range projects {
		page.Projects = append(page.Projects, p.Name)
	}
	if page.Project != "" {
		named, _, err := v.ui.App.Projects(v.Context(), s, o.Name, belay.ProjectQuery{
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
	return v.askedFiled(s, o, page, want)
}

// askedFiled keeps to what one bulk action made, where the address names it.
func (v *visit) askedFiled(s belay.Principal, o *app.OrganizationView, page *requestsPage, want *belay.ChangeRequestQuery) error {
	id := v.asked("filed")
	if id == "" || !o.Can.Has(belay.ReadExplorer) {
		return nil
	}
	b, err := v.ui.App.BulkAction(v.Context(), s, o.Name, id)
	if err != nil {
		return err
	}
	page.Filed, want.ActionIDs = &filedPart{b.Subject, b.CreatedCount}, []string{b.ID}
	return nil
}
