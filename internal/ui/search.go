package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
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
	At        string // the page that one comes from
	Groups    []searchGroup
	Acts      []action
	Resources string // where resources are asked for; empty: not by the visitor

	kind searchKind
	ask  string             // the words without what says of which kind
	best *app.WorkspaceView // the workspace that fits best; nil: none
}

// searchKind is what a search is only for, as the first letter of its words says.
type searchKind string

// The kinds of things that can be looked for alone.
const (
	everything  searchKind = ""
	onlyActions searchKind = ">"
	onlyTags    searchKind = "#"
	onlyPeople  searchKind = "@"
	onlyPages   searchKind = ":"
)

// wants says whether things of a kind are looked for, alone or among others.
func (p *searchPage) wants(kind searchKind) bool { return p.kind == everything || p.kind == kind }

// readKind takes the kind from the words.
func (p *searchPage) readKind() {
	p.ask = p.Words
	for _, kind := range []searchKind{onlyActions, onlyTags, onlyPeople, onlyPages} {
		if rest, found := strings.CutPrefix(p.Words, string(kind)); found {
			p.kind, p.ask = kind, strings.TrimSpace(rest)
		}
	}
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
	page := &searchPage{Words: frame.Cut(v.Asked("q"), frame.LongestAsk), In: v.Asked("in"), At: v.Asked("at")}
	page.readKind()
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

// searchIn looks among what is an organization's.
func searchIn(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	for _, part := range []struct {
		of   []searchKind // what is looked for where they are
		look func(*frame.Visit, belay.Principal, *app.OrganizationView, *searchPage) error
	}{
		{[]searchKind{everything, onlyTags, onlyActions}, searchWorkspaces},
		{[]searchKind{everything}, searchNamed},
		{[]searchKind{everything, onlyPeople}, searchPeople},
		{[]searchKind{everything}, searchSets},
	} {
		if page.ask == "" || !slices.Contains(part.of, page.kind) {
			continue
		}
		if err := part.look(v, s, o, page); err != nil {
			return err
		}
	}
	if page.wants(onlyActions) {
		return searchActions(v, s, o, page)
	}
	return nil
}

// searchWorkspaces looks among workspaces, by name and by tag. Of actions only the one that fits best is of use.
func searchWorkspaces(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	first := belay.Page{Number: 1, Size: foundOfKind}
	for _, seek := range []struct {
		want  belay.WorkspaceQuery
		title string
		param string
	}{
		{belay.WorkspaceQuery{Search: bestWord(page), Page: first}, "Workspaces", "search"},
		{belay.WorkspaceQuery{Page: first}, "Workspaces tagged so", "tags"},
	} {
		byTag := seek.param == "tags"
		if byTag && page.kind == onlyActions || !byTag && (page.kind == onlyTags || seek.want.Search == "") {
			continue
		}
		if byTag {
			seek.want.Tags, seek.want.Tagged = organizations.TagsAsked(page.ask)
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
			g.Rows = append(g.Rows, frame.LinkRow{Name: list[i].Name, Note: standsAs(&list[i]), Path: frame.WorkspacePath(o.Name, list[i].Name)})
		}
		if !byTag {
			page.best = bestOf(list, seek.want.Search)
		}
		if total > len(list) {
			g.All = frame.OrganizationPath(o.Name, "workspaces?") + url.Values{seek.param: {page.ask}}.Encode()
		}
		if page.kind != onlyActions {
			page.add(g)
		}
	}
	return nil
}

// bestOf is the workspace that fits a search best: the one of that name, or the first; nil: none is there.
func bestOf(list []app.WorkspaceView, search string) (best *app.WorkspaceView) {
	for i := range list {
		if best == nil || strings.EqualFold(list[i].Name, search) {
			best = &list[i]
		}
	}
	return best
}

// bestWord is the words that a workspace is looked for by: of an action, its last one.
func bestWord(page *searchPage) string {
	if words := strings.Fields(page.ask); page.kind == onlyActions && len(words) > 0 {
		return words[len(words)-1]
	}
	return page.ask
}

// standsAs is how a workspace stands, in a few words.
func standsAs(w *app.WorkspaceView) string {
	words := w.TagNames
	if status := workspaces.StatusOf(w); status != nil {
		words = append([]string{status.Text}, words...)
	}
	if w.Lock.Held() {
		words = append([]string{"locked"}, words...)
	}
	return strings.Join(words, ", ")
}

// searchNamed looks among projects and teams.
func searchNamed(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	first := belay.Page{Number: 1, Size: foundOfKind}
	projects, _, err := v.UI.App.Projects(v.Context(), s, o.Name, belay.ProjectQuery{Search: page.ask, Page: first})
	if err != nil {
		return err
	}
	g := searchGroup{ID: "projects", Title: "Projects", Icon: "folder"}
	for i := range projects {
		g.Rows = append(g.Rows, frame.LinkRow{Name: projects[i].Name, Note: "its workspaces", Path: frame.OrganizationPath(o.Name, "workspaces?project=") + url.QueryEscape(projects[i].Name)})
	}
	page.add(g)
	teams, _, err := v.UI.App.Teams(v.Context(), s, o.Name, belay.TeamQuery{Search: page.ask, Page: first})
	g = searchGroup{ID: "teams", Title: "Teams", Icon: "users"}
	for i := range teams {
		g.Rows = append(g.Rows, frame.LinkRow{Name: teams[i].Name, Note: "", Path: frame.OrganizationPath(o.Name, "teams/") + teams[i].ID})
	}
	page.add(g)
	return err
}

// searchPeople looks among the people of an organization.
func searchPeople(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	if !o.Can.Has(belay.ManageMembership) && !o.Can.Has(belay.ReadEveryMember) {
		return nil
	}
	people, total, _, err := v.UI.App.Memberships(v.Context(), s, o.Name, belay.MembershipQuery{Search: page.ask, Page: belay.Page{Number: 1, Size: foundOfKind}})
	if err != nil {
		return err
	}
	ids := make([]string, len(people))
	for i := range people {
		ids[i] = people[i].UserID
	}
	names, err := v.Names(ids...)
	g := searchGroup{ID: "people", Title: "People", Icon: "user"}
	for i := range people {
		m := &people[i]
		g.Rows = append(g.Rows, frame.LinkRow{Name: cmp.Or(names[m.UserID], m.Email), Note: m.Email, Path: frame.OrganizationPath(o.Name, "members?") + url.Values{"search": {m.Email}}.Encode()})
	}
	if total > len(people) {
		g.All = frame.OrganizationPath(o.Name, "members?") + url.Values{"search": {page.ask}}.Encode()
	}
	page.add(g)
	return err
}

// searchSets looks among the variable sets of an organization. Resources are too many to look through at each letter: the
// way to the question is shown.
func searchSets(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	sets, _, err := v.UI.App.VariableSets(v.Context(), s, o.Name, inputs.VariableSetQuery{Search: page.ask, Page: belay.Page{Number: 1, Size: foundOfKind}})
	if err != nil && belay.KindOf(err) != belay.NotFound {
		return err
	}
	g := searchGroup{ID: "sets", Title: "Variable sets", Icon: "sliders"}
	for i := range sets {
		g.Rows = append(g.Rows, frame.LinkRow{Name: sets[i].Name, Note: "", Path: frame.OrganizationPath(o.Name, "variable-sets/") + sets[i].ID})
	}
	page.add(g)
	if o.Can.Has(belay.ReadExplorer) {
		question := url.Values{"type": {string(explorer.Resources)}, "filter[0][address][contains][0]": {page.ask}}
		page.Resources = frame.OrganizationPath(o.Name, "explorer?") + question.Encode()
	}
	return nil
}

// searchOutside adds the pages that the visitor may open, and organizations.
func searchOutside(v *frame.Visit, s belay.Principal, at *frame.Place, page *searchPage) error {
	if !page.wants(onlyPages) {
		return nil
	}
	g := searchGroup{ID: "pages", Title: "Pages", Icon: "file"}
	fits := func(name, note, path string) {
		if strings.Contains(strings.ToLower(name), strings.ToLower(page.ask)) {
			g.Rows = append(g.Rows, frame.LinkRow{Name: name, Note: note, Path: path})
		}
	}
	if at != nil {
		for _, list := range []frame.Doorways{at.Main, at.More} {
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
	if page.kind != everything {
		return nil
	}
	list, total, err := v.UI.App.Organizations(v.Context(), s, belay.OrganizationQuery{Name: page.ask, Page: belay.Page{Number: 1, Size: foundOfKind}})
	g = searchGroup{ID: "organizations", Title: "Organizations", Icon: "list"}
	for i := range list {
		g.Rows = append(g.Rows, frame.LinkRow{Name: list[i].Name, Note: "", Path: frame.OrganizationHomePath(list[i].Name)})
	}
	if total > len(list) {
		g.All = frame.OrganizationsPath + "?" + url.Values{"search": {page.ask}}.Encode()
	}
	page.add(g)
	return err
}

func (p *searchPage) add(g searchGroup) {
	if len(g.Rows) > 0 {
		p.Groups = append(p.Groups, g)
	}
}
