package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/runnerwire"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/ui"
	"github.com/belayhq/belay/run"
)

// metrics is what the server tells about itself in Prometheus' text format.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	writes   prometheus.Histogram
	inFlight prometheus.Gauge
}

func newMetrics(h *house, dataDir string, certificates *tls.Config) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "belay_request_duration_seconds", Help: "Time to answer a request, by route and status.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}, []string{"route", "status"}),
		writes: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "belay_transaction_duration_seconds", Help: "Time that a transaction took before its commit. On SQLite nobody else writes meanwhile.",
			Buckets: prometheus.ExponentialBuckets(0.00025, 2, 16),
		}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "belay_requests_in_flight", Help: "Requests that are being answered."}),
	}
	db := h.db
	m.registry.MustRegister(m.requests, m.writes, m.inFlight, h.objectTimes, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), figures{h, dataDir, certificates},
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "belay_sql_statements_total", Help: "SQL statements run for requests.",
		}, func() float64 { return float64(db.Statements()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "belay_sql_background_statements_total", Help: "SQL statements run for what happens by itself.",
		}, func() float64 { return float64(db.BackgroundStatements()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "belay_database_connection_waits_total", Help: "How often somebody waited for a connection to the database.",
		}, func() float64 { return float64(db.Busy().Waited) }))
	m.registry.MustRegister(jobs{h.runs.Load}, pools{h.runs.Loads})
	db.OnWrite(func(took time.Duration) { m.writes.Observe(took.Seconds()) })
	return m
}

// jobs is what runners have to do. It is asked of the database each time.
type jobs struct {
	load func(context.Context) (waiting, taken int, err error)
}

var jobsOpen = prometheus.NewDesc("belay_run_jobs", "Plans and applies that wait for a runner, and that runners have.", []string{"state"}, nil)

// Describe says what there is to collect.
func (jobs) Describe(into chan<- *prometheus.Desc) { into <- jobsOpen }

// Collect counts. A database that does not answer leaves the numbers out.
func (j jobs) Collect(into chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(store.Background(context.Background()), 2*time.Second)
	defer cancel()
	waiting, taken, err := j.load(ctx)
	if err != nil {
		return
	}
	into <- prometheus.MustNewConstMetric(jobsOpen, prometheus.GaugeValue, float64(waiting), "waiting")
	into <- prometheus.MustNewConstMetric(jobsOpen, prometheus.GaugeValue, float64(taken), "taken")
}

func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// listen serves the metrics on an address of their own until it is stopped.
func (m *metrics) listen(ctx context.Context, addr string) (stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with stop
	return func() { _ = server.Close() }, nil
}

// newHandler puts the operator's paths, the door for runners and the pages for people
// beside the API.
func newHandler(m *metrics, withMetrics bool, door *api.API, wire *runnerwire.Door, pages *ui.UI) http.Handler {
	alive := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", alive)
	mux.HandleFunc("GET /_health_check", alive)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := door.Ready(ctx); err != nil && !errors.Is(err, context.Canceled) {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		alive(w, r)
	})
	if withMetrics {
		mux.Handle("GET /metrics", m.handler())
	}
	for _, path := range []string{"GET /{$}", "/app/", "/oauth/authorization", "/oauth/callback/"} {
		mux.Handle(path, pages)
	}
	mux.Handle("/", door)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, run.WirePath+"/") {
			wire.ServeHTTP(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") { // the mux would answer an unclean path with a page
			door.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
