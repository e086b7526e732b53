// Package site owns the pages of the site's admins.
package site

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// Where the pages of the site are.
const (
	SitePath  = "/app/~/admin"
	ASitePath = SitePath + "/{part}"
)

// siteVisit is a visit of a site admin to the site's own pages.
type siteVisit struct {
	*frame.Visit
	s    belay.Principal
	path string

	fresh *frame.FreshValue // a secret that was just made: shown this once
}

// sitePart is one page of the site: what it shows, and what its forms do.
type sitePart struct {
	path, name string
	fill       func(*siteVisit) (*frame.Sheet, error)
	acts       map[string]func(*siteVisit) error
}

var siteParts = []sitePart{
	{"health", "Health", (*siteVisit).health, nil},
	{"users", "Users", (*siteVisit).users, map[string]func(*siteVisit) error{
		"new": (*siteVisit).newUser, "suspend": suspending(true), "let-in": suspending(false), "admin": granting(true), "no-admin": granting(false), "delete": (*siteVisit).deleteUser,
		"password-link": (*siteVisit).passwordLink,
	}},
	{"organizations", "Organizations", (*siteVisit).organizations, map[string]func(*siteVisit) error{"new": (*siteVisit).newOrganization}},
	{"engines", "Engines", (*siteVisit).engines, map[string]func(*siteVisit) error{
		"new": (*siteVisit).newEngine, "enable": enabling(true), "disable": enabling(false), "support": (*siteVisit).supportFrom, "delete": (*siteVisit).deleteEngine,
	}},
	{"runs", "Runs", (*siteVisit).runs, map[string]func(*siteVisit) error{"cancel": (*siteVisit).cancelRun}},
	{"storage", "Storage", (*siteVisit).storage, nil},
	{"deliveries", "Deliveries", (*siteVisit).deliveries, map[string]func(*siteVisit) error{"retry": (*siteVisit).retryDeliveries, "resend": (*siteVisit).resendDelivery}},
	{"backups", "Backups", (*siteVisit).backups, nil},
}

// ShowSite shows a page of the site to site admins. It is not there for anybody else.
func ShowSite(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		showSiteTo(v, s, http.StatusOK, "")
	}
}

func openPart(v *frame.Visit, s belay.Principal) (*sitePart, *siteVisit, error) {
	for i := range siteParts {
		if p := &siteParts[i]; s.SiteAdmin && p.path == v.PathValue("part") {
			return p, &siteVisit{Visit: v, s: s, path: SitePath + "/" + p.path}, nil
		}
	}
	return nil, nil, belay.ErrNotFound
}

func showSiteTo(v *frame.Visit, s belay.Principal, status int, problem string) {
	p, t, err := openPart(v, s)
	if err != nil {
		v.Refuse(err)
		return
	}
	t.show(p, status, problem)
}

func (t *siteVisit) show(p *sitePart, status int, problem string) {
	page, err := p.fill(t)
	if err != nil {
		t.Refuse(err)
		return
	}
	page.Title, page.Fresh = p.name, t.fresh
	for i := range siteParts {
		page.Tabs = append(page.Tabs, frame.TabLink{Name: siteParts[i].name, Path: SitePath + "/" + siteParts[i].path, Here: &siteParts[i] == p})
	}
	t.ShowSheet(t.s, page, status, problem, frame.Crumb{Name: "Site admin", Path: SitePath + "/health"})
}

// ActOnSite does what a form of a page of the site asks for.
func ActOnSite(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		p, t, err := openPart(v, s)
		if err != nil {
			return "", err
		}
		do := p.acts[v.PostFormValue("do")]
		if do == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		if err := do(t); err != nil || t.fresh == nil {
			return t.Back(), err
		}
		t.show(p, http.StatusCreated, "") // no address leads to it
		return "", nil
	}, func(s belay.Principal, status int, problem string) { showSiteTo(v, s, status, problem) })
}

