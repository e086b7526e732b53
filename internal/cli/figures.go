package cli

import (
	"context"
	"crypto/tls"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/site"
)

// figures is what is asked of the database, the disk and the certificate each time.
type figures struct {
	house        *house
	dataDir      string
	certificates *tls.Config
}

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("belay_"+name, help, labels, nil)
}

var (
	buildInfo     = described("build_info", "1, with what runs here.", "version", "commit", "schema", "database")
	databaseUp    = described("database_up", "Whether the database answered what the others below ask of it.")
	connections   = described("database_connections", "Connections to the database: open, in use, and at the most.", "state")
	writerQueue   = described("writer_queue", "Transactions that wait for SQLite's one writer.")
	databaseBytes = described("database_bytes", "Size of the database.")
	diskFree      = described("disk_free_bytes", "Room on the disk of the data folder.")
	organizations = described("organizations", "Organizations.")
	workspaces    = described("workspaces", "Workspaces.")
	users         = described("users", "Users.")
	sessions      = described("sessions", "Browsers that are signed in.")
	runsOpen      = described("runs", "Runs that have not ended, by status.", "status")
	runWait       = described("run_wait_seconds", "How long the oldest pending run has waited.")
	deliveriesDue = described("deliveries", "Notifications that are due, and that were given up in the last hour.", "state")
	deliveryWait  = described("delivery_wait_seconds", "How long the oldest due notification has waited.")
	lastBackup    = described("last_backup_timestamp_seconds", "When a backup last ended well; absent before the first.")
	backingUp     = described("backup_in_progress", "Whether a backup copies objects now, and none is deleted.")
	serversHeard  = described("replicas", "Servers that share the database, by version: those that are heard, and those silent for a minute.", "version", "state")
	certificate   = described("certificate_expiry_timestamp_seconds", "When the certificate that is served expires; absent without TLS.")
)

// Describe says what there is to collect.
func (figures) Describe(into chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		buildInfo, databaseUp, connections, writerQueue, databaseBytes, diskFree, organizations, workspaces, users, sessions,
		runsOpen, runWait, deliveriesDue, deliveryWait, lastBackup, backingUp, serversHeard, certificate,
	} {
		into <- d
	}
}

// Collect asks. A database that does not answer leaves its numbers out.
func (f figures) Collect(into chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		into <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(buildInfo, 1, Version, commit(), strconv.FormatInt(store.NewestSchema(), 10), f.house.db.Engine())
	load := f.house.db.Busy()
	gauge(connections, float64(load.Open), "open")
	gauge(connections, float64(load.InUse), "in_use")
	gauge(connections, float64(load.Max), "max")
	gauge(writerQueue, float64(load.Queue))
	if free, err := data.FreeBytes(f.dataDir); err == nil {
		gauge(diskFree, float64(free))
	}
	if f.certificates != nil {
		if pair, err := f.certificates.GetCertificate(nil); err == nil {
			gauge(certificate, float64(pair.Leaf.NotAfter.Unix()))
		}
	}
	ctx, cancel := context.WithTimeout(store.Background(context.Background()), 2*time.Second)
	defer cancel()
	now, err := f.house.db.Figures(ctx)
	if err != nil {
		gauge(databaseUp, 0)
		return
	}
	gauge(databaseUp, 1)
	f.told(now, gauge)
}

// told is what the database told.
func (figures) told(now store.Figures, gauge func(*prometheus.Desc, float64, ...string)) {
	gauge(databaseBytes, float64(now.Bytes))
	gauge(organizations, float64(now.Organizations))
	gauge(workspaces, float64(now.Workspaces))
	gauge(users, float64(now.Users))
	gauge(sessions, float64(now.Sessions))
	for status, n := range now.Runs {
		gauge(runsOpen, float64(n), status)
	}
	gauge(runWait, waited(now.OldestRun))
	gauge(deliveriesDue, float64(now.Due), "due")
	gauge(deliveriesDue, float64(now.DeadLettered), "parked")
	gauge(deliveryWait, waited(now.OldestDue))
	if !now.LastBackup.IsZero() {
		gauge(lastBackup, float64(now.LastBackup.Unix()))
	}
	held := 0.0
	if now.ObjectsHeld {
		held = 1
	}
	gauge(backingUp, held)
	for of, n := range site.CountReplicas(now.Replicas, Version, time.Now()) {
		gauge(serversHeard, float64(n), of.Version, of.State)
	}
}

func waited(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(0, time.Since(since).Seconds())
}

// timedStore tells how long the store of objects takes.
type timedStore struct {
	blob.Store
	times *prometheus.HistogramVec
}

func newObjectTimes() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "belay_object_store_duration_seconds", Help: "Time that the store of objects took: to store one, to open one, to delete one.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
	}, []string{"operation", "outcome"})
}

// begin begins something done with an object. Of its key only the kind is told.
func (s timedStore) begin(ctx context.Context, operation, key string) (context.Context, func(error)) {
	begun := time.Now()
	kind, _, _ := strings.Cut(key, "/")
	ctx, span := trace.Begin(ctx, "object "+operation, trace.Text("belay.object.kind", kind))
	return ctx, func(err error) {
		outcome := "ok"
		if err != nil {
			outcome = "failed"
		}
		s.times.WithLabelValues(operation, outcome).Observe(time.Since(begun).Seconds())
		span.End(err)
	}
}

// Put stores an object.
func (s timedStore) Put(ctx context.Context, key string, r io.Reader) (w blob.Written, err error) {
	ctx, done := s.begin(ctx, "put", key)
	defer func() { done(err) }()
	return s.Store.Put(ctx, key, r)
}

// Get opens an object.
func (s timedStore) Get(ctx context.Context, key string) (rc io.ReadCloser, err error) {
	ctx, done := s.begin(ctx, "get", key)
	defer func() { done(err) }()
	return s.Store.Get(ctx, key)
}

// Delete deletes an object.
func (s timedStore) Delete(ctx context.Context, key string) (err error) {
	ctx, done := s.begin(ctx, "delete", key)
	defer func() { done(err) }()
	return s.Store.Delete(ctx, key)
}
