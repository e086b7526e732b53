package workspaces

import (
	"cmp"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// LockOf is the lock of a workspace, and what the visitor may do with it.
func LockOf(s belay.Principal, w *app.WorkspaceView) LockPart {
	l, me := w.Lock, s.Holder()
	mine := l.Held() && l.Holder.Type == me.Type && l.Holder.ID == me.ID
	part := LockPart{
		Held: l.Held(), By: frame.HolderName(l.Holder), Reason: l.Reason, At: l.At, Mine: mine, ByRun: l.Held() && l.Holder.Type == "runs",
		MayLock:   !l.Held() && w.Can.Has(belay.LockWorkspace),
		MayUnlock: mine && w.Can.Has(belay.LockWorkspace),
		MayForce:  l.Held() && w.Can.Has(belay.ForceUnlockWorkspace),
	}
	if part.ByRun && w.Can.Has(belay.ReadRuns) {
		part.RunPath = RunPath(w.Organization.Name, w.Name, l.Holder.ID)
	}
	part.MayAsk = l.Held() && !mine && !part.ByRun && me.Type == "users" && w.Can.Has(belay.LockWorkspace)
	return part
}

// QuestionRow is what somebody asks the holder of a lock.
type QuestionRow struct {
	By, Text string
	At       time.Time
}

// Questions is what the holders of locks are asked, by workspace, with the names of those who ask.
func Questions(v *frame.Visit, list ...app.WorkspaceView) (map[string][]QuestionRow, error) {
	var ids []string
	for i := range list {
		for _, q := range list[i].Lock.Questions {
			ids = append(ids, q.UserID)
		}
	}
	rows := map[string][]QuestionRow{}
	if ids == nil {
		return rows, nil
	}
	names, err := v.Names(ids...)
	for i := range list {
		for _, q := range list[i].Lock.Questions {
			rows[list[i].ID] = append(rows[list[i].ID], QuestionRow{cmp.Or(names[q.UserID], "somebody who is gone"), q.Text, q.At})
		}
	}
	return rows, err
}

// Lock locks a workspace, and goes on to roll it back where that asked for the lock.
func Lock(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := v.UI.App.LockWorkspace(t.Context(), t.s, t.ref(), t.PostFormValue("reason"))
		if serial, none := strconv.ParseUint(t.PostFormValue("rollback"), 10, 63); none == nil {
			return t.path + "/state/" + strconv.FormatUint(serial, 10) + "?rollback", err
		}
		return t.path, err
	})
}

// AskHolder asks whoever holds the lock of a workspace.
func AskHolder(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := v.UI.App.AskHolder(t.Context(), t.s, t.ref(), t.PostFormValue("question"))
		return t.path, err
	})
}

// Unlock unlocks a workspace, and goes on to the state that waited for it where that is what asked.
func Unlock(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		_, err := v.UI.App.UnlockWorkspace(t.Context(), t.s, t.ref())
		if t.PostFormValue("waits") != "" {
			return t.path + "/state", err
		}
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
