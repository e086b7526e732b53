package organizations

import (
	"cmp"
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
	Wrong              string // what of it can't be asked
	Requests           bool   // the edition has change requests
	Strip              *stripPart
	Facets             []frame.Facet
	Workspaces         []workspaceRow
	Turns              frame.Turns
	CSV                string // the address of the same list as a file
	Bulk               *bulkPart
	Done               string // what was done just now
	Columns, Rows      []frame.Choice
	Low                bool            // its rows are low
	Shows              map[string]bool // by column
	Order              orders
	From, To           int      // which of all these are
	Drop               *dropped // nothing fits: what would
	Views              *viewsPart
	New                string // the address of the form of a new one; empty: the visitor may make none

	projects []app.ProjectView // that are offered
	asked    []app.ProjectView // that the address asks for; nil: all
	live     string            // where changes of its rows are told
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
	Old          bool  // no engine that is supported any more
	Weeks        []int // its states by week; nil: hidden
	Drift        *workspaces.StatusWord
	Drifted      string // how many of how many resources, or why nobody knows
	Assessed     time.Time
	DriftedCount int
	Found        bool // how many is known

	Description, Repository, Pool string
	Made                          time.Time
}

// Team is who a tag says that it belongs to.
func (r *workspaceRow) Team() string {
	for _, b := range r.Bindings {
		if b.Key == "team" {
			return b.Value
		}
	}
	return ""
}

// Untouched says that nothing was done with it since it was made.
func (r *workspaceRow) Untouched() bool { return r.Changed.Equal(r.Made) }

// listWeeks is for how many weeks the list tells of states.
const listWeeks = 12

// workspaceOrders are the orders that the list offers.
var workspaceOrders = map[string]belay.WorkspaceSort{
	"last":    {Descending: true},
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
	page.Rows, page.Low = heights(v)
	page.Order = ordersOf(v)
	if err := fillWorkspaces(v, s, &o, &page); err != nil {
		v.Refuse(err)
		return
	}
	v.Show(status, "workspaces", frame.Frame{Title: "Workspaces", OwnHead: true, Error: cmp.Or(problem, page.Wrong), Visitor: s.Name, Place: v.Place(&o, "workspaces"), Page: page, Live: page.live, Offers: page.Sort != "" || page.Filtered})
}

// wanted is what the address asks for, and fills in what can be asked for.
func wanted(v *frame.Visit, s belay.Principal, organization string, page *workspacesPage) (belay.WorkspaceQuery, error) {
	page.Search, page.Tags, page.Sort = v.Asked("search"), v.Asked("tags"), v.Asked("sort")
	want := belay.WorkspaceQuery{Search: page.Search, Sort: workspaceOrders[page.Sort]}
	want.Tags, want.Tagged = TagsAsked(page.Tags)
	runs, statuses := runFacet(v)
	var err error
	if page.asked, err = projectsAsked(v, s, organization); page.asked != nil {
		want.Projects = []string{} // a project that is not there has nothing
	}
	for i := range page.asked {
		want.Projects = append(want.Projects, page.asked[i].ID)
	}
	want.RunStatuses = statuses
	page.Facets = append([]frame.Facet{runs}, moreFacets(v, s, &want, page.Requests)...)
	page.Wrong = wrongEngine(want.Engines)
	page.Filtered = page.Search != "" || page.Tags != "" || statuses != nil || want.Projects != nil || want.Faceted()
	return want, err
}

// fillWorkspaces finds what the address asks for.
func fillWorkspaces(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *workspacesPage) error {
	at := v.Page(frame.PageSize)
	projects, views := frame.Soon(v, offered(v, s, o.Name)), frame.Soon(v, viewsKept(v, s, o.Name))
	want, err := wanted(v, s, o.Name, page)
	if err != nil {
		return err
	}
	groups := readGroups(v, s, o.Name, want, page.Filtered)
	want.Page, page.CSV = at, asFile(v, "csv", "")
	list, total, err := v.UI.App.Workspaces(v.Context(), s, o.Name, want)
	if err != nil {
		return err
	}
	if page.projects, err = projects(); err != nil {
		return err
	}
	page.offerProjects(v)
	page.live = watchedList(v, o.Name, list, total)
	page.offerEngines(list)
	page.Turns = v.Turns(frame.OrganizationPath(o.Name, "workspaces"), at, total)
	page.From, page.To = at.Offset()+1, at.Offset()+len(list)
	if total == 0 && page.Filtered {
		if page.Drop, err = dropping(v, s, o.Name, want); err != nil {
			return err
		}
	}
	if err := countFacets(v, s, o.Name, &want, page, groups); err != nil {
		return err
	}
	kept, err := views()
	if err != nil {
		return err
	}
	page.Views = listViews(v, o, kept)
	page.Done = done(v)
	page.Bulk = bulk(v, o, list, total, page.projects)
	page.Workspaces, err = workspaceRows(v, s, o.Name, list, page.projects, page.Shows)
	for i := range page.Workspaces {
		row := &page.Workspaces[i]
		row.Ticked = slices.Contains(v.PostForm["id"], row.ID+" "+row.Name)
	}
	return err
}

