package repos_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
)

// forgotten is a hook as it is written down when whoever made it at the service died before it said so.
func (h *house) forgotten(ref belay.WorkspaceRef) {
	h.t.Helper()
	hook := h.hook(ref)
	hook.RemoteID, hook.State, hook.WorkAt = "", forge.HookWanted, h.now()
	h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error { return tx.SaveHook(&hook) }))
}

// one demands that the service has one hook, which is the one that is written down.
func (h *house) one(ref belay.WorkspaceRef) {
	h.t.Helper()
	hook := h.hook(ref)
	secret, err := h.ring.Unseal(hook.SealedSecret, hook.ID)
	h.must(err)
	h.forge.Lock()
	defer h.forge.Unlock()
	there := h.forge.Hooks[hook.RemoteID]
	if len(h.forge.Hooks) != 1 || there.Secret != string(secret) || hook.State != forge.HookMade {
		h.t.Errorf("the service has %v, written down is %s %q", h.forge.Hooks, hook.State, hook.RemoteID)
	}
}

// TestAHookThatWasForgottenIsFound: whoever makes a hook may die before it is written down, or hear no
// answer. The next try finds it by its address, and so does a removal; those of others stay.
func TestAHookThatWasForgottenIsFound(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "")
		ref := h.workspace("network", nil)
		h.settle()
		h.forgotten(ref)
		h.settle()
		if n := h.forge.Count(func(f *forgetest.Forge) int { return f.Made }); n != 2 {
			h.t.Fatalf("%d hooks were made", n)
		}
		h.one(ref)

		h.forgotten(ref)
		h.forge.Lock()
		h.forge.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost {
				h.forge.API(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler) // it is made, and nobody hears of it
			}
			return false
		}
		h.forge.Unlock()
		h.settle()
		h.forge.Lock()
		h.forge.Before = nil
		h.forge.Unlock()
		if hook := h.hook(ref); hook.RemoteID != "" || hook.State != forge.HookWanted {
			h.t.Fatalf("without an answer the hook is %s %q", hook.State, hook.RemoteID)
		}
		h.pass(time.Hour)
		h.settle()
		h.one(ref)

		h.forge.Lock()
		h.forge.Hooks["99"] = forgetest.Hook{URL: "https://ci.example.com/hook"}
		h.forge.Unlock()
		h.forgotten(ref)
		_, err := h.verbs.UpdateWorkspace(h.t.Context(), h.admin, ref, belay.WorkspacePatch{VCSRepo: patch.Null[belay.VCSRepoPatch]()})
		h.must(err)
		h.settle()
		h.forge.Lock()
		defer h.forge.Unlock()
		if _, others := h.forge.Hooks["99"]; !others || len(h.forge.Hooks) != 1 {
			h.t.Errorf("after the last workspace is disconnected the service has %v", h.forge.Hooks)
		}
	})
}
