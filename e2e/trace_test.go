package e2e_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/belayhq/belay/internal/storetest"
)

// collector takes traces by OTLP over HTTP, as a real one does.
type collector struct {
	*httptest.Server
	t       testing.TB
	mu      sync.Mutex
	raw     bytes.Buffer // all that came
	of      map[string]string
	spans   []*tracepb.Span
	headers http.Header
}

func newCollector(t testing.TB) *collector {
	t.Helper()
	c := &collector{t: t}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP takes what a client exports. TracesData is the same on the wire as the request of
// the collector's service.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var sent tracepb.TracesData
	if err == nil {
		err = proto.Unmarshal(raw, &sent)
	}
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("%s %s of %s: %v", r.Method, r.URL.Path, r.Header.Get("Content-Type"), err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(raw)
	c.headers = r.Header
	for _, resource := range sent.GetResourceSpans() {
		c.of = facts(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func facts(list []*commonpb.KeyValue) map[string]string {
	told := map[string]string{}
	for _, one := range list {
		switch v := one.GetValue().GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			told[one.GetKey()] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			told[one.GetKey()] = fmt.Sprint(v.IntValue)
		default:
			told[one.GetKey()] = fmt.Sprint(v)
		}
	}
	return told
}

// find is the spans of a name of which fit holds.
func (c *collector) find(name string, fit func(map[string]string) bool) (found []*tracepb.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range c.spans {
		if span.GetName() == name && (fit == nil || fit(facts(span.GetAttributes()))) {
			found = append(found, span)
		}
	}
	return found
}

// within is the spans whose parent is this one, by name.
func (c *collector) within(parent *tracepb.Span) map[string]*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]*tracepb.Span{}
	for _, span := range c.spans {
		if bytes.Equal(span.GetParentSpanId(), parent.GetSpanId()) && bytes.Equal(span.GetTraceId(), parent.GetTraceId()) {
			found[span.GetName()] = span
		}
	}
	return found
}

// one waits for a span that has all of these within it.
func (c *collector) one(name string, fit func(map[string]string) bool, parts ...string) *tracepb.Span {
	c.t.Helper()
	var found *tracepb.Span
	waitFor(c.t, name+" with "+strings.Join(parts, ", "), func() bool {
		for _, span := range c.find(name, fit) {
			within := c.within(span)
			if !slices.ContainsFunc(parts, func(part string) bool { return within[part] == nil }) {
				found = span
			}
		}
		return found != nil
	})
	return found
}

// traced is the environment of a program that tells its traces at once.
var traced = []string{"OTEL_BSP_SCHEDULE_DELAY=20", "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20of-the-collector", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment=test"}

func TestTracesTellWhatWasDoneAndNoSecrets(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			env := append(slices.Clone(traced), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
			s := startIn(t, engine, env, append(quick[:len(quick):len(quick)], "--log-format", "json")...)
			s.organization("acme")
			id := s.workspace("acme", "network")
			hooked := receiver(t, nil)
			s.notify("/workspaces/"+id, "generic", hooked.URL+"/the-hidden-hook", "the-hidden-signature")
			s.fileRequests("acme", "Upgrade", id)
			s.lock(id)
			s.give(id, stateWith(1, 3), 1)
			s.do("GET", "/workspaces/"+id+"?search=the-hidden-query", s.Token, "").want(t, 200)
			s.do("GET", "/workspaces/ws-nobody", "the-hidden-token", "").want(t, 401)
			_, _ = s.try("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"the hidden body"}}}`)

			s.tellsRequests(t, c, engine)
			s.joinsTheTraceOfItsClient(t, c, id)
			page, err := s.http.Get(s.URL + "/app/sign-in")
			must(t, err)
			_ = page.Body.Close()
			pages := c.one("GET /app/sign-in", nil)
			if facts(pages.GetAttributes())["http.response.status_code"] != "200" {
				t.Errorf("the page is told as %v", pages)
			}
			delivery := c.one("delivery", nil, "database view")
			if len(delivery.GetParentSpanId()) != 0 || facts(delivery.GetAttributes())["belay.delivery.code"] != "200" {
				t.Errorf("the delivery is told as %v", delivery)
			}
			c.keepsSecrets(t, s)
		})
	}
}

func (s *server) tellsRequests(t *testing.T, c *collector, engine string) {
	t.Helper()
	made := c.one("POST /api/v2/organizations/{organization_name}/workspaces", func(told map[string]string) bool {
		return told["http.response.status_code"] == "201"
	}, "database transaction")
	told := facts(made.GetAttributes())
	if made.GetKind() != tracepb.Span_SPAN_KIND_SERVER || told["http.route"] != "/api/v2/organizations/{organization_name}/workspaces" ||
		told["http.request.method"] != "POST" || told["belay.request.id"] == "" || !strings.HasPrefix(told["belay.principal.id"], "user-") {
		t.Errorf("making a workspace is told as %v", made)
	}
	transaction := facts(c.within(made)["database transaction"].GetAttributes())
	system := map[string]string{"sqlite": "sqlite", "postgres": "postgresql"}[engine]
	if transaction["db.system.name"] != system || transaction["belay.db.statements"] == "0" || transaction["belay.db.tries"] != "1" || transaction["belay.db.wait_us"] == "" {
		t.Errorf("its transaction is told as %v", transaction)
	}
	var stored *tracepb.Span
	waitFor(t, "the state in the store of objects", func() bool {
		puts := c.find("object put", func(told map[string]string) bool { return told["belay.object.kind"] == "states" })
		if len(puts) > 0 {
			stored = puts[0]
		}
		return stored != nil
	})
	if len(stored.GetParentSpanId()) == 0 {
		t.Errorf("nobody stored %v", stored)
	}
	refused := c.one("GET /api/v2/workspaces/{workspace_id}", func(told map[string]string) bool {
		return told["http.response.status_code"] == "401"
	})
	if refused.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("a refusal is told as an error of the server: %v", refused)
	}
}

