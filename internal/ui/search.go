package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/organizations"
	"github.com/belayhq/belay/internal/ui/site"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// searchPath is where everything is looked for; in names the organization that one comes from.
const searchPath = "/app/~/search"

// searchPage is what fits some words, group by group.
type searchPage struct {
	Words, In string
	Groups    []searchGroup
	Resources string // where resources are asked for; empty: not by the visitor
}

type searchGroup struct {
	ID, Title, Icon string
	Rows            []frame.LinkRow
	All             string // where all of them are; empty: these are all
}

// foundOfKind is how many of each kind a search shows.
const foundOfKind = 8

// search finds organizations, workspaces, projects, teams, people, variable sets and pages by their names, and leads
// straight to what an id names.
func search(v *frame.Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	page := &searchPage{Words: frame.Cut(v.Asked("q"), frame.LongestAsk), In: v.Asked("in")}
	if to := byID(v, s, page.Words); to != "" {
		v.Redirect(to)
		return
	}
	var at *frame.Place
	if page.In != "" {
		o, err := v.UI.App.Organization(v.Context(), s, page.In)
		switch {
		case belay.KindOf(err) == belay.NotFound:
			page.In = ""
		case err != nil:
			v.Refuse(err)
			return
		default:
			at = v.Place(&o, "~search")
			if err := searchIn(v, s, &o, page); err != nil {
				v.Refuse(err)
				return
			}
		}
	}
	if err := searchOutside(v, s, at, page); err != nil {
		v.Refuse(err)
		return
	}
	v.Show(http.StatusOK, "search", frame.Frame{Title: "Search", Visitor: s.Name, Place: at, Page: page})
}

// byID is the page of what an id names, if the visitor may see it; empty: there is none.
func byID(v *frame.Visit, s belay.Principal, id string) string {
	switch kind, rest, _ := strings.Cut(id, "-"); {
	case rest == "":
	case kind == "ws":
		if w, err := v.UI.App.Workspace(v.Context(), s, belay.WorkspaceRef{ID: id}); err == nil {
			return frame.WorkspacePath(w.Organization.Name, w.Name)
		}
	case kind == "run":
		if r, err := v.UI.Runs.Show(v.Context(), s, id); err == nil {
			return workspaces.RunPath(r.Organization, r.Workspace, r.ID)
		}
	case kind == "wscr" && v.UI.OffersRequests():
		if r, err := v.UI.App.ChangeRequest(v.Context(), s, id); err == nil {
			return frame.OnePath(r.ID)
		}
	}
	return ""
}

// searchIn looks among what is an organization's.
func searchIn(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	if page.Words == "" {
		return nil
	}
	first := belay.Page{Number: 1, Size: foundOfKind}
	for _, seek := range []struct {
		want  belay.WorkspaceQuery
		title string
		param string
	}{
		{belay.WorkspaceQuery{Search: page.Words, Page: first}, "Workspaces", "search"},
		{belay.WorkspaceQuery{Page: first}, "Workspaces tagged so", "tags"},
	} {
		if seek.param == "tags" {
			seek.want.Tags, seek.want.Tagged = organizations.TagsAsked(page.Words)
		}
		list, total, err := v.UI.App.Workspaces(v.Context(), s, o.Name, seek.want)
		if belay.KindOf(err) == belay.BadRequest { // more tags than can be asked for
			continue
		}
		if err != nil {
			return err
		}
		g := searchGroup{ID: "by-" + seek.param, Title: seek.title, Icon: "stack"}
		for i := range list {
			g.Rows = append(g.Rows, frame.LinkRow{Name: list[i].Name, Note: strings.Join(list[i].TagNames, ", "), Path: frame.WorkspacePath(o.Name, list[i].Name)})
		}
		if total > len(list) {
			g.All = frame.OrganizationPath(o.Name, "workspaces?") + url.Values{seek.param: {page.Words}}.Encode()
		}
		page.add(g)
	}
	projects, _, err := v.UI.App.Projects(v.Context(), s, o.Name, belay.ProjectQuery{Search: page.Words, Page: first})
	if err != nil {
		return err
	}
	g := searchGroup{ID: "projects", Title: "Projects", Icon: "folder"}
	for i := range projects {
		g.Rows = append(g.Rows, frame.LinkRow{Name: projects[i].Name, Note: "its workspaces", Path: frame.OrganizationPath(o.Name, "workspaces?project=") + url.QueryEscape(projects[i].Name)})
	}
	page.add(g)
	teams, _, err := v.UI.App.Teams(v.Context(), s, o.Name, belay.TeamQuery{Search: page.Words, Page: first})
	if err != nil {
		return err
	}
	g = searchGroup{ID: "teams", Title: "Teams", Icon: "users"}
	for i := range teams {
		g.Rows = append(g.Rows, frame.LinkRow{Name: teams[i].Name, Note: "", Path: frame.OrganizationPath(o.Name, "teams/") + teams[i].ID})
	}
	page.add(g)
	return searchBeside(v, s, o, page)
}

