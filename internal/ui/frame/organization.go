package frame

import (
	"net/http"
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// OrgVisit is a visit to a page of an organization: who comes, and what they may do there.
type OrgVisit struct {
	*Visit
	Principal belay.Principal
	Org       app.OrganizationView
	Path      string // of the list
	ID        string // of the one thing of the list that the page is of; empty: the list
	wrong     string // what went wrong with the form before

	secretMade *FreshValue // a secret that the form has made, to be shown once
	tried      string      // what came of what the form tried, which is shown with it
}

// View is what a page of an organization shows.
type View struct {
	Template string
	Title    string
	step     string  // what the page is called at the end of the way up; empty: its title
	crumbs   []Crumb // between the organization and the page
	Body     any
	Status   int // where nothing went wrong with a form; 0: all is well
	Problem  string
	Live     string // where its changes are told; empty: nowhere
}

// Act is what a form of a page does. It leads on to an address; an empty one means that it
// has answered.
type Act func(*OrgVisit) (to string, err error)

// OpenPart shows the page of an organization that the address names, to those who may open it.
func (u *UI) OpenPart(v *Visit) {
	if s, ok := v.SignedIn(); ok {
		u.showPartTo(v, s, http.StatusOK, "")
	}
}

func (u *UI) showPartTo(v *Visit, s belay.Principal, status int, problem string) {
	p, t, err := v.orgVisit(s)
	if err != nil {
		v.Refuse(err)
		return
	}
	t.wrong = problem
	v.showPage(p, t, status, problem)
}

// showPage shows a page of the organization, and a secret that was made on it.
func (v *Visit) showPage(p Part, t *OrgVisit, status int, problem string) {
	page, err := p.Page(t)
	switch {
	case err != nil:
		v.Refuse(err)
		return
	case page == nil: // it has answered itself
		return
	case problem == "" && page.Status != 0:
		status, problem = page.Status, page.Problem
	}
	if made, ok := page.Body.(*Sheet); ok {
		made.Fresh = t.secretMade
		if t.tried != "" {
			made.Alerts = append(made.Alerts, Alert{Class: "ok", Icon: "check", Text: t.tried})
		}
	}
	offers := t.secretMade != nil // what comes anew shows it no more
	crumbs := page.crumbs
	if t.ID != "" {
		crumbs = append([]Crumb{{p.Name, t.Path}}, crumbs...)
	}
	v.Show(status, page.Template, Frame{
		Title: page.Title, Step: page.step, OwnHead: true, Error: problem, Visitor: t.Principal.Name, Crumbs: crumbs, Place: v.Place(&t.Org, p.Path), Page: page.Body, Live: page.Live, Offers: offers,
	})
}

// orgVisit finds the page of an organization that the address names.
func (v *Visit) orgVisit(s belay.Principal) (Part, *OrgVisit, error) {
	o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		return Part{}, nil, err
	}
	for _, p := range v.UI.parts {
		asked := v.PathValue("part")
		if p.Page != nil && (p.Path == asked || p.Other != "" && p.Other == asked) && v.opens(p, &o) {
			return p, &OrgVisit{Visit: v, Principal: s, Org: o, Path: p.address(o.Name), ID: v.PathValue("id")}, nil
		}
	}
	return Part{}, nil, belay.ErrNotFound
}

// opens says whether a page of an organization is there for who comes.
func (v *Visit) opens(p Part, o *app.OrganizationView) bool {
	return v.UI.App.Edition().Offers(p.Feature) && (p.Need == (belay.Permission{}) || o.Can.HasAny(p.Need))
}

// ActOnPart does what a form of a page asks for, and comes back to it when it is refused.
func (u *UI) ActOnPart(v *Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		p, t, err := v.orgVisit(s)
		if err != nil {
			return "", err
		}
		do := p.Acts[v.PostFormValue("do")]
		if do == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		to, err := do(t)
		switch {
		case err != nil:
		case t.secretMade != nil:
			v.showPage(p, t, http.StatusCreated, "")
		case t.tried != "":
			v.showPage(p, t, http.StatusOK, "")
		}
		return to, err
	}, func(s belay.Principal, status int, problem string) { u.showPartTo(v, s, status, problem) })
}

// Here is the address of the page itself.
func (t *OrgVisit) Here() string { return t.One(t.ID) }

// One is the address of one thing of the list.
func (t *OrgVisit) One(id string) string {
	if id == "" {
		return t.Path
	}
	return t.Path + "/" + url.PathEscape(id)
}

// May says whether who comes has one of the rights in the whole organization.
func (t *OrgVisit) May(some belay.Permission) bool { return t.Org.Can.HasAny(some) }
