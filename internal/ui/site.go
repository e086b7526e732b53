package ui

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

const (
	sitePath  = "/app/~/admin"
	aSitePath = sitePath + "/{part}"
)

// siteVisit is a visit of a site admin to the site's own pages.
type siteVisit struct {
	*visit
	s    belay.Principal
	path string
}

// sitePart is one page of the site: what it shows, and what its forms do.
type sitePart struct {
	path, name string
	fill       func(*siteVisit) (*sheet, error)
	acts       map[string]func(*siteVisit) error
}

var siteParts = []sitePart{
	{"health", "Health", (*siteVisit).health, nil},
	{"users", "Users", (*siteVisit).users, map[string]func(*siteVisit) error{
		"new": (*siteVisit).newUser, "suspend": suspending(true), "let-in": suspending(false), "admin": granting(true), "no-admin": granting(false), "delete": (*siteVisit).deleteUser,
	}},
	{"organizations", "Organizations", (*siteVisit).organizations, map[string]func(*siteVisit) error{"new": (*siteVisit).newOrganization}},
	{"engines", "Engines", (*siteVisit).engines, map[string]func(*siteVisit) error{
		"new": (*siteVisit).newEngine, "enable": enabling(true), "disable": enabling(false), "delete": (*siteVisit).deleteEngine,
	}},
	{"runs", "Runs", (*siteVisit).runs, map[string]func(*siteVisit) error{"cancel": (*siteVisit).cancelRun}},
	{"storage", "Storage", (*siteVisit).storage, nil},
	{"deliveries", "Deliveries", (*siteVisit).deliveries, map[string]func(*siteVisit) error{"retry": (*siteVisit).retryDeliveries}},
	{"backups", "Backups", (*siteVisit).backups, nil},
}

// showSite shows a page of the site to site admins. It is not there for anybody else.
func (u *UI) showSite(v *visit) {
	if s, ok := v.signedIn(); ok {
		v.showSiteTo(s, http.StatusOK, "")
	}
}

func (v *visit) sitePart(s belay.Principal) (*sitePart, *siteVisit, error) {
	for i := range siteParts {
		if p := &siteParts[i]; s.SiteAdmin && p.path == v.PathValue("part") {
			return p, &siteVisit{v, s, sitePath + "/" + p.path}, nil
		}
	}
	return nil, nil, belay.ErrNotFound
}

func (v *visit) showSiteTo(s belay.Principal, status int, problem string) {
	p, t, err := v.sitePart(s)
	if err != nil {
		v.refuse(err)
		return
	}
	page, err := p.fill(t)
	if err != nil {
		v.refuse(err)
		return
	}
	page.Title = p.name
	for i := range siteParts {
		page.Tabs = append(page.Tabs, tabLink{Name: siteParts[i].name, Path: sitePath + "/" + siteParts[i].path, Here: &siteParts[i] == p})
	}
	v.showSheet(s, page, status, problem, crumb{"Site admin", sitePath + "/health"})
}

// actOnSite does what a form of a page of the site asks for.
func (u *UI) actOnSite(v *visit) {
	v.submitted(func(s belay.Principal) (string, error) {
		p, t, err := v.sitePart(s)
		if err != nil {
			return "", err
		}
		do := p.acts[v.PostFormValue("do")]
		if do == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		return t.back(), do(t)
	}, v.showSiteTo)
}

