package app

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the checksum that the API speaks of
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// eachAging runs a test on every engine.
func eachAging(t *testing.T, test func(t *testing.T, a *aging)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newAging(t, engine))
		})
	}
}

// largeState is a state that is too large to be read while its client waits.
func largeState(serial int) string {
	return fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"l","outputs":{"n":{"value":%d,"type":"number"}},
		"resources":[{"mode":"managed","type":"aws_instance","name":"a","module":"module.net","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]",
		"instances":[{"attributes":{"id":%q}}]}]}`, serial, serial, strings.Repeat("x", smallState))
}

// bring gives a locked workspace a state.
func (a *aging) bring(ref belay.WorkspaceRef, serial int, file string) (StateView, error) {
	a.t.Helper()
	ctx := a.t.Context()
	d, err := a.DraftState(ctx, a.admin, ref)
	a.must(err)
	if err := d.State(ctx, strings.NewReader(file)); err != nil {
		return StateView{}, err
	}
	sum := md5.Sum([]byte(file)) //nolint:gosec // as above
	return d.Commit(ctx, belay.NewState{Serial: int64(serial), MD5: hex.EncodeToString(sum[:])}, "")
}

func (a *aging) lock(ref belay.WorkspaceRef) {
	a.t.Helper()
	_, err := a.LockWorkspace(a.t.Context(), a.admin, ref, "")
	a.must(err)
}

func (a *aging) unlock(ref belay.WorkspaceRef) belay.Workspace {
	a.t.Helper()
	w, err := a.UnlockWorkspace(a.t.Context(), a.admin, ref)
	a.must(err)
	return w.Workspace
}

// refused demands a refusal of a kind that says why.
func (a *aging) refused(err error, kind belay.Kind, why string) {
	a.t.Helper()
	if belay.KindOf(err) != kind || !strings.Contains(err.Error(), why) {
		a.t.Errorf("%v, want a refusal that says %q", err, why)
	}
}

func TestLargeStatesAreReadLater(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		v, err := a.bring(ref, 1, largeState(1))
		a.must(err)
		if w := a.unlock(ref); w.CurrentStateVersionID != v.ID || w.ResourceCount != 0 || v.Processed {
			t.Errorf("before it was read: %+v", w)
		}
		_, err = a.CurrentStateOutputs(ctx, a.admin, ref)
		a.refused(err, belay.NotReady, "being processed")
		a.refused(a.SafeDeleteWorkspace(ctx, a.admin, ref), belay.Conflict, "being processed")

		a.must(a.db.Update(ctx, func(tx *store.Tx) error { // another replica reads it
			leased, err := tx.LeaseState(v.ID, tx.Now.Add(readingLease))
			if !leased {
				t.Error("not leased")
			}
			return err
		}))
		a.readStates(ctx)
		if got, err := a.StateVersion(ctx, a.admin, v.ID); err != nil || got.Processed {
			t.Errorf("read against a lease: %+v, %v", got, err)
		}
		a.pass(2 * readingLease) // that replica is gone
		a.readStates(ctx)
		got, err := a.StateVersion(ctx, a.admin, v.ID)
		a.must(err)
		w, err := a.Workspace(ctx, a.admin, ref)
		a.must(err)
		if !got.Processed || got.Lineage != "l" || w.ResourceCount != 1 || w.StateEngineVersion != "1.9.0" || len(w.OutputIDs) != 1 {
			t.Errorf("after it was read: %+v of %+v", got, w.Workspace)
		}
		list, err := a.CurrentStateOutputs(ctx, a.admin, ref)
		if err != nil || len(list) != 1 || string(list[0].Value) != "1" {
			t.Errorf("outputs: %+v, %v", list, err)
		}
		a.refused(a.SafeDeleteWorkspace(ctx, a.admin, ref), belay.Conflict, "managing resources")
	})
}

func TestStatesThatCannotBeRead(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		_, err := a.bring(ref, 1, `{"version":3,"serial":1}`)
		a.refused(err, belay.Invalid, "version 4 is needed")
		encrypted, err := a.bring(ref, 1, `{"serial":1,"lineage":"l","meta":{},"encrypted_data":"AAAA","encryption_version":"v0"}`)
		a.must(err)
		if !encrypted.Processed || encrypted.Problem == "" || encrypted.Lineage != "l" {
			t.Errorf("an encrypted state: %+v", encrypted)
		}
		a.unlock(ref)
		a.refused(a.SafeDeleteWorkspace(ctx, a.admin, ref), belay.Conflict, "encrypted")
		a.lock(ref)
		_, err = a.bring(ref, 2, `{"lineage":"l","x":"`+strings.Repeat("x", smallState)+`"}`)
		a.refused(err, belay.Invalid, "version")
		padding := strings.Repeat("x", smallState)
		_, err = a.bring(ref, 2, `{"version":4,"terraform_version":"1.9.0","serial":2,"lineage":"other","outputs":{},"resources":[],"x":"`+padding+`"}`)
		a.refused(err, belay.Conflict, "lineage")
		large, err := a.bring(ref, 2, `{"version":4,"terraform_version":"1.9.0","serial":2,"lineage":"l","outputs":{},"resources":[],"x":"`+padding+`"}`)
		a.must(err)
		a.unlock(ref)
		a.readStates(ctx)
		got, err := a.StateVersion(ctx, a.admin, large.ID)
		a.must(err)
		if !got.Processed || got.Problem != "" || got.Lineage != "l" {
			t.Errorf("a large state: %+v", got)
		}
	})
}

func TestOrphansAreSwept(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 2)
		for _, key := range []string{"states/ws-1/sv-1-abc.state", "plans/kept"} {
			_, err := a.blobs.Put(ctx, key, bytes.NewReader([]byte("x")))
			a.must(err)
		}
		swept, err := a.sweep(ctx, time.Now().Add(-time.Minute))
		if err != nil || swept != 0 {
			t.Errorf("swept %d young files, %v", swept, err)
		}
		swept, err = a.sweep(ctx, time.Now().Add(time.Minute))
		if err != nil || swept != 1 {
			t.Errorf("swept %d files, want the one that nothing names: %v", swept, err)
		}
		a.stillReadable(ref)
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		if swept, err = a.sweep(ctx, time.Now().Add(time.Minute)); err != nil || swept != 2 {
			t.Errorf("swept %d files of a workspace that is gone, want 2: %v", swept, err)
		}
	})
}

func TestAFileThatWasChangedIsNotGiven(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 1)
		v, err := a.CurrentStateVersion(ctx, a.admin, ref)
		a.must(err)
		if _, err := a.blobs.Put(ctx, v.State.Key, strings.NewReader("other bytes")); err != nil {
			t.Fatal(err)
		}
		_, rc, err := a.Download(ctx, a.Ticket(false, v.ID, StateObject))
		a.must(err)
		defer func() { _ = rc.Close() }()
		if _, err := new(bytes.Buffer).ReadFrom(rc); err == nil {
			t.Error("other bytes were given for a state")
		}
	})
}

func TestTicketsExpire(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ref := a.workspace("network", 1)
		v, err := a.CurrentStateVersion(t.Context(), a.admin, ref)
		a.must(err)
		open := func(ticket Ticket) error {
			_, rc, err := a.Download(context.Background(), ticket)
			if err == nil {
				_ = rc.Close()
			}
			return err
		}
		ticket := a.Ticket(false, v.ID, StateObject)
		later := ticket
		later.Expires += "0"
		a.refused(open(later), belay.NotFound, "")
		a.refused(open(a.Ticket(true, v.ID, StateObject)), belay.NotFound, "")
		a.pass(ticketLife)
		a.must(open(ticket))
		a.pass(time.Second)
		a.refused(open(ticket), belay.NotFound, "")
	})
}

// TestNobodySweepsTheFilesOfAnotherDatabase starts a server on the wrong database once.
func TestNobodySweepsTheFilesOfAnotherDatabase(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 1)
		a.sweepStateFiles(ctx)
		wrong := newAging(t, "sqlite")
		wrong.blobs = a.blobs
		for _, one := range []*aging{wrong, a} {
			one.pass(2 * 365 * 24 * time.Hour) // every file is old now
			one.sweepStateFiles(ctx)
			a.stillReadable(ref)
		}
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		a.sweepStateFiles(ctx)
		if a.files() != 2 { // another server may have begun a moment ago
			t.Errorf("%d files, want those of the state and of the owner", a.files())
		}
		a.pass(2 * sweepPause)
		a.sweepStateFiles(ctx)
		if a.files() != 1 {
			t.Errorf("%d files, want only the owner's", a.files())
		}
	})
}
