package api

import (
	"bytes"
	"crypto/md5" //nolint:gosec // names a picture, protects nothing
	"encoding/hex"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

// userPatch is what a body may say of a user.
type userPatch struct {
	belay.UserPatch
	Password patch.Field[string]
}

// userAttributes is every attribute of a user, as the user itself and site admins see it.
var userAttributes = attributes[belay.User, userPatch]{
	{name: "username", show: maybe(func(u *belay.User) string { return u.Username }), write: field(func(p *userPatch) *patch.Field[string] { return &p.Username })},
	{name: "is-service-account", show: value(func(u *belay.User) bool { return u.IsServiceAccount }), write: field(func(p *userPatch) *patch.Field[bool] { return &p.IsServiceAccount })},
	{name: "auth-method", show: fixed[belay.User]("belay")},
	{name: "avatar-url", show: value(avatarURL)},
	{name: "v2-only", show: fixed[belay.User](true)},
	{name: "is-admin", show: value(func(u *belay.User) bool { return u.IsAdmin }), write: field(func(p *userPatch) *patch.Field[bool] { return &p.IsAdmin })},
	{name: "is-site-admin", show: value(func(u *belay.User) bool { return u.IsAdmin })},
	{name: "is-sso-login", show: fixed[belay.User](false)},
	{name: "is-suspended", show: value(func(u *belay.User) bool { return u.Suspended })},
	{name: "email", show: value(func(u *belay.User) string { return u.Email }), write: field(func(p *userPatch) *patch.Field[string] { return &p.Email })},
	{name: "unconfirmed-email", show: maybe(func(u *belay.User) string { return u.UnconfirmedEmail })},
	{name: "password", write: field(func(p *userPatch) *patch.Field[string] { return &p.Password })},
	{name: "two-factor", show: parts(twoFactor)},
	{name: "permissions", show: parts(userCan)},
}

var twoFactor = attributes[belay.User, userPatch]{
	{name: "enabled", show: fixed[belay.User](false)},
	{name: "verified", show: fixed[belay.User](false)},
}

func isPerson(u *belay.User) bool { return !u.IsServiceAccount }

var userCan = attributes[belay.User, userPatch]{
	{name: "can-create-organizations", show: value(isPerson)},
	{name: "can-change-email", show: value(isPerson)},
	{name: "can-change-username", show: value(isPerson)},
	{name: "can-change-password", show: value(isPerson)},
	{name: "can-manage-user-tokens", show: value(isPerson)},
	{name: "can-view2fa-settings", show: fixed[belay.User](false)},
	{name: "can-manage-hcp-account", show: fixed[belay.User](false)},
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

var users = &noun[belay.User, userPatch]{
	typ:        "users",
	schema:     "Account",
	id:         func(u *belay.User) string { return u.ID },
	path:       func(u *belay.User) string { return "/api/v2/users/" + u.ID },
	attributes: userAttributes,
	relations:  []relation[belay.User, userPatch]{below[belay.User, userPatch]("authentication-tokens", "/authentication-tokens")},
}

// siteUsers is users as the lists of site admins show them.
var siteUsers = &noun[app.UserView, userPatch]{
	typ:        "users",
	schema:     "SiteUser",
	id:         func(u *app.UserView) string { return u.ID },
	path:       func(u *app.UserView) string { return "/api/v2/users/" + u.ID },
	attributes: lift(userAttributes, func(u *app.UserView) *belay.User { return &u.User }),
	relations: []relation[app.UserView, userPatch]{
		below[app.UserView, userPatch]("authentication-tokens", "/authentication-tokens"),
		toMany[app.UserView, userPatch]("organizations", "organizations", "", func(u *app.UserView) []string {
			names := make([]string, len(u.Organizations))
			for i, o := range u.Organizations {
				names[i] = o.Name
			}
			return names
		}),
	},
}

func (a *API) showAccount(r *request) (belay.User, error) {
	return a.App.Account(r.Context(), r.subject)
}

func (a *API) createUser(r *request, p userPatch) (belay.User, error) {
	return a.App.CreateUser(r.Context(), r.subject, app.NewUser{
		Username: p.Username.Value, Email: p.Email.Value, Password: p.Password.Value,
		IsAdmin: p.IsAdmin.Value, IsServiceAccount: p.IsServiceAccount.Value,
	})
}

func (a *API) listUsers(r *request) (list []app.UserView, total int, err error) {
	q := r.query()
	want := belay.UserQuery{Search: q.Get("q"), Page: r.page()}
	if want.Admin, err = truthFilter(q, "filter[admin]"); err != nil {
		return nil, 0, err
	}
	if want.Suspended, err = truthFilter(q, "filter[suspended]"); err != nil {
		return nil, 0, err
	}
	return a.App.Users(r.Context(), r.subject, want)
}

// withUsers is the organizations of users, each once.
var withUsers = &inclusion[app.UserView]{
	names: []string{"organizations"},
	add: func(r *request, document *jsonapi.Document, list []app.UserView, _ []string) error {
		seen := map[string]bool{}
		for _, u := range list {
			for _, o := range u.Organizations {
				if !seen[o.ID] {
					document.Included, seen[o.ID] = append(document.Included, organizations.resource(r, o)), true
				}
			}
		}
		return nil
	},
}

// grantAdmin and revokeAdmin are the other way to change is-admin.
func (a *API) grantAdmin(r *request) (belay.User, error)  { return a.setAdmin(r, true) }
func (a *API) revokeAdmin(r *request) (belay.User, error) { return a.setAdmin(r, false) }

func (a *API) setAdmin(r *request, admin bool) (belay.User, error) {
	return a.App.UpdateUser(r.Context(), r.subject, r.param("user_id"), belay.UserPatch{IsAdmin: patch.Of(admin)}, patch.Field[string]{})
}

func (a *API) suspendUser(r *request) (belay.User, error) {
	return a.App.SuspendUser(r.Context(), r.subject, r.param("user_id"), true)
}

func (a *API) unsuspendUser(r *request) (belay.User, error) {
	return a.App.SuspendUser(r.Context(), r.subject, r.param("user_id"), false)
}

func (a *API) deleteUser(r *request) error {
	return a.App.DeleteUser(r.Context(), r.subject, r.param("user_id"))
}

// tokenDoc is a token, with its value only in the answer that makes it.
type tokenDoc struct {
	belay.Token
	value string
}

type tokenPatch struct {
	Description patch.Field[string]
	ExpiredAt   patch.Field[time.Time]
}

// tokenDescription is what a token is for. Only the one token of a team that is made without
// a description has none; the others have an empty one.
var tokenDescription = reader[tokenDoc]{func(t *tokenDoc) any {
	if t.Purpose == belay.LegacyToken {
		return nil
	}
	return t.Description
}, openapi.Of[string]().OrNull()}

var tokenAttributes = attributes[tokenDoc, tokenPatch]{
	{name: "created-at", show: value(func(t *tokenDoc) time.Time { return t.CreatedAt })},
	{name: "last-used-at", show: maybe(func(t *tokenDoc) time.Time { return t.LastUsedAt })},
	{name: "description", most: belay.MaxDescription, show: tokenDescription, write: nullable(func(p *tokenPatch) *patch.Field[string] { return &p.Description })},
	{name: "expired-at", show: maybe(func(t *tokenDoc) time.Time { return t.ExpiredAt }), write: nullable(func(p *tokenPatch) *patch.Field[time.Time] { return &p.ExpiredAt })},
	{name: "token", show: maybe(func(t *tokenDoc) string { return t.value })},
}

var tokens = &noun[tokenDoc, tokenPatch]{
	typ:        "authentication-tokens",
	accepts:    []string{"authentication-tokens", "authentication-token", "agent-tokens"},
	id:         func(t *tokenDoc) string { return t.ID },
	path:       func(t *tokenDoc) string { return "/api/v2/authentication-tokens/" + t.ID },
	attributes: tokenAttributes,
	relations: []relation[tokenDoc, tokenPatch]{
		to[tokenDoc, tokenPatch]("created-by", "users", func(t *tokenDoc) string { return t.CreatedBy }),
		to[tokenDoc, tokenPatch]("team", "teams", func(t *tokenDoc) string { return t.OwnerID }).
			unless(func(t *tokenDoc) bool { return t.OwnerKind != belay.TeamPrincipal }),
		to[tokenDoc, tokenPatch]("agent-pool", "agent-pools", func(t *tokenDoc) string { return t.OwnerID }).
			unless(func(t *tokenDoc) bool { return t.OwnerKind != belay.AgentPrincipal }),
	},
}

// made is a token that was just made, with its value.
func made(t belay.Token, value string, err error) (tokenDoc, error) { return tokenDoc{t, value}, err }

// kept is a token that was made before: its value is known no more.
func kept(t belay.Token, err error) (tokenDoc, error) { return tokenDoc{Token: t}, err }

func keptAll(list []belay.Token, total int, err error) ([]tokenDoc, int, error) {
	docs := make([]tokenDoc, len(list))
	for i, t := range list {
		docs[i].Token = t
	}
	return docs, total, err
}

// issuing reads the body that asks for a token, and answers the token with its value.
func issuing(verb func(*request, app.NewToken) (tokenDoc, error)) action {
	issue := showing(tokens, func(r *request) (tokenDoc, error) {
		want, err := r.newToken()
		if err != nil {
			return tokenDoc{}, err
		}
		return verb(r, want)
	})
	issue.takes = tokens.body
	return issue
}

// newToken reads the body that asks for a token; it may be empty.
func (r *request) newToken() (want app.NewToken, err error) {
	if blank := string(bytes.Join(bytes.Fields(r.body), nil)); blank == "" || blank == "{}" {
		return want, nil
	}
	p, err := tokens.patch(r)
	return app.NewToken{Description: p.Description.Value, ExpiredAt: p.ExpiredAt}, err
}

func (a *API) createUserToken(r *request, want app.NewToken) (tokenDoc, error) {
	return made(a.App.CreateUserToken(r.Context(), r.subject, r.param("user_id"), want))
}

func (a *API) listUserTokens(r *request) ([]tokenDoc, int, error) {
	return keptAll(a.App.UserTokens(r.Context(), r.subject, r.param("user_id"), r.page()))
}

func (a *API) showToken(r *request) (tokenDoc, error) {
	return kept(a.App.Token(r.Context(), r.subject, r.param("token_id")))
}

func (a *API) deleteToken(r *request) error {
	return a.App.DeleteToken(r.Context(), r.subject, r.param("token_id"))
}

// ping tells clients the version of the API, in the headers that every answer has.
func (a *API) ping(*request) error { return nil }
