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
	"github.com/belayhq/belay/internal/patch"
)

// userPatch is what a body may say of a user.
type userPatch struct {
	belay.UserPatch
	Password patch.Field[string]
}

// userAttributes is every attribute of a user, as the user itself and site admins see it.
var userAttributes = attributes[belay.User, userPatch]{
	{name: "username", read: func(u *belay.User) any { return u.Username }, write: field(func(p *userPatch) *patch.Field[string] { return &p.Username })},
	{name: "is-service-account", read: func(u *belay.User) any { return u.IsServiceAccount }, write: field(func(p *userPatch) *patch.Field[bool] { return &p.IsServiceAccount })},
	{name: "auth-method", read: func(*belay.User) any { return "belay" }},
	{name: "avatar-url", read: avatarURL},
	{name: "v2-only", read: func(*belay.User) any { return true }},
	{name: "is-admin", read: func(u *belay.User) any { return u.IsAdmin }, write: field(func(p *userPatch) *patch.Field[bool] { return &p.IsAdmin })},
	{name: "is-site-admin", read: func(u *belay.User) any { return u.IsAdmin }},
	{name: "is-sso-login", read: func(*belay.User) any { return false }},
	{name: "is-suspended", read: func(u *belay.User) any { return u.Suspended }},
	{name: "email", read: func(u *belay.User) any { return u.Email }, write: field(func(p *userPatch) *patch.Field[string] { return &p.Email })},
	{name: "unconfirmed-email", read: func(u *belay.User) any { return orNull(u.UnconfirmedEmail) }},
	{name: "password", write: field(func(p *userPatch) *patch.Field[string] { return &p.Password })},
	{name: "two-factor", read: twoFactor},
	{name: "permissions", read: func(u *belay.User) any {
		return jsonapi.Object{
			{Name: "can-create-organizations", Value: !u.IsServiceAccount},
			{Name: "can-change-email", Value: !u.IsServiceAccount},
			{Name: "can-change-username", Value: !u.IsServiceAccount},
			{Name: "can-change-password", Value: !u.IsServiceAccount},
			{Name: "can-manage-user-tokens", Value: !u.IsServiceAccount},
			{Name: "can-view2fa-settings", Value: false},
			{Name: "can-manage-hcp-account", Value: false},
		}
	}},
}

func twoFactor(*belay.User) any {
	return jsonapi.Object{{Name: "enabled", Value: false}, {Name: "verified", Value: false}}
}

// avatarURL is a picture that is made from the e-mail address.
func avatarURL(u *belay.User) any {
	sum := md5.Sum([]byte(strings.ToLower(u.Email))) //nolint:gosec // as above
	return "https://www.gravatar.com/avatar/" + hex.EncodeToString(sum[:]) + "?s=100&d=mm"
}

