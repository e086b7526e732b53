// Package trace owns what the house tells OpenTelemetry: which span begins where, and what
// may be said in one. It speaks OTLP over HTTP, and without somebody to speak to it records
// nothing.
//
// A span names what was done and the ids of what it was done to. Paths, queries, headers,
// bodies, SQL, keys of objects and texts of errors stay out: each may hold a secret.
package trace

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// closeWithin is how long the last spans may take to be sent.
const closeWithin = 5 * time.Second

// Config is whom spans are told to. The usual variables of OpenTelemetry say the rest:
// sampling, batches, limits, certificates, attributes of the resource.
type Config struct {
	URL              string // that spans are posted to, whole; empty: nobody is told
	Headers          map[string]string
	Service, Version string
	Log              *slog.Logger
}

// Tracer begins spans. None at all is one that records nothing.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Open makes a tracer, or none where nobody is to be told. It connects to nobody yet.
func Open(ctx context.Context, c Config) (*Tracer, error) {
	if c.URL == "" {
		return nil, nil
	}
	options := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(c.URL)}
	if len(c.Headers) > 0 {
		options = append(options, otlptracehttp.WithHeaders(c.Headers))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, err
	}
	// What the environment says of the resource goes before.
	of, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", c.Service), attribute.String("service.version", c.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	provider := sdk.NewTracerProvider(sdk.WithResource(of), sdk.WithBatcher(&told{SpanExporter: exporter, log: c.Log}))
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/belayhq/belay")}, nil
}

// Close sends what is left, for a moment.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what could not be sent was logged
}

type tracerKey struct{}

// Into makes roots begun from a context this tracer's.
func (t *Tracer) Into(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// told logs when spans begin to be lost and when they are taken again, and not each time.
type told struct {
	sdk.SpanExporter
	log  *slog.Logger
	lost atomic.Bool
}

// ExportSpans sends spans. Nobody does anything about those that are lost.
func (e *told) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !e.lost.Swap(true):
		e.log.Warn("traces are not taken, and are lost", "error", err)
	case err == nil && e.lost.Swap(false):
		e.log.Info("traces are taken again")
	}
	return nil
}

// Span is something that is being done. The zero one records nothing.
type Span struct{ span trace.Span }

// Attr is a fact about a span.
type Attr = attribute.KeyValue

// Text is a fact that is a name or an id.
func Text(key, value string) Attr { return attribute.String(key, value) }

// Number is a fact that is a number.
func Number(key string, value int) Attr { return attribute.Int(key, value) }

// Begin begins a part of what is being recorded; where nothing is, it records nothing.
func Begin(ctx context.Context, name string, facts ...Attr) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	return begin(ctx, parent.TracerProvider().Tracer("github.com/belayhq/belay"), name, trace.SpanKindInternal, facts)
}

// Root begins what nobody asked for by a request.
func Root(ctx context.Context, name string, facts ...Attr) (context.Context, Span) {
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	if t == nil {
		return ctx, Span{}
	}
	return begin(ctx, t.tracer, name, trace.SpanKindInternal, facts)
}

func begin(ctx context.Context, t trace.Tracer, name string, kind trace.SpanKind, facts []Attr) (context.Context, Span) {
	ctx, span := t.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(facts...))
	return ctx, Span{span}
}

// Recorded says whether facts about the span are wanted.
func (s Span) Recorded() bool { return s.span != nil }

// Set adds facts.
func (s Span) Set(facts ...Attr) {
	if s.span != nil {
		s.span.SetAttributes(facts...)
	}
}

// End ends the span. That it failed is said, and not why: the log says that.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// headers reads and writes traceparent and tracestate.
var headers propagation.TraceContext

// Serve begins the answer to a request of a route, as part of what the client records, if it
// says that it does.
func Serve(r *http.Request, method, route string) (*http.Request, Span) {
	t, _ := r.Context().Value(tracerKey{}).(*Tracer)
	if t == nil {
		return r, Span{}
	}
	ctx := headers.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := begin(ctx, t.tracer, method+" "+route, trace.SpanKindServer, []Attr{Text("http.request.method", method), Text("http.route", route)})
	return r.WithContext(ctx), span
}

// Answered ends the answer to a request: id is the request's, and principal who asked; each may
// be empty.
func (s Span) Answered(status int, id, principal string) {
	if s.span == nil {
		return
	}
	s.span.SetAttributes(Number("http.response.status_code", status))
	for name, value := range map[string]string{"belay.request.id": id, "belay.principal.id": principal} {
		if value != "" {
			s.span.SetAttributes(Text(name, value))
		}
	}
	if status >= http.StatusInternalServerError {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// Carry tells the server that a request is part of what is recorded here.
func Carry(ctx context.Context, into http.Header) {
	headers.Inject(ctx, propagation.HeaderCarrier(into))
}
