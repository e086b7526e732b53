package plan

import (
	"strconv"
	"strings"
	"sync"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store/base"
)

// Of so many organizations, and of so many of their latest generations, it is remembered which names moved; of a generation
// with more names than mostMoved it is not.
const (
	mostTrails = 256
	mostSteps  = 512
	mostMoved  = 64
)

// trail is what moved the generation of an organization, as far as this process did. Where another did there is a gap, and
// whoever follows the trail ends there.
type trail struct {
	mu    sync.Mutex
	steps map[step][]base.NameMoved
	order []step // the oldest first
}

// step is a number that one of the counters of a generation came to.
type step struct {
	slot int
	to   int64
}

// Moved notes what transactions that were kept did to generations.
func (db *DB) Moved(list []base.GenerationMoved) {
	for _, m := range list {
		if len(m.Names) > mostMoved {
			continue
		}
		t, known := db.trails.Get(m.OrganizationID)
		if !known {
			t = &trail{steps: map[step][]base.NameMoved{}}
			if other, there, _ := db.trails.PeekOrAdd(m.OrganizationID, t); there {
				t = other
			}
		}
		t.add(step{m.Slot, m.To}, m.Names)
	}
}

func (t *trail) add(s step, names []base.NameMoved) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.order = append(t.order, s); len(t.order) > mostSteps {
		delete(t.steps, t.order[0])
		t.order = t.order[1:]
	}
	t.steps[s] = names
}

// between is all names that moved from one generation to another, if each move between them is known.
func (t *trail) between(from, to map[int]int64) (names []base.NameMoved, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for slot := range from {
		if _, there := to[slot]; !there {
			return nil, false
		}
	}
	for slot, last := range to {
		if last < from[slot] || last-from[slot] > mostSteps {
			return nil, false
		}
		for n := from[slot] + 1; n <= last; n++ {
			moved, known := t.steps[step{slot, n}]
			if !known {
				return nil, false
			}
			names = append(names, moved...)
		}
	}
	return names, true
}

// partsOf is the generation of an organization by its counters: its own is 0, and on PostgreSQL there are others.
func partsOf(o *belay.Organization) (parts map[int]int64, known bool) {
	parts = map[int]int64{0: o.Generation}
	if o.GenerationParts == "" {
		return parts, true
	}
	for one := range strings.SplitSeq(o.GenerationParts, ",") {
		slot, to, _ := strings.Cut(one, "=")
		k, err := strconv.Atoi(slot)
		n, wrong := strconv.ParseInt(to, 10, 64)
		if err != nil || wrong != nil || k == 0 {
			return nil, false
		}
		parts[k] = n
		parts[0] -= n
	}
	return parts, true
}
