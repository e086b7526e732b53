package belay

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Kind says what sort of refusal an error is. Its zero value is a fault of ours,
// whose text is logged and never shown.
type Kind int

// The kinds of refusal, each with the status that the API answers it with.
const (
	Internal        Kind = iota // 500: a fault of the server
	Invalid                     // 422: the body breaks a rule
	BadRequest                  // 400: a malformed request, query or transition
	Unauthenticated             // 401: no valid token
	Forbidden                   // 403: visible, but not allowed (docs/status-codes.md)
	NotFound                    // 404: absent, or hidden from the caller
	Conflict                    // 409: the resource is in another state than the request needs
	Ended                       // 410: it was there, and is no more
	Precondition                // 412: a condition that the request named does not hold
	TooSlow                     // 408: the body did not come in time
	TooLarge                    // 413: the body is over the limit
	MediaType                   // 415: the body is of a media type that is not read
	TooMany                     // 429: over the rate limit
	NotReady                    // 503: try again shortly
	Damaged                     // 500: what the server was given to keep can't be read any more
	kinds                       // how many there are
)

// Kinds is every kind of refusal.
func Kinds() []Kind {
	list := make([]Kind, kinds)
	for i := range list {
		list[i] = Kind(i)
	}
	return list
}

// titles are the words that clients know each kind by.
var titles = map[Kind]string{
	Invalid: "invalid attribute", BadRequest: "bad request", Unauthenticated: "unauthorized",
	Forbidden: "forbidden", NotFound: "not found", Conflict: "conflict", Ended: "gone",
	Precondition: "precondition failed", TooSlow: "request timeout", TooLarge: "payload too large",
	MediaType: "unsupported media type", TooMany: "Too many requests", NotReady: "service unavailable",
	Internal: "internal server error", Damaged: "internal server error",
}

// Error is one refusal. Title and Detail are shown to the caller, Err is not.
type Error struct {
	Kind   Kind
	Title  string
	Detail string
	Place  Place         // what of the request is at fault
	Held   *Lock         // the lock that is in the way
	Wait   time.Duration // when to come again; 0: it says nothing of that
	Err    error         // the cause, for the log
}

func (e *Error) Error() string {
	text := e.Title
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Refuse makes an error of a kind, with the kind's own title.
func Refuse(kind Kind, format string, args ...any) *Error {
	detail := format
	if len(args) > 0 {
		detail = fmt.Sprintf(format, args...)
	}
	return &Error{Kind: kind, Title: titles[kind], Detail: detail}
}

// HoldBack refuses who came too often, and says in how many seconds to come again.
func HoldBack(wait time.Duration, what string) *Error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	e := Refuse(TooMany, "%s Wait %d s, then try again.", what, seconds)
	e.Wait = time.Duration(seconds) * time.Second
	return e
}

// ComeAgain is in how many seconds to come again: one, where nothing is said of it.
func (e *Error) ComeAgain() int { return max(1, int(e.Wait.Seconds())) }

// ErrNotFound hides what is absent and what the caller may not see alike.
var ErrNotFound = Refuse(NotFound, "")

// ErrUnauthenticated is the answer to a missing, unknown, expired or revoked token.
var ErrUnauthenticated = Refuse(Unauthenticated, "")

// KindOf is the kind of an error: Internal for everything that is no refusal.
func KindOf(err error) Kind {
	var one *Error
	var many Problems
	switch {
	case errors.As(err, &one):
		return one.Kind
	case errors.As(err, &many) && len(many) > 0:
		return many[0].Kind
	default:
		return Internal
	}
}

// Reason is what a refusal says, without the words for its kind.
func Reason(err error) string {
	var one *Error
	var many Problems
	switch {
	case errors.As(err, &many):
		details := make([]string, len(many))
		for i, e := range many {
			details[i] = e.Detail
		}
		return strings.Join(details, "; ")
	case errors.As(err, &one) && one.Detail != "":
		return one.Detail
	default:
		return err.Error()
	}
}

// Problems collects all that is wrong with a request, so that it is told at once.
type Problems []*Error

func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, e := range p {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Attribute adds a problem with a field.
func (p *Problems) Attribute(name, format string, args ...any) {
	p.At(Place(name), format, args...)
}

// At adds a problem with a place of the request.
func (p *Problems) At(place Place, format string, args ...any) {
	problem := Refuse(Invalid, format, args...)
	problem.Place = place
	*p = append(*p, problem)
}

// Add takes over the problems of err. Anything else than a refusal of the body is returned.
func (p *Problems) Add(err error) error {
	var one *Error
	var many Problems
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		*p = append(*p, many...)
		return nil
	case errors.As(err, &one) && one.Kind == Invalid:
		*p = append(*p, one)
		return nil
	default:
		return err
	}
}

// Under moves the problems of one resource to where it stands in a list of them.
func Under(place Place, err error) error {
	var many Problems
	if !errors.As(err, &many) {
		return err
	}
	moved := make(Problems, len(many))
	for i, problem := range many {
		one := *problem
		one.Place = one.Place.under(place)
		moved[i] = &one
	}
	return moved
}

// With is the problems together with those of err, as an error. Anything else than a refusal of
// the body stands alone.
func (p Problems) With(err error) error {
	all := slices.Clone(p)
	if err := all.Add(err); err != nil {
		return err
	}
	return all.Err()
}

// Err is the problems as an error: nil when there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
