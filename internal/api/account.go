package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
)

// passwords is a user in a body that changes its password.
var passwords = &noun[belay.User, passwordPatch]{typ: "users", schema: "Password", attributes: passwordAttributes}

// passwordPatch is what a body says to change a password. Its names are written with
// underscores, as clients send them.
type passwordPatch struct{ Current, Password, Confirmation patch.Field[string] }

var passwordAttributes = attributes[belay.User, passwordPatch]{
	{name: "current_password", write: field(func(p *passwordPatch) *patch.Field[string] { return &p.Current })},
	{name: "password", write: field(func(p *passwordPatch) *patch.Field[string] { return &p.Password })},
	{name: "password_confirmation", write: field(func(p *passwordPatch) *patch.Field[string] { return &p.Confirmation })},
}

func (a *API) updateAccount(r *request, p userPatch) (belay.User, error) {
	return a.App.UpdateAccount(r.Context(), r.subject, p.UserPatch)
}

func (a *API) changePassword(r *request, p passwordPatch) (belay.User, error) {
	return a.App.ChangePassword(r.Context(), r.subject, app.NewPassword{
		Current: p.Current.Value, Password: p.Password.Value, Confirmation: p.Confirmation.Value,
	})
}

func (a *API) updateUser(r *request, p userPatch) (belay.User, error) {
	return a.App.UpdateUser(r.Context(), r.subject, r.param("user_id"), p.UserPatch, p.Password)
}
