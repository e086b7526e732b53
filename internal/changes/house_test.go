package changes_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// house is an organization, and a clock that tests own.
type house struct {
	*app.App
	t     *testing.T
	db    *store.DB
	clock *atomic.Int64
	admin belay.Principal
}

// each runs a test on both databases.
func each(t *testing.T, test func(*testing.T, *house)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	h := &house{t: t, clock: &atomic.Int64{}}
	h.clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	var err error
	h.db, err = store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: h.now})
	h.must(err)
	t.Cleanup(func() { _ = h.db.Close() })
	ring, err := seal.Parse(seal.GenerateKey())
	h.must(err)
	h.App = app.New(app.Config{DB: h.db, Ring: ring, Now: h.now})
	_, err = h.FirstStart(t.Context(), "the-admin")
	h.must(err)
	h.admin, err = h.Authenticate(t.Context(), "the-admin")
	h.must(err)
	_, err = h.CreateOrganization(t.Context(), h.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	return h
}

func (h *house) now() time.Time { return time.UnixMilli(h.clock.Load()) }

func (h *house) pass(d time.Duration) { h.clock.Add(d.Milliseconds()) }

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) refused(err error, kind belay.Kind, why string) {
	h.t.Helper()
	if belay.KindOf(err) != kind || !strings.Contains(err.Error(), why) {
		h.t.Errorf("%v, want a refusal that says %q", err, why)
	}
}

func (h *house) workspace(name string) belay.WorkspaceRef {
	h.t.Helper()
	w, err := h.CreateWorkspace(h.t.Context(), h.admin, "acme", belay.WorkspacePatch{Name: patch.Of(name)})
	h.must(err)
	return belay.WorkspaceRef{ID: w.ID}
}
