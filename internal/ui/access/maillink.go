package access

import (
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/signin"
)

// Pages that one comes to by a mailed link, or to have one mailed. None belongs to an
// organization.
const (
	ForgottenPath  = "/app/~/forgotten"
	ResetPath      = "/app/~/reset"
	InvitationPath = "/app/~/invitation"
)

// linkPage is the page of a mailed link, or the one that asks for it.
type linkPage struct {
	Link  string // its value
	Email string // of the account
	By    string // who invites
	To    string // the organizations
	Here  string // who is signed in in this browser
	Name  string // typed before
	Sent  bool   // a link was mailed, if there is such an account
	Ways  frame.Ways
}

// ShowForgotten asks who has forgotten a password.
func ShowForgotten(v *frame.Visit) {
	if !v.Ways("").Forgotten {
		frame.NoPage(v)
		return
	}
	v.Show(http.StatusOK, "forgotten", frame.Frame{Title: "Forgotten your password?", Page: linkPage{}})
}

// Forgotten has a link mailed. What it shows is the same whether there is such an account.
func Forgotten(v *frame.Visit) {
	page := linkPage{Email: v.PostFormValue("email")}
	own := v.OwnForm()
	show := func(status int, problem string) {
		v.Show(status, "forgotten", frame.Frame{Title: "Forgotten your password?", Error: problem, Page: page})
	}
	if !own {
		show(http.StatusForbidden, frame.StaleForm)
		return
	}
	if err := v.UI.App.AskForReset(v.Context(), page.Email, web.Address(v.Request)); err != nil {
		status, text := v.Describe(err)
		if status == http.StatusInternalServerError || status == http.StatusNotFound {
			v.Refuse(err)
			return
		}
		show(status, text)
		return
	}
	page.Sent = true
	show(http.StatusOK, "")
}

// ShowReset shows the form of a link for a new password.
func ShowReset(v *frame.Visit) { showLink(v, signin.ResetLink) }

// ShowInvitation shows the form of an invitation.
func ShowInvitation(v *frame.Visit) { showLink(v, signin.InvitationLink) }

// showLink shows what a link is for. It stays good: programs that read mail open links, too.
func showLink(v *frame.Visit, kind string) {
	page := linkPage{Link: v.URL.Query().Get("link")}
	if err := page.open(v, kind); err != nil {
		v.Refuse(err)
		return
	}
	askForPassword(v, http.StatusOK, "", kind, page)
}

// open fills in whose link it is: of an invitation, who invites to what, and who is here meanwhile.
func (page *linkPage) open(v *frame.Visit, kind string) error {
	if kind != signin.InvitationLink {
		user, err := v.UI.App.LinkedUser(v.Context(), kind, page.Link)
		page.Email = user.Email
		return err
	}
	i, err := v.UI.App.Invitation(v.Context(), page.Link)
	if err != nil {
		return err
	}
	page.Email, page.By, page.To = i.Email, i.By, strings.Join(i.Organizations, ", ")
	s, err := v.UI.App.Visitor(v.Context(), v.ReadCookie(frame.SessionCookie), v.Browser())
	if page.Here = s.Name; belay.KindOf(err) == belay.Unauthenticated {
		page.Here, err = "", nil
	}
	return err
}

func askForPassword(v *frame.Visit, status int, problem, kind string, page linkPage) {
	title, name := "Choose a new password", "reset"
	if kind == signin.InvitationLink {
		title, name = "Come in", "invitation"
	}
	page.Ways = v.Ways(frame.HomePath)
	v.Show(status, name, frame.Frame{Title: title, Error: problem, Page: page})
}

// Reset takes the new password of a link.
func Reset(v *frame.Visit) {
	useLink(v, signin.ResetLink, func(page *linkPage, password string) error {
		if err := v.UI.App.ResetPassword(v.Context(), page.Link, password); err != nil {
			return err
		}
		v.SetCookie(frame.SessionCookie, "", -1)
		v.Redirect(frame.SignInPath)
		return nil
	})
}

// AcceptInvitation takes the password of somebody invited.
func AcceptInvitation(v *frame.Visit) {
	useLink(v, signin.InvitationLink, func(page *linkPage, password string) error {
		value, err := v.UI.App.AcceptInvitation(v.Context(), page.Link, page.Name, password)
		if err != nil {
			return err
		}
		v.SetCookie(frame.SessionCookie, value, int(signin.SessionLifetime.Seconds()))
		v.Redirect(frame.HomePath)
		return nil
	})
}

// useLink takes the form of a link's page: the password, twice.
func useLink(v *frame.Visit, kind string, use func(page *linkPage, password string) error) {
	page := linkPage{Link: v.PostFormValue("link"), Name: v.PostFormValue("name")}
	password := v.PostFormValue("password")
	own := v.OwnForm()
	if err := page.open(v, kind); err != nil {
		v.Refuse(err)
		return
	}
	switch {
	case !own:
		askForPassword(v, http.StatusForbidden, frame.StaleForm, kind, page)
		return
	case password != v.PostFormValue("again"):
		askForPassword(v, http.StatusUnprocessableEntity, "The two passwords are not the same.", kind, page)
		return
	}
	if err := use(&page, password); err != nil {
		status, text := v.Describe(err)
		if status != http.StatusUnprocessableEntity {
			v.Refuse(err)
			return
		}
		askForPassword(v, status, text, kind, page)
	}
}
