package trace

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Lines has every line of a log say which trace it belongs to.
func (t *Tracer) Lines(log *slog.Logger) *slog.Logger {
	if t == nil {
		return log
	}
	return slog.New(lines{log.Handler()})
}

type lines struct{ slog.Handler }

// Handle writes a line.
func (l lines) Handle(ctx context.Context, r slog.Record) error {
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", of.TraceID().String()), slog.String("span_id", of.SpanID().String()))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs is the handler with attributes in every line.
func (l lines) WithAttrs(attrs []slog.Attr) slog.Handler { return lines{l.Handler.WithAttrs(attrs)} }

// WithGroup is the handler with further attributes in a group.
func (l lines) WithGroup(name string) slog.Handler { return lines{l.Handler.WithGroup(name)} }
