// Package state owns the verbs of states: taking one in (as a draft, or announced and uploaded
// in parts), finalizing it, rolling back to it, giving it and its outputs out, the outline that
// pages show, and the policies that say how long its files are kept. It decides who may.
//
// It never changes a workspace but for what its current state says of it, knows no HTTP and no
// SQL, and where the files lie is the matter of the room of objects.
package state

import (
	"log/slog"
	"time"

	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

// Room is the verbs of states.
type Room struct {
	db       *store.DB
	ring     *seal.Ring
	objects  *object.Room
	edition  site.Edition
	log      *slog.Logger
	now      func() time.Time
	turn     chan struct{} // held by the one request that looks into a large state
	outlines outlines
	reads    reads
}

// Config is what the verbs are built on; all of it is needed.
type Config struct {
	DB      *store.DB
	Ring    *seal.Ring   // seals the values of outputs
	Objects *object.Room // where the files lie
	Edition site.Edition
	Log     *slog.Logger
	Now     func() time.Time
}

// New makes the verbs.
func New(c Config) *Room {
	return &Room{db: c.DB, ring: c.Ring, objects: c.Objects, edition: c.Edition, log: c.Log, now: c.Now, turn: make(chan struct{}, 1)}
}

// Jobs is what no request waits for.
func (m *Room) Jobs() []background.Job {
	return []background.Job{
		{Every: 10 * time.Second, Do: m.NoteReads},
		{Every: time.Hour, Do: m.forgetReads},
		{Every: retainEvery, Do: m.Retain},
		{Every: time.Minute, Do: m.DropLooseOutputs},
	}
}
