package runs_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// house is an organization with a workspace that has a configuration, and the verbs of
// its runs.
type house struct {
	*runs.Room
	t      *testing.T
	db     *store.DB
	verbs  *app.App
	clock  *atomic.Int64
	admin  belay.Principal
	ws     belay.Workspace
	runner run.Runner
	files  everyFile
}

// noLogs keeps no logs: what is printed is not what these tests are about.
type noLogs struct{}

func (noLogs) Begin(*store.Tx, *run.Run, string) error                     { return nil }
func (noLogs) End(*store.Tx, *run.Run, string, *run.LogRest, string) error { return nil }
func (noLogs) Size(*store.View, string) (int64, error)                     { return 0, nil }

// everyFile is a run whose runner brought the files that it names.
type everyFile struct {
	kinds *[]run.FileKind
	found *run.Findings // by assessments
}

func (f everyFile) Of(*store.View, *run.Run) ([]run.JobFile, error) {
	var list []run.JobFile
	for _, kind := range *f.kinds {
		list = append(list, run.JobFile{Kind: kind})
	}
	return list, nil
}

func (f everyFile) Among(r *run.Run, _ []store.RunFile) []run.JobFile {
	list, _ := f.Of(nil, r)
	return list
}

func (everyFile) Keep(*store.Tx, *run.Run, []run.ShortFile) error { return nil }

func (everyFile) CountsOf([]byte) (run.Counts, error) { return broughtCounts, nil }

func (f everyFile) Counts(context.Context, *run.Run) (run.Counts, error) { return broughtCounts, nil }

func (f everyFile) Findings(context.Context, *run.Run) (run.Findings, error) { return *f.found, nil }

func (everyFile) GiveUp(*store.Tx, *run.Run, string) (func(context.Context), error) {
	return func(context.Context) {}, nil
}

// broughtCounts is what every plan that is brought comes to.
var broughtCounts = run.Counts{Additions: 1}

func each(t *testing.T, test func(*testing.T, *house)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	h := &house{t: t, clock: &atomic.Int64{}, files: everyFile{&[]run.FileKind{run.PlanFile, run.PlanJSONFile}, &run.Findings{}}}
	h.clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	db, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: h.now})
	h.must(err)
	t.Cleanup(func() { _ = db.Close() })
	ring, err := seal.Parse(seal.GenerateKey())
	h.must(err)
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	h.must(err)
	h.db = db
	h.verbs = app.New(app.Config{DB: db, Ring: ring, Blobs: blobs, Now: h.now})
	h.Room = runs.New(runs.Config{
		DB: db, Ring: ring, Now: h.now, Logs: noLogs{}, Files: h.files, Engines: h.verbs.Engines, Finalize: state.FinalizeOrGiveUp,
		Address: "https://belay.example.com", DefaultEngine: "auto",
	})
	_, err = h.verbs.FirstStart(t.Context(), "the-admin")
	h.must(err)
	h.admin, err = h.verbs.Authenticate(t.Context(), "the-admin")
	h.must(err)
	_, err = h.verbs.CreateOrganization(t.Context(), h.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	h.ws = h.workspace("network")
	h.runner = h.register("r1", "")
	return h
}

func (h *house) now() time.Time { return time.UnixMilli(h.clock.Load()) }

func (h *house) pass(d time.Duration) { h.clock.Add(d.Milliseconds()) }

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) refused(err error, kind belay.Kind, text string) {
	h.t.Helper()
	if err == nil || belay.KindOf(err) != kind || !strings.Contains(err.Error(), text) {
		h.t.Errorf("%v, want a refusal of kind %d with %q", err, kind, text)
	}
}

// workspace makes a workspace with a configuration that was uploaded.
func (h *house) workspace(name string) belay.Workspace {
	h.t.Helper()
	w, err := h.verbs.CreateWorkspace(h.t.Context(), h.admin, "acme", belay.WorkspacePatch{Name: patch.Of(name)})
	h.must(err)
	h.configure(w.Workspace)
	return w.Workspace
}

// team is a team that has a level on the workspace.
func (h *house) team(level string) belay.Principal {
	h.t.Helper()
	ctx := h.t.Context()
	team, err := h.verbs.CreateTeam(ctx, h.admin, "acme", belay.TeamPatch{Name: patch.Of(level)})
	h.must(err)
	_, err = h.verbs.GiveWorkspace(ctx, h.admin, team.ID, h.ws.ID, belay.TeamWorkspacePatch{Level: patch.Of(level)})
	h.must(err)
	_, value, err := h.verbs.CreateTeamToken(ctx, h.admin, team.ID, identity.NewToken{})
	h.must(err)
	s, err := h.verbs.Authenticate(ctx, value)
	h.must(err)
	return s
}

