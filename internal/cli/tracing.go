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

const (
	headersVariable = "OTEL_EXPORTER_OTLP_HEADERS"         // what is sent with the traces, such as a token
	wholeVariable   = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" // an address that no path is added to
)

// collector is whom a service tells its traces.
func (t *tracing) collector(getenv func(string) string, service string, log *slog.Logger) (trace.Config, error) {
	c := trace.Config{Service: service, Version: Version, Log: log}
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return c, nil
	}
	address, from := t.address(getenv)
	if address == "" {
		return c, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			return c, fmt.Errorf("%s is http/protobuf, not %q: no other is spoken here", name, protocol)
		}
	}
	var err error
	if c.URL, err = whole(address, from); err != nil {
		return c, err
	}
	c.Headers, err = headers(getenv(headersVariable))
	return c, err
}

// address is what was said of the collector, and where.
func (t *tracing) address(getenv func(string) string) (address, from string) {
	if t.endpoint != "" {
		return t.endpoint, "--otlp-endpoint"
	}
	if whole := getenv(wholeVariable); whole != "" {
		return whole, wholeVariable
	}
	return getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "OTEL_EXPORTER_OTLP_ENDPOINT"
}

// whole is the address that traces are sent to; the standard has a path added to all but one.
func whole(address, from string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return "", fmt.Errorf("%s is an address such as http://127.0.0.1:4318", from) // it may hold a secret: not repeated
	}
	if from == wholeVariable {
		return address, nil
	}
	return u.JoinPath("v1/traces").String(), nil
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
