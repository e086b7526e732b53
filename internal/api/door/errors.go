package door

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/web"
)

// Refuse answers an error. What is no refusal is logged with its cause, and its text is
// never shown. wrote says that the answer has begun: then only the log hears of it.
func (a *Door) Refuse(w http.ResponseWriter, r *http.Request, id string, err error, wrote bool) int {
	status, found := describe(err)
	var refusal *belay.Error
	if status == http.StatusInternalServerError || errors.As(err, &refusal) && refusal.Err != nil {
		level := slog.LevelError
		if status < http.StatusInternalServerError || errors.Is(err, context.Canceled) {
			level = slog.LevelInfo // the client went away, or sent what can't be read
		}
		a.Log.LogAttrs(r.Context(), level, "request failed", slog.String("id", id),
			slog.String("method", r.Method), slog.String("error", err.Error()))
	}
	if wrote {
		return status
	}
	sayWhen(w.Header(), status, err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, status, jsonapi.AppendErrors(nil, found))
	return status
}

// sayWhen says when to come again, where nobody has said it yet.
func sayWhen(head http.Header, status int, err error) {
	if status != http.StatusServiceUnavailable && (status != http.StatusTooManyRequests || head.Get("Retry-After") != "") {
		return
	}
	seconds := 1
	var refusal *belay.Error
	if errors.As(err, &refusal) {
		seconds = refusal.ComeAgain()
	}
	head.Set("Retry-After", strconv.Itoa(seconds))
}

func describe(err error) (int, []jsonapi.Error) {
	var refusal *belay.Error
	var problems belay.Problems
	if !errors.As(err, &problems) && errors.As(err, &refusal) {
		problems = belay.Problems{refusal}
	}
	if len(problems) == 0 || problems[0].Kind == belay.Internal {
		return http.StatusInternalServerError, []jsonapi.Error{{
			Status: http.StatusInternalServerError, Title: "internal server error",
		}}
	}
	found := make([]jsonapi.Error, len(problems))
	for i, p := range problems {
		found[i] = jsonapi.Error{Status: web.Status(p.Kind), Title: p.Title, Detail: p.Detail, Pointer: doc.PointerOf(p.Place)}
		if held := p.Held; held != nil {
			found[i].Meta = jsonapi.Object{{Name: "lock", Value: jsonapi.Object{
				{Name: "locked-at", Value: held.At.UTC().Format(jsonapi.Timestamp)},
				{Name: "locked-by", Value: held.Holder.String()},
				{Name: "reason", Value: held.Reason},
			}}}
		}
	}
	return found[0].Status, found
}
