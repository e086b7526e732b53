package people

import (
	"bytes"
	"crypto/md5" //nolint:gosec // names a picture, protects nothing
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/organizations"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

// userPatch is what a body may say of a user.
type userPatch struct {
	belay.UserPatch
	Password patch.Field[string]
}

// UserAttributes is every attribute of a user, as the user itself and site admins see it.
var UserAttributes = doc.Attributes[belay.User, userPatch]{
	{Name: "username", Show: doc.Maybe(func(u *belay.User) string { return u.Username }), Write: doc.Field(func(p *userPatch) *patch.Field[string] { return &p.Username })},
	{Name: "is-service-account", Show: doc.Value(func(u *belay.User) bool { return u.IsServiceAccount }), Write: doc.Field(func(p *userPatch) *patch.Field[bool] { return &p.IsServiceAccount })},
	{Name: "auth-method", Show: doc.Fixed[belay.User]("belay")},
	{Name: "avatar-url", Show: doc.Value(avatarURL)},
	{Name: "v2-only", Show: doc.Fixed[belay.User](true)},
	{Name: "is-admin", Show: doc.Value(func(u *belay.User) bool { return u.IsAdmin }), Write: doc.Field(func(p *userPatch) *patch.Field[bool] { return &p.IsAdmin })},
	{Name: "is-site-admin", Show: doc.Value(func(u *belay.User) bool { return u.IsAdmin })},
	{Name: "is-sso-login", Show: doc.Fixed[belay.User](false)},
	{Name: "is-suspended", Show: doc.Value(func(u *belay.User) bool { return u.Suspended })},
	{Name: "email", Show: doc.Value(func(u *belay.User) string { return u.Email }), Write: doc.Field(func(p *userPatch) *patch.Field[string] { return &p.Email })},
	{Name: "unconfirmed-email", Show: doc.Maybe(func(u *belay.User) string { return u.UnconfirmedEmail })},
	{Name: "password", Write: doc.Field(func(p *userPatch) *patch.Field[string] { return &p.Password })},
	{Name: "two-factor", Show: doc.Parts(twoFactor)},
	{Name: "permissions", Show: doc.Parts(userCan)},
}

var twoFactor = doc.Attributes[belay.User, userPatch]{
	{Name: "enabled", Show: doc.Fixed[belay.User](false)},
	{Name: "verified", Show: doc.Fixed[belay.User](false)},
}

func isPerson(u *belay.User) bool { return !u.IsServiceAccount }

var userCan = doc.Attributes[belay.User, userPatch]{
	{Name: "can-create-organizations", Show: doc.Value(isPerson)},
	{Name: "can-change-email", Show: doc.Value(isPerson)},
	{Name: "can-change-username", Show: doc.Value(isPerson)},
	{Name: "can-change-password", Show: doc.Value(isPerson)},
	{Name: "can-manage-user-tokens", Show: doc.Value(isPerson)},
	{Name: "can-view2fa-settings", Show: doc.Fixed[belay.User](false)},
	{Name: "can-manage-hcp-account", Show: doc.Fixed[belay.User](false)},
}

// avatarURL is the picture that belongs to the e-mail address, for those who see that: from the
// hash it can be guessed.
func avatarURL(u *belay.User) string { return pictureOf(strings.ToLower(u.Email)) }

// publicAvatarURL is a picture of nobody: it tells no more than the id.
func publicAvatarURL(u *belay.User) string { return pictureOf(u.ID) }

func pictureOf(who string) string {
	sum := md5.Sum([]byte(who)) //nolint:gosec // as above
	return "https://www.gravatar.com/avatar/" + hex.EncodeToString(sum[:]) + "?s=100&d=mm"
}

// Users is users as they are shown to themselves and to admins of the site.
var Users = &doc.Noun[belay.User, userPatch]{
	Type:       "users",
	Schema:     "Account",
	ID:         func(u *belay.User) string { return u.ID },
	Path:       func(u *belay.User) string { return "/api/v2/users/" + u.ID },
	Attributes: UserAttributes,
	Relations:  []doc.Relation[belay.User, userPatch]{doc.Below[belay.User, userPatch]("authentication-tokens", "/authentication-tokens")},
}

// siteUsers is users as the lists of site admins show them.
var siteUsers = &doc.Noun[app.UserView, userPatch]{
	Type:   "users",
	Schema: "SiteUser",
	ID:     func(u *app.UserView) string { return u.ID },
	Path:   func(u *app.UserView) string { return "/api/v2/users/" + u.ID },
	Attributes: append(doc.Lift(UserAttributes, func(u *app.UserView) *belay.User { return &u.User }),
		doc.Attribute[app.UserView, userPatch]{Name: "last-seen-at", Show: doc.Maybe(func(u *app.UserView) time.Time { return u.LastSeen })},
		doc.Attribute[app.UserView, userPatch]{Name: "last-token-use-at", Show: doc.Maybe(func(u *app.UserView) time.Time { return u.LastToken })},
		doc.Attribute[app.UserView, userPatch]{Name: "sessions-count", Show: doc.Value(func(u *app.UserView) int { return u.Sessions })}),
	Relations: []doc.Relation[app.UserView, userPatch]{
		doc.Below[app.UserView, userPatch]("authentication-tokens", "/authentication-tokens"),
		doc.ToMany[app.UserView, userPatch]("organizations", "organizations", "", func(u *app.UserView) []string {
			names := make([]string, len(u.Organizations))
			for i, o := range u.Organizations {
				names[i] = o.Name
			}
			return names
		}),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/ping", Status: http.StatusNoContent, Do: door.Doing(a.ping), Open: true, Does: "Ask for the version (open to everybody)"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/users", Status: http.StatusOK, Do: door.Listing(siteUsers, a.listUsers, withUsers), Query: []string{"q"}, Filters: userFilters, By: door.SiteAdmins, Does: "List all users of the site"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users", Status: http.StatusCreated, Do: door.Writing(Users, a.createUser), By: door.SiteAdmins, Does: "Make a user"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/suspend", Status: http.StatusOK, Do: door.Showing(Users, a.suspendUser), By: door.SiteAdmins, Does: "Suspend a user"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/unsuspend", Status: http.StatusOK, Do: door.Showing(Users, a.unsuspendUser), By: door.SiteAdmins, Does: "Give a suspended user its tokens back"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/grant_admin", Status: http.StatusOK, Do: door.Showing(Users, a.grantAdmin), By: door.SiteAdmins, Does: "Make a user a site admin"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/revoke_admin", Status: http.StatusOK, Do: door.Showing(Users, a.revokeAdmin), By: door.SiteAdmins, Does: "Take the site from a user"},
		{Method: http.MethodDelete, Path: paths.V2 + "/admin/users/{user_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteUser), By: door.SiteAdmins, Does: "Delete a user"},
		{Method: http.MethodGet, Path: paths.V2 + "/account/details", Status: http.StatusOK, Do: door.Showing(Users, a.showAccount), By: door.AnyToken, Does: "See who one is"},
		{Method: http.MethodGet, Path: paths.User + "/authentication-tokens", Status: http.StatusOK, Do: door.Listing(Tokens, a.listUserTokens), By: door.Themselves, Does: "List the tokens of another user"},
		{Method: http.MethodPost, Path: paths.User + "/authentication-tokens", Status: http.StatusCreated, Do: Issuing(a.createUserToken), By: door.Themselves, Does: "Make a token for another user"},
		{Method: http.MethodGet, Path: paths.V2 + "/authentication-tokens/{token_id}", Status: http.StatusOK, Do: door.Showing(Tokens, a.showToken), By: door.Themselves, Does: "See a token of another user"},
		{Method: http.MethodPatch, Path: paths.V2 + "/authentication-tokens/{token_id}", Status: http.StatusOK, Do: door.Writing(Tokens, a.updateToken), By: door.Themselves, Does: "Say what a token of another user is for, or have it end earlier"},
		{Method: http.MethodDelete, Path: paths.V2 + "/authentication-tokens/{token_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteToken), By: door.Themselves, Does: "Revoke a token of another user"},
	}
})

func (a *Verbs) showAccount(r *door.Request) (belay.User, error) {
	return a.App.Account(r.Context(), r.Principal)
}

func (a *Verbs) createUser(r *door.Request, p userPatch) (belay.User, error) {
	return a.App.CreateUser(r.Context(), r.Principal, identity.NewUser{
		Username: p.Username.Value, Email: p.Email.Value, Password: p.Password.Value,
		IsAdmin: p.IsAdmin.Value, IsServiceAccount: p.IsServiceAccount.Value,
	})
}

func (a *Verbs) listUsers(r *door.Request) (list []app.UserView, total int, err error) {
	q := r.Query()
	want := belay.UserQuery{Search: q.Get("q"), Page: r.Page()}
	if want.Admin, err = door.TruthFilter(q, "filter[admin]"); err != nil {
		return nil, 0, err
	}
	if want.Suspended, err = door.TruthFilter(q, "filter[suspended]"); err != nil {
		return nil, 0, err
	}
	return a.App.Users(r.Context(), r.Principal, want)
}

// withUsers is the organizations of users, each once.
var withUsers = &door.Inclusion[app.UserView]{
	Names: []string{"organizations"},
	Add: func(r *door.Request, document *jsonapi.Document, list []app.UserView, _ []string) error {
		seen := map[string]bool{}
		for _, u := range list {
			for _, o := range u.Organizations {
				if !seen[o.ID] {
					document.Included, seen[o.ID] = append(document.Included, organizations.Organizations.Resource(r.Edition, o)), true
				}
			}
		}
		return nil
	},
}

// grantAdmin and revokeAdmin are the other way to change is-admin.
func (a *Verbs) grantAdmin(r *door.Request) (belay.User, error)  { return a.setAdmin(r, true) }
func (a *Verbs) revokeAdmin(r *door.Request) (belay.User, error) { return a.setAdmin(r, false) }

func (a *Verbs) setAdmin(r *door.Request, admin bool) (belay.User, error) {
	return a.App.UpdateUser(r.Context(), r.Principal, r.Param("user_id"), belay.UserPatch{IsAdmin: patch.Of(admin)}, patch.Field[string]{})
}

func (a *Verbs) suspendUser(r *door.Request) (belay.User, error) {
	return a.App.SuspendUser(r.Context(), r.Principal, r.Param("user_id"), true)
}

func (a *Verbs) unsuspendUser(r *door.Request) (belay.User, error) {
	return a.App.SuspendUser(r.Context(), r.Principal, r.Param("user_id"), false)
}

func (a *Verbs) deleteUser(r *door.Request) error {
	return a.App.DeleteUser(r.Context(), r.Principal, r.Param("user_id"))
}

// TokenDoc is a token, with its value only in the answer that makes it.
type TokenDoc struct {
	belay.Token
	value string
}

type tokenPatch = belay.TokenPatch

// tokenDescription is what a token is for. Only the one token of a team that is made without
// a description has none; the others have an empty one.
var tokenDescription = doc.Reader[TokenDoc]{Get: func(t *TokenDoc) any {
	if t.Purpose == belay.LegacyToken {
		return nil
	}
	return t.Description
}, Is: openapi.Of[string]().OrNull()}

// TokenAttributes is every attribute of a token.
var TokenAttributes = doc.Attributes[TokenDoc, tokenPatch]{
	{Name: "created-at", Show: doc.Value(func(t *TokenDoc) time.Time { return t.CreatedAt })},
	{Name: "last-used-at", Show: doc.Maybe(func(t *TokenDoc) time.Time { return t.LastUsedAt })},
	{Name: "description", Most: belay.MaxDescription, Show: tokenDescription, Write: doc.Nullable(func(p *tokenPatch) *patch.Field[string] { return &p.Description })},
	{Name: "expired-at", Show: doc.Maybe(func(t *TokenDoc) time.Time { return t.ExpiredAt }), Write: doc.Nullable(func(p *tokenPatch) *patch.Field[time.Time] { return &p.ExpiredAt })},
	{Name: "token", Show: doc.Maybe(func(t *TokenDoc) string { return t.value })},
}

// Tokens is tokens of users, teams, organizations and agents.
var Tokens = &doc.Noun[TokenDoc, tokenPatch]{
	Type:       "authentication-tokens",
	Accepts:    []string{"authentication-tokens", "authentication-token", "agent-tokens"},
	ID:         func(t *TokenDoc) string { return t.ID },
	Path:       func(t *TokenDoc) string { return "/api/v2/authentication-tokens/" + t.ID },
	Attributes: TokenAttributes,
	Relations: []doc.Relation[TokenDoc, tokenPatch]{
		doc.To[TokenDoc, tokenPatch]("created-by", "users", func(t *TokenDoc) string { return t.CreatedBy }),
		doc.To[TokenDoc, tokenPatch]("team", "teams", func(t *TokenDoc) string { return t.OwnerID }).
			Unless(func(t *TokenDoc) bool { return t.OwnerKind != belay.TeamPrincipal }),
		doc.To[TokenDoc, tokenPatch]("agent-pool", "agent-pools", func(t *TokenDoc) string { return t.OwnerID }).
			Unless(func(t *TokenDoc) bool { return t.OwnerKind != belay.AgentPrincipal }),
	},
}

// Made is a token that was just made, with its value.
func Made(t belay.Token, value string, err error) (TokenDoc, error) { return TokenDoc{t, value}, err }

// kept is a token that was made before: its value is known no more.
func kept(t belay.Token, err error) (TokenDoc, error) { return TokenDoc{Token: t}, err }

// KeptAll is tokens as they are kept: without their values.
func KeptAll(list []belay.Token, total int, err error) ([]TokenDoc, int, error) {
	docs := make([]TokenDoc, len(list))
	for i, t := range list {
		docs[i].Token = t
	}
	return docs, total, err
}

// Issuing reads the body that asks for a token, and answers the token with its value.
func Issuing(verb func(*door.Request, identity.NewToken) (TokenDoc, error)) door.Action {
	issue := door.Showing(Tokens, func(r *door.Request) (TokenDoc, error) {
		want, err := newToken(r)
		if err != nil {
			return TokenDoc{}, err
		}
		return verb(r, want)
	})
	issue.Takes = Tokens.Body
	return issue
}

// newToken reads the body that asks for a token; it may be empty.
func newToken(r *door.Request) (want identity.NewToken, err error) {
	if blank := string(bytes.Join(bytes.Fields(r.Document), nil)); blank == "" || blank == "{}" {
		return want, nil
	}
	p, err := door.Patched(Tokens, r)
	return identity.NewToken{Description: p.Description.Value, ExpiredAt: p.ExpiredAt}, err
}

func (a *Verbs) createUserToken(r *door.Request, want identity.NewToken) (TokenDoc, error) {
	return Made(a.App.CreateUserToken(r.Context(), r.Principal, r.Param("user_id"), want))
}

func (a *Verbs) listUserTokens(r *door.Request) ([]TokenDoc, int, error) {
	return KeptAll(a.App.UserTokens(r.Context(), r.Principal, r.Param("user_id"), r.Page()))
}

func (a *Verbs) showToken(r *door.Request) (TokenDoc, error) {
	return kept(a.App.Token(r.Context(), r.Principal, r.Param("token_id")))
}

func (a *Verbs) updateToken(r *door.Request, p tokenPatch) (TokenDoc, error) {
	return kept(a.App.UpdateToken(r.Context(), r.Principal, r.Param("token_id"), p))
}

func (a *Verbs) deleteToken(r *door.Request) error {
	return a.App.DeleteToken(r.Context(), r.Principal, r.Param("token_id"))
}

// ping tells clients the version of the API, in the headers that every answer has.
func (a *Verbs) ping(*door.Request) error { return nil }
