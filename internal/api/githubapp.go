package api

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/web"
)

// appWebhook is where GitHub tells the server's App of all its installations. It takes no token: the
// body is signed.
const appWebhook = "/webhooks/github-app"

// receiveAppWebhook takes what GitHub tells the App. Everybody knows the address, so that it is
// counted by where it comes from: nobody else's deliveries are refused.
func (a *API) receiveAppWebhook(r *request) error {
	if err := a.hooked.app.take(web.Address(r.Request), r.w.Header()); err != nil {
		return err
	}
	body, err := a.webhookBody(r)
	if err != nil {
		return err
	}
	if err := a.Repos.ReceiveApp(r.Context(), r.Header, body); err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{})
}

// appInstallations is the accounts that the server's GitHub App is installed in.
var appInstallations = &noun[belay.AppInstallation, struct{}]{
	typ:    "github-app-installations",
	schema: "GitHubAppInstallation",
	id:     func(i *belay.AppInstallation) string { return i.ID },
	path:   func(i *belay.AppInstallation) string { return "/api/v2/github-app/installation/" + i.ID },
	attributes: attributes[belay.AppInstallation, struct{}]{
		{name: "name", show: value(func(i *belay.AppInstallation) string { return i.Name })},
		{name: "installation-id", show: value(func(i *belay.AppInstallation) int64 { return i.Number })},
		{name: "installation-type", show: value(func(i *belay.AppInstallation) string { return i.Kind })},
		{name: "installation-url", show: value(func(i *belay.AppInstallation) string { return i.URL })},
		{name: "icon-url", show: value(func(i *belay.AppInstallation) string { return i.IconURL })},
		{name: "suspended", show: value(func(i *belay.AppInstallation) bool { return i.State == belay.AppSuspended })},
	},
}

var appInstallationFilters = []string{"filter[name]", "filter[installation_id]"}

func (a *API) listAppInstallations(r *request) ([]belay.AppInstallation, int, error) {
	q := r.URL.Query()
	want, err := belay.ParseAppInstallationQuery(q.Get("filter[name]"), q.Get("filter[installation_id]"))
	if err != nil {
		return nil, 0, err
	}
	want.Page = r.page()
	return a.App.AppInstallations(r.Context(), r.subject, want)
}

func (a *API) showAppInstallation(r *request) (belay.AppInstallation, error) {
	return a.App.AppInstallation(r.Context(), r.subject, r.param("github_app_installation_id"))
}
