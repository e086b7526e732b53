package ui

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
)

const profilePath = "/app/~/profile"

// mostSessions is how many browsers a profile names.
const mostSessions = 50

// showProfile shows who one is here: name, password, browsers.
func (u *UI) showProfile(v *visit) {
	if s, ok := v.signedIn(); ok {
		v.showProfileTo(s, http.StatusOK, "")
	}
}

func (v *visit) showProfileTo(s belay.Principal, status int, problem string) {
	me, err := v.ui.App.Account(v.Context(), s)
	if err != nil {
		v.refuse(err)
		return
	}
	list, err := v.ui.App.Sessions(v.Context(), s, mostSessions)
	if err != nil {
		v.refuse(err)
		return
	}
	g := newGrid("Table of browsers", "Signed in", "Which", "-Until")
	for i := range list {
		which := words("another browser")
		if list[i].ID == s.SessionID {
			which = pill("this browser", "ok")
		}
		g.row(nil, moment(list[i].CreatedAt), which, words(day(list[i].ExpiredAt, "")))
	}
	browsers := card{ID: "browsers", Title: "Browsers", Note: many(len(list), "browser", "browsers"), Grid: g}
	if len(list) > 1 {
		browsers.Form = &formPart{Do: "end-others", Submit: "Sign out of all others", Risk: true}
	}
	page := &sheet{
		Title: "Profile", Sub: "Signed in as " + me.Username, Acts: []actLink{{"Tokens", "key", tokensPath, false}},
		Main: []card{
			{ID: "account", Title: "Account", Form: &formPart{Do: "account", Submit: "Save", Fields: []formField{
				{Kind: "text", Name: "username", Label: "Username", Value: me.Username, Max: 90, Required: true, Code: true},
				{Kind: "email", Name: "email", Label: "E-mail address", Value: me.Email, Max: 255, Required: true},
			}}},
			browsers,
		},
		Side: []card{{ID: "password", Title: "Password", Text: "A new one signs you out of every browser, this one too.", Form: &formPart{Do: "password", Submit: "Change the password", Fields: []formField{
			{Kind: "password", Name: "current", Label: "Present password", Required: true}, {Kind: "password", Name: "password", Label: "New password", Required: true},
			{Kind: "password", Name: "again", Label: "The new one again", Required: true},
		}}}},
	}
	if me.UnconfirmedEmail != "" {
		page.Main[0].Text = "A site admin has yet to agree to " + me.UnconfirmedEmail + "."
	}
	v.showSheet(s, page, status, problem)
}

// saveProfile does what a form of the profile asks for.
func (u *UI) saveProfile(v *visit) {
	v.submitted(func(s belay.Principal) (string, error) {
		switch v.PostFormValue("do") {
		case "account":
			_, err := u.App.UpdateAccount(v.Context(), s, belay.UserPatch{Username: patch.Of(v.given("username")), Email: patch.Of(v.given("email"))})
			return profilePath, err
		case "password":
			_, err := u.App.ChangePassword(v.Context(), s, identity.NewPassword{
				Current: v.PostFormValue("current"), Password: v.PostFormValue("password"), Confirmation: v.PostFormValue("again"),
			})
			return signInPath, err
		case "end-others":
			return profilePath, u.App.EndOtherSessions(v.Context(), s)
		default:
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
	}, v.showProfileTo)
}
