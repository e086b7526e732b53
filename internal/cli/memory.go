package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/store"
)

// gcPercent lets the small heap of the server grow fivefold between collections: answers
// are made and dropped all the time, and collecting them at Go's default costs a tenth of
// the speed. GOGC in the environment goes before it.
const gcPercent = 400

// What a budget of memory is for: the program's own pages, a part for those of SQLite, and the
// heap with all that requests hold and caches remember. All in MiB.
const (
	ofProgram   = 44
	leastMemory = 96
	partOfPages = 4 // a fourth of what the program leaves
)

// memory says how much of it the server may take.
type memory struct {
	budget      int // MiB of all; 0: no limit
	sqliteCache int // MiB of pages
}

func (m *memory) flags(flags *pflag.FlagSet) {
	flags.IntVar(&m.budget, "memory", 0, "MiB of memory that the server takes, its caches among them; 0 is no limit (BELAY_MEMORY)")
	flags.IntVar(&m.sqliteCache, "sqlite-cache", store.DefaultCache, "MiB of memory that SQLite keeps pages in (BELAY_SQLITE_CACHE)")
}

func (m *memory) check() error {
	if m.sqliteCache < 1 || m.sqliteCache > 1<<20 {
		return fmt.Errorf("--sqlite-cache is from 1 to %d MiB, not %d", 1<<20, m.sqliteCache)
	}
	if m.budget != 0 && (m.budget < leastMemory || m.budget > 1<<30) {
		return fmt.Errorf("--memory is 0 or from %d MiB, not %d", leastMemory, m.budget)
	}
	return nil
}

// shares is how many MiB are for pages of SQLite and for the heap; the heap's is 0 where there is no limit.
func (m *memory) shares(database *data.Database) (pages, heap int) {
	if m.budget == 0 {
		return m.sqliteCache, 0
	}
	heap = m.budget - ofProgram
	if database.Served() {
		return m.sqliteCache, heap
	}
	pages = min(m.sqliteCache, heap/partOfPages)
	return pages, heap - pages
}

// take has the collector keep to the budget, and says what is left of it for pages. What the environment
// says to Go goes before it.
func (m *memory) take(database *data.Database, getenv func(string) string) (pages int) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	pages, heap := m.shares(database)
	if heap > 0 && getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(heap) << 20)
	}
	return pages
}
