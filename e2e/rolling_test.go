package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// rolling is two replicas on one database that are replaced one after the other, while writers
// and readers go on at both.
type rolling struct {
	t        *testing.T
	replicas []*server
	doors    []*server       // how clients reach them: what a restart does not touch
	spells   []*atomic.Int64 // of each replica: odd while it is replaced
	served   []*atomic.Int64 // writes that each answered
	ending   atomic.Bool
	mu       sync.Mutex
	answered map[string]string // the workspace of each variable that was answered for, by its id
	writers  sync.WaitGroup
}

// another is one more server on the same database.
func (s *server) another() *server {
	s.t.Helper()
	second := &server{t: s.t, Token: s.Token, logs: &logs{}, env: s.env, http: s.http, args: append([]string{}, s.args...), program: s.program}
	second.args[2] = "127.0.0.1:0"
	second.run()
	s.t.Cleanup(second.stop)
	return second
}

func newRolling(t *testing.T, first *server) *rolling {
	t.Helper()
	second := first.another()
	r := &rolling{t: t, replicas: []*server{first, second}, answered: map[string]string{}}
	for _, s := range r.replicas {
		client := &http.Client{Transport: &http.Transport{}, Timeout: patience}
		r.doors = append(r.doors, &server{t: t, URL: s.URL, Token: s.Token, http: client})
		r.spells, r.served = append(r.spells, &atomic.Int64{}), append(r.served, &atomic.Int64{})
	}
	return r
}

// ask asks a replica, and says whether it answered. One that is being replaced need not.
func (r *rolling) ask(at int, method, path, body string) (reply, bool) {
	began := r.spells[at].Load()
	got, err := r.doors[at].try(method, path, r.doors[at].Token, body)
	if err != nil {
		if ended := r.spells[at].Load(); began%2 == 0 && began == ended {
			r.t.Errorf("%s %s at replica %d, which nobody replaced: %v", method, path, at, err)
		}
		return got, false
	}
	if got.Status >= 500 {
		r.t.Errorf("%s %s at replica %d: %d %s", method, path, at, got.Status, got.Body)
	}
	return got, true
}

// write makes variables, each at the other replica than the one before, and reads each where it
// was not made. What was not answered is asked again of the other.
func (r *rolling) write(writer int, workspace string) {
	for n := 0; !r.ending.Load() && !r.t.Failed(); n++ {
		key := fmt.Sprintf("w%d_%d", writer, n)
		body := fmt.Sprintf(`{"data":{"type":"vars","attributes":{"key":%q,"value":"x","category":"env"}}}`, key)
		at := n % 2
		made, answered := r.ask(at, "POST", "/workspaces/"+workspace+"/vars", body)
		if !answered {
			at = 1 - at
			if made, answered = r.ask(at, "POST", "/workspaces/"+workspace+"/vars", body); !answered {
				r.t.Errorf("neither replica took %s", key)
				return
			}
			if made.Status == 422 { // the first took it, and was gone before it said so
				continue
			}
		}
		if made.Status != 201 {
			r.t.Errorf("%s: %d %s", key, made.Status, made.Body)
			return
		}
		id := made.text("data.id")
		r.mu.Lock()
		r.answered[id] = workspace
		r.mu.Unlock()
		r.served[at].Add(1)
		if read, answered := r.ask(1-at, "GET", "/workspaces/"+workspace+"/vars/"+id, ""); answered && read.Status != 200 {
			r.t.Errorf("%s was answered at replica %d, and replica %d says %d", key, at, 1-at, read.Status)
		}
	}
}

// serves waits until each of these replicas has answered more writes.
func (r *rolling) serves(replicas ...int) {
	r.t.Helper()
	for _, at := range replicas {
		least := r.served[at].Load() + 20
		waitFor(r.t, fmt.Sprintf("writes at replica %d", at), func() bool { return r.served[at].Load() >= least || r.t.Failed() })
	}
}

// TestRollingUpgrade replaces two replicas one after the other under a stream of writes and
// reads: none is refused by a server that was there, and none that was answered is lost. In the
// end the schema of a newer release comes under both, which go on; started again, this one
// refuses it.
func TestRollingUpgrade(t *testing.T) {
	slow(t)
	t.Parallel()
	r := newRolling(t, start(t, "postgres"))
	r.replicas[0].organization("acme")
	for writer := range 3 {
		workspace := r.replicas[0].workspace("acme", fmt.Sprintf("w%d", writer))
		r.writers.Go(func() { r.write(writer, workspace) })
	}
	defer r.writers.Wait()
	defer r.ending.Store(true)
	for range 2 {
		for at, s := range r.replicas {
			r.serves(0, 1)
			r.spells[at].Add(1)
			s.stop()
			r.serves(1 - at)
			s.run()
			r.spells[at].Add(1)
		}
	}
	r.serves(0, 1)
	r.tomorrow()
	r.serves(0, 1)
	r.ending.Store(true)
	r.writers.Wait()
	r.holdsAll()
	r.replicas[0].stop()
	_, errOut, status := belay(t, r.replicas[0].env, r.replicas[0].args...)
	if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "newer") {
		t.Errorf("on a newer schema: status %d, %q", status, errOut)
	}
}

// tomorrow brings what a newer release may: columns with a value of their own, and tables.
func (r *rolling) tomorrow() {
	r.t.Helper()
	var url string
	for _, pair := range r.replicas[0].env {
		if value, ours := strings.CutPrefix(pair, "BELAY_DATABASE_URL="); ours {
			url = value
		}
	}
	c, err := pgx.Connect(r.t.Context(), url)
	must(r.t, err)
	_, err = c.Exec(r.t.Context(), `BEGIN;
		ALTER TABLE workspaces ADD COLUMN of_tomorrow text NOT NULL DEFAULT '';
		ALTER TABLE variables ADD COLUMN of_tomorrow bigint NOT NULL DEFAULT 0;
		CREATE TABLE tomorrow (id text PRIMARY KEY);
		INSERT INTO goose_db_version (version_id, is_applied) VALUES (999999, true);
		COMMIT;`)
	must(r.t, err)
	must(r.t, c.Close(r.t.Context()))
}

// holdsAll demands that all that was answered is there, through both replicas.
func (r *rolling) holdsAll() {
	r.t.Helper()
	if len(r.answered) < 200 {
		r.t.Errorf("only %d writes were answered", len(r.answered))
	}
	for at := range r.replicas {
		lists := map[string]string{}
		for id, workspace := range r.answered {
			if lists[workspace] == "" {
				got, _ := r.ask(at, "GET", "/workspaces/"+workspace+"/vars", "")
				lists[workspace] = got.want(r.t, 200).Body
			}
			if !strings.Contains(lists[workspace], `"`+id+`"`) {
				r.t.Errorf("%s of %s was answered for, and replica %d does not have it", id, workspace, at)
			}
		}
	}
}
