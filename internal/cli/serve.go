package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/ui"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/site"
)

// stopWithin is how long requests in flight may take after the server was told to stop.
const stopWithin = 30 * time.Second

// settings is everything that serve can be told.
type settings struct {
	addr, metricsAddr   string
	publicURL           string
	tlsCert, tlsKey     string
	tlsSelfSigned       bool
	tlsNames            []string
	trustedProxies      string
	edition             string
	rateLimit           float64
	snapshots           time.Duration
	recoverable         time.Duration
	logFormat, logLevel string
	maxConfiguration    int64
	confirmNameAbove    int
	data.Database
	deliveries
	signIn
	running
	repositories
	tracing
	embedded
	memory
}

func (p *program) serveCommand() *cobra.Command {
	var s settings
	c := &cobra.Command{
		Use:   "serve",
		Short: "Start the server",
		Args:  shell.NoArgs,
		RunE:  p.Checked(s.check, func(ctx context.Context, _ []string) error { return p.serve(ctx, s) }),
	}
	flags := c.Flags()
	s.Database.Flags(flags)
	s.deliveries.flags(flags)
	s.signIn.flags(flags)
	s.running.flags(flags)
	s.repositories.flags(flags)
	s.tracing.flags(flags)
	s.embedded.flags(flags)
	s.memory.flags(flags)
	flags.StringVar(&s.addr, "addr", "127.0.0.1:8080", "address to listen on (BELAY_ADDR)")
	flags.StringVar(&s.metricsAddr, "metrics-addr", "", "address that serves /metrics; the main one when empty (BELAY_METRICS_ADDR)")
	flags.StringVar(&s.publicURL, "public-url", "", "address that links and signed URLs carry; the request's when empty (BELAY_PUBLIC_URL)")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "certificate file, PEM (BELAY_TLS_CERT)")
	flags.StringVar(&s.tlsKey, "tls-key", "", "key file of the certificate, PEM (BELAY_TLS_KEY)")
	flags.BoolVar(&s.tlsSelfSigned, "tls-self-signed", false, "make and keep a CA and a certificate for localhost in the data dir (BELAY_TLS_SELF_SIGNED)")
	flags.StringSliceVar(&s.tlsNames, "tls-names", nil, "more names and addresses of the certificate of --tls-self-signed; the host of --public-url is one (BELAY_TLS_NAMES)")
	flags.StringVar(&s.trustedProxies, "trusted-proxies", "", "ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, such as 10.0.0.0/8 with commas between (BELAY_TRUSTED_PROXIES)")
	flags.StringVar(&s.edition, "edition", "all", "features to offer: all, hosted or self-managed (BELAY_EDITION)")
	flags.Float64Var(&s.rateLimit, "rate-limit", 1000, "requests a second for each user, and for each address without a token; 0 is off (BELAY_RATE_LIMIT)")
	flags.DurationVar(&s.snapshots, "snapshot-interval", time.Minute, "how often clients bring their state while an apply goes on, 1s to 1h; 0 is only at its end (BELAY_SNAPSHOT_INTERVAL)")
	flags.Int64Var(&s.maxConfiguration, "max-configuration-size", configs.DefaultMaxSize, "bytes that the archive of a configuration may have (BELAY_MAX_CONFIGURATION_SIZE)")
	flags.IntVar(&s.confirmNameAbove, "confirm-name-above", 20, "who confirms on a page what destroys more resources than that types the workspace's name; -1 is never (BELAY_CONFIRM_NAME_ABOVE)")
	flags.DurationVar(&s.recoverable, "keep-deleted-workspaces", belay.DefaultRecoverable, "how long a deleted workspace can be brought back, where the organization wants that (BELAY_KEEP_DELETED_WORKSPACES)")
	flags.StringVar(&s.logFormat, "log-format", "text", "text or json (BELAY_LOG_FORMAT)")
	flags.StringVar(&s.logLevel, "log-level", "info", "debug, info, warn or error (BELAY_LOG_LEVEL)")
	return c
}

