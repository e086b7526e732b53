package plan

import (
	"crypto/sha256"
	"fmt"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store/core"
)

// mostFound is of how many pages it is remembered which workspaces are on them: those of no more than mostRows rows.
const mostFound = 1024

// foundKey stands for a statement with its arguments and the generation of its organization.
type foundKey [sha256.Size]byte

// lasting says by what a page may be found again, if at all: one by name of what changes with the generation alone. What is
// on it, and in which order, is the same until names, places or tags change. The first of all workspaces are found as
// quickly by walking them.
func (v *View) lasting(l *listing, w window, q *query) (foundKey, bool) {
	atOnce := w.skip == 0 && l.want.Unfiltered() && !v.Versioned()
	if atOnce || !l.want.Sort.ByName() || !l.want.Countable() || v.InTx() {
		return foundKey{}, false
	}
	key := countKey(l.o, q)
	if l.search != nil && l.leads(w) { // by one key, whether its first name is known or not
		key = l.o.ID + fmt.Sprint(":", l.o.Generation, ":", l.o.AccessGeneration, ":", l.want.Sort, l.want.Page, ":") + l.search.key
	}
	return sha256.Sum256([]byte(key)), true
}

// foundAgain is a page of workspaces that a statement found before, without those that have gone since.
func (v *View) foundAgain(l *listing, ids []string, order text) ([]belay.Workspace, error) {
	q := v.SQL(core.Listed.Selected+"WHERE w.id", l.o.ID, l.o.ID).In("", ids).Add(" ORDER BY " + order)
	return v.workspacesOf(q, true)
}
