// Package changes owns the verbs of what is to change: the explorer's questions about workspaces, those
// that are kept, and the change requests, bulk actions and campaigns that come of the answers.
//
// It never changes a workspace, and knows no HTTP and no SQL.
package changes

import (
	"log/slog"
	"time"

	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Room is the verbs of questions and of change requests.
type Room struct {
	db   *store.DB
	ring *seal.Ring
	log  *slog.Logger
	now  func() time.Time
}

// New makes the verbs.
func New(db *store.DB, ring *seal.Ring, log *slog.Logger, now func() time.Time) *Room {
	return &Room{db: db, ring: ring, log: log, now: now}
}

// Jobs is what is to be done in the background.
func (r *Room) Jobs() []background.Job {
	return []background.Job{{Every: time.Minute, Do: r.dropUnfinished}}
}