// joinsTheTraceOfItsClient demands that what a client records and what the server does for it
// are one trace, and that the log names it.
func (s *server) joinsTheTraceOfItsClient(t *testing.T, c *collector, id string) {
	t.Helper()
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	request, err := http.NewRequest(http.MethodGet, s.URL+"/api/v2/workspaces/"+id, nil)
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+s.Token)
	request.Header.Set("Traceparent", "00-"+trace+"-"+span+"-01")
	s.send(request).want(t, 200)
	var joined *tracepb.Span
	waitFor(t, "the span of the client's trace", func() bool {
		for _, one := range c.find("GET /api/v2/workspaces/{workspace_id}", nil) {
			if hex.EncodeToString(one.GetTraceId()) == trace && hex.EncodeToString(one.GetParentSpanId()) == span {
				joined = one
			}
		}
		return joined != nil
	})
	line := `"trace_id":"` + trace + `","span_id":"` + hex.EncodeToString(joined.GetSpanId()) + `"`
	s.eventually(func() bool { return strings.Contains(s.logs.String(), line) }, "a line of the log with "+line)
	request.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b8-00") // its client records nothing
	s.send(request).want(t, 200)
	if found := c.find("GET /api/v2/workspaces/{workspace_id}", nil); slices.ContainsFunc(found, func(one *tracepb.Span) bool {
		return hex.EncodeToString(one.GetParentSpanId()) == "00f067aa0ba902b8"
	}) {
		t.Error("what a client does not record was recorded")
	}
}

// keepsSecrets demands that nothing came that only some may know.
func (c *collector) keepsSecrets(t *testing.T, s *server) {
	t.Helper()
	s.stop() // which sends what is left
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of["service.name"] != "belay" || c.of["service.version"] == "" || c.of["deployment.environment"] != "test" {
		t.Errorf("the resource is %v", c.of)
	}
	if c.headers.Get("Authorization") != "Bearer of-the-collector" {
		t.Errorf("headers %v", c.headers)
	}
	told := bytes.ReplaceAll(c.raw.Bytes(), []byte("/_objects/{object}/{object_id}/{expires}/{signature}"), nil) // a route
	for _, secret := range []string{"hidden", s.Token, "/_objects/", "SELECT", "INSERT", "state_versions", lineage, "127.0.0.1"} {
		if bytes.Contains(told, []byte(secret)) {
			t.Errorf("%q was told", secret)
		}
	}
	known := map[string]bool{}
	for _, span := range c.spans {
		maps.Copy(known, keysOf(span))
		if span.GetStatus().GetMessage() != "" || len(span.GetEvents()) > 0 {
			t.Errorf("a text is told: %v", span)
		}
	}
	for key := range known {
		if !strings.HasPrefix(key, "belay.") && !slices.Contains([]string{"http.request.method", "http.route", "http.response.status_code", "db.system.name", "process.exit.code"}, key) {
			t.Errorf("%s is told, and on no page", key)
		}
	}
}

func keysOf(span *tracepb.Span) map[string]bool {
	keys := map[string]bool{}
	for _, fact := range span.GetAttributes() {
		keys[fact.GetKey()] = true
	}
	return keys
}

// TestACollectorThatFailsIsNobodysTrouble has the server go on when nobody takes its traces,
// and say so once.
func TestACollectorThatFailsIsNobodysTrouble(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	tries := 0
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		tries++
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(broken.Close)
	s := startIn(t, "sqlite", traced, "--otlp-endpoint", broken.URL)
	waitFor(t, "three tries", func() bool {
		s.do("GET", "/organizations", s.Token, "").want(t, 200)
		mu.Lock()
		defer mu.Unlock()
		return tries >= 3
	})
	s.stop()
	if told := strings.Count(s.logs.String(), "traces are not taken"); told != 1 {
		t.Errorf("it is logged %d times", told)
	}
}

func TestWhereTracesGoIsChecked(t *testing.T) {
	t.Parallel()
	for _, env := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=ftp://x/hidden", "BELAY_OTLP_ENDPOINT=http://me:hidden@collector",
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_HEADERS=hidden",
	} {
		args := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", env}
		_, errOut, status := belay(t, args, "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir())
		if status != 2 || strings.Count(errOut, "\n") != 1 || strings.Contains(errOut, "hidden") {
			t.Errorf("%s: status %d, %q", env, status, errOut)
		}
	}
}

// TestRunsAreTraced has a run carried out whose jobs, steps and calls are one trace each.
func TestRunsAreTraced(t *testing.T) {
	c := newCollector(t)
	eachCLI(t, func(t *testing.T, s *server, cli *tofu) {
		cli.write(cloud(`name = "network"`) + varied)
		cli.run("init", "-input=false")
		cli.run("apply", "-input=false", "-auto-approve")
		run := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").want(t, 200).text("data.relationships.current-run.data.id")
		ours := func(told map[string]string) bool { return told["belay.run.id"] == run }
		for kind, step := range map[string]string{"plan": "step plan", "apply": "step apply"} {
			job := c.one(kind, ours, step, "POST /api/runner/v1/jobs/{id}/finish")
			if facts(job.GetAttributes())["belay.job.outcome"] == "" || facts(c.within(job)[step].GetAttributes())["process.exit.code"] == "" {
				t.Errorf("the job is told as %v", job)
			}
		}
	}, "--otlp-endpoint", c.URL)
}
