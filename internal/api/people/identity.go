package people

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/signin"
)

// logoutPath is where an identity provider says that somebody has signed out there.
const logoutPath = "/oauth/back-channel-logout/{provider_id}"

// identityPatch is what a site admin links an identity with.
type identityPatch struct{ Issuer, Subject patch.Field[string] }

// IdentityAttributes is every attribute of an identity at a provider.
var IdentityAttributes = doc.Attributes[signin.Identity, identityPatch]{
	{Name: "issuer", Show: doc.Value(func(i *signin.Identity) string { return i.Issuer }), Write: doc.Field(func(p *identityPatch) *patch.Field[string] { return &p.Issuer })},
	{Name: "subject", Show: doc.Value(func(i *signin.Identity) string { return i.Subject }), Write: doc.Field(func(p *identityPatch) *patch.Field[string] { return &p.Subject })},
	{Name: "email", Show: doc.Maybe(func(i *signin.Identity) string { return i.Email })},
	{Name: "groups", Show: doc.Texts(func(i *signin.Identity) []string { return i.Groups })},
	{Name: "created-at", Show: doc.Value(func(i *signin.Identity) time.Time { return i.CreatedAt })},
}

var identities = &doc.Noun[signin.Identity, identityPatch]{
	Type:       "identities",
	ID:         func(i *signin.Identity) string { return i.ID },
	Attributes: IdentityAttributes,
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: logoutPath, Status: http.StatusOK, Raw: a.logOutBehind, Open: true, JSON: openapi.Of[door.Nothing], Grants: true, Does: "Say that somebody has signed out at an identity provider (open: the token is signed)"},
		{Method: http.MethodGet, Path: paths.User + "/identities", Status: http.StatusOK, Do: door.ListingAll(identities, a.listIdentities), By: door.Themselves, Does: "List the identities of another user"},
		{Method: http.MethodPost, Path: paths.User + "/identities", Status: http.StatusCreated, Do: door.Writing(identities, a.linkIdentity), By: door.Themselves, Does: "Link an identity at a provider to a user"},
		{Method: http.MethodDelete, Path: paths.V2 + "/identities/{identity_id}", Status: http.StatusNoContent, Do: door.Doing(a.unlinkIdentity), Refuses: []belay.Kind{belay.Conflict}, By: door.Themselves, Does: "Unlink an identity of another user"},
	}
})

func (a *Verbs) listIdentities(r *door.Request) ([]signin.Identity, error) {
	return a.App.Identities(r.Context(), r.Principal, r.Param("user_id"))
}

func (a *Verbs) linkIdentity(r *door.Request, p identityPatch) (signin.Identity, error) {
	return a.App.LinkIdentity(r.Context(), r.Principal, r.Param("user_id"), identity.NewIdentity{Issuer: p.Issuer.Value, Subject: p.Subject.Value})
}

func (a *Verbs) unlinkIdentity(r *door.Request) error {
	return a.App.UnlinkIdentity(r.Context(), r.Principal, r.Param("identity_id"))
}

// logOutBehind takes a logout token (OpenID Connect Back-Channel Logout).
func (a *Verbs) logOutBehind(r *door.Request) error {
	r.Writer.Header().Set("Cache-Control", "no-store")
	form, err := form(r)
	if err == nil {
		err = a.App.LogOutBehind(r.Context(), r.Param("provider_id"), form.Get("logout_token"))
	}
	if err != nil {
		return refuseGrant(r, err)
	}
	return r.SendJSON(http.StatusOK, door.Nothing{})
}
