package vcs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Error is what a service answered, or why it did not, in words for users.
type Error struct {
	Service    string        // its name
	Status     int           // of HTTP; 0 when there was no answer
	Detail     string        // what the service says, or what is wrong
	RetryAfter time.Duration // how long the service wants to be left alone; 0 when it does not say

	tooLong, broken bool
	cause           error // why nobody was dialed; nil: somebody was
}

// reasons is what the answers mean that services give most.
var reasons = map[int]string{
	http.StatusUnauthorized:    "it does not accept the token of the connection",
	http.StatusForbidden:       "the token of the connection may not do this",
	http.StatusNotFound:        "it is not there, or the token of the connection may not see it",
	http.StatusTooManyRequests: "it was asked too often",
}

// Error is the sentence.
func (e *Error) Error() string {
	text := e.Detail
	if e.Status != 0 {
		reason := reasons[e.Status]
		if reason == "" && e.Status >= 500 {
			reason = "it failed by itself"
		}
		text = strings.TrimPrefix(reason+": "+e.Detail, ": ")
		text = fmt.Sprintf("%s answered %d: %s", e.Service, e.Status, strings.TrimSuffix(text, ": "))
		return strings.TrimSuffix(text, ": ")
	}
	return e.Service + ": " + text
}

// Unwrap is why the service was not dialed, if it was not.
func (e *Error) Unwrap() error { return e.cause }

// Temporary says whether asking again later may help.
func (e *Error) Temporary() bool {
	return e.Status == 0 && !e.tooLong || e.Status == http.StatusTooManyRequests || e.Status >= 500 || e.RetryAfter > 0
}

// passes says whether asking again at once may help, and does no harm.
func (e *Error) passes(c call) bool {
	switch {
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusForbidden && e.RetryAfter > 0:
		return true // it was not done
	case c.once:
		return false
	}
	return e.broken || e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout
}

// NotFound says whether the service says that something is not there.
func NotFound(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.Status == http.StatusNotFound
}

func (r *rest) refused(response *http.Response, body []byte) error {
	e := &Error{Service: r.service, Status: response.StatusCode, Detail: r.clean(message(body))}
	e.RetryAfter = retryAfter(response.Header)
	return e
}

func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(seconds, 0), 86_400)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), 24*time.Hour)
	}
	if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil && header.Get("X-RateLimit-Remaining") == "0" {
		return min(max(time.Until(time.Unix(reset, 0)), time.Second), 24*time.Hour)
	}
	return 0
}

// message looks for the sentence in an answer, wherever services put it.
func message(body []byte) string {
	var answer any
	if json.Unmarshal(body, &answer) != nil {
		return "" // a page for browsers, or nothing
	}
	return strings.Join(sentences(answer, 0), "; ")
}

func sentences(value any, depth int) []string {
	var found []string
	switch v := value.(type) {
	case string:
		if v != "" {
			found = append(found, v)
		}
	case []any:
		for _, one := range v[:min(len(v), 3)] {
			found = append(found, sentences(one, depth)...)
		}
	case map[string]any:
		for _, key := range []string{"message", "error", "errors", "error_description", "detail", "base"} {
			if inner, ok := v[key]; ok && depth < 4 {
				found = append(found, sentences(inner, depth+1)...)
			}
		}
	}
	return found
}

// clean is a service's words without our secret, control characters and length.
func (r *rest) clean(text string) string {
	if r.secret != "" {
		text = strings.ReplaceAll(text, r.secret, "…")
	}
	if lent := r.lent.Load(); lent != nil && *lent != "" {
		text = strings.ReplaceAll(text, *lent, "…")
	}
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "�"))
	return cut(strings.TrimSpace(text), 300)
}

// cut is text of at most some bytes, whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	at := most - len("…")
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}

// unreached says why there was no answer, without addresses that only the server knows.
func (r *rest) unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var timed net.Error
	var unnamed *net.DNSError
	var dialed *net.OpError
	e := &Error{Service: r.service, broken: true}
	switch {
	case errors.As(err, &unnamed):
		e.Detail = "its name could not be resolved"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		e.Detail = "it did not answer in time"
	case errors.As(err, &dialed) && dialed.Op == "dial":
		e.Detail, e.cause = "it could not be reached: "+r.clean(innermost(dialed.Err)), dialed.Err
	default:
		e.Detail = "it could not be reached, or did not answer in HTTP"
	}
	return e
}

// innermost is the reason alone: what is around it names addresses.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