func (h *house) configure(w belay.Workspace) {
	h.t.Helper()
	c := run.ConfigurationPatch{}.NewConfiguration(true, h.now())
	c.Status, c.Key = run.ConfigurationUploaded, "configurations/x"
	h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error { return tx.AddConfigurationVersion(&w, &c) }))
}

func (h *house) register(name, pool string) run.Runner {
	h.t.Helper()
	answer, err := h.Register(h.t.Context(), pool, "", "127.0.0.1", run.Registration{
		Name: name, BootID: belay.RandomText(8), Slots: 4, Engines: []run.EngineBinary{{Product: run.Tofu, Version: "1.9.0"}},
	})
	h.must(err)
	r, err := h.Runner(h.t.Context(), answer.Token)
	h.must(err)
	return r
}

func (h *house) create(change func(*run.Wanted)) run.Run {
	h.t.Helper()
	want := run.Wanted{WorkspaceID: h.ws.ID, DefaultMessage: "Queued manually", Origin: run.Origin{Source: run.SourceAPI, Reason: run.ReasonManual}}
	if change != nil {
		change(&want)
	}
	view, err := h.Create(h.t.Context(), h.admin, want)
	h.must(err)
	return view.Run
}

func (h *house) show(id string) run.Run {
	h.t.Helper()
	var r run.Run
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		r, err = v.Run(id)
		return err
	}))
	return r
}

func (h *house) look() belay.Workspace {
	h.t.Helper()
	w, err := h.verbs.Workspace(h.t.Context(), h.admin, belay.WorkspaceRef{ID: h.ws.ID})
	h.must(err)
	return w.Workspace
}

// is demands a status.
func (h *house) is(id string, want run.Status) run.Run {
	h.t.Helper()
	r := h.show(id)
	if r.Status != want {
		h.t.Fatalf("the run is %s, want %s (error %q)", r.Status, want, r.Error)
	}
	return r
}

// claim takes the next job, which must be there.
func (h *house) claim() run.ClaimedJob {
	h.t.Helper()
	claimed, err := h.Claim(h.t.Context(), h.runner, run.Claim{Slots: 1, Nonce: belay.RandomText(8)})
	h.must(err)
	if len(claimed.Jobs) != 1 {
		h.t.Fatalf("%d jobs, want one", len(claimed.Jobs))
	}
	return claimed.Jobs[0]
}

// nothing demands that no job waits.
func (h *house) nothing() {
	h.t.Helper()
	claimed, err := h.Claim(h.t.Context(), h.runner, run.Claim{Slots: 4})
	if err != nil || len(claimed.Jobs) != 0 {
		h.t.Fatalf("%+v, %v, want no job", claimed, err)
	}
}

// started claims a job and begins it.
func (h *house) started() (run.ClaimedJob, run.JobSpec) {
	h.t.Helper()
	j := h.claim()
	spec, err := h.Start(h.t.Context(), j.Lease, run.Start{})
	h.must(err)
	return j, spec
}

func (h *house) end(j run.ClaimedJob, end run.End) {
	h.t.Helper()
	_, err := h.End(h.t.Context(), j.Lease, end)
	h.must(err)
}

func planned(changes bool) run.End {
	return run.End{Outcome: run.Succeeded, HasChanges: &changes} // its counts are left to the server
}

var applied = run.End{Outcome: run.Succeeded, StateHome: true}

// plan lets the next job end as a plan with changes.
func (h *house) plan() {
	h.t.Helper()
	j, _ := h.started()
	h.end(j, planned(true))
}

// apply lets the next job end as an apply.
func (h *house) apply() {
	h.t.Helper()
	j, _ := h.started()
	h.must(h.Step(h.t.Context(), j.Lease, run.ApplyStep))
	h.end(j, applied)
}

func (h *house) events(id string) string {
	h.t.Helper()
	var list []run.Event
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		list, err = v.RunNotes(id)
		return err
	}))
	actions := make([]string, len(list))
	for i, n := range list {
		actions[i] = n.Action
	}
	return strings.Join(actions, " ")
}
