package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/people"
)

const (
	slowFlight  = time.Millisecond // after which whoever comes waits for it no longer: the database is far, or slow
	longestLook = 10 * time.Second
)

// look is the versions of the rows of a token and a workspace, and what is asked with them.
type look struct {
	token           people.Versions
	workspace       core.Versions
	requests        int
	deletesSomeTags bool
}

func (l *look) dest(how glanced) []any {
	into := []any{&l.workspace[0], &l.workspace[1], &l.workspace[2], &l.deletesSomeTags, &l.requests, &l.token[0]}
	return append(into, how.versions(&l.token)...)
}

// looker is somebody who looks.
type looker struct {
	keys  []string
	found look
	err   error
	crew  []*looker     // whom it asks for
	ready chan struct{} // nil: it need not wait. Closed when it has its answer, or a crew.
}

// flights has those who look while another look is on its way wait until that is back, and ask together then: the way to the
// database and back costs more than what is asked. Whoever comes alone goes at once.
type flights struct {
	how             glanced
	alone, together text

	mu      sync.Mutex
	flying  int
	began   time.Time // the last of those that fly
	waiting []*looker
}

func newFlights() map[glanced]*flights {
	all := map[glanced]*flights{}
	for how, alone := range glances {
		all[how] = &flights{how: how, alone: alone, together: together(how, alone)}
	}
	return all
}

// together is a look for as many as its arguments hold. These stand in subselects, where PostgreSQL does not see how many
// they are: it would plan anew each time that there are few.
func together(how glanced, alone text) text {
	var names, lists []string
	sql := string(alone)
	for n := range 4 + len(how.keys(&belay.Token{})) {
		argument, name := fmt.Sprintf("$%d", n+1), fmt.Sprintf("k%d", n+1)
		sql = strings.ReplaceAll(sql, argument, "l."+name)
		names, lists = append(names, name), append(lists, "(SELECT CAST("+argument+" AS TEXT[]))")
	}
	return text(sql + ", l.n FROM unnest(" + strings.Join(lists, ", ") + ") WITH ORDINALITY l(" + strings.Join(names, ", ") + ", n)")
}

// ask looks, alone or with others, and never by a statement that began before.
func (f *flights) ask(ctx context.Context, db *DB, keys []string) (look, error) {
	me := &looker{keys: keys}
	f.mu.Lock()
	if f.flying == 0 || time.Since(f.began) > slowFlight {
		f.begin(me, append(f.waiting, me))
	} else {
		me.ready = make(chan struct{})
		f.waiting = append(f.waiting, me)
	}
	f.mu.Unlock()
	if me.ready != nil {
		<-me.ready
	}
	if me.crew != nil {
		f.fly(ctx, db, me)
	}
	return me.found, me.err
}

// begin has somebody ask for all who wait.
func (f *flights) begin(captain *looker, crew []*looker) {
	captain.crew, f.waiting = crew, nil
	f.flying, f.began = f.flying+1, time.Now()
}

// land ends a flight: the first of those who wait is the next to ask.
func (f *flights) land() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flying--
	if len(f.waiting) > 0 {
		first := f.waiting[0]
		f.begin(first, f.waiting)
		close(first.ready)
	}
}

// errCrashed is what those are told whose captain did not come back.
var errCrashed = errors.New("nobody looked")

// fly asks for a crew. It is no loss of theirs when the client of who asks leaves.
func (f *flights) fly(ctx context.Context, db *DB, captain *looker) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestLook)
	err := errCrashed
	defer func() {
		cancel()
		f.land()
		for _, l := range captain.crew {
			if l.err = err; l != captain {
				close(l.ready)
			}
		}
	}()
	err = db.sqlDB.View(ctx, func(v *sqlView) error {
		if len(captain.crew) == 1 {
			return f.lookAlone(v, captain)
		}
		return f.lookTogether(v, captain.crew)
	})
}

func (f *flights) lookAlone(v *sqlView, l *looker) error {
	q := v.SQL(f.alone)
	for _, key := range l.keys {
		q.Args = append(q.Args, key)
	}
	return sqldb.Each(v, q, l.found.dest(f.how), func() {})
}

func (f *flights) lookTogether(v *sqlView, crew []*looker) error {
	q := v.SQL(f.together)
	for n := range crew[0].keys {
		column := make([]string, len(crew))
		for i, l := range crew {
			column[i] = l.keys[n]
		}
		q.Args = append(q.Args, column)
	}
	var found look
	var n int
	return sqldb.Each(v, q, append(found.dest(f.how), &n), func() { crew[n-1].found = found })
}