func (t *siteVisit) users() (*frame.Sheet, error) {
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.Users(t.Context(), t.s, belay.UserQuery{Search: t.Asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of users", "User", "State", "-Organizations", "-Signs in by", "+-Browsers", "-Last seen", "-Token used")
	for i := range list {
		u := &list[i]
		state, of := frame.Pill("active", "ok"), []frame.Setting{{Name: "user", Value: u.ID}}
		forms := []frame.RowForm{{Do: "suspend", Text: "Suspend", Of: u.Username, Hidden: of, Risk: true}}
		switch {
		case u.Suspended:
			state, forms = frame.Pill("suspended", "bad"), []frame.RowForm{
				{Do: "let-in", Text: "Let in", Of: u.Username, Hidden: of}, {Do: "delete", Text: "Delete", Of: u.Username, Hidden: of, Risk: true},
			}
		case u.Invited: // nobody has come yet to be let out
			state, forms = frame.Pill("invited", "wait"), nil
		case u.IsAdmin:
			state, forms = frame.Pill("site admin", "lock"), []frame.RowForm{{Do: "no-admin", Text: "Take the site away", Of: "from " + u.Username, Hidden: of, Risk: true}}
		case u.IsServiceAccount:
			state = frame.Pill("service account", "")
		default:
			forms = append(forms, frame.RowForm{Do: "admin", Text: "Make admin", Of: u.Username, Hidden: of})
		}
		if u.ID == t.s.ID {
			forms = nil
		} else if t.UI.App.Passwords() && u.CanSignIn() && !u.Invited {
			forms = append([]frame.RowForm{{Do: "password-link", Text: "Password link", Of: "for " + u.Username, Hidden: of}}, forms...)
		}
		var names []string
		for _, o := range u.Organizations {
			names = append(names, o.Name)
		}
		name := frame.Person(u.Username)
		if name.Sub, state.At = u.Email, u.CreatedAt; u.Invited {
			name = frame.Words(u.Email)
		}
		g.Row(forms, name, state, frame.Words(frame.Cut(strings.Join(names, ", "), 80)),
			frame.Words(frame.WaysIn(&u.Presence)), frame.Amount(u.Sessions), frame.Moment(u.LastSeen), frame.Moment(u.LastToken))
	}
	return &frame.Sheet{Sub: frame.Many(total, "user", "users"), Search: t.Asked("search"), Searchable: true, Main: []frame.Card{{
		ID: "users", Title: "Users", Grid: g, Empty: "Nobody fits.", Turns: t.Turns(t.path, at, total), Closed: true,
		Form: &frame.FormPart{Do: "new", Submit: "New user", Fields: []frame.FormField{
			{Kind: "text", Name: "username", Label: "Username", Max: 90, Required: true, Code: true}, {Kind: "email", Name: "email", Label: "E-mail address", Max: 255, Required: true},
			{Kind: "password", Name: "password", Label: "Password", Hint: "empty: they can't sign in with one"}, {Kind: "check", Name: "is-admin", Label: "Site admin"},
		}},
	}}}, nil
}

// passwordLink makes a link by which somebody sets a password, for the visitor to hand on.
func (t *siteVisit) passwordLink() error {
	l, err := t.UI.App.PasswordLink(t.Context(), t.s, t.PostFormValue("user"))
	if err == nil {
		t.fresh = &frame.FreshValue{
			Title: "A link to a new password", Value: t.Scheme() + t.HostName() + l.Path(),
			Uses: []frame.Setting{{Name: "Hand it on where nobody else reads it. It is good once, until", Value: frame.Minute(l.EndsAt)}},
		}
	}
	return err
}

func (t *siteVisit) newUser() error {
	_, err := t.UI.App.CreateUser(t.Context(), t.s, identity.NewUser{
		Username: t.Given("username"), Email: t.Given("email"), Password: t.PostFormValue("password"), IsAdmin: t.PostFormValue("is-admin") != "",
	})
	return err
}

func suspending(is bool) func(*siteVisit) error {
	return func(t *siteVisit) error {
		_, err := t.UI.App.SuspendUser(t.Context(), t.s, t.PostFormValue("user"), is)
		return err
	}
}

func granting(is bool) func(*siteVisit) error {
	return func(t *siteVisit) error {
		_, err := t.UI.App.UpdateUser(t.Context(), t.s, t.PostFormValue("user"), belay.UserPatch{IsAdmin: patch.Of(is)}, patch.Field[string]{})
		return err
	}
}

func (t *siteVisit) deleteUser() error {
	return t.UI.App.DeleteUser(t.Context(), t.s, t.PostFormValue("user"))
}

func (t *siteVisit) organizations() (*frame.Sheet, error) {
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.Organizations(t.Context(), t.s, belay.OrganizationQuery{Name: t.Asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of organizations", "Organization", "+Workspaces", "-E-mail", "-Since")
	for i := range list {
		o := &list[i]
		g.Row(nil, frame.Link(o.Name, frame.HomePath+url.PathEscape(o.Name)), frame.Amount(o.WorkspaceCount), frame.Words(o.Email), frame.Moment(o.CreatedAt))
	}
	return &frame.Sheet{Sub: frame.Many(total, "organization", "organizations"), Search: t.Asked("search"), Searchable: true, Main: []frame.Card{{
		ID: "organizations", Title: "Organizations", Grid: g, Empty: "No organization fits.", Turns: t.Turns(t.path, at, total), Closed: true,
		Form: &frame.FormPart{Do: "new", Submit: "New organization", Fields: []frame.FormField{
			{Kind: "text", Name: "name", Label: "Name", Max: 90, Required: true, Code: true}, {Kind: "email", Name: "email", Label: "E-mail address", Max: 255, Required: true},
		}},
	}}}, nil
}

func (t *siteVisit) newOrganization() error {
	_, err := t.UI.App.CreateOrganization(t.Context(), t.s, belay.OrganizationPatch{Name: patch.Of(t.Given("name")), Email: patch.Of(t.Given("email"))})
	return err
}

func (t *siteVisit) runs() (*frame.Sheet, error) {
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.Runs.AdminList(t.Context(), t.s, run.Query{Admin: t.Asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	rows, err := workspaces.RunRows(t.Visit, list)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of runs", "Run", "Status", "Workspace", "-Organization", "-By")
	for i, r := range rows {
		var forms []frame.RowForm
		if list[i].Now.Cancelable || list[i].Now.ForceCancelable {
			forms = []frame.RowForm{{Do: "cancel", Text: "End by force", Of: r.Title, Risk: true, Hidden: []frame.Setting{{Name: "run", Value: list[i].ID}}}}
		}
		g.Row(forms, frame.Link(frame.Cut(r.Title, 60), r.Path), frame.Cell{Text: r.Status.Text, Pill: r.Status.Class, Icon: r.Status.Icon, At: r.At}, frame.Link(list[i].Workspace, frame.WorkspacePath(list[i].Organization, list[i].Workspace)),
			frame.Link(list[i].Organization, frame.OrganizationPath(list[i].Organization, "runs")), frame.Person(r.By))
	}
	return &frame.Sheet{Sub: frame.Many(total, "run", "runs") + " in all organizations", Search: t.Asked("search"), Searchable: true, Main: []frame.Card{{
		ID: "runs", Title: "Runs", Grid: g, Empty: "No run fits.", Turns: t.Turns(t.path, at, total),
	}}}, nil
}

func (t *siteVisit) cancelRun() error {
	return t.UI.Runs.AdminCancel(t.Context(), t.s, t.PostFormValue("run"), "")
}
