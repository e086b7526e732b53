package ui

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/web"
)

// Pages that one comes to by a mailed link, or to have one mailed. None belongs to an
// organization.
const (
	forgottenPath  = "/app/~/forgotten"
	resetPath      = "/app/~/reset"
	invitationPath = "/app/~/invitation"
)

// linkPage is the page of a mailed link, or the one that asks for it.
type linkPage struct {
	Link  string // its value
	Email string // of the account
	Name  string // typed before
	Sent  bool   // a link was mailed, if there is such an account
	Ways  ways
}

func (u *UI) showForgotten(v *visit) {
	if !v.ways("").Forgotten {
		noPage(v)
		return
	}
	v.show(http.StatusOK, "forgotten", frame{Title: "Forgotten your password?", Page: linkPage{}})
}

// forgotten has a link mailed. What it shows is the same whether there is such an account.
func (u *UI) forgotten(v *visit) {
	page := linkPage{Email: v.PostFormValue("email")}
	own := v.ownForm()
	show := func(status int, problem string) {
		v.show(status, "forgotten", frame{Title: "Forgotten your password?", Error: problem, Page: page})
	}
	if !own {
		show(http.StatusForbidden, staleForm)
		return
	}
	if err := u.App.AskForReset(v.Context(), page.Email, web.Address(v.Request)); err != nil {
		status, text := describe(err)
		if status == http.StatusInternalServerError || status == http.StatusNotFound {
			v.refuse(err)
			return
		}
		show(v.held(status), text)
		return
	}
	page.Sent = true
	show(http.StatusOK, "")
}

func (u *UI) showReset(v *visit) { v.showLink(belay.ResetLink) }

func (u *UI) showInvitation(v *visit) { v.showLink(belay.InvitationLink) }

// showLink shows what a link is for. It stays good: programs that read mail open links, too.
func (v *visit) showLink(kind string) {
	value := v.URL.Query().Get("link")
	user, err := v.ui.App.LinkedUser(v.Context(), kind, value)
	if err != nil {
		v.refuse(err)
		return
	}
	v.askForPassword(http.StatusOK, "", kind, linkPage{Link: value, Email: user.Email})
}

func (v *visit) askForPassword(status int, problem, kind string, page linkPage) {
	title, name := "Choose a new password", "reset"
	if kind == belay.InvitationLink {
		title, name = "Come in", "invitation"
	}
	page.Ways = v.ways(homePath)
	v.show(status, name, frame{Title: title, Error: problem, Page: page})
}

func (u *UI) reset(v *visit) {
	v.useLink(belay.ResetLink, func(page *linkPage, password string) error {
		if err := u.App.ResetPassword(v.Context(), page.Link, password); err != nil {
			return err
		}
		v.setCookie(sessionCookie, "", -1)
		v.redirect(signInPath)
		return nil
	})
}

func (u *UI) acceptInvitation(v *visit) {
	v.useLink(belay.InvitationLink, func(page *linkPage, password string) error {
		value, err := u.App.AcceptInvitation(v.Context(), page.Link, page.Name, password)
		if err != nil {
			return err
		}
		v.setCookie(sessionCookie, value, int(belay.SessionLifetime.Seconds()))
		v.redirect(homePath)
		return nil
	})
}

// useLink takes the form of a link's page: the password, twice.
func (v *visit) useLink(kind string, use func(page *linkPage, password string) error) {
	page := linkPage{Link: v.PostFormValue("link"), Name: v.PostFormValue("name")}
	password := v.PostFormValue("password")
	own := v.ownForm()
	user, err := v.ui.App.LinkedUser(v.Context(), kind, page.Link)
	if err != nil {
		v.refuse(err)
		return
	}
	page.Email = user.Email
	switch {
	case !own:
		v.askForPassword(http.StatusForbidden, staleForm, kind, page)
		return
	case password != v.PostFormValue("again"):
		v.askForPassword(http.StatusUnprocessableEntity, "The two passwords are not the same.", kind, page)
		return
	}
	if err := use(&page, password); err != nil {
		status, text := describe(err)
		if status != http.StatusUnprocessableEntity {
			v.refuse(err)
			return
		}
		v.askForPassword(status, text, kind, page)
	}
}