// workspaceRows is workspaces as rows of a table with some columns. Some projects are known already.
func workspaceRows(v *frame.Visit, s belay.Principal, organization string, list []app.WorkspaceView, known []app.ProjectView, shows map[string]bool) ([]workspaceRow, error) {
	beside, err := besideRows(v, s, list, known, shows)
	if err != nil {
		return nil, err
	}
	rows := make([]workspaceRow, len(list))
	for i := range list {
		w := &list[i]
		rows[i] = workspaceRow{
			ID: w.ID, Name: w.Name, Path: frame.WorkspacePath(organization, w.Name), Status: workspaces.ShortStatusOf(w), Project: beside.projects[w.ProjectID],
			Lock: workspaces.LockOf(s, w), Engine: w.EngineVersion, Old: beside.engines.Deprecated(w.EngineRelease),
			Resources: w.ResourceCount, Changed: w.LatestChangeAt, Tags: w.TagNames, Bindings: beside.bindings[w.ID],
			MayReadOpen: w.Can.Has(belay.ReadChangeRequests), OpenRequests: w.OpenChangeRequests,
			Description: w.Description, Pool: beside.pools[w.PoolID()], Made: w.CreatedAt, Weeks: beside.weeksOf(w),
		}
		if w.VCSRepo != nil {
			rows[i].Repository = w.VCSRepo.Identifier
		}
		if a, ok := beside.assessments[w.AssessmentID]; ok {
			word := workspaces.HealthWord(&a)
			rows[i].Drift, rows[i].Drifted, rows[i].Assessed = &word, driftText(&a), a.CreatedAt
			rows[i].DriftedCount, rows[i].Found = a.ResourcesDrifted, a.Succeeded
		}
	}
	return rows, nil
}

// offered reads the projects that a list offers, by name.
func offered(v *frame.Visit, s belay.Principal, organization string) func() ([]app.ProjectView, error) {
	return func() ([]app.ProjectView, error) {
		list, _, err := v.UI.App.Projects(v.Context(), s, organization, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: projectsOffered}})
		return list, err
	}
}

// projectsAsked is the projects of an organization that the address asks for; nil: for all.
func projectsAsked(v *frame.Visit, s belay.Principal, organization string) ([]app.ProjectView, error) {
	asked := v.URL.Query()["project"]
	if len(asked) == 0 {
		return nil, nil
	}
	named, _, err := v.UI.App.Projects(v.Context(), s, organization, belay.ProjectQuery{Names: asked, Page: belay.Page{Number: 1, Size: projectsOffered}})
	return append([]app.ProjectView{}, named...), err
}

// offerProjects puts the facet of projects behind that of runs: those that are offered, and those that are asked for.
func (p *workspacesPage) offerProjects(v *frame.Visit) {
	f, asked := frame.Facet{Param: "project", Name: "Project"}, v.URL.Query()["project"]
	for _, list := range [][]app.ProjectView{p.projects, p.asked} {
		for i := range list {
			if name := list[i].Name; !slices.ContainsFunc(f.Choices, func(c frame.FacetChoice) bool { return c.Value == name }) {
				f.Choices = append(f.Choices, frame.FacetChoice{Choice: frame.Choice{Value: name, Text: name, On: slices.Contains(asked, name)}, ID: list[i].ID})
			}
		}
	}
	if len(f.Choices) > 0 {
		p.Facets = slices.Insert(p.Facets, 1, f)
	}
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
