package deliver_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/deliver"
	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/notices"
)

// scene is a database with a workspace and a webhook that hears of it.
type scene struct {
	t         *testing.T
	db        *store.DB
	ring      *seal.Ring
	workspace belay.Workspace
	mu        sync.Mutex
	heard     map[string]int // by X-Delivery-Id
}

func newScene(t *testing.T, db *store.DB) *scene {
	t.Helper()
	ring, err := seal.Open(seal.GenerateKey(), t.TempDir(), true)
	check(t, err)
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	check(t, err)
	s := &scene{t: t, db: db, ring: ring, heard: map[string]int{}}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		if bytes.Contains(raw, []byte(notices.TriggerVerification)) {
			return
		}
		if r.Header.Get("X-TFE-Notification-Signature") == deliver.Sign("secret", raw) {
			s.heard[r.Header.Get("X-Delivery-Id")]++
		}
	}))
	t.Cleanup(hook.Close)
	verbs := app.New(app.Config{DB: db, Ring: ring, Blobs: blobs, Probe: s.deliverer().Probe})
	token, err := verbs.FirstStart(t.Context(), "admin")
	check(t, err)
	admin, err := verbs.Authenticate(t.Context(), token)
	check(t, err)
	_, err = verbs.CreateOrganization(t.Context(), admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("acme@example.com")})
	check(t, err)
	w, err := verbs.CreateWorkspace(t.Context(), admin, "acme", belay.WorkspacePatch{Name: patch.Of("network")})
	check(t, err)
	s.workspace = w.Workspace
	_, err = verbs.CreateNotification(t.Context(), admin, notices.Notification{WorkspaceID: w.ID}, notices.NotificationPatch{
		Name: patch.Of("hook"), Destination: patch.Of(notices.GenericDestination), URL: patch.Of(hook.URL), Token: patch.Of("secret"),
		Enabled: patch.Of(true), Triggers: patch.Of([]string{notices.TriggerChangeRequest, notices.TriggerDestroyReminder}),
	})
	check(t, err)
	return s
}

func (s *scene) deliverer() *deliver.Deliverer {
	opened, err := egress.Parse("127.0.0.1")
	check(s.t, err)
	d := deliver.New(deliver.Options{DB: s.db, Ring: s.ring, Egress: opened, Retry: 10 * time.Millisecond, Timeout: time.Minute})
	d.LinkTo("https://belay.example.com")
	return d
}

// file files a change request; before runs in its transaction, after the event.
func (s *scene) file(before func()) error {
	return s.db.Update(context.Background(), func(tx *store.Tx) error {
		b := backlog.BulkAction{ID: belay.NewID("eba"), OrganizationID: s.workspace.OrganizationID, Subject: "s", Message: "m", CreatedAt: tx.Now}
		if err := tx.AddBulkAction(&b); err != nil {
			return err
		}
		if _, err := tx.AddChangeRequests(&b, store.Filings([]string{s.workspace.ID})); err != nil {
			return err
		}
		err := tx.Emit(belay.Event{Kind: notices.EventBulkActionCreated, OrganizationID: b.OrganizationID, ResourceID: b.ID})
		before()
		return err
	})
}

func (s *scene) arrived() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heard)
}

func (s *scene) waitFor(n int) {
	s.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if s.arrived() >= n {
			return
		}
	}
	s.t.Fatalf("%d arrived, want %d", s.arrived(), n)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDeliverersShareTheWork(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newScene(t, db)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		for range 3 {
			running.Go(func() { s.deliverer().Run(ctx) })
		}
		var filing sync.WaitGroup
		for range 4 {
			filing.Go(func() {
				for range 25 {
					if err := s.file(func() {}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		filing.Wait()
		s.waitFor(100)
		s.mu.Lock()
		defer s.mu.Unlock()
		for id, n := range s.heard {
			if n != 1 {
				t.Errorf("%s came %d times though nothing failed", id, n)
			}
		}
	})
}

func TestAnEventThatIsCommittedLateIsNotMissed(t *testing.T) {
	t.Parallel()
	s := newScene(t, storetest.Open(t, "postgres")) // SQLite has one writer: nothing there is late
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { s.deliverer().Run(ctx) })
	early, emitted, failed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		failed <- s.file(func() {
			close(emitted)
			<-early
		})
	}()
	<-emitted
	check(t, s.file(func() {})) // a later event, committed earlier
	s.waitFor(1)
	close(early)
	check(t, <-failed)
	s.waitFor(2)
}

func TestAnAbandonedClaimIsDueAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newScene(t, db)
		check(t, s.file(func() {}))
		var rows []notices.Delivery
		check(t, db.Update(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.FanOut(false); err != nil {
				return err
			}
			lanes, err := tx.DueLanes(tx.Now.Add(time.Second))
			if err != nil || len(lanes) != 1 {
				t.Fatalf("%d lanes, %v", len(lanes), err)
			}
			rows, err = tx.Claim(lanes[0], 10, tx.Now.Add(200*time.Millisecond)) // and dies
			if err == nil && len(rows) == 1 {
				var again []notices.Delivery
				again, err = tx.Claim(lanes[0], 10, tx.Now.Add(time.Minute))
				rows = slices.Concat(rows, again)
			}
			return err
		}))
		if len(rows) != 1 {
			t.Fatalf("claimed %d rows, want one, once", len(rows))
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() { s.deliverer().Run(ctx) })
		s.waitFor(1)
		late := rows[0]
		late.Status, late.Response = notices.DeliveryDeadLettered, &notices.DeliveryResponse{Body: "too late"}
		check(t, db.Update(t.Context(), func(tx *store.Tx) error { return tx.FinishDelivery(&late) }))
		check(t, db.View(t.Context(), func(v *store.View) error {
			list, _, err := v.Deliveries(late.NotificationID, notices.DeliveryQuery{Statuses: []notices.DeliveryStatus{notices.DeliveryDeadLettered}, Page: belay.Page{Number: 1, Size: 20}})
			if len(list) != 0 {
				t.Error("whoever lost its claim wrote over the one who had it")
			}
			return err
		}))
	})
}

// TestNothingIsToldOfADeletedOrganization deletes it while something of it waits to be told.
func TestNothingIsToldOfADeletedOrganization(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newScene(t, db)
		tell := func(id string, bury bool) {
			check(t, db.Update(t.Context(), func(tx *store.Tx) error {
				w, err := tx.Workspace(belay.WorkspaceRef{ID: s.workspace.ID})
				if err == nil {
					err = tx.TellOfDestroy(notices.Delivery{EventID: id, Trigger: notices.TriggerDestroyReminder, Destroy: &belay.DestroyNews{At: tx.Now}}, &w)
				}
				if err != nil || !bury {
					return err
				}
				o, err := tx.Organization("acme")
				if err != nil {
					return err
				}
				return tx.BuryOrganization(&o)
			}))
		}
		tell("ev-before", false)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() { s.deliverer().Run(ctx) })
		s.waitFor(1)
		tell("ev-after", true)
		waits := true
		for deadline := time.Now().Add(5 * time.Minute); waits && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			check(t, db.View(t.Context(), func(v *store.View) error {
				lanes, err := v.DueLanes(time.Now().Add(time.Hour))
				waits = len(lanes) > 0
				return err
			}))
		}
		if waits || s.arrived() != 1 {
			t.Errorf("%d arrived, want what came before the end; one waits: %v", s.arrived(), waits)
		}
	})
}
