package organizations

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// workspacesPage is the list of an organization's workspaces.
type workspacesPage struct {
	Search, Tags, Sort string
	Filtered           bool
	Requests           bool // the edition has change requests
	Strip              *stripPart
	Facets             []frame.Facet
	Workspaces         []workspaceRow
	Turns              frame.Turns
	CSV                string // the address of the same list as a file
	Bulk               *bulkPart
	Done               string // what was done just now
	Columns            []frame.Choice
	Shows              map[string]bool // by column
	Views              *viewsPart
	New                string // the address of the form of a new one; empty: the visitor may make none

	projects []app.ProjectView // that are offered
}

type workspaceRow struct {
	ID           string
	Ticked       bool // in the form that came back
	Name, Path   string
	Status       *workspaces.StatusWord // of the current run; nil: hidden, or there is none
	Project      string
	Lock         workspaces.LockPart
	Engine       string
	Resources    int
	Changed      time.Time
	Tags         []string
	Bindings     []workspaces.BindingRow
	MayReadOpen  bool // how many change requests are open
	OpenRequests int
}

// workspaceOrders are the orders that the list offers.
var workspaceOrders = map[string]belay.WorkspaceSort{
	"changed": {Key: "latest-change-at", Descending: true},
	"oldest":  {Key: "latest-change-at"},
}

// ShowWorkspaces shows the list, and files of it.
func ShowWorkspaces(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		listWorkspaces(v, s, http.StatusOK, "")
	}
}

// listWorkspaces shows the list with what was wrong with a form of it.
func listWorkspaces(v *frame.Visit, s belay.Principal, status int, problem string) {
	o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.Refuse(err)
		return
	}
	page := workspacesPage{Requests: v.UI.OffersRequests()}
	if o.Can.Has(belay.CreateWorkspace) {
		page.New = frame.OrganizationPath(o.Name, "workspaces/"+FreshName)
	}
	if v.URL.Query().Has("csv") {
		err = writeWorkspaces(v, s, &o, &page)
		if err != nil {
			v.Refuse(err)
		}
		return
	}
	page.Columns, page.Shows = columns(v, page.Requests)
	if err := fillWorkspaces(v, s, &o, &page); err != nil {
		v.Refuse(err)
		return
	}
	v.Show(status, "workspaces", frame.Frame{Title: "Workspaces", OwnHead: true, Error: problem, Visitor: s.Name, Place: v.Place(&o, "workspaces"), Page: page})
}

// wanted is what the address asks for, and fills in what can be asked for.
func wanted(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *workspacesPage) (belay.WorkspaceQuery, error) {
	page.Search, page.Tags, page.Sort = v.Asked("search"), v.Asked("tags"), v.Asked("sort")
	want := belay.WorkspaceQuery{Search: page.Search, Sort: workspaceOrders[page.Sort]}
	want.Tags, want.Tagged = TagsAsked(page.Tags)
	runs, statuses := runFacet(v)
	projects, ids, offered, err := projectFacet(v, s, o.Name)
	page.projects = offered
	want.RunStatuses, want.Projects = statuses, ids
	for _, f := range []frame.Facet{runs, projects} {
		if len(f.Choices) > 0 {
			page.Facets = append(page.Facets, f)
		}
	}
	page.Facets = append(page.Facets, moreFacets(v, s, &want, page.Requests)...)
	page.Filtered = page.Search != "" || page.Tags != "" || statuses != nil || ids != nil || want.Faceted()
	return want, err
}

