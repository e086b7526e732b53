package organizations

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
)

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.OAuthClient + "/deliveries", Status: http.StatusOK, Do: door.Listing(vcsDeliveries, a.listVCSDeliveries), Needs: belay.ManageVCS, Does: "List what the service told lately, and what became of it"},
		{Method: http.MethodPost, Path: paths.V2 + "/vcs-deliveries/{vcs_delivery_id}/actions/redeliver", Status: http.StatusNoContent, Do: door.Doing(a.redeliver), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageVCS.And(belay.Steering), Does: "Have what a service told worked on once more"},
	}
})

// vcsDeliveries is what version-control services told of repositories.
var vcsDeliveries = &doc.Noun[forge.ToldDelivery, struct{}]{
	Type: "vcs-deliveries",
	ID:   func(d *forge.ToldDelivery) string { return d.ID },
	Attributes: doc.Attributes[forge.ToldDelivery, struct{}]{
		{Name: "delivery-id", Show: doc.Value(func(d *forge.ToldDelivery) string { return d.DeliveryID })},
		{Name: "identifier", Show: doc.Value(func(d *forge.ToldDelivery) string { return d.Identifier })},
		{Name: "about", Show: doc.Maybe(func(d *forge.ToldDelivery) string { return d.About })},
		{Name: "status", Show: doc.Value(func(d *forge.ToldDelivery) string { return string(d.State) })},
		{Name: "became", Show: doc.Maybe(func(d *forge.ToldDelivery) string { return d.Became })},
		{Name: "attempts", Show: doc.Value(func(d *forge.ToldDelivery) int { return d.Tries })},
		{Name: "received-at", Show: doc.Value(func(d *forge.ToldDelivery) time.Time { return d.ReceivedAt })},
		{Name: "next-attempt-at", Show: doc.Maybe(func(d *forge.ToldDelivery) time.Time { return d.Due() })},
		{Name: "can-redeliver", Show: doc.Value(func(d *forge.ToldDelivery) bool { return d.MayAgain })},
	},
}

func (a *Verbs) listVCSDeliveries(r *door.Request) ([]forge.ToldDelivery, int, error) {
	return a.Repos.Told(r.Context(), r.Principal, r.Param("oauth_client_id"), r.Page())
}

func (a *Verbs) redeliver(r *door.Request) error {
	return a.Repos.Redeliver(r.Context(), r.Principal, r.Param("vcs_delivery_id"))
}
