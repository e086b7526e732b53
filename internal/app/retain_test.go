package app

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// aging is the verbs over a fresh database, with a clock that the test moves.
type aging struct {
	blobs blob.Store
	*App
	t     *testing.T
	clock *atomic.Int64
	admin belay.Principal
}

func newAging(t *testing.T, engine string) *aging {
	t.Helper()
	return newAgingAt(t, storetest.URL(t, engine))
}

// newAgingAt is newAging with a database of one's own.
func newAgingAt(t *testing.T, databaseURL string) *aging {
	t.Helper()
	clock := &atomic.Int64{}
	clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	now := func() time.Time { return time.UnixMilli(clock.Load()) }
	db, err := store.Open(t.Context(), store.Options{URL: databaseURL, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	ring, err := seal.Parse(seal.GenerateKey())
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	if err != nil {
		t.Fatal(err)
	}
	a := &aging{App: New(Config{DB: db, Ring: ring, Blobs: blobs, Now: now}), t: t, clock: clock, blobs: blobs}
	_, err = a.FirstStart(t.Context(), "the-admin")
	a.must(err)
	a.admin, err = a.Authenticate(t.Context(), "the-admin")
	a.must(err)
	_, err = a.CreateOrganization(t.Context(), a.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	a.must(err)
	return a
}

func (a *aging) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *aging) pass(d time.Duration) { a.clock.Add(d.Milliseconds()) }

// workspace makes a workspace that was given a number of states.
func (a *aging) workspace(name string, states int) belay.WorkspaceRef {
	a.t.Helper()
	w, err := a.CreateWorkspace(a.t.Context(), a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(name)})
	a.must(err)
	ref := belay.WorkspaceRef{ID: w.ID}
	for serial := range states {
		a.upload(ref, serial)
	}
	return ref
}

func (a *aging) upload(ref belay.WorkspaceRef, serial int) {
	a.t.Helper()
	_, err := a.LockWorkspace(a.t.Context(), a.admin, ref, "")
	a.must(err)
	file := fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"l","outputs":{"n":{"value":%d,"type":"number"}},"resources":[]}`, serial, serial)
	sum := md5.Sum([]byte(file))
	d, err := a.DraftState(a.t.Context(), a.admin, ref)
	a.must(err)
	a.must(d.State(a.t.Context(), strings.NewReader(file)))
	_, err = d.Commit(a.t.Context(), belay.NewState{Serial: int64(serial), MD5: hex.EncodeToString(sum[:]), Lineage: "l"})
	a.must(err)
	_, err = a.UnlockWorkspace(a.t.Context(), a.admin, ref)
	a.must(err)
}

// statuses is what became of the states of a workspace, the newest first.
func (a *aging) statuses(ref belay.WorkspaceRef) (list []belay.StateStatus) {
	a.t.Helper()
	states, _, err := a.StateVersions(a.t.Context(), a.admin, ref, nil, belay.Page{Number: 1, Size: 100})
	a.must(err)
	for _, s := range states {
		list = append(list, s.Status)
	}
	return list
}

func (a *aging) want(step string, ref belay.WorkspaceRef, want ...belay.StateStatus) {
	a.t.Helper()
	if got := a.statuses(ref); !slices.Equal(got, want) {
		a.t.Errorf("%s: %v, want %v", step, got, want)
	}
}

func (a *aging) files() (n int) {
	a.t.Helper()
	a.must(a.blobs.Walk(a.t.Context(), func(string, time.Time) error { n++; return nil }))
	return n
}

func (a *aging) policy(t RetentionTarget, kind belay.RetentionKind, days int) {
	a.t.Helper()
	_, err := a.SetRetention(a.t.Context(), a.admin, t, belay.RetentionPatch{Kind: kind, Days: patch.Of(days)})
	a.must(err)
}

const day = 24 * time.Hour

func TestRetentionGivesUpOldStates(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a := newAging(t, engine)
			kept, soft, gone := belay.StateFinalized, belay.StateSoftDeleted, belay.StatePermanentlyDeleted
			w := a.workspace("network", 3)
			whole := a.workspace("web", 2)
			a.policy(RetentionTarget{Organization: "acme"}, belay.DeleteOlder, 30)
			a.policy(RetentionTarget{Workspace: whole}, belay.DontDelete, 0)

			a.pass(30 * day)
			a.Retain(t.Context())
			a.want("exactly as old as allowed", w, kept, kept, kept)
			a.pass(time.Millisecond)
			a.Retain(t.Context())
			a.want("older", w, kept, soft, soft)
			a.want("kept by its own policy", whole, kept, kept)
			if n := a.files(); n != 5 {
				t.Errorf("%d files, want all 5: soft deleted ones can be restored", n)
			}
			a.pass(belay.BackingWindow - time.Millisecond)
			a.Retain(t.Context())
			a.want("inside the window", w, kept, soft, soft)
			a.pass(time.Millisecond)
			a.Retain(t.Context())
			a.want("after the window", w, kept, gone, gone)
			if n := a.files(); n != 3 {
				t.Errorf("%d files, want the 3 that are kept", n)
			}
			a.Retain(t.Context())
			a.want("done", w, kept, gone, gone)
			a.stillReadable(w)

			a.upload(w, 7)
			a.pass(60 * day)
			a.Retain(t.Context())
			a.want("only the current one is spared", w, kept, soft, gone, gone)
			a.must(a.DropRetention(t.Context(), a.admin, RetentionTarget{Organization: "acme"}))
			a.pass(60 * day)
			a.Retain(t.Context())
			a.want("no policy: nothing more is lost", w, kept, soft, gone, gone)
		})
	}
}

// stillReadable demands that the current state can be read, and its outputs.
func (a *aging) stillReadable(ref belay.WorkspaceRef) {
	a.t.Helper()
	current, err := a.CurrentStateVersion(a.t.Context(), a.admin, ref)
	a.must(err)
	rc, err := a.OpenFile(a.t.Context(), current.State)
	a.must(err)
	a.must(rc.Close())
	outputs, err := a.CurrentStateOutputs(a.t.Context(), a.admin, ref)
	a.must(err)
	if len(outputs) != 1 {
		a.t.Errorf("outputs of the current state: %v", outputs)
	}
}

func TestRetentionIsLeftToWhoeverHoldsItsLease(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a := newAging(t, engine)
			w := a.workspace("network", 2)
			a.policy(RetentionTarget{}, belay.DeleteOlder, 1)
			a.pass(2 * day)
			take := func(holder string, want bool) {
				t.Helper()
				a.must(a.db.Update(t.Context(), func(tx *store.Tx) error {
					got, err := tx.TakeLease(state.RetainName, holder, tx.Now.Add(state.RetainLease))
					if got != want {
						t.Errorf("%s got the lease: %v", holder, got)
					}
					return err
				}))
			}
			take("one", true)
			take("one", true)
			take("two", false)
			a.Retain(t.Context())
			a.want("another server is at it", w, belay.StateFinalized, belay.StateFinalized)
			a.pass(state.RetainLease + time.Millisecond)
			a.Retain(t.Context())
			a.want("that server has gone silent", w, belay.StateFinalized, belay.StateSoftDeleted)
			take("two", true) // it was given back
		})
	}
}

func TestRetentionWorksInBatchesBesideOthers(t *testing.T) {
	storetest.NeedsSlow(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a := newAging(t, engine)
			var all []belay.WorkspaceRef
			for i := range 3 {
				all = append(all, a.workspace(fmt.Sprintf("w%d", i), 90))
			}
			a.policy(RetentionTarget{}, belay.DeleteOlder, 1)
			a.pass(2 * day)
			done := make(chan struct{})
			for range 3 {
				go func() {
					defer func() { done <- struct{}{} }()
					a.Retain(t.Context())
				}()
			}
			for serial := range 5 {
				a.upload(all[0], 100+serial)
			}
			for range 3 {
				<-done
			}
			a.Retain(t.Context())
			for i, ref := range all {
				soft := 0
				for n, status := range a.statuses(ref) {
					if status == belay.StateSoftDeleted {
						soft++
					}
					if n == 0 && status != belay.StateFinalized {
						t.Errorf("the current state of %s is %s", ref.ID, status)
					}
				}
				if want := []int{90, 89, 89}[i]; soft != want {
					t.Errorf("%d states of workspace %d are given up, want %d", soft, i, want)
				}
				a.stillReadable(ref)
			}
		})
	}
}
