package workspaces

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// LockOf is the lock of a workspace, and what the visitor may do with it.
func LockOf(s belay.Principal, w *app.WorkspaceView) LockPart {
	l, me := w.Lock, s.Holder()
	mine := l.Held() && l.Holder.Type == me.Type && l.Holder.ID == me.ID
	return LockPart{
		Held: l.Held(), By: frame.HolderName(l.Holder), Reason: l.Reason, At: l.At, Mine: mine, ByRun: l.Held() && l.Holder.Type == "runs",
		MayLock:   !l.Held() && w.Can.Has(belay.LockWorkspace),
		MayUnlock: mine && w.Can.Has(belay.LockWorkspace),
		MayForce:  l.Held() && w.Can.Has(belay.ForceUnlockWorkspace),
	}
}

// Lock locks a workspace.
func Lock(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := v.UI.App.LockWorkspace(t.Context(), t.s, t.ref(), t.PostFormValue("reason"))
		return t.path, err
	})
}

// Unlock unlocks a workspace.
func Unlock(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := v.UI.App.UnlockWorkspace(t.Context(), t.s, t.ref())
		return t.path, err
	})
}

// ForceUnlock takes somebody else's lock away.
func ForceUnlock(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := v.UI.App.ForceUnlockWorkspace(t.Context(), t.s, t.ref())
		return t.path, err
	})
}
