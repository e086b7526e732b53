package runs_test

import (
	"context"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// TestARunnerTakesNothingAfterItsToken has runners ask for jobs whose token is revoked or has
// expired, also while they wait. What they have they carry on.
func TestARunnerTakesNothingAfterItsToken(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		pool, err := h.verbs.CreateAgentPool(ctx, h.admin, "acme", run.AgentPoolPatch{Name: patch.Of("pool")})
		h.must(err)
		w, err := h.verbs.UpdateWorkspace(ctx, h.admin, belay.WorkspaceRef{ID: h.ws.ID}, belay.WorkspacePatch{
			ExecutionMode: patch.Of(belay.AgentExecution), AgentPoolID: patch.Of(pool.ID),
		})
		h.must(err)
		token := func(until patch.Field[time.Time]) belay.Token {
			t, _, err := h.verbs.CreateAgentToken(ctx, h.admin, pool.ID, identity.NewToken{ExpiredAt: until})
			h.must(err)
			return t
		}
		enter := func(name, tokenID string) run.Runner {
			answer, err := h.Register(ctx, pool.ID, tokenID, "127.0.0.1", run.Registration{Name: name, BootID: name, Slots: 4})
			h.must(err)
			r, err := h.Runner(ctx, answer.Token)
			h.must(err)
			return r
		}
		claim := func(r run.Runner, wait int) ([]run.ClaimedJob, error) {
			claimed, err := h.Claim(ctx, r, run.Claim{Slots: 4, Wait: wait, Nonce: belay.RandomText(8)})
			return claimed.Jobs, err
		}
		ended := func(who string, r run.Runner, wait int) {
			t.Helper()
			if jobs, err := claim(r, wait); belay.KindOf(err) != belay.Ended || len(jobs) > 0 {
				t.Errorf("%s takes %v: %v", who, jobs, err)
			}
		}

		revoked, brief, other := token(patch.Field[time.Time]{}), token(patch.Of(h.now().Add(time.Hour))), token(patch.Field[time.Time]{})
		gone, late, stays := enter("gone", revoked.ID), enter("late", brief.ID), enter("stays", other.ID)
		h.create(nil)
		jobs, err := claim(gone, 0)
		h.must(err)
		if len(jobs) != 1 {
			t.Fatalf("%d jobs", len(jobs))
		}
		waits := make(chan error, 1)
		go func() {
			claimed, err := h.Claim(context.WithoutCancel(ctx), gone, run.Claim{Slots: 3, Wait: 50})
			if len(claimed.Jobs) > 0 {
				t.Errorf("a claim that waited takes %v after its token", claimed.Jobs)
			}
			waits <- err
		}()
		h.must(h.verbs.DeleteToken(ctx, h.admin, revoked.ID))
		if err := <-waits; belay.KindOf(err) != belay.Ended {
			t.Errorf("a claim that waited ends with %v", err)
		}
		ended("a runner whose token was revoked", gone, 0)
		beaten, err := h.Beat(ctx, gone, "127.0.0.1", run.Beat{Jobs: []run.BeatJob{{ID: jobs[0].ID, Lease: jobs[0].Lease, WorkspaceID: w.ID}}})
		h.must(err)
		if len(beaten.Jobs) != 1 || beaten.Jobs[0].Order != run.NoOrder {
			t.Errorf("its job is told %+v", beaten.Jobs)
		}
		_, err = h.Start(ctx, jobs[0].Lease, run.Start{})
		h.must(err)

		_, err = claim(late, 0)
		h.must(err)
		h.clock.Add(time.Hour.Milliseconds())
		ended("a runner whose token has expired", late, 0)
		_, err = claim(stays, 0)
		h.must(err)

		h.must(h.verbs.DeleteToken(ctx, h.admin, other.ID))
		old := enter("old", "")
		ended("a runner of before, whose pool has no token", old, 0)
	})
}
