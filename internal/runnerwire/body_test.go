package runnerwire_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// TestWhatRunnersSayHoldsNoNUL brings one wherever a runner has something to say: PostgreSQL
// keeps none, and a job that can't be ended holds its workspace.
func TestWhatRunnersSayHoldsNoNUL(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx, odd := t.Context(), "a\x00b"
		var me run.Registered
		h.call(201, "POST", "register", "the-pool", run.Registration{Name: odd, Version: odd, BootID: odd, Slots: 1}, &me)
		h.call(404, "POST", "jobs/%00/start", "nobody", nil, nil)
		h.call(404, "POST", "jobs/%ff/start", "nobody", nil, nil)
		view, err := h.runs.Create(ctx, h.admin, run.Wanted{WorkspaceID: h.ws.ID, AutoApply: patch.Of(true)})
		h.must(err)
		j, _ := h.job(me.Token)
		h.call(200, "POST", "heartbeat", me.Token, run.Beat{Jobs: []run.BeatJob{{ID: odd, Lease: odd, WorkspaceID: odd}}}, nil)
		h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, run.End{Outcome: run.Failed, Error: odd}, nil)
		got, err := h.runs.Show(ctx, h.admin, view.ID)
		h.must(err)
		if got.Status != run.Errored {
			t.Errorf("the run is %s", got.Status)
		}
	})
}

// TestARefusedBodyIsToldWithoutGo sends runners' calls what they do not take.
func TestARefusedBodyIsToldWithoutGo(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for body, want := range map[string]string{
			`{"name":5}`:       "name can't be of type number",
			`{"platform":"x"}`: "platform can't be of type string",
			`[]`:               "it can't be of type array",
			`{"name":`:         "it is no valid JSON",
		} {
			var answer string
			h.call(422, "POST", "register", "the-pool", body, &answer)
			if !strings.Contains(answer, want) || strings.Contains(answer, "json:") || strings.Contains(answer, "Go ") {
				t.Errorf("%s: %s, want %q", body, answer, want)
			}
		}
	})
}
