package cli

import (
	"context"
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
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/ui"
)

// metrics is what the server tells about itself in Prometheus' text format.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics(db *store.DB) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "belay_request_duration_seconds", Help: "Time to answer a request, by route and status.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}, []string{"route", "status"}),
	}
	m.registry.MustRegister(m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "belay_sql_statements_total", Help: "SQL statements run.",
		}, func() float64 { return float64(db.Statements()) }))
	return m
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

// newHandler puts the operator's paths and the pages for people beside the API.
func newHandler(m *metrics, withMetrics bool, door *api.API, pages *ui.UI) http.Handler {
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
	for _, path := range []string{"GET /{$}", "/app/", "/oauth/authorization"} {
		mux.Handle(path, pages)
	}
	mux.Handle("/", door)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") { // the mux would answer an unclean path with a page
			door.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