// searchBeside looks among the people and the variable sets of an organization. Resources are too
// many to look through at each letter: the way to the question is shown.
func searchBeside(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	first := belay.Page{Number: 1, Size: foundOfKind}
	asked := url.Values{"search": {page.Words}}.Encode()
	if o.Can.Has(belay.ManageMembership) || o.Can.Has(belay.ReadEveryMember) {
		people, total, _, err := v.UI.App.Memberships(v.Context(), s, o.Name, belay.MembershipQuery{Search: page.Words, Page: first})
		if err != nil {
			return err
		}
		ids := make([]string, len(people))
		for i := range people {
			ids[i] = people[i].UserID
		}
		names, err := v.Names(ids...)
		if err != nil {
			return err
		}
		g := searchGroup{ID: "people", Title: "People", Icon: "user"}
		for i := range people {
			m := &people[i]
			g.Rows = append(g.Rows, frame.LinkRow{Name: cmp.Or(names[m.UserID], m.Email), Note: m.Email, Path: frame.OrganizationPath(o.Name, "members?") + url.Values{"search": {m.Email}}.Encode()})
		}
		if total > len(people) {
			g.All = frame.OrganizationPath(o.Name, "members?") + asked
		}
		page.add(g)
	}
	sets, _, err := v.UI.App.VariableSets(v.Context(), s, o.Name, belay.VariableSetQuery{Search: page.Words, Page: first})
	if err != nil && belay.KindOf(err) != belay.NotFound {
		return err
	}
	g := searchGroup{ID: "sets", Title: "Variable sets", Icon: "sliders"}
	for i := range sets {
		g.Rows = append(g.Rows, frame.LinkRow{Name: sets[i].Name, Note: "", Path: frame.OrganizationPath(o.Name, "variable-sets/") + sets[i].ID})
	}
	page.add(g)
	if o.Can.Has(belay.ReadExplorer) {
		question := url.Values{"type": {string(explorer.Resources)}, "filter[0][address][contains][0]": {page.Words}}
		page.Resources = frame.OrganizationPath(o.Name, "explorer?") + question.Encode()
	}
	return nil
}

// searchOutside adds the pages that the visitor may open, and organizations.
func searchOutside(v *frame.Visit, s belay.Principal, at *frame.Place, page *searchPage) error {
	g := searchGroup{ID: "pages", Title: "Pages", Icon: "file"}
	fits := func(name, note, path string) {
		if strings.Contains(strings.ToLower(name), strings.ToLower(page.Words)) {
			g.Rows = append(g.Rows, frame.LinkRow{Name: name, Note: note, Path: path})
		}
	}
	if at != nil {
		for _, list := range [][]frame.Doorway{at.Main, at.More} {
			for _, way := range list {
				if !way.Phone {
					fits(way.Name, at.Organization, way.Path)
				}
			}
		}
	}
	fits("Profile", "yours", access.ProfilePath)
	fits("Your tokens", "yours", frame.TokensPath)
	fits("Sign-in", "yours", frame.WaysPath)
	fits("API", "its reference", referencePath)
	if v.Admin {
		fits("Site admin", "the server's", site.SitePath)
	}
	page.add(g)
	list, total, err := v.UI.App.Organizations(v.Context(), s, belay.OrganizationQuery{Name: page.Words, Page: belay.Page{Number: 1, Size: foundOfKind}})
	g = searchGroup{ID: "organizations", Title: "Organizations", Icon: "list"}
	for i := range list {
		g.Rows = append(g.Rows, frame.LinkRow{Name: list[i].Name, Note: "", Path: strings.TrimSuffix(frame.OrganizationPath(list[i].Name, ""), "/")})
	}
	if total > len(list) {
		g.All = frame.HomePath + "?" + url.Values{"search": {page.Words}}.Encode()
	}
	page.add(g)
	return err
}

func (p *searchPage) add(g searchGroup) {
	if len(g.Rows) > 0 {
		p.Groups = append(p.Groups, g)
	}
}
