package api

import (
	"time"

	"github.com/belayhq/belay"
)

var siteChecks = attributes[belay.SiteCheck, struct{}]{
	{name: "name", show: value(func(c *belay.SiteCheck) string { return c.Name })},
	{name: "status", allowed: siteStatuses, show: value(func(c *belay.SiteCheck) string { return string(c.Status) })},
	{name: "says", show: value(func(c *belay.SiteCheck) string { return c.Says })},
	{name: "remedy", show: maybe(func(c *belay.SiteCheck) string { return c.Remedy })},
	{name: "metric", show: maybe(func(c *belay.SiteCheck) string { return c.Metric })},
}

var siteStatuses = []string{string(belay.SiteOK), string(belay.SiteWarn), string(belay.SiteFail)}

// siteHealths is how a server stands: one document, with everything that it needs.
var siteHealths = &noun[belay.SiteHealth, struct{}]{
	typ: "site-health",
	id:  func(*belay.SiteHealth) string { return "site" },
	attributes: attributes[belay.SiteHealth, struct{}]{
		{name: "status", allowed: siteStatuses, show: value(func(h *belay.SiteHealth) string { return string(h.Status()) })},
		{name: "checks", show: listed(siteChecks, func(h *belay.SiteHealth) []belay.SiteCheck { return h.Checks() })},
		{name: "checked-at", show: value(func(h *belay.SiteHealth) time.Time { return h.At })},
		{name: "version", show: value(func(h *belay.SiteHealth) string { return h.Version })},
		{name: "commit", show: value(func(h *belay.SiteHealth) string { return h.Commit })},
		{name: "database", show: value(func(h *belay.SiteHealth) string { return h.Database })},
		{name: "schema", show: value(func(h *belay.SiteHealth) int64 { return h.Schema })},
		{name: "database-bytes", show: value(func(h *belay.SiteHealth) int64 { return h.DatabaseBytes })},
		{name: "organizations", show: value(func(h *belay.SiteHealth) int { return h.Organizations })},
		{name: "workspaces", show: value(func(h *belay.SiteHealth) int { return h.Workspaces })},
		{name: "users", show: value(func(h *belay.SiteHealth) int { return h.Users })},
		{name: "sessions", show: value(func(h *belay.SiteHealth) int { return h.Sessions })},
		{name: "runs-open", show: value(func(h *belay.SiteHealth) int { return h.RunsOpen })},
		{name: "deliveries-due", show: value(func(h *belay.SiteHealth) int { return h.Due })},
		{name: "certificate-expires-at", show: maybe(func(h *belay.SiteHealth) time.Time { return h.CertificateEnds })},
		{name: "last-backup-at", show: maybe(func(h *belay.SiteHealth) time.Time { return h.LastBackup.At })},
		{name: "last-backup-seconds", show: maybe(func(h *belay.SiteHealth) float64 { return h.LastBackup.Took.Seconds() })},
		{name: "last-backup-rows", show: maybe(func(h *belay.SiteHealth) int64 { return h.LastBackup.Rows })},
		{name: "last-backup-objects", show: maybe(func(h *belay.SiteHealth) int64 { return h.LastBackup.Objects })},
		{name: "last-backup-bytes", show: maybe(func(h *belay.SiteHealth) int64 { return h.LastBackup.ObjectBytes })},
		{name: "backup-in-progress", show: value(func(h *belay.SiteHealth) bool { return h.BackupIsInProgress })},
	},
}

func (a *API) showSiteHealth(r *request) (belay.SiteHealth, error) {
	return a.App.SiteHealth(r.Context(), r.subject)
}

var siteStorage = &noun[belay.OrganizationStorage, struct{}]{
	typ:    "organization-storage",
	id:     func(s *belay.OrganizationStorage) string { return s.OrganizationID },
	schema: "OrganizationStorage",
	attributes: attributes[belay.OrganizationStorage, struct{}]{
		{name: "organization-name", show: value(func(s *belay.OrganizationStorage) string { return s.Name })},
		{name: "workspaces", show: value(func(s *belay.OrganizationStorage) int { return s.Workspaces })},
		{name: "bytes", show: value((*belay.OrganizationStorage).Bytes)},
		{name: "states", show: value(func(s *belay.OrganizationStorage) int64 { return s.States })},
		{name: "state-bytes", show: value(func(s *belay.OrganizationStorage) int64 { return s.StateBytes })},
		{name: "configurations", show: value(func(s *belay.OrganizationStorage) int64 { return s.Configurations })},
		{name: "configuration-bytes", show: value(func(s *belay.OrganizationStorage) int64 { return s.ConfigurationBytes })},
		{name: "run-files", show: value(func(s *belay.OrganizationStorage) int64 { return s.RunFiles })},
		{name: "run-file-bytes", show: value(func(s *belay.OrganizationStorage) int64 { return s.RunFileBytes })},
		{name: "counted-at", show: value(func(s *belay.OrganizationStorage) time.Time { return s.CountedAt })},
	},
}

func (a *API) listStorage(r *request) ([]belay.OrganizationStorage, int, error) {
	return a.App.SiteStorage(r.Context(), r.subject, r.page())
}

// listParked shows what was given up, of all organizations.
func (a *API) listParked(r *request) ([]belay.Delivery, int, error) {
	list, total, err := a.App.ParkedDeliveries(r.Context(), r.subject, r.page())
	parked := make([]belay.Delivery, len(list))
	for i := range list {
		parked[i] = list[i].Delivery
	}
	return parked, total, err
}
