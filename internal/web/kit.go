package web

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/belayhq/belay"
)

// statuses is the only map from kinds of refusal to statuses.
var statuses = map[belay.Kind]int{
	belay.Internal:        http.StatusInternalServerError,
	belay.Invalid:         http.StatusUnprocessableEntity,
	belay.BadRequest:      http.StatusBadRequest,
	belay.Unauthenticated: http.StatusUnauthorized,
	belay.Forbidden:       http.StatusForbidden,
	belay.NotFound:        http.StatusNotFound,
	belay.Conflict:        http.StatusConflict,
	belay.Ended:           http.StatusGone,
	belay.Precondition:    http.StatusPreconditionFailed,
	belay.TooSlow:         http.StatusRequestTimeout,
	belay.TooLarge:        http.StatusRequestEntityTooLarge,
	belay.MediaType:       http.StatusUnsupportedMediaType,
	belay.TooMany:         http.StatusTooManyRequests,
	belay.NotReady:        http.StatusServiceUnavailable,
	belay.Damaged:         http.StatusInternalServerError,
}

// Status is the status that a kind of refusal is answered with.
func Status(kind belay.Kind) int { return statuses[kind] }

// IsText says whether a text is one that a database keeps: UTF-8 without null characters.
func IsText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Readable says whether all of an address is text.
func Readable(address *url.URL) bool {
	query, err := url.QueryUnescape(address.RawQuery)
	return err == nil && IsText(address.Path) && IsText(query)
}

// Recovered runs a handler. A panic becomes an error that says where it came from, for the log.
func Recovered(do func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return do()
}
