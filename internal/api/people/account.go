package people

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
)

// passwords is a user in a body that changes its password.
var passwords = &doc.Noun[belay.User, passwordPatch]{Type: "users", Schema: "Password", Attributes: passwordAttributes}

// passwordPatch is what a body says to change a password. Its names are written with
// underscores, as clients send them.
type passwordPatch struct{ Current, Password, Confirmation patch.Field[string] }

var passwordAttributes = doc.Attributes[belay.User, passwordPatch]{
	{Name: "current_password", Write: doc.Field(func(p *passwordPatch) *patch.Field[string] { return &p.Current })},
	{Name: "password", Write: doc.Field(func(p *passwordPatch) *patch.Field[string] { return &p.Password })},
	{Name: "password_confirmation", Write: doc.Field(func(p *passwordPatch) *patch.Field[string] { return &p.Confirmation })},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPatch, Path: paths.V2 + "/admin/users/{user_id}", Status: http.StatusOK, Do: door.Writing(Users, a.updateUser), By: door.SiteAdmins, Does: "Change a user"},
		{Method: http.MethodPatch, Path: paths.V2 + "/account/update", Status: http.StatusOK, Do: door.Writing(Users, a.updateAccount), By: door.People, Does: "Change one's own name or address"},
		{Method: http.MethodPatch, Path: paths.V2 + "/account/password", Status: http.StatusOK, Do: door.Taking(passwords, Users, a.changePassword), By: door.People, Does: "Change one's own password"},
	}
})

func (a *Verbs) updateAccount(r *door.Request, p userPatch) (belay.User, error) {
	return a.App.UpdateAccount(r.Context(), r.Principal, p.UserPatch)
}

func (a *Verbs) changePassword(r *door.Request, p passwordPatch) (belay.User, error) {
	return a.App.ChangePassword(r.Context(), r.Principal, identity.NewPassword{
		Current: p.Current.Value, Password: p.Password.Value, Confirmation: p.Confirmation.Value,
	})
}

func (a *Verbs) updateUser(r *door.Request, p userPatch) (belay.User, error) {
	return a.App.UpdateUser(r.Context(), r.Principal, r.Param("user_id"), p.UserPatch, p.Password)
}
