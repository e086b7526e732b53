// Package connections owns the verbs of how repositories are reached: connections with version-control
// services, their tokens, the installations of the GitHub App behind them, and SSH keys.
//
// It never asks a service for anything, and knows no HTTP and no SQL.
package connections

import (
	"log/slog"
	"time"

	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Room is the verbs of connections and of SSH keys.
type Room struct {
	db     *store.DB
	ring   *seal.Ring
	log    *slog.Logger
	forget background.Signal // workspaces are to forget a connection or a key that was deleted
}

// New makes the verbs.
func New(db *store.DB, ring *seal.Ring, log *slog.Logger) *Room {
	return &Room{db: db, ring: ring, log: log, forget: background.NewSignal()}
}

// Jobs is what is to be done in the background.
func (r *Room) Jobs() []background.Job {
	return []background.Job{{Every: time.Hour, Do: r.ForgetDeleted, Early: r.forget}}
}
