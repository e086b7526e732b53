package organizations

import (
	"net/http"
	"time"

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
		{Name: "backup-in-progress", Show: doc.Value(func(h *site.Health) bool { return h.BackupIsInProgress })},
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/admin/site-health", Status: http.StatusOK, Do: door.Showing(siteHealths, a.showSiteHealth), By: door.SiteAdmins, Does: "See how the server stands, and what it needs"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/storage", Status: http.StatusOK, Do: door.Listing(siteStorage, a.listStorage), By: door.SiteAdmins, Does: "List what organizations keep, the largest first"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/notification-deliveries", Status: http.StatusOK, Do: door.Listing(deliveries, a.listParked), By: door.SiteAdmins, Does: "List what was given up in all organizations"},
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

// listParked shows what was given up, of all organizations.
func (a *Verbs) listParked(r *door.Request) ([]notices.Delivery, int, error) {
	list, total, err := a.App.ParkedDeliveries(r.Context(), r.Principal, r.Page())
	dead := make([]notices.Delivery, len(list))
	for i := range list {
		dead[i] = list[i].Delivery
	}
	return dead, total, err
}
