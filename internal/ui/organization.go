package ui

import (
	"net/http"
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// orgVisit is a visit to a page of an organization: who comes, and what they may do there.
type orgVisit struct {
	*visit
	s     belay.Principal
	o     app.OrganizationView
	path  string // of the list
	id    string // of the one thing of the list that the page is of; empty: the list
	wrong string // what went wrong with the form before

	secretMade *freshValue // a secret that the form has made, to be shown once
}

// view is what a page of an organization shows.
type view struct {
	template string
	title    string
	step     string  // what the page is called at the end of the way up; empty: its title
	crumbs   []crumb // between the organization and the page
	body     any
	status   int // where nothing went wrong with a form; 0: all is well
	problem  string
	live     string // where its changes are told; empty: nowhere
}

// act is what a form of a page does. It leads on to an address; an empty one means that it
// has answered.
type act func(*orgVisit) (to string, err error)

// openPart shows the page of an organization that the address names, to those who may open it.
func (u *UI) openPart(v *visit) {
	if s, ok := v.signedIn(); ok {
		u.showPartTo(v, s, http.StatusOK, "")
	}
}

func (u *UI) showPartTo(v *visit, s belay.Principal, status int, problem string) {
	p, t, err := v.orgVisit(s)
	if err != nil {
		v.refuse(err)
		return
	}
	t.wrong = problem
	v.showPage(p, t, status, problem)
}

// showPage shows a page of the organization, and a secret that was made on it.
func (v *visit) showPage(p part, t *orgVisit, status int, problem string) {
	page, err := p.page(t)
	switch {
	case err != nil:
		v.refuse(err)
		return
	case page == nil: // it has answered itself
		return
	case problem == "" && page.status != 0:
		status, problem = page.status, page.problem
	}
	if made, ok := page.body.(*sheet); ok {
		made.Fresh = t.secretMade
	}
	crumbs := page.crumbs
	if t.id != "" {
		crumbs = append([]crumb{{p.name, t.path}}, crumbs...)
	}
	v.show(status, page.template, frame{
		Title: page.title, Step: page.step, OwnHead: true, Error: problem, Visitor: t.s.Name, Crumbs: crumbs, Place: v.place(&t.o, p.path), Page: page.body, Live: page.live,
	})
}

// orgVisit finds the page of an organization that the address names.
func (v *visit) orgVisit(s belay.Principal) (part, *orgVisit, error) {
	o, err := v.ui.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		return part{}, nil, err
	}
	for _, p := range v.ui.parts {
		asked := v.PathValue("part")
		if p.page != nil && (p.path == asked || p.other != "" && p.other == asked) && v.opens(p, &o) {
			return p, &orgVisit{visit: v, s: s, o: o, path: p.address(o.Name), id: v.PathValue("id")}, nil
		}
	}
	return part{}, nil, belay.ErrNotFound
}

// opens says whether a page of an organization is there for who comes.
func (v *visit) opens(p part, o *app.OrganizationView) bool {
	return v.ui.App.Edition().Offers(p.feature) && (p.need == 0 || o.Can&p.need != 0)
}

// actOnPart does what a form of a page asks for, and comes back to it when it is refused.
func (u *UI) actOnPart(v *visit) {
	v.submitted(func(s belay.Principal) (string, error) {
		p, t, err := v.orgVisit(s)
		if err != nil {
			return "", err
		}
		do := p.acts[v.PostFormValue("do")]
		if do == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		to, err := do(t)
		if err == nil && t.secretMade != nil {
			v.showPage(p, t, http.StatusCreated, "")
		}
		return to, err
	}, func(s belay.Principal, status int, problem string) { u.showPartTo(v, s, status, problem) })
}

// here is the address of the page itself.
func (t *orgVisit) here() string { return t.one(t.id) }

// one is the address of one thing of the list.
func (t *orgVisit) one(id string) string {
	if id == "" {
		return t.path
	}
	return t.path + "/" + url.PathEscape(id)
}

// may says whether who comes has one of the rights in the whole organization.
func (t *orgVisit) may(any belay.Permission) bool { return t.o.Can&any != 0 }
