package access

import (
	"cmp"
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/signin"
)

// ProfilePath is where somebody changes their profile.
const ProfilePath = "/app/~/profile"

// mostSessions is how many browsers a profile names.
const mostSessions = 50

// ShowProfile shows who one is here: name, password, browsers.
func ShowProfile(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		showProfileTo(v, s, http.StatusOK, "")
	}
}

func showProfileTo(v *frame.Visit, s belay.Principal, status int, problem string) {
	me, err := v.UI.App.Account(v.Context(), s)
	if err != nil {
		v.Refuse(err)
		return
	}
	list, err := v.UI.App.Sessions(v.Context(), s, mostSessions)
	if err != nil {
		v.Refuse(err)
		return
	}
	browsers := frame.Card{ID: "browsers", Title: "Browsers", Note: frame.Many(len(list), "browser", "browsers"), Grid: browserGrid(v, s, list)}
	if len(list) > 1 {
		browsers.Form = &frame.FormPart{Do: "end-others", Submit: "Sign out of all others", Risk: true}
	}
	page := &frame.Sheet{
		Title: "Profile", Sub: "Signed in as " + me.Username, Acts: []frame.ActLink{{Text: "How you sign in", Icon: "shield", Path: frame.WaysPath, Main: false}, {Text: "Tokens", Icon: "key", Path: frame.TokensPath, Main: false}, {Text: "Notifications to me", Icon: "bell", Path: MailedPath}},
		Main: []frame.Card{
			{ID: "account", Title: "Account", Form: &frame.FormPart{Do: "account", Submit: "Save", Changes: true, Fields: []frame.FormField{
				{Kind: "text", Name: "username", Label: "Username", Value: me.Username, Max: 90, Required: true, Code: true},
				{Kind: "email", Name: "email", Label: "E-mail address", Value: me.Email, Max: 255, Required: true},
			}}},
			browsers,
		},
		Side: []frame.Card{{ID: "password", Title: "Password", Text: "A new one signs you out of every browser, this one too.", Form: &frame.FormPart{Do: "password", Submit: "Change the password", Fields: []frame.FormField{
			{Kind: "password", Name: "current", Label: "Present password", Required: true}, {Kind: "password", Name: "password", Label: "New password", Required: true},
			{Kind: "password", Name: "again", Label: "The new one again", Required: true},
		}}}, {ID: "looks", Title: "Looks", Text: "Of this browser.", Form: &frame.FormPart{Do: "looks", Submit: "Save looks", Fields: v.LooksFields()}}},
	}
	if me.UnconfirmedEmail != "" {
		page.Main[0].Text = "A site admin has yet to agree to " + me.UnconfirmedEmail + "."
	}
	v.ShowSheet(s, page, status, problem)
}

// browserGrid is a row for each browser that somebody is signed in with.
func browserGrid(v *frame.Visit, s belay.Principal, list []signin.Session) *frame.Grid {
	g := frame.NewGrid("Table of browsers", "Browser", "-Address", "Seen last", "-Signed in", "-Until")
	for i := range list {
		session, mine := &list[i], list[i].ID == s.SessionID
		if mine { // it may not have been noted yet
			session.Browser = v.Browser()
		}
		which := frame.Words(cmp.Or(frame.DeviceText(session.Device), "a browser"))
		seen := frame.Moment(session.At)
		if mine {
			seen = frame.Pill("this browser", "ok")
		}
		g.Row(nil, which, frame.Cell{Text: session.Address, Code: true}, seen, frame.Moment(session.CreatedAt), frame.Words(frame.Day(session.ExpiredAt, "")))
	}
	return g
}

// SaveProfile does what a form of the profile asks for.
func SaveProfile(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		switch v.PostFormValue("do") {
		case "account":
			_, err := v.UI.App.UpdateAccount(v.Context(), s, belay.UserPatch{Username: v.Edited("username"), Email: v.Edited("email")})
			return ProfilePath, err
		case "password":
			_, err := v.UI.App.ChangePassword(v.Context(), s, identity.NewPassword{
				Current: v.PostFormValue("current"), Password: v.PostFormValue("password"), Confirmation: v.PostFormValue("again"),
			})
			return frame.SignInPath, err
		case "looks":
			return ProfilePath, v.KeepLooks()
		case "end-others":
			return ProfilePath, v.UI.App.EndOtherSessions(v.Context(), s)
		default:
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
	}, func(s belay.Principal, status int, problem string) { showProfileTo(v, s, status, problem) })
}
