package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Problem is one thing that a server said was wrong.
type Problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Source struct {
		Pointer string `json:"pointer"`
	} `json:"source"`
}

// Said is the problem in the words of the server.
func (p Problem) Said() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// Error is a refusal: which server, which thing, what it said, and what to do.
type Error struct {
	Server, Method, Path string
	Status               int
	Problems             []Problem
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s %s: %s", e.Server, e.Method, e.Path, e.Said())
	if hint := e.hint(); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

// Said is what was wrong, in the words of the server where it had any.
func (e *Error) Said() string {
	var said []string
	for _, p := range e.Problems {
		if text := p.Said(); text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
	}
	return strings.Join(said, "; ")
}

func (e *Error) hint() string {
	switch e.Status {
	case http.StatusUnauthorized:
		return "the token is missing, wrong or has expired: sign in with \"belay login\", or give another"
	case http.StatusForbidden:
		return "the token has no right to this"
	case http.StatusNotFound:
		return "it is not there, or the token may not see it"
	case http.StatusTooManyRequests:
		return "try again later, or with fewer requests at once"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "the server is not well: try again later"
	default:
		return ""
	}
}

// longestPath is how long the path of a thing may be; those of files carry a signature.
const longestPath = 160

// maxRefusal is how much of a refusal is read.
const maxRefusal = 1 << 20

// Refusal reads what a server refused with.
func Refusal(answer *http.Response) *Error {
	e := &Error{Status: answer.StatusCode}
	if r := answer.Request; r != nil {
		e.Server, e.Method, e.Path = r.URL.Scheme+"://"+r.URL.Host, r.Method, r.URL.Path
		if !strings.HasPrefix(e.Path, "/api/v2/") || len(e.Path) > longestPath {
			e.Path = "a file" // whose address is a secret
		}
	}
	var document struct{ Errors []Problem }
	if json.NewDecoder(io.LimitReader(answer.Body, maxRefusal)).Decode(&document) == nil {
		e.Problems = document.Errors
	}
	return e
}

// Status is the status of a refusal; 0 when err is none.
func Status(err error) int {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// Uncertain says whether a request may have been carried out all the same: the answer was
// lost, or the server broke down.
func Uncertain(err error) bool {
	status := Status(err)
	return err != nil && (status == 0 || status >= http.StatusInternalServerError)
}
