package runs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/changes"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// file files a change request on a workspace and returns it.
func (h *house) file(w belay.Workspace, subject string) backlog.ChangeRequest {
	h.t.Helper()
	kind := "change_request"
	_, _, err := h.verbs.CreateBulkAction(h.t.Context(), h.admin, "acme", changes.BulkOrder{
		ActionType: &kind, Subject: subject, Message: "m", TargetIDs: &[]string{w.ID},
	})
	h.must(err)
	list, _, err := h.verbs.WorkspaceChangeRequests(h.t.Context(), h.admin, belay.WorkspaceRef{ID: w.ID}, backlog.ChangeRequestQuery{Page: belay.Page{Number: 1, Size: 20}})
	h.must(err)
	i := slices.IndexFunc(list, func(c backlog.ChangeRequest) bool { return c.Subject == subject })
	return list[i]
}

func (h *house) request(id string) backlog.ChangeRequest {
	h.t.Helper()
	c, err := h.verbs.ChangeRequest(h.t.Context(), h.admin, id)
	h.must(err)
	return c
}

func TestAnAppliedRunSettlesItsChangeRequests(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		noted, done, other := h.file(h.ws, "noted"), h.file(h.ws, "done"), h.file(h.ws, "other")
		r := h.create(func(w *run.Wanted) { w.ChangeRequests = []string{noted.ID, noted.ID} })
		h.plan()
		if c := h.request(noted.ID); c.RunID != "" {
			t.Error("it is settled before anything was applied")
		}
		h.must(h.Discard(ctx, h.admin, r.ID, ""))
		if c := h.request(noted.ID); c.RunID != "" {
			t.Error("a discarded run settled it")
		}
		r = h.create(func(w *run.Wanted) { w.ChangeRequests, w.AutoApply = []string{noted.ID}, patch.Of(true) })
		h.plan()
		h.apply()
		if c := h.request(noted.ID); c.RunID != r.ID || !c.ArchivedAt.IsZero() {
			t.Errorf("run %q, archived %s", c.RunID, c.ArchivedAt)
		}
		first := r.ID
		_, err := h.verbs.ArchiveChangeRequest(ctx, h.admin, noted.ID)
		h.must(err)
		was := h.request(noted.ID).ArchivedAt
		h.pass(time.Second)
		r = h.create(func(w *run.Wanted) {
			w.ChangeRequests, w.ArchiveChangeRequests, w.AutoApply = []string{done.ID, noted.ID}, patch.Of(true), patch.Of(true)
		})
		h.plan()
		h.apply()
		if c := h.request(done.ID); c.RunID != r.ID || c.ArchivedAt.IsZero() || c.ArchivedBy != h.admin.ID {
			t.Errorf("run %q, archived %s by %q", c.RunID, c.ArchivedAt, c.ArchivedBy)
		}
		if c := h.request(noted.ID); c.RunID == first || !c.ArchivedAt.Equal(was) {
			t.Error("it is archived twice, or does not name the last run")
		}
		if c := h.request(other.ID); c.RunID != "" || !c.ArchivedAt.IsZero() {
			t.Error("another one was settled, too")
		}
	})
}

func TestChangeRequestsThatARunCantBeFor(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		here, apart := h.file(h.ws, "here"), h.file(h.workspace("apart"), "apart")
		ask := func(s belay.Principal, change func(*run.Wanted)) error {
			want := run.Wanted{WorkspaceID: h.ws.ID, ChangeRequests: []string{here.ID}, Origin: run.Origin{Source: run.SourceAPI}}
			change(&want)
			_, err := h.Create(ctx, s, want)
			return err
		}
		h.refused(ask(h.admin, func(w *run.Wanted) { w.ChangeRequests = []string{apart.ID} }), belay.Invalid, "not found on the workspace")
		h.refused(ask(h.admin, func(w *run.Wanted) { w.PlanOnly = patch.Of(true) }), belay.Invalid, "only plans")
		h.refused(ask(h.admin, func(w *run.Wanted) { w.ChangeRequests, w.ArchiveChangeRequests = nil, patch.Of(true) }), belay.Invalid, "needs change requests")
		h.refused(ask(h.admin, func(w *run.Wanted) {
			w.ChangeRequests = nil
			for range 101 {
				w.ChangeRequests = append(w.ChangeRequests, belay.NewID("wscr"))
			}
		}), belay.Invalid, "too many")
		planner := h.team("plan")
		h.refused(ask(planner, func(w *run.Wanted) { w.ArchiveChangeRequests = patch.Of(true) }), belay.Invalid, "may not archive")
	})
}
