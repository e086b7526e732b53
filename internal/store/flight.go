package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay/internal/sqldb"
)

const (
	slowFlight  = time.Millisecond // after which whoever comes waits for it no longer: the database is far, or slow
	longestLook = 10 * time.Second
)

// looker is somebody who looks.
type looker[L any] struct {
	keys  []string
	found L
	err   error
	crew  []*looker[L]  // whom it asks for
	ready chan struct{} // nil: it need not wait. Closed when it has its answer, or a crew.
}

// flights has those who look while another look is on its way wait until that is back, and ask together then: the way to the
// database and back costs more than what is asked. Whoever comes alone goes at once.
type flights[L any] struct {
	alone, together text
	dest            func(*L) []any // where the columns of the statements belong

	mu      sync.Mutex
	flying  int
	began   time.Time // the last of those that fly
	waiting []*looker[L]
}

// newFlights is those of a statement that takes so many keys.
func newFlights[L any](alone text, keys int, dest func(*L) []any) *flights[L] {
	return &flights[L]{alone: alone, together: together(alone, keys), dest: dest}
}

// together is a look for as many as its arguments hold. These stand in subselects, where PostgreSQL does not see how many
// they are: it would plan anew each time that there are few.
func together(alone text, keys int) text {
	var names, lists []string
	sql := string(alone)
	for n := range keys {
		argument, name := fmt.Sprintf("$%d", n+1), fmt.Sprintf("k%d", n+1)
		sql = strings.ReplaceAll(sql, argument, "l."+name)
		names, lists = append(names, name), append(lists, "(SELECT CAST("+argument+" AS TEXT[]))")
	}
	return text(sql + ", l.n FROM unnest(" + strings.Join(lists, ", ") + ") WITH ORDINALITY l(" + strings.Join(names, ", ") + ", n)")
}

// ask looks, alone or with others, and never by a statement that began before.
func (f *flights[L]) ask(ctx context.Context, db *DB, keys []string) (L, error) {
	me := &looker[L]{keys: keys}
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
func (f *flights[L]) begin(captain *looker[L], crew []*looker[L]) {
	captain.crew, f.waiting = crew, nil
	f.flying, f.began = f.flying+1, time.Now()
}

// land ends a flight: the first of those who wait is the next to ask.
func (f *flights[L]) land() {
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

// fly asks for a crew. It is no loss of theirs when the client of who asks leaves, and they wait for no turn of a tenant's, who
// may be any of them.
func (f *flights[L]) fly(ctx context.Context, db *DB, captain *looker[L]) {
	ctx, cancel := context.WithTimeout(sqldb.Nobodys(context.WithoutCancel(ctx)), longestLook)
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
	err = db.sqlDB.View(ctx, func(v *sqlView) error { return f.look(v, captain.crew) })
}

// look asks for a crew, the same question once.
func (f *flights[L]) look(v *sqlView, crew []*looker[L]) error {
	var questions [][]string
	which, numbers := make([]int, len(crew)), make(map[string]int, len(crew))
	for i, l := range crew {
		question := strings.Join(l.keys, "\x00")
		n, known := numbers[question]
		if !known {
			n = len(questions)
			numbers[question], questions = n, append(questions, l.keys)
		}
		which[i] = n
	}
	found := make([]L, len(questions))
	var err error
	if len(questions) == 1 {
		err = f.lookAlone(v, questions[0], &found[0])
	} else {
		err = f.lookTogether(v, questions, found)
	}
	for i, l := range crew {
		l.found = found[which[i]]
	}
	return err
}

func (f *flights[L]) lookAlone(v *sqlView, keys []string, found *L) error {
	q := v.SQL(f.alone)
	for _, key := range keys {
		q.Args = append(q.Args, key)
	}
	return sqldb.Each(v, q, f.dest(found), func() {})
}

func (f *flights[L]) lookTogether(v *sqlView, questions [][]string, found []L) error {
	q := v.SQL(f.together)
	for k := range questions[0] {
		column := make([]string, len(questions))
		for i, keys := range questions {
			column[i] = keys[k]
		}
		q.Args = append(q.Args, column)
	}
	var one L
	var n int
	return sqldb.Each(v, q, append(f.dest(&one), &n), func() { found[n-1] = one })
}
