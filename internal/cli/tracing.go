package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/trace"
)

// tracing is whom traces are told to.
type tracing struct{ endpoint string }

func (t *tracing) flags(flags *pflag.FlagSet) {
	flags.StringVar(&t.endpoint, "otlp-endpoint", "", "address of a collector of OpenTelemetry that takes traces by OTLP over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT when empty, and none when that is, too (BELAY_OTLP_ENDPOINT)")
}

// headersVariable names what is sent with the traces, such as a token.
const headersVariable = "OTEL_EXPORTER_OTLP_HEADERS"

// collector is whom a service tells its traces.
func (t *tracing) collector(getenv func(string) string, service string, log *slog.Logger) (trace.Config, error) {
	c := trace.Config{Service: service, Version: Version, Log: log}
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return c, nil
	}
	from := "--otlp-endpoint"
	switch whole := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); {
	case t.endpoint != "":
		c.URL = t.endpoint
	case whole != "":
		from, c.URL = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", whole
	default:
		from, c.URL = "OTEL_EXPORTER_OTLP_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	if c.URL == "" {
		return c, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			return c, fmt.Errorf("%s is http/protobuf, not %q: no other is spoken here", name, protocol)
		}
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return c, fmt.Errorf("%s is an address such as http://127.0.0.1:4318", from) // it may hold a secret: not repeated
	}
	if from != "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" {
		c.URL = u.JoinPath("v1/traces").String()
	}
	c.Headers, err = headers(getenv(headersVariable))
	return c, err
}

// headers reads name=value with commas between, the values as in an address.
func headers(text string) (map[string]string, error) {
	all := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil {
			return nil, errors.New(headersVariable + " is name=value with commas between")
		}
		all[strings.TrimSpace(name)] = value
	}
	return all, nil
}

// record gives the context and the log of a program whose traces are told, and what ends that.
func (t *tracing) record(ctx context.Context, getenv func(string) string, service string, log *slog.Logger) (context.Context, *slog.Logger, func(), error) {
	c, err := t.collector(getenv, service, log)
	if err != nil {
		return ctx, log, nil, shell.Misconfigured(err)
	}
	tracer, err := trace.Open(ctx, c)
	if err != nil {
		return ctx, log, nil, shell.Misconfigured(fmt.Errorf("traces: %w", err))
	}
	return tracer.Into(ctx), tracer.Lines(log), func() { tracer.Close(ctx) }, nil
}
