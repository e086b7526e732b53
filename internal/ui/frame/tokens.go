package frame

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
)

// tokensPage is the page of a person's own tokens.
type tokensPage struct {
	Value       string    // of a token just made: shown this once
	Uses        []Setting // how it is used then
	Lives       []Choice
	ForLogin    bool // a command line waits for a token to be pasted
	Description string
	Tokens      []tokenRow
	More        int // how many tokens are not shown

	EndID, EndText string // of the one that the address asks to end
}

type tokenRow struct {
	ID, Description, Tail string
	Created, Used, Ends   Cell
}

// Tail is the last letters of a token's value as people read them; empty where nobody knows them.
func Tail(t *belay.Token) string {
	if t.Tail == "" {
		return ""
	}
	return "…" + t.Tail
}

// Ends is when a token is over. One that is over soon stands out, and says how soon.
func Ends(t *belay.Token, now time.Time) Cell {
	c := Cell{Text: Day(t.ExpiredAt, "never")}
	if !t.EndsSoon(now) {
		return c
	}
	c.Pill, c.Icon = "wait", "clock"
	switch left := t.ExpiredAt.Sub(now); {
	case left <= 0:
		c.Pill, c.Icon, c.Sub = "bad", "x", "it is over"
	case left < 48*time.Hour:
		c.Sub = "in " + Many(int(left.Hours()), "hour", "hours")
	default:
		c.Sub = "in " + Many(int(left.Hours()/24), "day", "days")
	}
	return c
}

// PastedLogin is what a token is for that is made for a command line to be pasted.
const PastedLogin = "terraform login"

// MostTokens is how many tokens the page shows.
const MostTokens = 100

// SignedIn is who the browser is signed in as. Where it is nobody, it answers with the
// way to sign in and come back.
func (v *Visit) SignedIn() (belay.Principal, bool) {
	s, ok, err := v.Visitor()
	switch {
	case err != nil:
		v.Refuse(err)
	case ok:
		v.remember(s)
		if v.Method == http.MethodPost {
			v.dropKept()
		}
	default:
		if kept := v.keepForm(); kept != "" {
			v.AskWho(http.StatusUnauthorized, "Your session is over. Sign in again: what you typed is kept for ten minutes.", SignInPage{Return: HomePath, Kept: kept})
			return s, false
		}
		back := HomePath
		if v.Method == http.MethodGet {
			back = v.URL.RequestURI()
		}
		v.Redirect(SignInPath + "?return=" + url.QueryEscape(back))
	}
	return s, ok
}

// ShowTokens lists the tokens of the visitor.
func (u *UI) ShowTokens(v *Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	page := tokensPage{ForLogin: v.URL.Query().Get("source") == "terraform-login"}
	if page.ForLogin {
		page.Description = PastedLogin
	}
	v.listTokens(http.StatusOK, "", s, page)
}

func (v *Visit) listTokens(status int, problem string, s belay.Principal, page tokensPage) {
	list, total, err := v.UI.App.UserTokens(v.Context(), s, s.ID, belay.Page{Number: 1, Size: MostTokens})
	if err != nil {
		v.Refuse(err)
		return
	}
	asked := v.Asked("end")
	for _, t := range list {
		if v.Method == http.MethodGet && t.ID == asked {
			page.EndID, page.EndText = t.ID, EndText(&t, v.UI.Now())
		}
		page.Tokens = append(page.Tokens, tokenRow{
			ID: t.ID, Description: t.Description, Tail: Tail(&t), Created: Moment(t.CreatedAt), Used: UsedLast(&t), Ends: Ends(&t, v.UI.Now()),
		})
	}
	page.More, page.Lives = total-len(list), LifeChoices()
	v.Show(status, "tokens", Frame{Title: "Your tokens", Error: problem, Visitor: s.Name, Page: page})
}

// Day is the day of a time; none where there is none.
func Day(at time.Time, none string) string {
	if at.IsZero() {
		return none
	}
	return at.Format(time.DateOnly)
}

// Lives are the choices of how many days a token lives.
var Lives = map[string]int{"30": 30, "90": 90, "365": 365, "730": 730}

