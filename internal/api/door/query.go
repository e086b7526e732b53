package door

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/web"
)

// Required reads a query parameter that a list can't do without.
func (r *Request) Required(name string) (string, error) {
	value := r.Query().Get(name)
	if value == "" {
		return "", belay.Refuse(belay.BadRequest, "the parameter %s is missing", name)
	}
	return value, nil
}

// MomentFilter reads a moment: a timestamp, or a day, which begins at midnight UTC.
func MomentFilter(q url.Values, name string) (time.Time, error) {
	text := q.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, belay.Refuse(belay.BadRequest, "%s must be a timestamp such as 2026-01-02T15:04:05Z", name)
}

// TruthFilter reads the first of the parameters that is given: true or false. It is nil
// when none is.
func TruthFilter(q url.Values, names ...string) (*bool, error) {
	for _, name := range names {
		switch q.Get(name) {
		case "":
		case "true", "false":
			wanted := q.Get(name) == "true"
			return &wanted, nil
		default:
			return nil, belay.Refuse(belay.BadRequest, "%s must be true or false", name)
		}
	}
	return nil, nil //nolint:nilnil // nil is the answer: both are wanted
}

// WordsOf is what a filter takes, divided at commas: nil where it was not given, and nothing
// where it names nothing.
func WordsOf(q url.Values, name string) []string {
	if q.Get(name) == "" {
		return nil
	}
	return append([]string{}, Commas(q.Get(name))...)
}

// Commas is the parts of a comma-separated parameter, trimmed, without the empty ones.
func Commas(values ...string) []string {
	var parts []string
	for _, value := range values {
		for _, part := range strings.Split(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// pathParam is a part of the path, decoded: the router leaves it encoded when the path
// holds an encoded slash.
func pathParam(r *http.Request, name string) string {
	raw := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return raw
	}
	if decoded, err := url.PathUnescape(raw); err == nil {
		return decoded
	}
	return raw
}

// isText says whether all of an address can be read, part by part, and is text.
func isText(u *url.URL) bool {
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return false // a filter that can't be read must not be left out in silence
	}
	return web.Readable(u)
}
