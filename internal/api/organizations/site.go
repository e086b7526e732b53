package organizations

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
)

var siteChecks = doc.Attributes[belay.SiteCheck, struct{}]{
	{Name: "name", Show: doc.Value(func(c *belay.SiteCheck) string { return c.Name })},
	{Name: "status", Allowed: siteStatuses, Show: doc.Value(func(c *belay.SiteCheck) string { return string(c.Status) })},
	{Name: "says", Show: doc.Value(func(c *belay.SiteCheck) string { return c.Says })},
	{Name: "remedy", Show: doc.Maybe(func(c *belay.SiteCheck) string { return c.Remedy })},
	{Name: "metric", Show: doc.Maybe(func(c *belay.SiteCheck) string { return c.Metric })},
}

var siteStatuses = []string{string(belay.SiteOK), string(belay.SiteWarn), string(belay.SiteFail)}

// siteHealths is how a server stands: one document, with everything that it needs.
var siteHealths = &doc.Noun[belay.SiteHealth, struct{}]{
	Type: "site-health",
	ID:   func(*belay.SiteHealth) string { return "site" },
	Attributes: doc.Attributes[belay.SiteHealth, struct{}]{
		{Name: "status", Allowed: siteStatuses, Show: doc.Value(func(h *belay.SiteHealth) string { return string(h.Status()) })},
		{Name: "checks", Show: doc.Listed(siteChecks, func(h *belay.SiteHealth) []belay.SiteCheck { return h.Checks() })},
		{Name: "checked-at", Show: doc.Value(func(h *belay.SiteHealth) time.Time { return h.At })},
		{Name: "version", Show: doc.Value(func(h *belay.SiteHealth) string { return h.Version })},
		{Name: "commit", Show: doc.Value(func(h *belay.SiteHealth) string { return h.Commit })},
		{Name: "database", Show: doc.Value(func(h *belay.SiteHealth) string { return h.Database })},
		{Name: "schema", Show: doc.Value(func(h *belay.SiteHealth) int64 { return h.Schema })},
		{Name: "database-bytes", Show: doc.Value(func(h *belay.SiteHealth) int64 { return h.DatabaseBytes })},
		{Name: "organizations", Show: doc.Value(func(h *belay.SiteHealth) int { return h.Organizations })},
		{Name: "workspaces", Show: doc.Value(func(h *belay.SiteHealth) int { return h.Workspaces })},
		{Name: "users", Show: doc.Value(func(h *belay.SiteHealth) int { return h.Users })},
		{Name: "sessions", Show: doc.Value(func(h *belay.SiteHealth) int { return h.Sessions })},
		{Name: "runs-open", Show: doc.Value(func(h *belay.SiteHealth) int { return h.RunsOpen })},
		{Name: "deliveries-due", Show: doc.Value(func(h *belay.SiteHealth) int { return h.Due })},
		{Name: "certificate-expires-at", Show: doc.Maybe(func(h *belay.SiteHealth) time.Time { return h.CertificateEnds })},
		{Name: "last-backup-at", Show: doc.Maybe(func(h *belay.SiteHealth) time.Time { return h.LastBackup.At })},
		{Name: "last-backup-seconds", Show: doc.Maybe(func(h *belay.SiteHealth) float64 { return h.LastBackup.Took.Seconds() })},
		{Name: "last-backup-rows", Show: doc.Maybe(func(h *belay.SiteHealth) int64 { return h.LastBackup.Rows })},
		{Name: "last-backup-objects", Show: doc.Maybe(func(h *belay.SiteHealth) int64 { return h.LastBackup.Objects })},
		{Name: "last-backup-bytes", Show: doc.Maybe(func(h *belay.SiteHealth) int64 { return h.LastBackup.ObjectBytes })},
		{Name: "backup-in-progress", Show: doc.Value(func(h *belay.SiteHealth) bool { return h.BackupIsInProgress })},
	},
}

func (a *Verbs) showSiteHealth(r *door.Request) (belay.SiteHealth, error) {
	return a.App.SiteHealth(r.Context(), r.Principal)
}

var siteStorage = &doc.Noun[belay.OrganizationStorage, struct{}]{
	Type:   "organization-storage",
	ID:     func(s *belay.OrganizationStorage) string { return s.OrganizationID },
	Schema: "OrganizationStorage",
	Attributes: doc.Attributes[belay.OrganizationStorage, struct{}]{
		{Name: "organization-name", Show: doc.Value(func(s *belay.OrganizationStorage) string { return s.Name })},
		{Name: "workspaces", Show: doc.Value(func(s *belay.OrganizationStorage) int { return s.Workspaces })},
		{Name: "bytes", Show: doc.Value((*belay.OrganizationStorage).Bytes)},
		{Name: "states", Show: doc.Value(func(s *belay.OrganizationStorage) int64 { return s.States })},
		{Name: "state-bytes", Show: doc.Value(func(s *belay.OrganizationStorage) int64 { return s.StateBytes })},
		{Name: "configurations", Show: doc.Value(func(s *belay.OrganizationStorage) int64 { return s.Configurations })},
		{Name: "configuration-bytes", Show: doc.Value(func(s *belay.OrganizationStorage) int64 { return s.ConfigurationBytes })},
		{Name: "run-files", Show: doc.Value(func(s *belay.OrganizationStorage) int64 { return s.RunFiles })},
		{Name: "run-file-bytes", Show: doc.Value(func(s *belay.OrganizationStorage) int64 { return s.RunFileBytes })},
		{Name: "counted-at", Show: doc.Value(func(s *belay.OrganizationStorage) time.Time { return s.CountedAt })},
	},
}

func (a *Verbs) listStorage(r *door.Request) ([]belay.OrganizationStorage, int, error) {
	return a.App.SiteStorage(r.Context(), r.Principal, r.Page())
}

// listParked shows what was given up, of all organizations.
func (a *Verbs) listParked(r *door.Request) ([]belay.Delivery, int, error) {
	list, total, err := a.App.ParkedDeliveries(r.Context(), r.Principal, r.Page())
	dead := make([]belay.Delivery, len(list))
	for i := range list {
		dead[i] = list[i].Delivery
	}
	return dead, total, err
}
