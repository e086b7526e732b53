package runs_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// configured adds a configuration version to the workspace.
func (h *house) configured(change func(*run.ConfigurationVersion)) run.ConfigurationVersion {
	h.t.Helper()
	p := run.ConfigurationPatch{}
	c := p.NewConfiguration(true, h.now())
	c.Status, c.Key = run.ConfigurationUploaded, "configurations/x"
	change(&c)
	h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error { return tx.AddConfigurationVersion(&h.ws, &c) }))
	return c
}

func provisional(c *run.ConfigurationVersion) { c.Provisional, c.Candidate = true, false }

func TestAProvisionalConfigurationIsCurrentOnceItWasApplied(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		before := h.look().ConfigurationID
		applies := func(c run.ConfigurationVersion) {
			h.create(func(w *run.Wanted) {
				w.ConfigurationVersionID, w.AutoApply = patch.Of(c.ID), patch.Of(true)
			})
			h.plan()
			if got := h.look().ConfigurationID; got == c.ID {
				t.Error("it is current before it was applied")
			}
			h.apply()
		}
		first := h.configured(provisional)
		if got := h.look().ConfigurationID; got != before {
			t.Errorf("current is %s, want %s", got, before)
		}
		applies(first)
		if got := h.look().ConfigurationID; got != first.ID {
			t.Errorf("current is %s, want %s, which was applied", got, first.ID)
		}
		second := h.configured(provisional)
		newer := h.configured(func(*run.ConfigurationVersion) {})
		applies(second)
		if got := h.look().ConfigurationID; got != newer.ID {
			t.Errorf("current is %s, want the newer %s", got, newer.ID)
		}
	})
}

func TestAnUploadQueuesARunWhereSomebodyCanCarryItOut(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		queued := func(author belay.Principal, c run.ConfigurationVersion) belay.Workspace {
			t.Helper()
			h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
				w, err := tx.Workspace(belay.WorkspaceRef{ID: h.ws.ID})
				if err != nil {
					return err
				}
				return h.QueueFor(tx, author, &w, &c)
			}))
			return h.look()
		}
		c := h.configured(func(*run.ConfigurationVersion) {})
		if w := queued(h.admin, c); w.CurrentRunID != "" {
			t.Error("a run was made that nobody can carry out")
		}
		h.Carries = true
		if w := queued(belay.Principal{Kind: belay.UserPrincipal, ID: "user-gone"}, c); w.CurrentRunID != "" {
			t.Error("a run was made for somebody who may not")
		}
		w := queued(h.admin, c)
		r := h.is(w.CurrentRunID, run.PlanQueued)
		if r.ConfigurationVersionID != c.ID || r.Source != run.SourceConfiguration || r.Message != "Queued automatically by its configuration version" {
			t.Errorf("the run: %+v", r)
		}
	})
}
