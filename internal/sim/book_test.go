package sim_test

import (
	"cmp"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// book is what really happened, whatever the server says.
type book struct {
	spaces  []belay.Workspace
	runs    map[string]run.Run // as they were last seen
	order   []string           // their ids, as they were first seen
	more    bool               // there may be runs that were not seen
	over    map[string]bool    // runs that nothing moves any more
	jobs    map[string]run.Job
	applied map[string]int  // engines of applies that were started, by run
	excused map[string]bool // runs that somebody forced aside: another may begin beside their engine

	printed  map[string][]byte                    // the whole log of an attempt, by lease
	attempts map[string][]*folder                 // of a log, in order
	seen     map[string][]byte                    // the longest text that somebody has read of a log
	whole    map[string]*folder                   // logs whose runner said that they are whole
	states   map[string]broughtNow                // the newest state that a run brought
	news     map[string]int                       // states that came for a workspace since it was looked at
	current  map[string]string                    // the current state of a workspace
	serial   map[string]int64                     // of the current state of a workspace
	vtimes   map[string]int64                     // of organizations: the newest
	vnow     int64                                // the largest that was given out
	fresh    []run.Job                            // that were not seen before
	checks   map[string]map[run.CheckStage]string // of a run, as they were told last

	unheard map[string]map[run.CheckStage][]string // what was told since, and the server died of it: it may have kept it
	perhaps map[string]string                      // so of a run's last state, by its MD5
}

type broughtNow struct {
	serial      int64
	md5, sha256 string
}

func newBook(spaces []belay.Workspace) *book {
	return &book{
		spaces: spaces, runs: map[string]run.Run{}, jobs: map[string]run.Job{}, applied: map[string]int{}, excused: map[string]bool{},
		printed: map[string][]byte{}, attempts: map[string][]*folder{}, seen: map[string][]byte{}, whole: map[string]*folder{},
		states: map[string]broughtNow{},
		over:   map[string]bool{}, news: map[string]int{}, current: map[string]string{}, serial: map[string]int64{}, vtimes: map[string]int64{},
		checks: map[string]map[run.CheckStage]string{}, unheard: map[string]map[run.CheckStage][]string{},
		perhaps: map[string]string{},
	}
}

// attempt notes that a log goes on with what another attempt prints. One whose job came with its claim may begin after
// the next: they stand in the order in which the server began them.
func (b *book) attempt(logID string, f *folder) {
	if list := b.attempts[logID]; !slices.Contains(list, f) {
		b.attempts[logID] = append(list, f)
		slices.SortStableFunc(b.attempts[logID], func(a, b *folder) int { return cmp.Compare(a.job.Attempt, b.job.Attempt) })
	}
}

// forcing notes that somebody may end a run without waiting for its engine.
func (b *book) forcing(id string) { b.excused[id] = true }

// opening notes that somebody may take the lock of a workspace from its runs.
func (b *book) opening(spaceID string) {
	for _, id := range b.order {
		if r := b.runs[id]; r.WorkspaceID == spaceID && (!r.Status.Final() || r.KeepsLock) {
			b.excused[id] = true
		}
	}
}

func (b *book) unfinished(spaceID string) (ids []string) {
	for _, id := range b.order {
		if r := b.runs[id]; r.WorkspaceID == spaceID && !r.Status.Final() {
			ids = append(ids, id)
		}
	}
	return ids
}
