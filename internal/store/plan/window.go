package plan

import (
	"strconv"

	"github.com/belayhq/belay"
)

// far is after how many rows it is worth to begin somewhere else than at the beginning.
const far = 200

// window is where the rows of a page are read from: some rows after an end of the order, or after a name that is known to
// come before them.
type window struct {
	skip, size int
	fromEnd    bool   // the rows are counted from the end
	after      string // the name before them, from which they are counted then
	key        string // what the name at the end of the page is kept by; empty: it is not kept
}

// first says that the rows begin where the order does.
func (w window) first() bool { return w.skip == 0 && w.after == "" && !w.fromEnd }

// windowOf is where a page is read from. list is the statement that finds the rows of all pages.
func (v *View) windowOf(l *listing, total count, list *query) window {
	w := window{skip: l.want.Page.Offset(), size: l.want.Page.Size}
	offset := w.skip
	if offset < far {
		return w
	}
	if l.want.Sort.ByName() && l.want.Countable() && !v.InTx() {
		key := countKey(l.o, list) + l.want.Sort.Key + strconv.FormatBool(l.want.Sort.Descending) + "@"
		w.key = key + strconv.Itoa(offset+w.size)
		if name, found := v.db.ends.Get(key + strconv.Itoa(offset)); found {
			w.skip, w.after = 0, name
			return w
		}
	}
	if left := total.total - offset; total.known && left < offset && l.want.Sort.Key != "current-run.created-at" {
		w.fromEnd = true // an order that is the same when it is turned round
		w.skip, w.size = max(left-w.size, 0), max(min(left, w.size), 0)
	}
	return w
}

// keep remembers where a full page ended, for who asks for the next one.
func (v *View) keep(w window, list []belay.Workspace) {
	if w.key != "" && len(list) == w.size && w.size > 0 {
		v.db.ends.Add(w.key, list[len(list)-1].Name)
	}
}
