// Package ui owns the door for people: the route of every page and form, the lists of an organization, and what
// pages can watch. The pages themselves are in the rooms below, family by family.
package ui

import (
	"net/http"

	"github.com/belayhq/belay/internal/ui/frame"
)

// What the pages are built on.
type (
	// Config is all of it.
	Config = frame.Config
	// PlanFile reads what is kept of a plan.
	PlanFile = frame.PlanFile
)

// UI answers browsers.
type UI struct{ mux *http.ServeMux }

// New builds the pages.
func New(c Config) (*UI, error) {
	door, err := frame.New(c, parts(), watches())
	if err != nil {
		return nil, err
	}
	u := &UI{http.NewServeMux()}
	for pattern, handle := range routes(door) {
		u.mux.Handle(pattern, door.Handler(pattern, handle))
	}
	return u, nil
}

func (u *UI) ServeHTTP(w http.ResponseWriter, r *http.Request) { u.mux.ServeHTTP(w, r) }
