// Package notify owns the verbs of who is told of what: notification configurations of workspaces, projects
// and teams, whether their destinations were verified, and what became of their deliveries.
//
// It never sends by itself: the room of deliveries does. It knows no HTTP and no SQL.
package notify

import (
	"time"

	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/throttle"
)

// Room is the verbs of notification configurations.
type Room struct {
	db    *store.DB
	ring  *seal.Ring
	now   func() time.Time
	probe Probe
	told  Told
	tried *throttle.Limits // of what makes the server send one
}

// New makes the verbs. probe sends verification messages, and told makes messages again; they are nil where none is sent.
// limited is whether callers are held back at all.
func New(db *store.DB, ring *seal.Ring, now func() time.Time, probe Probe, told Told, limited bool) *Room {
	m := &Room{db: db, ring: ring, now: now, probe: probe, told: told, tried: throttle.New(0, 0, now)}
	if limited {
		m.tried = throttle.New(triesAMinute/60.0, triesAMinute, now)
	}
	return m
}
