package repos_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/forgetest"
)

// TestHooksWhileTheirSecretIsAnother: one delivery that comes many times at once, while the secret is changed over
// and over, is taken each time that the secret is still good, and makes one run.
func TestHooksWhileTheirSecretIsAnother(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		before := h.forge.Commit("main.tf", "1")
		ref := h.workspace("network", nil)
		h.settle()
		commit := h.forge.Commit("main.tf", "2")
		hook := h.hook(ref)
		header, raw := h.sent(hook, "push", "d", forgetest.Push("refs/heads/main", before, commit, "main.tf"))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 5 {
					if err := h.Receive(h.t.Context(), hook.ID, header, raw); err != nil && belay.KindOf(err) != belay.Unauthenticated {
						h.t.Errorf("a delivery: %v", err)
					}
				}
			})
		}
		all.Go(func() { // the secret of before is good for a day, the one before that is not
			for range 3 {
				if _, err := h.RotateSecret(h.t.Context(), h.admin, ref); err != nil {
					h.t.Errorf("another secret: %v", err)
				}
			}
		})
		all.Wait()
		h.must(h.Receive(h.t.Context(), hook.ID, again(h, ref, raw), raw))
		h.settle()
		if list := h.runsOf(ref); len(list) != 2 || list[1].CommitSHA != commit {
			h.t.Errorf("the runs: %s", short(list))
		}
	})
}

// again is the headers of a delivery, signed with the secret that is good now.
func again(h *house, ref belay.WorkspaceRef, raw []byte) map[string][]string {
	h.t.Helper()
	hook := h.hook(ref)
	secret, err := h.ring.Unseal(hook.SealedSecret, hook.ID)
	h.must(err)
	return forgetest.Sign(secret, "push", "d", raw)
}

// TestHooksWhileTheirConnectionGoes: whoever sends one is told that there is no such hook, and nothing else.
func TestHooksWhileTheirConnectionGoes(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "1")
		ref := h.workspace("network", nil)
		h.settle()
		hook := h.hook(ref)
		list, _, err := h.verbs.OAuthClients(h.t.Context(), h.admin, "acme", belay.Page{Number: 1, Size: 1})
		h.must(err)
		var all, begun sync.WaitGroup
		begun.Add(8)
		for of := range 8 {
			all.Go(func() {
				for i := range 1000 {
					if i == 3 {
						begun.Done()
					}
					header, raw := h.sent(hook, "push", fmt.Sprint("d", of, "-", i), forgetest.Push("refs/heads/nobody", "", strings.Repeat("a", 40), "main.tf"))
					if err := h.Receive(h.t.Context(), hook.ID, header, raw); err != nil {
						if belay.KindOf(err) != belay.NotFound {
							h.t.Errorf("a delivery to what goes: %v", err)
						}
						return
					}
				}
			})
		}
		begun.Wait()
		h.must(h.verbs.DeleteOAuthClient(h.t.Context(), h.admin, list[0].ID))
		all.Wait()
		h.settle()
		w, err := h.verbs.Workspace(h.t.Context(), h.admin, ref)
		h.must(err)
		if w.VCSRepo != nil {
			h.t.Error("the workspace has its repository still")
		}
	})
}
