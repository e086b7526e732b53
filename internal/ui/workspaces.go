package ui

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// workspacesPage is the list of an organization's workspaces.
type workspacesPage struct {
	Search, Tags, Sort string
	Filtered           bool
	Requests           bool // the edition has change requests
	Strip              *stripPart
	Facets             []facet
	Workspaces         []workspaceRow
	Turns              turns
	CSV                string // the address of the same list as a file
	Bulk               *bulkPart
	Done               string // what was done just now
	Columns            []choice
	Shows              map[string]bool // by column
	Views              *viewsPart
	New                string // the address of the form of a new one; empty: the visitor may make none

	projects []app.ProjectView // that are offered
}

type workspaceRow struct {
	ID           string
	Ticked       bool // in the form that came back
	Name, Path   string
	Status       *statusWord // of the current run; nil: hidden, or there is none
	Project      string
	Lock         lockPart
	Engine       string
	Resources    int
	Changed      time.Time
	Tags         []string
	Bindings     []bindingRow
	MayReadOpen  bool // how many change requests are open
	OpenRequests int
}

// workspaceOrders are the orders that the list offers.
var workspaceOrders = map[string]belay.WorkspaceSort{
	"changed": {Key: "latest-change-at", Descending: true},
	"oldest":  {Key: "latest-change-at"},
}

// showWorkspaces shows the list, and files of it.
func (u *UI) showWorkspaces(v *visit) {
	if s, ok := v.signedIn(); ok {
		u.listWorkspaces(v, s, http.StatusOK, "")
	}
}

// listWorkspaces shows the list with what was wrong with a form of it.
func (u *UI) listWorkspaces(v *visit, s belay.Principal, status int, problem string) {
	o, err := u.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.refuse(err)
		return
	}
	page := workspacesPage{Requests: u.offersRequests()}
	if o.Can.Has(belay.CreateWorkspace) {
		page.New = organizationPath(o.Name, "workspaces/"+freshName)
	}
	if v.URL.Query().Has("csv") {
		err = v.writeWorkspaces(s, &o, &page)
		if err != nil {
			v.refuse(err)
		}
		return
	}
	page.Columns, page.Shows = v.columns(page.Requests)
	if err := v.fillWorkspaces(s, &o, &page); err != nil {
		v.refuse(err)
		return
	}
	v.show(status, "workspaces", frame{Title: "Workspaces", OwnHead: true, Error: problem, Visitor: s.Name, Place: v.place(&o, "workspaces"), Page: page})
}

// wanted is what the address asks for, and fills in what can be asked for.
func (v *visit) wanted(s belay.Principal, o *app.OrganizationView, page *workspacesPage) (belay.WorkspaceQuery, error) {
	page.Search, page.Tags, page.Sort = v.asked("search"), v.asked("tags"), v.asked("sort")
	want := belay.WorkspaceQuery{Search: page.Search, Sort: workspaceOrders[page.Sort]}
	want.Tags, want.Tagged = tagsAsked(page.Tags)
	runs, statuses := v.runFacet()
	projects, ids, offered, err := v.projectFacet(s, o.Name)
	page.projects = offered
	want.RunStatuses, want.Projects = statuses, ids
	for _, f := range []facet{runs, projects} {
		if len(f.Choices) > 0 {
			page.Facets = append(page.Facets, f)
		}
	}
	page.Facets = append(page.Facets, v.moreFacets(s, &want, page.Requests)...)
	page.Filtered = page.Search != "" || page.Tags != "" || statuses != nil || ids != nil || want.Faceted()
	return want, err
}

