package ui

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

func lockOf(s belay.Principal, w *app.WorkspaceView) lockPart {
	l, me := w.Lock, s.Holder()
	mine := l.Held() && l.Holder.Type == me.Type && l.Holder.ID == me.ID
	return lockPart{
		Held: l.Held(), By: holderName(l.Holder), Reason: l.Reason, At: l.At, Mine: mine, ByRun: l.Held() && l.Holder.Type == "runs",
		MayLock:   !l.Held() && w.Can.Has(belay.LockWorkspace),
		MayUnlock: mine && w.Can.Has(belay.LockWorkspace),
		MayForce:  l.Held() && w.Can.Has(belay.ForceUnlockWorkspace),
	}
}

func (u *UI) lock(v *visit) {
	u.actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := u.App.LockWorkspace(t.Context(), t.s, t.ref(), t.PostFormValue("reason"))
		return t.path, err
	})
}

func (u *UI) unlock(v *visit) {
	u.actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := u.App.UnlockWorkspace(t.Context(), t.s, t.ref())
		return t.path, err
	})
}

func (u *UI) forceUnlock(v *visit) {
	u.actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := u.App.ForceUnlockWorkspace(t.Context(), t.s, t.ref())
		return t.path, err
	})
}
