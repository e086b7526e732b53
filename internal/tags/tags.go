// Package tags owns the verbs of tags: the flat ones of workspaces, the bindings of a key and a
// value, and the keys that an organization reserves. It decides who may.
//
// It never asks what a tag is good for: who finds workspaces by it is not its matter. It knows no
// HTTP and no SQL.
package tags

import (
	"log/slog"
	"time"

	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/store"
)

// Room is the verbs of tags.
type Room struct {
	db  *store.DB
	log *slog.Logger
}

// New makes the verbs.
func New(db *store.DB, log *slog.Logger) *Room {
	return &Room{db: db, log: log}
}

// Jobs is what is done behind the requests.
func (r *Room) Jobs() []background.Job {
	return []background.Job{{Every: time.Minute, Do: r.DropDoomed}}
}
