package door

import (
	"net/http"
	"strings"

	"github.com/belayhq/belay/internal/web"
)

// noteRefused keeps what was refused to a person who may be at the first steps: what came to change something, asked for
// an organization, or had a token that opens nothing. What is asked for to see whether it is there is no failure.
func (a *Door) noteRefused(row Route, r *Request, err error) {
	asks := r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasSuffix(row.Path, "/entitlement-set")
	caller, status := r.Principal.ID, r.Status
	switch {
	case status == http.StatusUnauthorized && r.Header.Get("Authorization") != "":
		caller = web.Address(r.Request)
	case caller == "" || !asks || status < http.StatusBadRequest || status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return
	}
	_, found := describe(err)
	detail := found[0].Detail
	if detail == "" {
		detail = found[0].Title
	}
	a.App.NoteRefused(caller, r.Method, r.URL.Path, status, detail)
}
