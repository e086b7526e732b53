package organizations

import (
	"net/http"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/site"
)

var siteChecks = doc.Attributes[site.Check, struct{}]{
	{Name: "name", Show: doc.Value(func(c *site.Check) string { return c.Name })},
	{Name: "status", Allowed: siteStatuses, Show: doc.Value(func(c *site.Check) string { return string(c.Status) })},
	{Name: "says", Show: doc.Value(func(c *site.Check) string { return c.Says })},
	{Name: "remedy", Show: doc.Maybe(func(c *site.Check) string { return c.Remedy })},
	{Name: "metric", Show: doc.Maybe(func(c *site.Check) string { return c.Metric })},
}

var siteReplicas = doc.Attributes[site.Replica, struct{}]{
	{Name: "name", Show: doc.Value(func(r *site.Replica) string { return r.Name })},
	{Name: "version", Show: doc.Value(func(r *site.Replica) string { return r.Version })},
	{Name: "started-at", Show: doc.Value(func(r *site.Replica) time.Time { return r.StartedAt })},
	{Name: "seen-at", Show: doc.Value(func(r *site.Replica) time.Time { return r.SeenAt })},
}

var siteStatuses = []string{string(site.OK), string(site.Warn), string(site.Fail)}

// siteHealths is how a server stands: one document, with everything that it needs.
var siteHealths = &doc.Noun[site.Health, struct{}]{
	Type: "site-health",
	ID:   func(*site.Health) string { return "site" },
	Attributes: doc.Attributes[site.Health, struct{}]{
		{Name: "status", Allowed: siteStatuses, Show: doc.Value(func(h *site.Health) string { return string(h.Status()) })},
		{Name: "checks", Show: doc.Listed(siteChecks, func(h *site.Health) []site.Check { return h.Checks() })},
		{Name: "checked-at", Show: doc.Value(func(h *site.Health) time.Time { return h.At })},
		{Name: "version", Show: doc.Value(func(h *site.Health) string { return h.Version })},
		{Name: "commit", Show: doc.Value(func(h *site.Health) string { return h.Commit })},
		{Name: "database", Show: doc.Value(func(h *site.Health) string { return h.Database })},
		{Name: "schema", Show: doc.Value(func(h *site.Health) int64 { return h.Schema })},
		{Name: "database-bytes", Show: doc.Value(func(h *site.Health) int64 { return h.DatabaseBytes })},
		{Name: "organizations", Show: doc.Value(func(h *site.Health) int { return h.Organizations })},
		{Name: "workspaces", Show: doc.Value(func(h *site.Health) int { return h.Workspaces })},
		{Name: "users", Show: doc.Value(func(h *site.Health) int { return h.Users })},
		{Name: "sessions", Show: doc.Value(func(h *site.Health) int { return h.Sessions })},
		{Name: "runs-open", Show: doc.Value(func(h *site.Health) int { return h.RunsOpen })},
		{Name: "deliveries-due", Show: doc.Value(func(h *site.Health) int { return h.Due })},
		{Name: "certificate-expires-at", Show: doc.Maybe(func(h *site.Health) time.Time { return h.CertificateEnds })},
		{Name: "last-backup-at", Show: doc.Maybe(func(h *site.Health) time.Time { return h.LastBackup.At })},
		{Name: "last-backup-seconds", Show: doc.Maybe(func(h *site.Health) float64 { return h.LastBackup.Took.Seconds() })},
		{Name: "last-backup-rows", Show: doc.Maybe(func(h *site.Health) int64 { return h.LastBackup.Rows })},
		{Name: "last-backup-objects", Show: doc.Maybe(func(h *site.Health) int64 { return h.LastBackup.Objects })},
		{Name: "last-backup-bytes", Show: doc.Maybe(func(h *site.Health) int64 { return h.LastBackup.ObjectBytes })},
		{Name: "replicas", Show: doc.Listed(siteReplicas, func(h *site.Health) []site.Replica { return h.Replicas })},
		{Name: "backup-in-progress", Show: doc.Value(func(h *site.Health) bool { return h.BackupIsInProgress })},
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/admin/site-health", Status: http.StatusOK, Do: door.Showing(siteHealths, a.showSiteHealth), By: door.SiteAdmins, Does: "See how the server stands, and what it needs"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/storage", Status: http.StatusOK, Do: door.Listing(siteStorage, a.listStorage), By: door.SiteAdmins, Does: "List what organizations keep, the largest first"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/encryption-keys", Status: http.StatusOK, Do: door.ListingAll(siteKeys, a.listKeys), By: door.SiteAdmins, Does: "List the keys that data is sealed with, and what each seals"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/notification-deliveries", Status: http.StatusOK, Do: door.Listing(deliveries, a.listSent), Filters: sentFilters, By: door.SiteAdmins, Does: "List what was sent in all organizations"},
	}
})

func (a *Verbs) showSiteHealth(r *door.Request) (site.Health, error) {
	return a.App.SiteHealth(r.Context(), r.Principal)
}

