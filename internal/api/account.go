package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

// passwordPatch is what a body says to change a password. Its names are written with
// underscores, as clients send them.
type passwordPatch struct{ Current, Password, Confirmation patch.Field[string] }

var passwordAttributes = attributes[belay.User, passwordPatch]{
	{name: "current_password", write: field(func(p *passwordPatch) *patch.Field[string] { return &p.Current })},
	{name: "password", write: field(func(p *passwordPatch) *patch.Field[string] { return &p.Password })},
	{name: "password_confirmation", write: field(func(p *passwordPatch) *patch.Field[string] { return &p.Confirmation })},
}

// userChange reads a body that changes a user.
func (r *request) userChange() (p userPatch, err error) {
	in, err := r.resource("users")
	if err != nil {
		return p, err
	}
	return p, userAttributes.decode(in, &p, r.api.App.Edition())
}

func (a *API) updateAccount(r *request) (*jsonapi.Document, error) {
	p, err := r.userChange()
	if err != nil {
		return nil, err
	}
	u, err := a.App.UpdateAccount(r.Context(), r.subject, p.UserPatch)
	return a.userAnswer(u, err)
}

func (a *API) changePassword(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("users")
	if err != nil {
		return nil, err
	}
	var p passwordPatch
	if err := passwordAttributes.decode(in, &p, a.App.Edition()); err != nil {
		return nil, err
	}
	u, err := a.App.ChangePassword(r.Context(), r.subject, app.NewPassword{
		Current: p.Current.Value, Password: p.Password.Value, Confirmation: p.Confirmation.Value,
	})
	return a.userAnswer(u, err)
}

func (a *API) updateUser(r *request) (*jsonapi.Document, error) {
	p, err := r.userChange()
	if err != nil {
		return nil, err
	}
	u, err := a.App.UpdateUser(r.Context(), r.subject, r.param("user_id"), p.UserPatch, p.Password)
	return a.userAnswer(u, err)
}