// fillWorkspaces finds what the address asks for.
func fillWorkspaces(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *workspacesPage) error {
	at := v.Page(frame.PageSize)
	want, err := wanted(v, s, o, page)
	if err != nil {
		return err
	}
	want.Page, page.CSV = at, asFile(v)
	list, total, err := v.UI.App.Workspaces(v.Context(), s, o.Name, want)
	if err != nil {
		return err
	}
	page.offerEngines(list)
	page.Turns = v.Turns(frame.OrganizationPath(o.Name, "workspaces"), at, total)
	if page.Strip, err = strip(v, s, o.Name); err != nil {
		return err
	}
	if err := countFacets(v, s, o.Name, want, page); err != nil {
		return err
	}
	if page.Views, err = listViews(v, s, o); err != nil {
		return err
	}
	page.Done = done(v)
	page.Bulk = bulk(v, o, list, total, page.projects)
	page.Workspaces, err = workspaceRows(v, s, o.Name, list, page.projects)
	for i := range page.Workspaces {
		row := &page.Workspaces[i]
		row.Ticked = slices.Contains(v.PostForm["id"], row.ID+" "+row.Name)
	}
	return err
}

// workspaceRows is workspaces as rows of a table. Some projects are known already.
func workspaceRows(v *frame.Visit, s belay.Principal, organization string, list []app.WorkspaceView, known []app.ProjectView) ([]workspaceRow, error) {
	projects, bindings := map[string]string{}, map[string][]workspaces.BindingRow{}
	for i := range known {
		projects[known[i].ID] = known[i].Name
	}
	names := []string{"effective_tag_bindings"}
	if slices.ContainsFunc(list, func(w app.WorkspaceView) bool { return projects[w.ProjectID] == "" }) {
		names = append(names, "project")
	}
	related, err := v.UI.App.Related(v.Context(), s, list, names)
	for _, p := range related.Projects {
		projects[p.ID] = p.Name
	}
	for _, b := range related.Bindings {
		bindings[b.WorkspaceID] = append(bindings[b.WorkspaceID], workspaces.BindingRow{Key: b.Key, Value: b.Value, Inherited: b.ProjectID != ""})
	}
	rows := make([]workspaceRow, len(list))
	for i := range list {
		w := &list[i]
		rows[i] = workspaceRow{
			ID: w.ID, Name: w.Name, Path: frame.WorkspacePath(organization, w.Name), Status: workspaces.StatusOf(w), Project: projects[w.ProjectID],
			Lock: workspaces.LockOf(s, w), Engine: w.EngineVersion,
			Resources: w.ResourceCount, Changed: w.LatestChangeAt, Tags: w.TagNames, Bindings: bindings[w.ID],
			MayReadOpen: w.Can.Has(belay.ReadChangeRequests), OpenRequests: w.OpenChangeRequests,
		}
	}
	return rows, err
}

// projectFacet is the projects of an organization by name, and the ids of those that are asked
// for; nil: of all. offered is those that can be asked for.
func projectFacet(v *frame.Visit, s belay.Principal, organization string) (f frame.Facet, ids []string, offered []app.ProjectView, err error) {
	f = frame.Facet{Param: "project", Name: "Project"}
	asked := v.URL.Query()["project"]
	offered, _, err = v.UI.App.Projects(v.Context(), s, organization, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: projectsOffered}})
	for _, p := range offered {
		f.Choices = append(f.Choices, frame.FacetChoice{Choice: frame.Choice{Value: p.Name, Text: p.Name, On: slices.Contains(asked, p.Name)}, ID: p.ID})
	}
	if err != nil || len(asked) == 0 {
		return f, nil, offered, err
	}
	named, _, err := v.UI.App.Projects(v.Context(), s, organization, belay.ProjectQuery{Names: asked, Page: belay.Page{Number: 1, Size: projectsOffered}})
	ids = []string{} // a project that is not there has nothing
	for _, p := range named {
		ids = append(ids, p.ID)
		if !slices.ContainsFunc(f.Choices, func(c frame.FacetChoice) bool { return c.Value == p.Name }) {
			f.Choices = append(f.Choices, frame.FacetChoice{Choice: frame.Choice{Value: p.Name, Text: p.Name, On: true}, ID: p.ID})
		}
	}
	return f, ids, offered, err
}

// projectsOffered is how many projects a facet offers.
const projectsOffered = 100

// TagsAsked reads tags: a name is a flat tag or the key of a binding, key=value a binding.
func TagsAsked(text string) (names []string, bindings []belay.TagFilter) {
	for _, word := range frame.Commas(text) {
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
