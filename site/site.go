// Package site holds what concerns the server as a whole: how it stands and what its administrators should do about
// that, what an edition offers, and the keys it seals with. It measures nothing.
package site

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// ServerFacts is what a server knows of itself without asking its database.
type ServerFacts struct {
	Version, Commit string
	DiskFree        int64     // bytes beside its data; -1: can't be told
	CertificateEnds time.Time // zero: it serves without TLS
}

// Backup is what is known of the last backup that ended well.
type Backup struct {
	At                         time.Time // zero: there was none
	Took                       time.Duration
	Rows, Objects, ObjectBytes int64
}

// Health is how a server stands, and what it needs.
type Health struct {
	ServerFacts
	At                 time.Time // when it was looked at
	Database           string    // its engine
	Schema             int64
	DatabaseBytes      int64
	ConnectionsInUse   int
	ConnectionsAtMost  int
	WriterQueue        int
	ObjectsFail        string // why the store of objects does not answer; empty: it does
	Key                string // the fingerprint of the key that seals; empty: none is known
	Keys               int    // that are loaded
	Organizations      int
	Workspaces         int
	Users              int
	Sessions           int
	RunsOpen           int
	OldestRun          time.Time // that is pending; zero: none
	Starved            int       // jobs that wait in pools without a runner
	Due, DeadLettered  int       // deliveries that are due, and that were given up in the last hour
	OldestDue          time.Time // zero: none is due
	Replicas           []Replica // servers on the one database; none where there is one, on SQLite
	LastBackup         Backup
	BackupIsInProgress bool
}

// Status is how one thing that a server needs stands.
type Status string

// The states of things that a server needs.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one thing that a server needs: how it stands, what to do about it, and the metric
// that tells the same.
type Check struct {
	Name   string
	Status Status
	Says   string
	Remedy string // empty where all is well
	Metric string // empty: there is none
}

// What is told of before it breaks.
const (
	scarceDisk      = 1 << 30
	shortCertified  = 14 * 24 * time.Hour
	longDue         = 5 * time.Minute
	longPending     = 15 * time.Minute
	longUnbackedUp  = 48 * time.Hour
	longWriterQueue = 50
)

// Checks is everything that a server needs, one thing after another.
func (h *Health) Checks() []Check {
	list := []Check{h.database(), h.objects(), h.key(), h.deliveries(), h.runs(), h.replicas(), h.backup()}
	if h.DiskFree >= 0 {
		list = append(list, h.disk())
	}
	if !h.CertificateEnds.IsZero() {
		list = append(list, h.certificate())
	}
	return list
}

// Status is the worst of what is found.
func (h *Health) Status() Status {
	worst := OK
	for _, c := range h.Checks() {
		if order := []Status{OK, Warn, Fail}; slices.Index(order, c.Status) > slices.Index(order, worst) {
			worst = c.Status
		}
	}
	return worst
}

// unless is a check that is ok, but for the first of its faults.
func (c Check) unless(is bool, status Status, says, remedy string) Check {
	if is && c.Status == OK {
		c.Status, c.Says, c.Remedy = status, says, remedy
	}
	return c
}

func (h *Health) database() Check {
	c := Check{Name: "database", Status: OK, Metric: "belay_database_up", Says: fmt.Sprintf("%s, schema %d", h.Database, h.Schema)}
	c = c.unless(h.ConnectionsAtMost > 0 && h.ConnectionsInUse >= h.ConnectionsAtMost, Warn, fmt.Sprintf("all %d connections are in use", h.ConnectionsAtMost), "Give the server more connections, or find what holds them.")
	return c.unless(h.WriterQueue > longWriterQueue, Warn, several(h.WriterQueue, "transaction waits", "transactions wait")+" for SQLite's one writer", "Look at the disk; a server this busy is better off with PostgreSQL.")
}

func (h *Health) objects() Check {
	c := Check{Name: "objects", Status: OK, Metric: "belay_object_store_duration_seconds", Says: "the store answers"}
	return c.unless(h.ObjectsFail != "", Fail, "the store does not answer: "+h.ObjectsFail, "States can be neither read nor written. Run belay doctor.")
}

