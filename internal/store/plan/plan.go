// Package plan owns how lists of workspaces and projects are found, and how the explorer's questions are answered: which
// index a statement begins with, and what is kept of answers. It never decides who may see what is found: a scope says that.
package plan

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
)

// What the engine room gives, by the names that statements are written with.
type (
	text  = sqldb.Text
	query = sqldb.Query
)

// View reads.
type View struct {
	base.View
	db *DB
}

// seat is the view of the room below, which knows what a sitting has read.
func (v *View) seat() *core.View {
	below := core.Read(v.View)
	return &below
}

// Tx reads and writes in one transaction; base.Tx says why it is made so.
type Tx struct {
	View
	writes
}

type writes struct{ base.Tx }

// DB begins transactions, and keeps in memory what was found.
type DB struct {
	base.DB
	counts   *finding[string, int]            // by organization, its generation and the filter
	ends     *lru.Cache[string, string]       // the names at which pages ended: by the list, and how many rows come before
	spreads  *lru.Cache[string, spread]       // by the same
	found    *finding[foundKey, []string]     // the workspaces of a page, in its order
	pages    *lru.Cache[string, *page]        // of workspaces, by their statement
	answers  *finding[string, answer]         // of the explorer: by organization, its generations and the question
	explored *finding[string, []explorer.Row] // pages of what workspaces use, by the same
	followed *lru.Cache[string, followed]     // what is known of searches, by the organization and what is searched for
	trails   *lru.Cache[string, *trail]       // by organization
	common   *lru.Cache[string, int64]        // grams that many have, and the generation in which they had
}

// NewDB is one that has found nothing yet.
func NewDB(shared base.DB) DB {
	db := DB{
		DB: shared, counts: newFinding[string, int](4096), found: newFinding[foundKey, []string](mostFound),
		answers: newFinding[string, answer](256), explored: newFinding[string, []explorer.Row](16),
	}
	db.ends, _ = lru.New[string, string](2048) // fails only for a size below one
	db.spreads, _ = lru.New[string, spread](256)
	db.pages, _ = lru.New[string, *page](mostPages)
	db.followed, _ = lru.New[string, followed](1024)
	db.trails, _ = lru.New[string, *trail](mostTrails)
	db.common, _ = lru.New[string, int64](1024)
	return db
}

// Read is the view over that of the database.
func (db *DB) Read(v base.View) View { return View{v, db} }

// Write is the transaction in that of the database.
func (db *DB) Write(tx base.Tx) Tx { return Tx{View: db.Read(tx.View), writes: writes{tx}} }

// View runs fn with a view of the database.
func (db *DB) View(ctx context.Context, fn func(*View) error) error {
	return db.Reads(ctx, func(v *base.View) error {
		within := db.Read(*v)
		return fn(&within)
	})
}

// Update runs fn in one transaction.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	return db.Writes(ctx, func(on *base.Tx) error {
		tx := db.Write(*on)
		return fn(&tx)
	})
}
