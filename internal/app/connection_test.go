package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestWhatManyWorkspacesUseIsDeletedInParts: no workspace shows a connection or a key that is
// gone, and writing that down holds nobody up.
func TestWhatManyWorkspacesUseIsDeletedInParts(t *testing.T) {
	storetest.NeedsSlow(t)
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		key, err := a.CreateSSHKey(ctx, a.admin, "acme", inputs.SSHKeyPatch{Name: patch.Of("deploy"), Value: patch.Of("k")})
		a.must(err)
		client, err := a.CreateOAuthClient(ctx, a.admin, "acme", forge.OAuthClientPatch{
			ServiceProvider: patch.Of("github"), HTTPURL: patch.Of("https://github.com"), APIURL: patch.Of("https://api.github.com"), TokenString: patch.Of("t"),
		})
		a.must(err)
		const many = 3*store.RowsAtOnce + 1
		var last belay.WorkspaceRef
		for i := range many {
			w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{
				Name:    patch.Of(fmt.Sprintf("w%04d", i)),
				VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/app"), OAuthTokenID: patch.Of(client.TokenIDs[0])}),
			})
			a.must(err)
			last = belay.WorkspaceRef{ID: w.ID}
			_, err = a.AssignSSHKey(ctx, a.admin, last, key.ID)
			a.must(err)
		}
		connected := func() int {
			return len(a.explored("type=workspaces&fields=workspace_name&filter[0][vcs_repo_identifier][is][0]=acme/app"))
		}
		if n := connected(); n == 0 {
			t.Fatal("no workspace has a repository")
		}
		a.db.HeaviestWrite()
		a.must(a.DeleteOAuthClient(ctx, a.admin, client.ID))
		a.must(a.DeleteSSHKey(ctx, a.admin, key.ID))
		bare := func(when string) {
			t.Helper()
			list, total, err := a.Workspaces(ctx, a.admin, "acme", belay.WorkspaceQuery{Page: belay.Page{Number: 1, Size: many}})
			if err != nil || total != many {
				t.Fatalf("%s: %d workspaces, %v", when, total, err)
			}
			for _, w := range list {
				if w.VCSRepo != nil || w.VCSTokenID != "" || w.SSHKeyID != "" {
					t.Fatalf("%s: %s has the repository %v and the key %q", when, w.Name, w.VCSRepo, w.SSHKeyID)
				}
			}
			if n := connected(); n > 0 {
				t.Errorf("%s: the explorer finds %d with a repository", when, n)
			}
		}
		bare("deleted")
		_, err = a.LockWorkspace(ctx, a.admin, last, "")
		a.must(err)
		a.ForgetDeleted(ctx)
		if n := a.db.HeaviestWrite(); n > 2*store.RowsAtOnce+10 {
			t.Errorf("a transaction had %d rows", n)
		}
		bare("forgotten")
		more, err := a.db.ForgetSome(ctx)
		if err != nil || more {
			t.Errorf("there is more to forget: %v, %v", more, err)
		}
	})
}

