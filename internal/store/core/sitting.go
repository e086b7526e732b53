package core

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// sittingFor is how long what was read serves the views of one sitting: it is for a page that is
// made, and a file that goes on for long asks again.
const sittingFor = 2 * time.Second

// sitting is what the views of one request have read of that by which is asked who may: organizations,
// projects, workspaces. It ends with the request, and begins anew with each of its transactions.
type sitting struct {
	mu    sync.Mutex
	begun time.Time
	kept  map[any]any // by what they were asked by: a key type of each kind
	names Names
}

// Names is what users were called lately, by id.
type Names interface {
	// Known is the names of those of some users that are known, and the others.
	Known(ids []string) (known map[string]string, left []string)
	// Keep keeps what those who were asked for are called; who is not there is called nothing.
	Keep(asked []string, called map[string]string)
}

type (
	sittingKey      struct{}
	organizationKey string
	projectKey      string
	workspaceKey    belay.WorkspaceRef
)

// Sitting has the views under the context read each organization, project and workspace once: a page is
// put together by many verbs, each of which asks who may. Transactions read anew, and so does what is read
// after them. Who holds a lock is called by names, where they are known.
func Sitting(ctx context.Context, names Names) context.Context {
	return context.WithValue(ctx, sittingKey{}, &sitting{kept: map[any]any{}, names: names})
}

// Rise ends what was read under the context so far: something is changed.
func Rise(ctx context.Context) {
	if s, _ := ctx.Value(sittingKey{}).(*sitting); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		clear(s.kept)
	}
}

// seat is the sitting of a view; nil where it has none, or reads in a transaction.
func (v *View) seat() *sitting { return seatOf(v) }

func seatOf(v interface {
	InTx() bool
	Context() context.Context
},
) *sitting {
	if v.InTx() {
		return nil
	}
	s, _ := v.Context().Value(sittingKey{}).(*sitting)
	return s
}

// Sits says that what a view reads is for a page.
func (v *View) Sits() bool { return v.seat() != nil }

// Once is what was read by a key in the sitting, which is read where it was not. What it reads asks for nothing else that
// is read once.
func Once[K comparable, N any](v *View, key K, read func() (N, error)) (N, error) {
	s := v.seat()
	if s == nil {
		return read()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freshen(v.Moment())
	if n, known := s.kept[key].(N); known {
		return n, nil
	}
	n, err := read()
	if err == nil {
		s.kept[key] = n
	}
	return n, err
}

// Keep has the sitting of a view know something before it is asked for: what was read together with other things.
func Keep[K comparable, N any](v *View, key K, n N) {
	if s := v.seat(); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.freshen(v.Moment())
		s.kept[key] = n
	}
}

// Kept is what the sitting of a view knows by a key.
func Kept[N any, K comparable](v *View, key K) (n N, known bool) {
	s := v.seat()
	if s == nil {
		return n, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freshen(v.Moment())
	n, known = s.kept[key].(N)
	return n, known
}

// freshen forgets what was read too long ago.
func (s *sitting) freshen(now time.Time) {
	if now.Sub(s.begun) > sittingFor {
		s.begun = now
		clear(s.kept)
	}
}

// onceWorkspace is once for a workspace, which is known by its id from then on.
func onceWorkspace(v *View, table *sqldb.Table[belay.Workspace], ref belay.WorkspaceRef) (belay.Workspace, error) {
	return Once(v, workspaceKey(ref), func() (belay.Workspace, error) {
		w, err := workspaceOf(v, table, ref)
		if s := v.seat(); s != nil && err == nil {
			s.kept[workspaceKey{ID: w.ID}] = w
		}
		return w, err
	})
}

// onceEach is once for many workspaces, by name: those that are not known are read together.
func onceEach(v *View, ids []string, read func([]string) ([]belay.Workspace, error)) ([]belay.Workspace, error) {
	s := v.seat()
	if s == nil {
		return read(ids)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freshen(v.Moment())
	var known []belay.Workspace
	left := make([]string, 0, len(ids))
	for _, id := range ids {
		if w, there := s.kept[workspaceKey{ID: id}].(belay.Workspace); there {
			known = append(known, w)
		} else {
			left = append(left, id)
		}
	}
	if len(left) == 0 {
		return sorted(known), nil
	}
	list, err := read(left)
	for i := range list {
		s.kept[workspaceKey{ID: list[i].ID}] = list[i]
	}
	if len(known) == 0 {
		return list, err
	}
	return sorted(append(known, list...)), err
}

func sorted(list []belay.Workspace) []belay.Workspace {
	slices.SortFunc(list, func(a, b belay.Workspace) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list
}
