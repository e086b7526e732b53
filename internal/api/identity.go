package api

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
)

// logoutPath is where an identity provider says that somebody has signed out there.
const logoutPath = "/oauth/back-channel-logout/{provider_id}"

// identityPatch is what a site admin links an identity with.
type identityPatch struct{ Issuer, Subject patch.Field[string] }

var identityAttributes = attributes[belay.Identity, identityPatch]{
	{name: "issuer", show: value(func(i *belay.Identity) string { return i.Issuer }), write: field(func(p *identityPatch) *patch.Field[string] { return &p.Issuer })},
	{name: "subject", show: value(func(i *belay.Identity) string { return i.Subject }), write: field(func(p *identityPatch) *patch.Field[string] { return &p.Subject })},
	{name: "email", show: maybe(func(i *belay.Identity) string { return i.Email })},
	{name: "groups", show: texts(func(i *belay.Identity) []string { return i.Groups })},
	{name: "created-at", show: value(func(i *belay.Identity) time.Time { return i.CreatedAt })},
}

var identities = &noun[belay.Identity, identityPatch]{
	typ:        "identities",
	id:         func(i *belay.Identity) string { return i.ID },
	attributes: identityAttributes,
}

func (a *API) listIdentities(r *request) ([]belay.Identity, error) {
	return a.App.Identities(r.Context(), r.subject, r.param("user_id"))
}

func (a *API) linkIdentity(r *request, p identityPatch) (belay.Identity, error) {
	return a.App.LinkIdentity(r.Context(), r.subject, r.param("user_id"), app.NewIdentity{Issuer: p.Issuer.Value, Subject: p.Subject.Value})
}

func (a *API) unlinkIdentity(r *request) error {
	return a.App.UnlinkIdentity(r.Context(), r.subject, r.param("identity_id"))
}

// logOutBehind takes a logout token (OpenID Connect Back-Channel Logout).
func (a *API) logOutBehind(r *request) error {
	r.w.Header().Set("Cache-Control", "no-store")
	form, err := r.form()
	if err == nil {
		err = a.App.LogOutBehind(r.Context(), r.param("provider_id"), form.Get("logout_token"))
	}
	if err != nil {
		return r.refuseGrant(err)
	}
	return r.json(http.StatusOK, map[string]any{})
}
