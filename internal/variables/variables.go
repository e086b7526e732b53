// Package variables owns the verbs of variables: those of workspaces, and the sets that many
// workspaces have in common. It decides who may, and seals what is sensitive.
//
// It never says which of several wins in a run: that is a rule of runs. It knows no HTTP and no
// SQL.
package variables

import (
	"time"

	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Room is the verbs of variables.
type Room struct {
	db   *store.DB
	ring *seal.Ring
	now  func() time.Time
}

// New makes the verbs.
func New(db *store.DB, ring *seal.Ring, now func() time.Time) *Room {
	return &Room{db: db, ring: ring, now: now}
}
