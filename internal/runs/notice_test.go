package runs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// listener is a configuration of the workspace that hears of everything that happens to its
// runs.
func (h *house) listener() string {
	h.t.Helper()
	n, err := h.verbs.CreateNotification(h.t.Context(), h.admin, notices.Notification{WorkspaceID: h.ws.ID}, notices.NotificationPatch{
		Name: patch.Of("all"), Destination: patch.Of(notices.EmailDestination), Enabled: patch.Of(true),
		Triggers: patch.Of([]string{"run:created", "run:planning", "run:needs_attention", "run:applying", "run:completed", "run:errored"}),
	})
	h.must(err)
	return n.ID
}

// told is what a configuration is to hear of a run, in order: trigger, status, and who.
func (h *house) told(notification, runID string) string {
	h.t.Helper()
	var list []notices.Delivery
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		list, _, err = v.Deliveries(notification, notices.DeliveryQuery{Page: belay.Page{Number: 1, Size: 100}})
		return err
	}))
	slices.SortFunc(list, func(a, b notices.Delivery) int { return a.RunPlace - b.RunPlace })
	var told []string
	for _, d := range list {
		if d.RunID == runID {
			told = append(told, strings.TrimSpace(strings.TrimPrefix(d.Trigger, "run:")+" "+d.RunStatus+" "+d.ActedBy))
		}
	}
	return strings.Join(told, ", ")
}

func TestWhoListensHearsOfRuns(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx, n := t.Context(), h.listener()
		hears := func(r run.Run, want string) {
			t.Helper()
			if got := h.told(n, r.ID); got != want {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		r := h.create(nil)
		h.plan()
		h.must(h.Apply(ctx, h.admin, r.ID, ""))
		h.apply()
		hears(r, "created pending admin, planning planning, needs_attention planned, applying applying, completed applied")

		r = h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		h.apply()
		hears(r, "created pending admin, planning planning, applying applying, completed applied")

		r = h.create(nil)
		j, _ := h.started()
		h.end(j, planned(false))
		hears(r, "created pending admin, planning planning, completed planned_and_finished")

		r = h.create(nil)
		j, _ = h.started()
		h.end(j, run.End{Outcome: run.Failed})
		hears(r, "created pending admin, planning planning, errored errored")

		r = h.create(nil)
		h.plan()
		h.must(h.Discard(ctx, h.admin, r.ID, ""))
		hears(r, "created pending admin, planning planning, needs_attention planned, errored discarded admin")

		r = h.create(func(w *run.Wanted) { w.PlanOnly = patch.Of(true) })
		h.plan()
		hears(r, "")

		r = h.create(func(w *run.Wanted) { w.SavePlan = patch.Of(true) })
		h.plan()
		hears(r, "")
		h.must(h.Apply(ctx, h.admin, r.ID, ""))
		h.apply()
		hears(r, "applying applying, completed applied")
	})
}