var siteStorage = &doc.Noun[site.OrganizationStorage, struct{}]{
	Type:   "organization-storage",
	ID:     func(s *site.OrganizationStorage) string { return s.OrganizationID },
	Schema: "OrganizationStorage",
	Attributes: doc.Attributes[site.OrganizationStorage, struct{}]{
		{Name: "organization-name", Show: doc.Value(func(s *site.OrganizationStorage) string { return s.Name })},
		{Name: "workspaces", Show: doc.Value(func(s *site.OrganizationStorage) int { return s.Workspaces })},
		{Name: "bytes", Show: doc.Value((*site.OrganizationStorage).Bytes)},
		{Name: "states", Show: doc.Value(func(s *site.OrganizationStorage) int64 { return s.States })},
		{Name: "state-bytes", Show: doc.Value(func(s *site.OrganizationStorage) int64 { return s.StateBytes })},
		{Name: "configurations", Show: doc.Value(func(s *site.OrganizationStorage) int64 { return s.Configurations })},
		{Name: "configuration-bytes", Show: doc.Value(func(s *site.OrganizationStorage) int64 { return s.ConfigurationBytes })},
		{Name: "run-files", Show: doc.Value(func(s *site.OrganizationStorage) int64 { return s.RunFiles })},
		{Name: "run-file-bytes", Show: doc.Value(func(s *site.OrganizationStorage) int64 { return s.RunFileBytes })},
		{Name: "counted-at", Show: doc.Value(func(s *site.OrganizationStorage) time.Time { return s.CountedAt })},
	},
}

func (a *Verbs) listStorage(r *door.Request) ([]site.OrganizationStorage, int, error) {
	return a.App.SiteStorage(r.Context(), r.Principal, r.Page())
}

var siteKeys = &doc.Noun[site.KeyState, struct{}]{
	Type:   "encryption-keys",
	ID:     func(k *site.KeyState) string { return k.ID },
	Schema: "EncryptionKey",
	Attributes: doc.Attributes[site.KeyState, struct{}]{
		{Name: "status", Allowed: keyStatuses, Show: doc.Value(func(k *site.KeyState) string { return string(k.Status) })},
		{Name: "values", Show: doc.Unless(uncounted, func(k *site.KeyState) int { return k.Use.Values })},
		{Name: "objects", Show: doc.Unless(uncounted, func(k *site.KeyState) int { return k.Use.Objects })},
		{Name: "counted-at", Show: doc.Maybe(func(k *site.KeyState) time.Time { return k.CountedAt })},
		{Name: "reseal-began-at", Show: doc.Maybe(func(k *site.KeyState) time.Time { return k.Resealing.BeganAt })},
		{Name: "reseal-seen-at", Show: doc.Maybe(func(k *site.KeyState) time.Time { return k.Resealing.SeenAt })},
		{Name: "reseal-ended-at", Show: doc.Maybe(func(k *site.KeyState) time.Time { return k.Resealing.EndedAt })},
		{Name: "reseal-looked", Show: doc.Maybe(func(k *site.KeyState) int { return k.Resealing.Looked })},
		{Name: "reseal-total", Show: doc.Maybe(func(k *site.KeyState) int { return k.Resealing.All })},
		{Name: "resealed", Show: doc.Maybe(func(k *site.KeyState) int { return k.Resealing.Sealed })},
	},
}

var keyStatuses = []string{string(site.KeyLeads), string(site.KeyNeeded), string(site.KeyUnused), string(site.KeyUnknown), string(site.KeyMissing)}

func uncounted(k *site.KeyState) bool { return k.Use == nil }

func (a *Verbs) listKeys(r *door.Request) ([]site.KeyState, error) {
	keys, err := a.App.SiteKeys(r.Context(), r.Principal)
	return keys.States(), err
}

var sentFilters = []string{"filter[status]", "filter[organization][name]", "filter[trigger]"}

// listSent shows what was sent in all organizations, what waits and what was given up: what changed last comes first.
func (a *Verbs) listSent(r *door.Request) ([]notices.Delivery, int, error) {
	q := r.Query()
	statuses, others := deliveryStatuses(q)
	if len(others) > 0 {
		return nil, 0, belay.Refuse(belay.BadRequest, "filter[status] is pending, delivered or parked, not %q", others[0])
	}
	want := notices.SiteDeliveryQuery{Statuses: statuses, Organization: q.Get("filter[organization][name]"), Trigger: q.Get("filter[trigger]")}
	if want.Trigger != "" && !slices.Contains(notices.Triggers(), want.Trigger) {
		return nil, 0, belay.Refuse(belay.BadRequest, "filter[trigger]: nothing tells of %q", want.Trigger)
	}
	list, total, err := a.App.SiteDeliveriesOn(r.Context(), r.Principal, want, r.Page())
	sent := make([]notices.Delivery, len(list))
	for i := range list {
		sent[i] = list[i].Delivery
	}
	return sent, total, err
}
