package api

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/belayhq/belay"
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
	serve := func(document func(*request) *jsonapi.Document) http.HandlerFunc {
		return func(hw http.ResponseWriter, hr *http.Request) {
			given, _ := strings.CutPrefix(hr.Header.Get("Authorization"), "Bearer ")
			if subtle.ConstantTimeCompare([]byte(belay.HashToken(given)), []byte(hash)) != 1 {
				a.refuse(hw, hr, "", belay.ErrUnauthenticated, false)
				return
			}
			r := &request{Request: hr, api: a, w: hw, status: http.StatusOK}
			r.answer(document(r))
		}
	}
	router := chi.NewRouter()
	router.Get("/ceiling/show", serve(func(r *request) *jsonapi.Document { return one(workspaces.resource(r, w)) }))
	router.Get("/ceiling/page", serve(func(r *request) *jsonapi.Document {
		return r.list(each(page, workspaces.in(r)), len(page))
	}))
	return router
}