func (h *Health) key() Check {
	c := Check{Name: "encryption key", Status: OK, Says: h.Key + " seals"}
	c = c.unless(h.Key == "", Warn, "none is known", "The first start makes one.")
	return c.unless(h.Keys > 1, Warn, h.Key+" seals, and "+several(h.Keys-1, "older one is", "older ones are")+" loaded", "Run belay keys reseal, then take the older ones away.")
}

func (h *Health) deliveries() Check {
	c := Check{Name: "deliveries", Status: OK, Metric: "belay_deliveries", Says: several(h.Due, "is due", "are due")}
	c = c.unless(!h.OldestDue.IsZero() && h.At.Sub(h.OldestDue) > longDue, Warn, several(h.Due, "is due", "are due")+", the oldest for "+roughly(h.At.Sub(h.OldestDue)), "Look whether destinations answer, and whether this server may reach them.")
	return c.unless(h.DeadLettered > 0, Warn, several(h.DeadLettered, "was", "were")+" given up in the last hour", "See what their destinations answered, and have them sent again.")
}

func (h *Health) runs() Check {
	c := Check{Name: "runs", Status: OK, Metric: "belay_pool_runners", Says: several(h.RunsOpen, "has", "have") + " not ended"}
	c = c.unless(h.Starved > 0, Warn, several(h.Starved, "job waits", "jobs wait")+" in pools without a runner", "Start an agent of the pool. The server's own pool has the runner inside it: --runner-slots.")
	return c.unless(!h.OldestRun.IsZero() && h.At.Sub(h.OldestRun) > longPending, Warn, "one has waited for "+roughly(h.At.Sub(h.OldestRun)), "See what it waits for: a lock, a plan to confirm, or room.")
}

func (h *Health) backup() Check {
	c := Check{Name: "backup", Status: OK, Metric: "belay_last_backup_timestamp_seconds"}
	if h.LastBackup.At.IsZero() {
		return c.unless(true, Warn, "there was none", "Run belay backup every day, and keep the archive and the encryption key elsewhere.")
	}
	c.Says = "ended well " + h.LastBackup.At.UTC().Format(time.RFC3339)
	return c.unless(h.At.Sub(h.LastBackup.At) > longUnbackedUp, Warn, "none for "+roughly(h.At.Sub(h.LastBackup.At)), "See why the daily one does not end.")
}

func (h *Health) disk() Check {
	c := Check{Name: "disk", Status: OK, Metric: "belay_disk_free_bytes", Says: fmt.Sprintf("%d MiB are free", h.DiskFree>>20)}
	return c.unless(h.DiskFree < scarceDisk, Warn, fmt.Sprintf("only %d MiB are free", h.DiskFree>>20), "Make room: writes are refused when there is none.")
}

func (h *Health) certificate() Check {
	c := Check{Name: "certificate", Status: OK, Metric: "belay_certificate_expiry_timestamp_seconds", Says: "ends " + h.CertificateEnds.UTC().Format(time.DateOnly)}
	c = c.unless(h.CertificateEnds.Before(h.At), Fail, "ended "+h.CertificateEnds.UTC().Format(time.DateOnly), "Renew it: the server reads its files anew.")
	return c.unless(h.CertificateEnds.Sub(h.At) < shortCertified, Warn, c.Says, "Renew it: the server reads its files anew.")
}

// several is so many of something, in words.
func several(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

// roughly is how long something has been so, in the one unit that matters.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return several(int(d/(24*time.Hour)), "day", "days")
	case d >= 2*time.Hour:
		return several(int(d/time.Hour), "hour", "hours")
	default:
		return several(int(d/time.Minute), "minute", "minutes")
	}
}

// OrganizationStorage is what an organization keeps, as it was when it was last counted.
type OrganizationStorage struct {
	OrganizationID     string
	Name               string // of the organization
	Workspaces         int
	States             int64
	StateBytes         int64
	Configurations     int64
	ConfigurationBytes int64
	RunFiles           int64 // logs, plans and what else runs leave
	RunFileBytes       int64
	CountedAt          time.Time
}

// Bytes is all that an organization keeps in the store of objects.
func (s *OrganizationStorage) Bytes() int64 {
	return s.StateBytes + s.ConfigurationBytes + s.RunFileBytes
}