func (a *API) user(u belay.User) *jsonapi.Resource {
	self := "/api/v2/users/" + u.ID
	return &jsonapi.Resource{
		Type: "users", ID: u.ID,
		Attributes: userAttributes.object(&u, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			{Name: "authentication-tokens", Related: self + "/authentication-tokens"},
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

func (a *API) userAnswer(u belay.User, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.user(u)), nil
}

func (a *API) showAccount(r *request) (*jsonapi.Document, error) {
	u, err := a.App.Account(r.Context(), r.subject)
	return a.userAnswer(u, err)
}

func (a *API) createUser(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("users")
	if err != nil {
		return nil, err
	}
	var p userPatch
	if err := userAttributes.decode(in, &p, a.App.Edition()); err != nil {
		return nil, err
	}
	u, err := a.App.CreateUser(r.Context(), r.subject, app.NewUser{
		Username: p.Username.Value, Email: p.Email.Value, Password: p.Password.Value,
		IsAdmin: p.IsAdmin.Value, IsServiceAccount: p.IsServiceAccount.Value,
	})
	return a.userAnswer(u, err)
}

func (a *API) listUsers(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	names, err := r.includes("organizations")
	if err != nil {
		return nil, err
	}
	want := belay.UserQuery{Search: q.Get("q"), Page: r.page()}
	if want.Admin, err = truthFilter(q, "filter[admin]"); err != nil {
		return nil, err
	}
	if want.Suspended, err = truthFilter(q, "filter[suspended]"); err != nil {
		return nil, err
	}
	list, total, err := a.App.Users(r.Context(), r.subject, want)
	if err != nil {
		return nil, err
	}
	document := r.list(each(list, a.siteUser), total)
	if len(names) > 0 {
		document.Included = a.organizationsOf(list)
	}
	return document, nil
}

// siteUser is a user as the lists of site admins show it.
func (a *API) siteUser(u app.UserView) *jsonapi.Resource {
	names := make([]string, len(u.Organizations))
	for i, o := range u.Organizations {
		names[i] = o.Name
	}
	resource := a.user(u.User)
	resource.Relationships = append(resource.Relationships, jsonapi.Relation{Name: "organizations", Data: jsonapi.Many("organizations", names)})
	return resource
}

// organizationsOf is the organizations of users, each once.
func (a *API) organizationsOf(list []app.UserView) []*jsonapi.Resource {
	included, seen := []*jsonapi.Resource{}, map[string]bool{}
	for _, u := range list {
		for _, o := range u.Organizations {
			if !seen[o.ID] {
				included, seen[o.ID] = append(included, a.organization(o)), true
			}
		}
	}
	return included
}

// grantAdmin and revokeAdmin are the other way to change is-admin.
func (a *API) grantAdmin(r *request) (*jsonapi.Document, error)  { return a.setAdmin(r, true) }
func (a *API) revokeAdmin(r *request) (*jsonapi.Document, error) { return a.setAdmin(r, false) }

func (a *API) setAdmin(r *request, admin bool) (*jsonapi.Document, error) {
	u, err := a.App.UpdateUser(r.Context(), r.subject, r.param("user_id"), belay.UserPatch{IsAdmin: patch.Of(admin)}, patch.Field[string]{})
	return a.userAnswer(u, err)
}

func (a *API) suspendUser(r *request) (*jsonapi.Document, error) {
	u, err := a.App.SuspendUser(r.Context(), r.subject, r.param("user_id"), true)
	return a.userAnswer(u, err)
}

func (a *API) unsuspendUser(r *request) (*jsonapi.Document, error) {
	u, err := a.App.SuspendUser(r.Context(), r.subject, r.param("user_id"), false)
	return a.userAnswer(u, err)
}

func (a *API) deleteUser(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteUser(r.Context(), r.subject, r.param("user_id"))
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

var tokenAttributes = attributes[tokenDoc, tokenPatch]{
	{name: "created-at", read: func(t *tokenDoc) any { return t.CreatedAt }},
	{name: "last-used-at", read: func(t *tokenDoc) any { return t.LastUsedAt }},
	{name: "description", read: func(t *tokenDoc) any { return orNull(t.Description) }, write: nullable(func(p *tokenPatch) *patch.Field[string] { return &p.Description })},
	{name: "expired-at", read: func(t *tokenDoc) any { return t.ExpiredAt }, write: nullable(func(p *tokenPatch) *patch.Field[time.Time] { return &p.ExpiredAt })},
	{name: "token", read: func(t *tokenDoc) any { return orNull(t.value) }},
}

func (a *API) token(t tokenDoc) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "authentication-tokens", ID: t.ID,
		Attributes:    tokenAttributes.object(&t, a.App.Edition()),
		Relationships: tokenRelations(t),
		Links:         jsonapi.Object{{Name: "self", Value: "/api/v2/authentication-tokens/" + t.ID}},
	}
}

func tokenRelations(t tokenDoc) []jsonapi.Relation {
	relations := []jsonapi.Relation{linked("created-by", "users", t.CreatedBy)}
	switch t.OwnerKind {
	case belay.TeamSubject:
		relations = append(relations, linked("team", "teams", t.OwnerID))
	case belay.AgentSubject:
		relations = append(relations, linked("agent-pool", "agent-pools", t.OwnerID))
	}
	return relations
}

// newToken reads the body that asks for a token; it may be empty.
func (r *request) newToken() (want app.NewToken, err error) {
	if blank := string(bytes.Join(bytes.Fields(r.body), nil)); blank == "" || blank == "{}" {
		return want, nil
	}
	in, err := r.resource("authentication-tokens", "authentication-token", "agent-tokens")
	if err != nil {
		return want, err
	}
	var p tokenPatch
	err = tokenAttributes.decode(in, &p, r.api.App.Edition())
	return app.NewToken{Description: p.Description.Value, ExpiredAt: p.ExpiredAt}, err
}

func (a *API) createUserToken(r *request) (*jsonapi.Document, error) {
	want, err := r.newToken()
	if err != nil {
		return nil, err
	}
	t, value, err := a.App.CreateUserToken(r.Context(), r.subject, r.param("user_id"), want)
	if err != nil {
		return nil, err
	}
	return one(a.token(tokenDoc{t, value})), nil
}

func (a *API) listUserTokens(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.UserTokens(r.Context(), r.subject, r.param("user_id"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, func(t belay.Token) *jsonapi.Resource { return a.token(tokenDoc{Token: t}) }), total), nil
}

func (a *API) showToken(r *request) (*jsonapi.Document, error) {
	t, err := a.App.Token(r.Context(), r.subject, r.param("token_id"))
	if err != nil {
		return nil, err
	}
	return one(a.token(tokenDoc{Token: t})), nil
}

func (a *API) deleteToken(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteToken(r.Context(), r.subject, r.param("token_id"))
}

// ping tells clients the version of the API, in the headers that every answer has.
func (a *API) ping(*request) (*jsonapi.Document, error) { return nil, nil }
