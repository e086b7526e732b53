package frame

import (
	"context"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/app"
)

// How long what the side bar counts is kept of one person, how long a page waits for it, as a page without is better
// than one that is late, and how long it is read at most for the pages after.
const (
	sideFor  = 5 * time.Second
	sideWait = 100 * time.Millisecond
	sideRead = 3 * time.Second
)

// viewsBeside is how many saved views of the list the side bar shows.
const viewsBeside = 7

// side is what the side bar says of an organization beside its lists.
type side struct {
	belay.Standing
	views Doorways
	waits waitCount
	at    time.Time
}

// mostSides is of how many people and organizations side bars are kept.
const mostSides = 4096

// sides is what side bars said lately, by person and organization.
type sides struct {
	mu      sync.Mutex
	kept    map[string]side
	reading map[string]*sideReading // by whoever reads it; forgotten ones are not kept
}

// sideReading is of what is being read.
type sideReading struct {
	done chan struct{}
	said side // once it is done
	ok   bool
}

func (s *sides) get(key string) (side, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[key]
	return kept, ok
}

// put keeps what is said; what is too much is all forgotten: it is good for seconds anyway.
func (s *sides) put(key string, said side) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(key, said)
}

func (s *sides) keep(key string, said side) {
	if s.kept == nil || len(s.kept) >= mostSides {
		s.kept = map[string]side{}
	}
	s.kept[key] = said
}

func (s *sides) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, key)
	delete(s.reading, key) // it may have read what was before
}

// read has what is said read, once at a time, and waits a moment for it: what comes later is kept for the pages after.
func (s *sides) read(key string, wait time.Duration, read func() (side, error)) (side, bool) {
	s.mu.Lock()
	r := s.reading[key]
	if r == nil {
		r = &sideReading{done: make(chan struct{})}
		if s.reading == nil {
			s.reading = map[string]*sideReading{}
		}
		s.reading[key] = r
		go s.finish(key, r, read)
	}
	s.mu.Unlock()
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-r.done:
		return r.said, r.ok
	case <-late.C:
		return side{}, false
	}
}

// finish reads, and keeps what was read unless it was forgotten meanwhile.
func (s *sides) finish(key string, r *sideReading, read func() (side, error)) {
	defer close(r.done)
	said, err := read()
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.reading[key] == r
	if current {
		delete(s.reading, key)
	}
	if err != nil {
		return
	}
	r.said, r.ok = said, true
	if current {
		s.keep(key, said)
	}
}

// side is what the side bar says to the visitor; what it said before, or nothing, when it can't be had at once. What the
// page itself has read of what waits stands there, however old the rest is.
func (v *Visit) side(o *app.OrganizationView) side {
	key := v.principal.Holder().ID + " " + o.ID
	said, ok := v.UI.sides.get(key)
	if !ok || v.UI.Now().Sub(said.at) >= sideFor {
		ctx, u, s, waits := context.WithoutCancel(v.Context()), v.UI, v.principal, v.waits
		if anew, ok := u.sides.read(key, sideWait, func() (side, error) { return u.sideAnew(ctx, s, o, waits) }); ok {
			said = anew
		}
	}
	if v.waits != nil {
		said.waits = *v.waits
		v.UI.sides.put(key, said)
	}
	return said
}

// sideAnew reads what the side bar says to somebody, but what waits where the page has read that.
func (u *UI) sideAnew(ctx context.Context, s belay.Principal, o *app.OrganizationView, waits *waitCount) (said side, err error) {
	ctx, cancel := context.WithTimeout(ctx, sideRead)
	defer cancel()
	if said.Standing, err = u.App.Standing(ctx, s, o.Name); err != nil {
		return said, err
	}
	views, _, err := u.App.WorkspaceViews(ctx, s, o.Name, belay.Page{Number: 1, Size: viewsBeside})
	if err != nil {
		return said, err
	}
	if waits != nil {
		said.waits = *waits
	} else if _, said.waits, err = u.waiting(ctx, s, o); err != nil {
		return said, err
	}
	said.views, said.at = viewWays(o.Name, views), u.Now()
	return said, nil
}

// viewWays is the first of some views as ways.
func viewWays(organization string, list []backlog.WorkspaceView) (ways Doorways) {
	list = list[:min(len(list), viewsBeside)]
	for i, path := range ViewPaths(organization, list) {
		ways = append(ways, Doorway{Name: list[i].Name, Icon: "star", Path: path, Named: true})
	}
	return ways
}

// SeeViews has the side bar show the views that the page has just read.
func (v *Visit) SeeViews(o *app.OrganizationView, list []backlog.WorkspaceView) {
	key := v.principal.Holder().ID + " " + o.ID
	if kept, ok := v.UI.sides.get(key); ok {
		kept.views = viewWays(o.Name, list)
		v.UI.sides.put(key, kept)
	}
}

// ForgetSide has the side bar look anew for what the visitor has just changed of it.
func (v *Visit) ForgetSide(organizationID string) {
	v.UI.sides.forget(v.principal.Holder().ID + " " + organizationID)
}

// atMost is a count that was not counted further than so many; none is not told.
func atMost(n int) string {
	switch {
	case n == 0:
		return ""
	case n >= belay.MostStanding:
		return Count(belay.MostStanding-1) + "+"
	default:
		return Count(n)
	}
}

// count writes how many there are, with what is said of one or of more.
func (w *Doorway) count(n, one, more string) {
	if w.Count, w.What = n, more; n == "1" {
		w.What = one
	}
}

// tellSide writes what the side bar counts beside its lists.
func (at *Place) tellSide(s side, query string) {
	for i := range at.Main {
		switch way := &at.Main[i]; way.Icon {
		case "home":
			way.count(s.waits.String(), "waits for you", "wait for you")
			way.Hot = true
		case "play":
			way.count(atMost(s.Running), "goes on", "go on")
			way.Live = s.Running > 0
		case "flag":
			way.count(atMost(s.Campaigns), "is open", "are open")
		}
	}
	at.Views = append(Doorways{}, s.views...)
	paths := make([]string, len(at.Views))
	for i := range at.Views {
		paths[i] = at.Views[i].Path
	}
	if here := ViewHere(paths, query); here >= 0 {
		at.Views[here].Here = true
	}
}
