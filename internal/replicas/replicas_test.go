package replicas_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/replicas"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/site"
)

// TestServersTellOfThemselves to those of the same PostgreSQL, until they stop; who was killed is forgotten when another
// of its name is there, or after a day.
func TestServersTellOfThemselves(t *testing.T) {
	t.Parallel()
	now, ctx := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), t.Context()
	db, err := store.Open(ctx, store.Options{URL: storetest.URL(t, "postgres"), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	server := func(name, version string) *replicas.Room {
		return replicas.New(db, slog.New(slog.DiscardHandler), name, version)
	}
	tells := func(when string, want ...string) {
		t.Helper()
		var list []site.Replica
		if err := db.View(ctx, func(v *store.View) (err error) { list, err = v.Replicas(); return err }); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list {
			state := " heard"
			if r.Silent(now) {
				state = " silent"
			}
			got = append(got, r.Name+" "+r.Version+state)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", when, got, want)
		}
	}
	tells("before anybody")
	one, two, killed := server("host-1", "1.0"), server("host-2", "1.1"), server("host-3", "1.0")
	for _, s := range []*replicas.Room{one, two, killed} {
		s.Beat(ctx)
		s.Beat(ctx)
	}
	tells("all", "host-1 1.0 heard", "host-2 1.1 heard", "host-3 1.0 heard")
	now = now.Add(4 * time.Minute)
	one.Beat(ctx)
	two.Beat(ctx)
	tells("one is killed", "host-1 1.0 heard", "host-2 1.1 heard", "host-3 1.0 silent")
	two.Leave(ctx)
	tells("one has stopped", "host-1 1.0 heard", "host-3 1.0 silent")
	server("host-3", "1.1").Beat(ctx)
	tells("the killed one is there again", "host-1 1.0 heard", "host-3 1.1 heard")
	now = now.Add(25 * time.Hour)
	one.Beat(ctx)
	tells("a day later", "host-1 1.0 heard")
	ended, end := context.WithCancel(ctx)
	end()
	one.Run(ended)
	tells("all have stopped")
}
