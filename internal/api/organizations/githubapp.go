package organizations

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/web"
)

// appWebhook is where GitHub tells the server's App of all its installations. It takes no token: the
// body is signed.
const appWebhook = "/webhooks/github-app"

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: appWebhook, Status: http.StatusOK, Raw: a.receiveAppWebhook, Open: true, JSON: openapi.Of[door.Nothing], Limit: maxWebhook, Refuses: []belay.Kind{belay.Unauthenticated, belay.NotFound, belay.TooLarge}, Does: "Tell the server's GitHub App what happened, signed with its secret (for GitHub)"},
		{Method: http.MethodGet, Path: paths.V2 + "/github-app/installations", Status: http.StatusOK, Do: door.Listing(appInstallations, a.listAppInstallations), Filters: appInstallationFilters, By: door.AnyToken, Does: "List the installations of the server's GitHub App behind connections that one manages"},
		{Method: http.MethodGet, Path: paths.V2 + "/github-app/installation/{github_app_installation_id}", Status: http.StatusOK, Do: door.Showing(appInstallations, a.showAppInstallation), Needs: belay.ManageVCS, Does: "See an installation of the server's GitHub App"},
	}
})

// receiveAppWebhook takes what GitHub tells the App. Everybody knows the address, so that it is
// counted by where it comes from: nobody else's deliveries are refused.
func (a *Verbs) receiveAppWebhook(r *door.Request) error {
	if err := a.hooked.app.Take(web.Address(r.Request), r.Writer.Header()); err != nil {
		return err
	}
	body, err := a.webhookBody(r)
	if err != nil {
		return err
	}
	if err := a.Repos.ReceiveApp(r.Context(), r.Header, body); err != nil {
		return err
	}
	return r.SendJSON(http.StatusOK, door.Nothing{})
}

// appInstallations is the accounts that the server's GitHub App is installed in.
var appInstallations = &doc.Noun[belay.AppInstallation, struct{}]{
	Type:   "github-app-installations",
	Schema: "GitHubAppInstallation",
	ID:     func(i *belay.AppInstallation) string { return i.ID },
	Path:   func(i *belay.AppInstallation) string { return "/api/v2/github-app/installation/" + i.ID },
	Attributes: doc.Attributes[belay.AppInstallation, struct{}]{
		{Name: "name", Show: doc.Value(func(i *belay.AppInstallation) string { return i.Name })},
		{Name: "installation-id", Show: doc.Value(func(i *belay.AppInstallation) int64 { return i.Number })},
		{Name: "installation-type", Show: doc.Value(func(i *belay.AppInstallation) string { return i.Kind })},
		{Name: "installation-url", Show: doc.Value(func(i *belay.AppInstallation) string { return i.URL })},
		{Name: "icon-url", Show: doc.Value(func(i *belay.AppInstallation) string { return i.IconURL })},
		{Name: "suspended", Show: doc.Value(func(i *belay.AppInstallation) bool { return i.State == belay.AppSuspended })},
	},
}

var appInstallationFilters = []string{"filter[name]", "filter[installation_id]"}

func (a *Verbs) listAppInstallations(r *door.Request) ([]belay.AppInstallation, int, error) {
	q := r.URL.Query()
	want, err := belay.ParseAppInstallationQuery(q.Get("filter[name]"), q.Get("filter[installation_id]"))
	if err != nil {
		return nil, 0, err
	}
	want.Page = r.Page()
	return a.App.AppInstallations(r.Context(), r.Principal, want)
}

func (a *Verbs) showAppInstallation(r *door.Request) (belay.AppInstallation, error) {
	return a.App.AppInstallation(r.Context(), r.Principal, r.Param("github_app_installation_id"))
}