func (s *settings) check() error {
	if !site.Edition(s.edition).Valid() {
		return fmt.Errorf("--edition is all, hosted or self-managed, not %q", s.edition)
	}
	if !(s.rateLimit >= 0) || math.IsInf(s.rateLimit, 0) { // NaN is neither
		return fmt.Errorf("--rate-limit is a number of requests, 0 or more, not %v", s.rateLimit)
	}
	if s.snapshots != 0 && (s.snapshots < time.Second || s.snapshots > time.Hour) {
		return fmt.Errorf("--snapshot-interval is 0 or from 1s to 1h, not %v", s.snapshots)
	}
	if s.recoverable < time.Second {
		return fmt.Errorf("--keep-deleted-workspaces is a second or more, not %v", s.recoverable)
	}
	if s.maxConfiguration < 1 {
		return fmt.Errorf("--max-configuration-size is a number of bytes, 1 or more, not %d", s.maxConfiguration)
	}
	for _, check := range []func() error{s.checkListening, s.checkLog, s.deliveries.check, s.signIn.check, s.running.check, s.repositories.check, s.embedded.check, s.memory.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return s.Database.Check()
}

func (s *settings) checkLog() error { return shell.CheckLog(s.logFormat, s.logLevel) }

// checkListening refuses an address, a certificate or a proxy that no server can be reached by.
func (s *settings) checkListening() error {
	if _, _, err := net.SplitHostPort(s.addr); err != nil {
		return fmt.Errorf("--addr is host:port, not %q", s.addr)
	}
	if err := s.checkTLS(); err != nil {
		return err
	}
	if _, err := web.ParseProxies(s.trustedProxies); err != nil {
		return fmt.Errorf("--trusted-proxies: %w", err)
	}
	return checkPublicURL(s.publicURL)
}

func (s *settings) checkTLS() error {
	switch {
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key go together")
	case len(s.tlsNames) > 0 && !s.tlsSelfSigned:
		return errors.New("--tls-names does not go without --tls-self-signed")
	case s.tlsCert == "":
		return nil
	case s.tlsSelfSigned:
		return errors.New("--tls-self-signed does not go with --tls-cert")
	}
	if _, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey); err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	return nil
}

func checkPublicURL(public string) error {
	if public == "" {
		return nil
	}
	if !strings.HasPrefix(public, "http://") && !strings.HasPrefix(public, "https://") {
		return fmt.Errorf("--public-url begins with http:// or https://, not %q", public)
	}
	if parsed, err := url.Parse(public); err != nil || parsed.Host == "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return fmt.Errorf("--public-url is an address such as https://belay.example.com, not %q", public)
	}
	return nil
}

func (p *program) serve(ctx context.Context, s settings) (err error) {
	ctx, log, endTraces, err := s.tracing.record(ctx, p.Getenv, "belay", shell.NewLog(p.ErrOut, s.logFormat, s.logLevel))
	if err != nil {
		return err
	}
	defer endTraces()
	pages := s.memory.take(&s.Database, p.Getenv)
	if err := s.Database.Prepare(ctx); err != nil {
		return err
	}
	db, err := s.Open(ctx, store.Options{Log: log, Alone: true, Cache: pages})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ring, blobs, err := s.Vault(ctx, db, p.Getenv)
	if err != nil {
		return err
	}
	h := s.house(db, ring, blobs, log)
	if err := data.Refused(h.verbs.TakeKeys(ctx)); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	address := s.links(listener.Addr())
	h.reached(address)
	certificates, caPath, err := s.certificates(listener.Addr(), log)
	if err != nil {
		_ = listener.Close()
		return shell.Misconfigured(err)
	}
	h.certificates = certificates
	if err := h.engage(s.embedded.prepare(listener.Addr(), address, s.DataDir, p.Getenv("PATH"), caPath, log)); err != nil {
		_ = listener.Close()
		return err
	}
	// After all that may fail: a token that is made is shown, and only once.
	token, err := h.verbs.FirstStart(ctx, p.Getenv("BELAY_ADMIN_TOKEN"))
	if err != nil {
		_ = listener.Close()
		return fmt.Errorf("first start: %w", err)
	}
	if err := p.welcome(s, listener.Addr(), token, caPath); err != nil {
		_ = listener.Close()
		return err
	}
	return p.listen(ctx, s, listener, certificates, caPath, h)
}

