package people

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/identity"
)

// passwordLinkDoc is a link to a new password, with the address that it is used at.
type passwordLinkDoc struct {
	identity.PasswordLink
	address string
}

var passwordLinks = &doc.Noun[passwordLinkDoc, struct{}]{
	Type: "password-links",
	ID:   func(l *passwordLinkDoc) string { return l.UserID },
	Attributes: doc.Attributes[passwordLinkDoc, struct{}]{
		{Name: "link", Show: doc.Value(func(l *passwordLinkDoc) string { return l.address })},
		{Name: "expired-at", Show: doc.Value(func(l *passwordLinkDoc) time.Time { return l.EndsAt })},
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/password-link", Status: http.StatusCreated, Do: door.Showing(passwordLinks, a.makePasswordLink), Refuses: []belay.Kind{belay.Conflict}, By: door.SiteAdmins, Does: "Make a link by which a user sets a password"},
	}
})

func (a *Verbs) makePasswordLink(r *door.Request) (passwordLinkDoc, error) {
	l, err := a.App.PasswordLink(r.Context(), r.Principal, r.Param("user_id"))
	return passwordLinkDoc{l, r.BaseURL() + l.Path()}, err
}