func (t *siteVisit) users() (*sheet, error) {
	at := t.page(pageSize)
	list, total, err := t.ui.App.Users(t.Context(), t.s, belay.UserQuery{Search: t.asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of users", "User", "-E-mail", "State", "-Organizations", "-Since")
	for i := range list {
		u := &list[i]
		state, of := pill("active", "ok"), []setting{{"user", u.ID}}
		forms := []rowForm{{Do: "suspend", Text: "Suspend", Of: u.Username, Hidden: of, Risk: true}}
		switch {
		case u.Suspended:
			state, forms = pill("suspended", "bad"), []rowForm{
				{Do: "let-in", Text: "Let in", Of: u.Username, Hidden: of}, {Do: "delete", Text: "Delete", Of: u.Username, Hidden: of, Risk: true},
			}
		case u.IsAdmin:
			state, forms = pill("site admin", "lock"), []rowForm{{Do: "no-admin", Text: "Take the site away", Of: "from " + u.Username, Hidden: of, Risk: true}}
		case u.IsServiceAccount:
			state = pill("service account", "")
		default:
			forms = append(forms, rowForm{Do: "admin", Text: "Make admin", Of: u.Username, Hidden: of})
		}
		if u.ID == t.s.ID {
			forms = nil
		}
		var names []string
		for _, o := range u.Organizations {
			names = append(names, o.Name)
		}
		g.row(forms, person(u.Username), words(u.Email), state, words(cut(strings.Join(names, ", "), 80)), moment(u.CreatedAt))
	}
	return &sheet{Sub: many(total, "user", "users"), Search: t.asked("search"), Searchable: true, Main: []card{{
		ID: "users", Title: "Users", Grid: g, Empty: "Nobody fits.", Turns: t.turns(t.path, at, total), Closed: true,
		Form: &formPart{Do: "new", Submit: "New user", Fields: []formField{
			{Kind: "text", Name: "username", Label: "Username", Max: 90, Required: true, Code: true}, {Kind: "email", Name: "email", Label: "E-mail address", Max: 255, Required: true},
			{Kind: "password", Name: "password", Label: "Password", Hint: "empty: they can't sign in with one"}, {Kind: "check", Name: "is-admin", Label: "Site admin"},
		}},
	}}}, nil
}

func (t *siteVisit) newUser() error {
	_, err := t.ui.App.CreateUser(t.Context(), t.s, identity.NewUser{
		Username: t.given("username"), Email: t.given("email"), Password: t.PostFormValue("password"), IsAdmin: t.PostFormValue("is-admin") != "",
	})
	return err
}

func suspending(is bool) func(*siteVisit) error {
	return func(t *siteVisit) error {
		_, err := t.ui.App.SuspendUser(t.Context(), t.s, t.PostFormValue("user"), is)
		return err
	}
}

func granting(is bool) func(*siteVisit) error {
	return func(t *siteVisit) error {
		_, err := t.ui.App.UpdateUser(t.Context(), t.s, t.PostFormValue("user"), belay.UserPatch{IsAdmin: patch.Of(is)}, patch.Field[string]{})
		return err
	}
}

func (t *siteVisit) deleteUser() error {
	return t.ui.App.DeleteUser(t.Context(), t.s, t.PostFormValue("user"))
}

func (t *siteVisit) organizations() (*sheet, error) {
	at := t.page(pageSize)
	list, total, err := t.ui.App.Organizations(t.Context(), t.s, belay.OrganizationQuery{Name: t.asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of organizations", "Organization", "+Workspaces", "-E-mail", "-Since")
	for i := range list {
		o := &list[i]
		g.row(nil, link(o.Name, homePath+url.PathEscape(o.Name)), amount(o.WorkspaceCount), words(o.Email), moment(o.CreatedAt))
	}
	return &sheet{Sub: many(total, "organization", "organizations"), Search: t.asked("search"), Searchable: true, Main: []card{{
		ID: "organizations", Title: "Organizations", Grid: g, Empty: "No organization fits.", Turns: t.turns(t.path, at, total), Closed: true,
		Form: &formPart{Do: "new", Submit: "New organization", Fields: []formField{
			{Kind: "text", Name: "name", Label: "Name", Max: 90, Required: true, Code: true}, {Kind: "email", Name: "email", Label: "E-mail address", Max: 255, Required: true},
		}},
	}}}, nil
}

func (t *siteVisit) newOrganization() error {
	_, err := t.ui.App.CreateOrganization(t.Context(), t.s, belay.OrganizationPatch{Name: patch.Of(t.given("name")), Email: patch.Of(t.given("email"))})
	return err
}

func (t *siteVisit) engines() (*sheet, error) {
	at := t.page(pageSize)
	list, total, err := t.ui.App.EngineVersions(t.Context(), t.s, t.asked("search"), at)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of engine versions", "Version", "State", "+Workspaces", "-Official", "-Builds")
	for i := range list {
		e := &list[i]
		state, of := pill("on", "ok"), []setting{{"engine", e.ID}}
		forms := []rowForm{{Do: "disable", Text: "Turn off", Of: e.Version, Hidden: of}}
		switch {
		case !e.Enabled:
			state, forms = pill("off", ""), []rowForm{{Do: "enable", Text: "Turn on", Of: e.Version, Hidden: of}}
		case e.Deprecated:
			state = pill("deprecated", "wait")
		case e.Beta:
			state = pill("beta", "run")
		}
		if e.Usage == 0 {
			forms = append(forms, rowForm{Do: "delete", Text: "Forget", Of: e.Version, Hidden: of, Risk: true})
		}
		version := words(e.Version)
		version.Sub = e.DeprecatedReason
		g.row(forms, version, state, amount(e.Usage), words(yesNo(e.Official)), amount(len(e.Archs)))
	}
	return &sheet{Sub: many(total, "version", "versions"), Search: t.asked("search"), Searchable: true, Main: []card{{
		ID: "engines", Title: "Engine versions", Grid: g, Empty: "No version fits.", Turns: t.turns(t.path, at, total), Closed: true,
		Form: &formPart{Do: "new", Submit: "New version", Fields: []formField{
			{Kind: "text", Name: "version", Label: "Version", Max: 90, Required: true, Code: true}, {Kind: "text", Name: "url", Label: "Address of the archive", Hint: "for Linux on amd64", Max: 2048, Code: true},
			{Kind: "text", Name: "sha", Label: "SHA-256", Max: 64, Code: true}, {Kind: "check", Name: "enabled", Label: "Workspaces may use it", On: true},
		}},
	}}}, nil
}

func (t *siteVisit) newEngine() error {
	p := app.EngineVersionPatch{Version: patch.Of(t.given("version")), Enabled: t.ticked("enabled")}
	if t.given("url")+t.given("sha") != "" {
		p.URL, p.SHA = patch.Of(t.given("url")), patch.Of(t.given("sha"))
	}
	_, err := t.ui.App.CreateEngineVersion(t.Context(), t.s, p)
	return err
}

func enabling(is bool) func(*siteVisit) error {
	return func(t *siteVisit) error {
		_, err := t.ui.App.UpdateEngineVersion(t.Context(), t.s, t.PostFormValue("engine"), app.EngineVersionPatch{Enabled: patch.Of(is)})
		return err
	}
}

func (t *siteVisit) deleteEngine() error {
	return t.ui.App.DeleteEngineVersion(t.Context(), t.s, t.PostFormValue("engine"))
}

func (t *siteVisit) runs() (*sheet, error) {
	at := t.page(pageSize)
	list, total, err := t.ui.Runs.AdminList(t.Context(), t.s, run.Query{Admin: t.asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	rows, err := t.runRows(list)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of runs", "Run", "Status", "Workspace", "-Organization", "-By", "Begun")
	for i, r := range rows {
		var forms []rowForm
		if list[i].Now.Cancelable || list[i].Now.ForceCancelable {
			forms = []rowForm{{Do: "cancel", Text: "End by force", Of: r.Title, Risk: true, Hidden: []setting{{"run", list[i].ID}}}}
		}
		g.row(forms, link(cut(r.Title, 60), r.Path), cell{Text: r.Status.Text, Pill: r.Status.Class, Icon: r.Status.Icon}, words(list[i].Workspace), words(list[i].Organization), person(r.By), moment(r.At))
	}
	return &sheet{Sub: many(total, "run", "runs") + " in all organizations", Search: t.asked("search"), Searchable: true, Main: []card{{
		ID: "runs", Title: "Runs", Grid: g, Empty: "No run fits.", Turns: t.turns(t.path, at, total),
	}}}, nil
}

func (t *siteVisit) cancelRun() error {
	return t.ui.Runs.AdminCancel(t.Context(), t.s, t.PostFormValue("run"), "")
}
