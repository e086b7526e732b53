package api

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
)

// Ceiling serves one workspace document, and a page of 20, from memory through the same
// router, token check and encoder as the API: the most that the benchmarks can reach.
func (a *API) Ceiling(token string, w app.WorkspaceView) http.Handler {
	page := make([]app.WorkspaceView, jsonapi.DefaultPageSize)
	for i := range page {
		page[i] = w
	}
	hash := belay.HashToken(token)
	serve := func(document func(*door.Request) *jsonapi.Document) http.HandlerFunc {
		return func(hw http.ResponseWriter, hr *http.Request) {
			given, _ := strings.CutPrefix(hr.Header.Get("Authorization"), "Bearer ")
			if subtle.ConstantTimeCompare([]byte(belay.HashToken(given)), []byte(hash)) != 1 {
				a.Refuse(hw, hr, "", belay.ErrUnauthenticated, false)
				return
			}
			r := &door.Request{Request: hr, Door: a.Door, Edition: a.App.Edition(), Writer: hw, Status: http.StatusOK}
			r.Answer(document(r))
		}
	}
	router := chi.NewRouter()
	router.Get("/ceiling/show", serve(func(r *door.Request) *jsonapi.Document { return door.One(workspaces.Workspaces.Resource(r.Edition, w)) }))
	router.Get("/ceiling/page", serve(func(r *door.Request) *jsonapi.Document {
		return r.List(door.Each(page, workspaces.Workspaces.In(r.Edition)), len(page))
	}))
	return router
}