// fillWorkspaces finds what the address asks for.
func (v *visit) fillWorkspaces(s belay.Principal, o *app.OrganizationView, page *workspacesPage) error {
	at := v.page(pageSize)
	want, err := v.wanted(s, o, page)
	if err != nil {
		return err
	}
	want.Page, page.CSV = at, v.asFile()
	list, total, err := v.ui.App.Workspaces(v.Context(), s, o.Name, want)
	if err != nil {
		return err
	}
	page.offerEngines(list)
	page.Turns = v.turns(organizationPath(o.Name, "workspaces"), at, total)
	if page.Strip, err = v.strip(s, o.Name); err != nil {
		return err
	}
	if err := v.countFacets(s, o.Name, want, page); err != nil {
		return err
	}
	if page.Views, err = v.listViews(s, o); err != nil {
		return err
	}
	page.Done = v.done()
	page.Bulk = v.bulk(o, list, total, page.projects)
	page.Workspaces, err = v.workspaceRows(s, o.Name, list, page.projects)
	for i := range page.Workspaces {
		row := &page.Workspaces[i]
		row.Ticked = slices.Contains(v.PostForm["id"], row.ID+" "+row.Name)
	}
	return err
}

// workspaceRows is workspaces as rows of a table. Some projects are known already.
func (v *visit) workspaceRows(s belay.Principal, organization string, list []app.WorkspaceView, known []app.ProjectView) ([]workspaceRow, error) {
	projects, bindings := map[string]string{}, map[string][]bindingRow{}
	for i := range known {
		projects[known[i].ID] = known[i].Name
	}
	names := []string{"effective_tag_bindings"}
	if slices.ContainsFunc(list, func(w app.WorkspaceView) bool { return projects[w.ProjectID] == "" }) {
		names = append(names, "project")
	}
	related, err := v.ui.App.Related(v.Context(), s, list, names)
	for _, p := range related.Projects {
		projects[p.ID] = p.Name
	}
	for _, b := range related.Bindings {
		bindings[b.WorkspaceID] = append(bindings[b.WorkspaceID], bindingRow{b.Key, b.Value, b.ProjectID != ""})
	}
	rows := make([]workspaceRow, len(list))
	for i := range list {
		w := &list[i]
		rows[i] = workspaceRow{
			ID: w.ID, Name: w.Name, Path: workspacePath(organization, w.Name), Status: statusOf(w), Project: projects[w.ProjectID],
			Lock: lockOf(s, w), Engine: w.EngineVersion,
			Resources: w.ResourceCount, Changed: w.LatestChangeAt, Tags: w.TagNames, Bindings: bindings[w.ID],
			MayReadOpen: w.Can.Has(belay.ReadChangeRequests), OpenRequests: w.OpenChangeRequests,
		}
	}
	return rows, err
}

// projectFacet is the projects of an organization by name, and the ids of those that are asked
// for; nil: of all. offered is those that can be asked for.
func (v *visit) projectFacet(s belay.Principal, organization string) (f facet, ids []string, offered []app.ProjectView, err error) {
	f = facet{Param: "project", Name: "Project"}
	asked := v.URL.Query()["project"]
	offered, _, err = v.ui.App.Projects(v.Context(), s, organization, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: projectsOffered}})
	for _, p := range offered {
		f.Choices = append(f.Choices, facetChoice{choice: choice{p.Name, p.Name, slices.Contains(asked, p.Name)}, ID: p.ID})
	}
	if err != nil || len(asked) == 0 {
		return f, nil, offered, err
	}
	named, _, err := v.ui.App.Projects(v.Context(), s, organization, belay.ProjectQuery{Names: asked, Page: belay.Page{Number: 1, Size: projectsOffered}})
	ids = []string{} // a project that is not there has nothing
	for _, p := range named {
		ids = append(ids, p.ID)
		if !slices.ContainsFunc(f.Choices, func(c facetChoice) bool { return c.Value == p.Name }) {
			f.Choices = append(f.Choices, facetChoice{choice: choice{p.Name, p.Name, true}, ID: p.ID})
		}
	}
	return f, ids, offered, err
}

// projectsOffered is how many projects a facet offers.
const projectsOffered = 100

// tagsAsked reads tags: a name is a flat tag or the key of a binding, key=value a binding.
func tagsAsked(text string) (names []string, bindings []belay.TagFilter) {
	for _, word := range commas(text) {
		key, value, isBinding := strings.Cut(word, "=")
		if filter := (belay.TagFilter{Key: key, Value: value}); isBinding && key != "" {
			if !slices.Contains(bindings, filter) {
				bindings = append(bindings, filter)
			}
		} else if !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names, bindings
}