// LifeChoices is how long a new token may live, with the usual one chosen.
func LifeChoices() []Choice {
	return Options("90", "30", "30 days", "90", "90 days", "365", "a year", "730", "two years")
}

// UsedLast is when a token was used last.
func UsedLast(t *belay.Token) Cell {
	if t.LastUsedAt.IsZero() {
		return Words("never")
	}
	c := Moment(t.LastUsedAt)
	if t.UsedFrom != "" {
		c.Sub = "from " + t.UsedFrom
	}
	return c
}

// EndText says which token is to end, and whom that may take by surprise.
func EndText(t *belay.Token, now time.Time) string {
	text := "The token"
	switch {
	case t.Description != "":
		text += " “" + t.Description + "”"
	case t.OwnerKind == belay.OrganizationPrincipal && t.Purpose == belay.AuditTrails:
		text += " of the audit trail"
	case t.OwnerKind == belay.OrganizationPrincipal:
		text += " of the organization"
	}
	if tail := Tail(t); tail != "" {
		text += ", " + tail + ","
	}
	text += " ends for ever. It was "
	if t.LastUsedAt.IsZero() {
		return text + "never used."
	}
	text += "used last " + Ago(t.LastUsedAt, now)
	if t.UsedFrom != "" {
		text += ", from " + t.UsedFrom
	}
	return text + ": what uses it is refused from then on."
}

// CreateToken makes a token, and shows it once.
func (u *UI) CreateToken(v *Visit) {
	own := v.OwnForm()
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	page := tokensPage{Description: v.PostFormValue("description")}
	days, known := Lives[v.PostFormValue("days")]
	switch {
	case !own:
		v.listTokens(http.StatusForbidden, StaleForm, s, page)
		return
	case !known || !PlainText(page.Description):
		v.listTokens(http.StatusUnprocessableEntity, "Give the token a description of up to 255 characters, and one of the lives offered.", s, page)
		return
	}
	want := identity.NewToken{Description: page.Description, ExpiredAt: patch.Of(time.Now().AddDate(0, 0, days))}
	_, value, err := u.App.CreateUserToken(v.Context(), s, s.ID, want)
	if err != nil {
		v.Refuse(err)
		return
	}
	v.listTokens(http.StatusCreated, "", s, tokensPage{Value: value, Uses: v.TokenUses(value)})
}

// PlainText says whether a line of text can be kept and read.
func PlainText(text string) bool {
	if utf8.RuneCountInString(text) > 255 || !utf8.ValidString(text) {
		return false
	}
	for _, letter := range text {
		if !strconv.IsPrint(letter) {
			return false
		}
	}
	return text != ""
}

// EndToken ends a token.
func (u *UI) EndToken(v *Visit) {
	own := v.OwnForm()
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	if !own {
		v.listTokens(http.StatusForbidden, StaleForm, s, tokensPage{})
		return
	}
	id := v.PostFormValue("id")
	if !PlainText(id) {
		v.Refuse(belay.ErrNotFound)
		return
	}
	if err := u.App.DeleteToken(v.Context(), s, id); err != nil {
		v.Refuse(err)
		return
	}
	v.Redirect(TokensPath)
}

// TokenUses says how a command line takes a token.
func (v *Visit) TokenUses(value string) []Setting {
	host := v.HostName()
	pipeline := Setting{Name: "In a pipeline, as a variable of its environment", Value: TokenVariable(host) + "=" + value}
	if strings.Contains(host, ":") { // shells export no such name
		pipeline = Setting{Name: "In a pipeline, before each command, for shells don't export a name with a port", Value: "env \"" + pipeline.Value + "\" tofu init"}
	}
	return []Setting{
		pipeline,
		{Name: "On a machine, in ~/.terraformrc or ~/.tofurc", Value: "credentials \"" + host + "\" {\n  token = \"" + value + "\"\n}"},
		{Name: "To the API", Value: "curl -H 'Authorization: Bearer " + value + "' " + v.Scheme() + host + "/api/v2/account/details"},
	}
}

// TokenVariable is the environment variable in which command lines look for the token of a host.
func TokenVariable(host string) string {
	return "TF_TOKEN_" + strings.NewReplacer(".", "_", "-", "__").Replace(host)
}
