package store_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/storetest"
)

// TestCountersAreWhatACountFinds makes, moves and deletes workspaces of an organization from
// many sides at once, and then counts.
func TestCountersAreWhatACountFinds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		o := putWorkspaces(t, db, 0)
		other := belay.Project{ID: belay.NewID("prj"), OrganizationID: o.ID, Name: "other"}
		if err := db.Update(ctx, func(tx *store.Tx) error { return tx.AddProject(&other) }); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for side := range 8 {
			all.Go(func() {
				for i := range 25 {
					if err := makeAndMove(ctx, db, o, other, side*1000+i); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		for _, wrong := range []string{
			"SELECT count(*) FROM projects p WHERE " + string(base.CountedIn("p")) + " <> (SELECT count(*) FROM workspaces w WHERE w.project_id = p.id AND w.name <> 'first')",
			"SELECT count(*) FROM organizations o WHERE " + string(base.Counted("o")) + " <> (SELECT count(*) FROM workspaces w WHERE w.organization_id = o.id AND w.name <> 'first')",
			"SELECT 144 - " + string(base.Counted("organizations")) + " FROM organizations",
		} {
			if n, err := db.Ask(ctx, wrong); n != 0 || err != nil {
				t.Errorf("%d, %v: %s", n, err, wrong)
			}
		}
	})
}

// makeAndMove makes a workspace; every third moves, and every fourth is deleted again.
func makeAndMove(ctx context.Context, db *store.DB, o belay.Organization, other belay.Project, number int) error {
	home := belay.Project{ID: o.DefaultProjectID, OrganizationID: o.ID}
	var w belay.Workspace
	err := db.Update(ctx, func(tx *store.Tx) error {
		w = belay.NewWorkspace(o, home, tx.Now)
		w.Name = "n" + strconv.Itoa(number)
		tx.CountWorkspace(&w, 1)
		return tx.AddWorkspace(&w)
	})
	if err == nil && number%3 == 0 {
		err = db.Update(ctx, func(tx *store.Tx) error {
			before := w
			w.ProjectID = other.ID
			tx.MoveWorkspace(&w, before.ProjectID)
			return tx.SaveWorkspace(&w, &before)
		})
	}
	if err == nil && number%4 == 0 {
		err = db.Update(ctx, func(tx *store.Tx) error {
			tx.CountWorkspace(&w, -1)
			return tx.DropWorkspace(&w)
		})
	}
	return err
}

// TestCountersGoWithTheCommit: the rows that everybody counts in are held for no round trip.
func TestCountersGoWithTheCommit(t *testing.T) {
	t.Parallel()
	at, err := url.Parse(storetest.URL(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	wire := listenTo(t, at.Host)
	at.Host = wire.address
	db, err := store.Open(t.Context(), store.Options{URL: at.String() + "&pool_max_conns=4"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	o := putWorkspaces(t, db, 0)
	w := belay.Workspace{OrganizationID: o.ID, ProjectID: o.DefaultProjectID}
	trips := func(fn func(*store.Tx) error) (least int64) { // of five times: a connection that was idle for a second is asked whether it lives
		for i := range 5 {
			before := wire.trips.Load()
			if err := db.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
			if took := wire.trips.Load() - before; i == 0 || took < least {
				least = took
			}
		}
		return least
	}
	counting := func(tx *store.Tx) error { tx.CountWorkspace(&w, 1); return nil }
	trips(counting) // prepares its statements
	if nothing, counted := trips(func(*store.Tx) error { return nil }), trips(counting); nothing != 0 || counted != 1 {
		t.Errorf("a transaction that counts takes %d round trips, one of nothing %d", counted, nothing)
	}
	if n, err := db.Ask(t.Context(), "SELECT "+string(base.Counted("organizations"))+" FROM organizations"); n != 10 || err != nil {
		t.Errorf("%d are counted, %v", n, err)
	}
	// What fails last is undone with all before it, and the connection is as good as before.
	w.ProjectID = "none"
	err = db.Update(t.Context(), func(tx *store.Tx) error {
		tx.CountWorkspace(&w, 1<<62)
		tx.CountWorkspace(&w, 1<<62-1)
		return nil
	})
	if err == nil {
		t.Error("a counter has no end")
	}
	if n, err := db.Ask(t.Context(), "SELECT "+string(base.Counted("organizations"))+" FROM organizations"); n != 10 || err != nil {
		t.Errorf("%d are counted after a failure, %v", n, err)
	}
}

// wire passes on what a program and PostgreSQL say, and counts the program's round trips.
type wire struct {
	address string
	trips   atomic.Int64
}

func listenTo(t *testing.T, server string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	w := &wire{address: listener.Addr().String()}
	go func() {
		for {
			program, err := listener.Accept()
			if err != nil {
				return
			}
			database, err := net.Dial("tcp", server)
			if err != nil {
				_ = program.Close()
				return
			}
			go func() { _, _ = io.Copy(program, database); _ = program.Close() }()
			go func() { w.listen(program, database); _ = database.Close() }()
		}
	}()
	return w
}

// listen passes on message by message. A query and a sync each wait for an answer.
func (w *wire) listen(program io.Reader, database io.Writer) {
	for first := true; ; first = false {
		head := make([]byte, 5)
		if first { // the first message has no type
			head = head[:4]
		}
		if _, err := io.ReadFull(program, head); err != nil {
			return
		}
		rest := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(program, rest); err != nil {
			return
		}
		if !first && (head[0] == 'Q' || head[0] == 'S') {
			w.trips.Add(1)
		}
		if _, err := database.Write(slices.Concat(head, rest)); err != nil {
			return
		}
	}
}
