// Package replicas owns that a server tells those that share its database that it is there, and takes that back when it
// stops. It does nothing with what they tell: that is for whoever watches over the site.
package replicas

import (
	"context"
	"log/slog"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

const (
	beatEvery   = 15 * time.Second
	leaveWithin = 5 * time.Second
	forgotten   = 24 * time.Hour // of one that was killed, or can't reach the database
	succeeded   = time.Minute    // of one that another of its name stands for
)

// Room is one server among those of its database.
type Room struct {
	db  *store.DB
	log *slog.Logger
	own site.Replica
}

// New makes the room of a server with a name and a version.
func New(db *store.DB, log *slog.Logger, name, version string) *Room {
	return &Room{db: db, log: log, own: site.Replica{ID: belay.NewID("server"), Name: name, Version: version}}
}

// Run tells that the server is there, until ctx ends. SQLite is of one process: there nobody is told.
func (m *Room) Run(ctx context.Context) {
	if m.db.Engine() != "postgres" {
		return
	}
	background.Run(ctx, background.Job{Every: beatEvery, Do: m.Beat})
	m.Leave(context.WithoutCancel(ctx))
}

// Beat tells that the server is there, once.
func (m *Room) Beat(ctx context.Context) {
	err := m.db.Update(ctx, func(tx *store.Tx) error {
		if m.own.SeenAt = tx.Now; m.own.StartedAt.IsZero() {
			m.own.StartedAt = tx.Now
		}
		return tx.Beat(&m.own, tx.Now.Add(-forgotten), tx.Now.Add(-succeeded))
	})
	if err != nil && ctx.Err() == nil {
		m.log.Warn("the server did not tell that it is there", "error", err)
	}
}

// Leave takes back what the server told.
func (m *Room) Leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	if err := m.db.Update(ctx, func(tx *store.Tx) error { return tx.DropReplica(m.own.ID) }); err != nil {
		m.log.Warn("the server did not tell that it stops", "error", err)
	}
}