// listen serves until ctx ends, then finishes the requests in flight and the work behind them.
func (p *program) listen(ctx context.Context, s settings, listener net.Listener, certificates *tls.Config, caPath string, h *house) error {
	m, log := newMetrics(h, s.DataDir, certificates), h.log
	programs := api.New(api.Config{
		App: h.verbs, Configs: h.configs, Runs: h.runs, Logs: h.logs, Files: h.files, Repos: h.repos,
		Log: log, PublicURL: s.publicURL, Snapshots: s.snapshots, Observe: m.observe,
	})
	pages, err := ui.New(ui.Config{App: h.verbs, Runs: h.runs, Logs: h.logs, Plans: h.files.Redacted, Repos: h.repos, Log: log, OpenAPI: programs.OpenAPI, PublicURL: s.publicURL, Authority: caPath, Observe: m.observe, Ending: h.ending, ConfirmNameAbove: s.confirmNameAbove})
	if err != nil {
		_ = listener.Close()
		return shell.Misconfigured(err)
	}
	proxies, _ := web.ParseProxies(s.trustedProxies) // checked before
	handler := newHandler(m, s.metricsAddr == "", programs, h.wire, pages)
	server := &http.Server{
		Handler: promhttp.InstrumentHandlerInFlight(m.inFlight, proxies.Handler(web.Guarded(bodies(h.verbs.Tenants().Several).Handler(handler), s.publicURL))), TLSConfig: certificates, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn), BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	var behind sync.WaitGroup
	working, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	h.work(working, &behind)
	defer behind.Wait()
	defer stopWork()
	var carrying sync.WaitGroup // ends first: what it says last is still written
	carriedOut, stopCarrying := context.WithCancel(ctx)
	defer carrying.Wait()
	defer stopCarrying()
	if s.metricsAddr != "" {
		stop, err := m.listen(ctx, s.metricsAddr)
		if err != nil {
			_ = listener.Close()
			return err
		}
		defer stop()
	}
	h.carry(carriedOut, &carrying) // before anybody is answered
	failed := make(chan error, 1)
	go func() { failed <- serveOn(server, listener) }()
	if p.Listening != nil {
		p.Listening(listener.Addr().String())
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		log.Info("stopping")
		close(h.ending)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		if err := server.Shutdown(ending); err != nil {
			log.Warn("requests were cut short", "error", err)
			return server.Close()
		}
		return nil
	}
}

// bodies is how patient the server is with the bodies of requests. A state file on its way
// over the slowest of lines comes faster than that.
func bodies(several func() bool) *web.Bodies {
	return &web.Bodies{Several: several, Grace: 10 * time.Second, Rate: 1 << 10, AtOnce: 100, Guest: func(r *http.Request) bool {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/_objects/"):
			return false // the path is the secret
		case strings.HasPrefix(path, "/api/"):
			return r.Header.Get("Authorization") == "" // a wrong one is refused before its body is read
		default:
			return true
		}
	}}
}

func serveOn(server *http.Server, listener net.Listener) error {
	var err error
	if server.TLSConfig != nil {
		err = server.ServeTLS(listener, "", "")
	} else {
		err = server.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// welcome tells a person where the server is, and on the first start how to come in.
func (p *program) welcome(s settings, addr net.Addr, token, caPath string) error {
	scheme := "http"
	curl := "curl"
	if caPath != "" || s.tlsCert != "" {
		scheme = "https"
	}
	if caPath != "" {
		curl += " --cacert " + caPath
		_, _ = fmt.Fprintf(p.Out, "CA certificate:  %s\n", caPath)
	}
	address := scheme + "://" + addr.String()
	if s.publicURL != "" {
		address = s.publicURL
	}
	_, _ = fmt.Fprintf(p.Out, "Belay listens on %s\n", address)
	if token == "" {
		return nil
	}
	if p.Getenv("BELAY_ADMIN_TOKEN") != "" {
		return nil // whoever set it knows it: nothing secret goes to the terminal
	}
	path := filepath.Join(s.DataDir, "admin-token")
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return fmt.Errorf("keep the admin token: %w", err)
	}
	_, _ = fmt.Fprintf(p.Out, "Admin token:     %s\n(kept in %s, shown this once)\n\nTry it:\n  %s -H \"Authorization: Bearer $(cat %s)\" %s/api/v2/account/details\n\nTo sign in at %s with a browser, give admin a password:\n  %s user password admin    (with the --data-dir or --database-url of this server)\n",
		token, path, curl, path, address, address, os.Args[0])
	if strings.HasPrefix(address, "http://") {
		_, _ = fmt.Fprintln(p.Out, "\nCommand lines such as tofu speak TLS alone, and this address has none: start with --tls-self-signed, or have TLS before the server.")
	}
	return nil
}