// TestManyWorkspacesAreMovedAndTaggedAtOnce: all of them or none, also for whoever looks
// meanwhile; and what is told of them is told once, by the next server when this one goes.
func TestManyWorkspacesAreMovedAndTaggedAtOnce(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		other, err := a.CreateProject(ctx, a.admin, "acme", belay.ProjectPatch{Name: patch.Of("other")})
		a.must(err)
		tagged, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of("tagged"), Tags: []belay.TagRef{{Name: "red"}}})
		a.must(err)
		red := func() belay.Tag {
			tags, _, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Page: firstPage})
			a.must(err)
			return tags[0]
		}
		var ids []string
		for i := range belay.MaxListed - 1 {
			ids = append(ids, a.workspace(fmt.Sprintf("w%04d", i), 0).ID)
		}
		wrong := append(slices.Clone(ids), "ws-none")
		if err := a.MoveWorkspaces(ctx, a.admin, other.ID, wrong); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("moved with one that is not there: %v", err)
		}
		if err := a.TagWorkspaces(ctx, a.admin, red().ID, wrong); belay.KindOf(err) != belay.NotFound {
			t.Errorf("tagged with one that is not there: %v", err)
		}
		counts := func(when string, inOther, carry int) {
			t.Helper()
			p, err := a.Project(ctx, a.admin, other.ID)
			a.must(err)
			if p.WorkspaceCount != inOther || red().InstanceCount != carry {
				t.Errorf("%s: %d are in the project, %d carry the tag, want %d and %d", when, p.WorkspaceCount, red().InstanceCount, inOther, carry)
			}
		}
		counts("refused", 0, 1)
		told := a.told()
		a.db.HeaviestWrite()
		done, looks := make(chan struct{}), 0
		var looking sync.WaitGroup
		looking.Go(func() {
			for ; ; looks++ {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
				p, err := a.Project(ctx, a.admin, other.ID)
				if err != nil || p.WorkspaceCount != 0 && p.WorkspaceCount != belay.MaxListed {
					t.Errorf("looked in between: %d are in the project, %v", p.WorkspaceCount, err)
				}
				if n := red().InstanceCount; n != 1 && n != belay.MaxListed {
					t.Errorf("looked in between: %d carry the tag", n)
				}
			}
		})
		a.must(a.MoveWorkspaces(ctx, a.admin, other.ID, append(ids, tagged.ID)))
		a.must(a.TagWorkspaces(ctx, a.admin, red().ID, append(ids, tagged.ID)))
		close(done)
		looking.Wait()
		if n := a.told() - told; n != 2*belay.MaxListed-1 || looks == 0 {
			t.Errorf("%d events of %d, looked %d times", n, 2*belay.MaxListed-1, looks)
		}
		if n := a.db.HeaviestWrite(); n > 3*belay.MaxListed+50 {
			t.Errorf("a transaction had %d rows", n)
		}
		counts("done", belay.MaxListed, belay.MaxListed)
		told = a.told()
		a.must(a.db.Update(store.WithRequest(ctx, "req-1"), func(tx *store.Tx) error { // and no more of it: the server ends
			return tx.EmitLater(record.OfWorkspaces(a.admin, "workspace.updated", slices.Repeat([]belay.Workspace{tagged.Workspace}, belay.MaxListed)), store.EventsAtOnce)
		}))
		counted := a.told()
		var next sync.WaitGroup
		for range 3 {
			next.Go(func() { record.TellLeft(ctx, a.db, a.log) })
		}
		next.Wait()
		if after := a.told(); counted != told || after != told+belay.MaxListed {
			t.Errorf("%d events were left for later: of %d there were %d, and then %d", belay.MaxListed, told, counted, after)
		}
		a.must(a.MoveWorkspaces(ctx, a.admin, other.ID, nil))
		if err := a.MoveWorkspaces(ctx, a.admin, "prj-none", nil); belay.KindOf(err) != belay.NotFound {
			t.Errorf("moved to a project that is not there: %v", err)
		}
	})
}

// TestMovesWaitInLineBeforeTheyBegin: on PostgreSQL, where they would wait for one another's rows; what is told of them is not waited for, and nor
// is anybody who may not see the project.
func TestMovesWaitInLineBeforeTheyBegin(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		if a.db.OneWriter() { // which is line enough
			return
		}
		ctx := t.Context()
		p, err := a.CreateProject(ctx, a.admin, "acme", belay.ProjectPatch{Name: patch.Of("other")})
		a.must(err)
		id := a.workspace("moved", 0).ID
		begun, end := make(chan struct{}), make(chan struct{})
		var moving sync.WaitGroup
		moving.Go(func() {
			a.must(a.db.Update(store.InLine(fair.As(ctx, "who moves"), p.OrganizationID), func(*store.Tx) error {
				close(begun)
				<-end
				return nil
			}))
		})
		<-begun
		soon, cancel := context.WithTimeout(fair.As(ctx, "one"), 50*time.Millisecond)
		defer cancel()
		if err := a.MoveWorkspaces(soon, a.admin, p.ID, []string{id}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while another moves: %v", err)
		}
		stranger := belay.Principal{Kind: belay.UserPrincipal, ID: "user-none"}
		if err := a.MoveWorkspaces(fair.As(ctx, "stranger"), stranger, p.ID, []string{id}); belay.KindOf(err) != belay.NotFound {
			t.Errorf("who may not see the project: %v", err)
		}
		close(end)
		moving.Wait()
		a.must(a.MoveWorkspaces(fair.As(ctx, "one"), a.admin, p.ID, []string{id}))
	})
}

// told is how many events there are.
func (a *aging) told() (n int) {
	a.t.Helper()
	_, n, err := a.AuditTrail(a.t.Context(), a.admin, "acme", belay.AuditQuery{Page: firstPage})
	a.must(err)
	return n
}
