package runnerwire_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runnerwire"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// house is a server with one workspace, as a runner sees it.
type house struct {
	t      *testing.T
	db     *store.DB
	verbs  *app.App
	runs   *runs.Room
	door   *httptest.Server
	kept   *kept
	blobs  string // the folder of all objects
	config *archive
	ending chan struct{}
	admin  belay.Principal
	ws     belay.Workspace
}

// kept holds files and logs in memory: what keeps them is another room's.
type kept struct {
	mu    sync.Mutex
	files map[string][]byte
	logs  map[string][]byte
}

func (k *kept) Put(_ context.Context, r *run.Run, kind run.FileKind, sum string, from io.Reader) (run.FileAnswer, bool, error) {
	raw, err := io.ReadAll(from)
	if err != nil {
		return run.FileAnswer{}, false, err
	}
	if got := sha256.Sum256(raw); hex.EncodeToString(got[:]) != sum {
		return run.FileAnswer{}, false, errors.New("another checksum")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	before, there := k.files[r.ID+string(kind)]
	k.files[r.ID+string(kind)] = raw
	return run.FileAnswer{Size: int64(len(raw)), SHA256: sum}, !there || !bytes.Equal(before, raw), nil
}

func (k *kept) Open(_ context.Context, r *run.Run, kind run.FileKind) (io.ReadCloser, run.JobFile, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	raw, there := k.files[r.ID+string(kind)]
	if !there {
		return nil, run.JobFile{}, belay.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader(raw)), run.JobFile{Kind: kind, Size: int64(len(raw))}, nil
}

func (k *kept) Counts(context.Context, *run.Run) (run.Counts, error) { return run.Counts{}, nil }

func (k *kept) Findings(context.Context, *run.Run) (run.Findings, error) {
	return run.Findings{}, nil
}

func (k *kept) GiveUp(*store.Tx, *run.Run, string) (func(context.Context), error) {
	return func(context.Context) {}, nil
}

func (k *kept) Of(_ *store.View, r *run.Run) (list []run.JobFile, _ error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.files {
		if kind, mine := strings.CutPrefix(name, r.ID); mine {
			list = append(list, run.JobFile{Kind: run.FileKind(kind)})
		}
	}
	return list, nil
}

func (k *kept) Begin(*store.Tx, *run.Run, string) error { return nil }
func (k *kept) End(_ *store.Tx, _ *run.Run, id string, rest *run.LogRest, _ string) error {
	if rest == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.logs[id] = append(k.logs[id][:rest.From:rest.From], rest.Data...)
	return nil
}

func (k *kept) Among(r *run.Run, _ []store.RunFile) []run.JobFile {
	list, _ := k.Of(nil, r)
	return list
}

func (k *kept) Keep(_ *store.Tx, r *run.Run, files []run.ShortFile) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, f := range files {
		k.files[r.ID+string(f.Kind)] = f.Data
	}
	return nil
}

func (k *kept) CountsOf([]byte) (run.Counts, error) { return run.Counts{}, nil }

func (k *kept) Size(_ *store.View, id string) (int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return int64(len(k.logs[id])), nil
}

func (k *kept) Append(l *run.Log, from int64, data []byte) (run.LogAnswer, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := l.ID
	have := int64(len(k.logs[id]))
	if from != have {
		return run.LogAnswer{Have: have, Safe: have}, false, nil
	}
	k.logs[id] = append(k.logs[id], data...)
	have += int64(len(data))
	return run.LogAnswer{Have: have, Safe: have, IntervalMillis: 1000}, true, nil
}

// archive is the configuration of every run.
type archive struct{ content string }

func (a *archive) Open(context.Context, string) (run.ConfigurationVersion, io.ReadCloser, error) {
	return run.ConfigurationVersion{Size: int64(len(a.content)), SHA256: sumOf(a.content)}, io.NopCloser(strings.NewReader(a.content)), nil
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func each(t *testing.T, test func(*testing.T, *house)) {
	t.Helper()
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	ctx := t.Context()
	h := &house{t: t, db: storetest.Open(t, engine), config: &archive{"tar"}, ending: make(chan struct{}), kept: &kept{files: map[string][]byte{}, logs: map[string][]byte{}}}
	ring, err := seal.Parse(seal.GenerateKey())
	h.must(err)
	h.blobs = t.TempDir()
	blobs, err := blob.Open(ctx, "file://"+h.blobs, ring)
	h.must(err)
	h.verbs = app.New(app.Config{DB: h.db, Ring: ring, Blobs: blobs})
	h.runs = runs.New(runs.Config{
		DB: h.db, Ring: ring, Logs: h.kept, Files: h.kept, Engines: h.verbs.Engines, Finalize: state.FinalizeOrGiveUp, DefaultEngine: "auto", FinishBytes: 100,
		StateBytes: 200, StoreLast: h.verbs.StoreLast,
	})
	h.door = httptest.NewServer(runnerwire.New(runnerwire.Config{
		Runs: h.runs, States: h.verbs, Configurations: h.config, Files: h.kept, Logs: h.kept, Ending: h.ending,
		Pool: func(_ context.Context, token string) (string, string, error) {
			if token != "the-pool" {
				return "", "", belay.ErrUnauthenticated
			}
			return "", "", nil
		},
	}))
	t.Cleanup(h.door.Close)
	_, err = h.verbs.FirstStart(ctx, "the-admin")
	h.must(err)
	h.admin, err = h.verbs.Authenticate(ctx, "the-admin")
	h.must(err)
	_, err = h.verbs.CreateOrganization(ctx, h.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	w, err := h.verbs.CreateWorkspace(ctx, h.admin, "acme", belay.WorkspacePatch{Name: patch.Of("network")})
	h.must(err)
	h.ws = w.Workspace
	h.must(h.db.Update(ctx, func(tx *store.Tx) error {
		c := run.ConfigurationPatch{}.NewConfiguration(true, tx.Now)
		c.Status, c.Key = run.ConfigurationUploaded, "configurations/x"
		return tx.AddConfigurationVersion(&h.ws, &c)
	}))
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// call makes a call and demands a status.
func (h *house) call(want int, method, path, token string, body any, answer any, headers ...string) {
	h.t.Helper()
	raw, isText := body.(string)
	if !isText && body != nil {
		encoded, err := json.Marshal(body)
		h.must(err)
		raw = string(encoded)
	}
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.door.URL+run.WirePath+"/"+path, strings.NewReader(raw))
	h.must(err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set(run.ProtocolHeader, "1")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	got, err := http.DefaultClient.Do(request)
	h.must(err)
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	h.must(err)
	if got.StatusCode != want {
		h.t.Fatalf("%s %s: %d %s, want %d", method, path, got.StatusCode, text, want)
	}
	switch into := answer.(type) {
	case nil:
	case *string:
		*into = string(text)
	default:
		h.must(json.Unmarshal(text, answer))
	}
}

// job is a job that a runner has begun.
func (h *house) job(token string) (run.ClaimedJob, run.JobSpec) {
	h.t.Helper()
	var claimed run.Claimed
	h.call(200, "POST", "claim", token, run.Claim{Slots: 1, Nonce: belay.RandomText(8)}, &claimed)
	var spec run.JobSpec
	h.call(200, "POST", "jobs/"+claimed.Jobs[0].ID+"/start", claimed.Jobs[0].Lease, run.Start{}, &spec)
	return claimed.Jobs[0], spec
}

func (h *house) put(j run.ClaimedJob, kind run.FileKind, text string, want int) (answer run.FileAnswer) {
	h.t.Helper()
	h.call(want, "PUT", "jobs/"+j.ID+"/files/"+string(kind), j.Lease, text, &answer, run.SHA256Header, sumOf(text))
	return answer
}

func (h *house) log(j run.ClaimedJob, spec run.JobSpec, from int, text string, want int) (answer run.LogAnswer) {
	h.t.Helper()
	h.call(want, "PATCH", "logs/"+spec.LogID, j.Lease, text, &answer, "Content-Range", fmt.Sprintf("bytes %d-%d/*", from, from+len(text)-1))
	return answer
}

func stateFile(serial int) string {
	return fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"l","outputs":{},"resources":[]}`, serial)
}

// TestARunGoesOverTheWire lets a runner without an engine carry a run out: every call of
// the wire, twice where an answer may be lost.
func TestARunGoesOverTheWire(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		var me run.Registered
		h.call(401, "POST", "register", "another", run.Registration{Name: "r", BootID: "b", Slots: 1}, nil)
		h.call(201, "POST", "register", "the-pool", run.Registration{Name: "r", BootID: "b", Slots: 1}, &me)
		h.call(204, "POST", "claim", me.Token, run.Claim{Slots: 1}, nil)
		view, err := h.runs.Create(ctx, h.admin, run.Wanted{WorkspaceID: h.ws.ID, AutoApply: patch.Of(true)})
		h.must(err)

		j, spec := h.job(me.Token)
		var got string
		h.call(200, "GET", "jobs/"+j.ID+"/files/configuration", j.Lease, nil, &got)
		h.call(404, "GET", "jobs/"+j.ID+"/files/state", j.Lease, nil, nil)
		h.call(204, "POST", "jobs/"+j.ID+"/step", j.Lease, run.Step{Step: run.PlanStep}, nil)
		if got != "tar" || spec.RunID != view.ID || spec.Kind != run.PlanJob {
			t.Fatalf("configuration %q of %+v", got, spec)
		}
		h.log(j, spec, 0, "planning\n", 202)
		if answer := h.log(j, spec, 3, "again", 416); answer.Have != 9 {
			t.Errorf("the log is at %d", answer.Have)
		}
		changes := true
		end := run.End{Outcome: run.Succeeded, HasChanges: &changes, LogSize: 9}
		h.call(422, "POST", "jobs/"+j.ID+"/end", j.Lease, end, nil) // without its files
		h.put(j, run.PlanFile, "the plan", 201)
		h.put(j, run.PlanFile, "the plan", 200)
		h.put(j, run.PlanJSONFile, "{}", 201)
		h.call(422, "PUT", "jobs/"+j.ID+"/files/state", j.Lease, stateFile(1), nil)
		h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, end, nil)
		h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, end, nil)
		h.call(409, "POST", "jobs/"+j.ID+"/end", j.Lease, run.End{Outcome: run.Failed}, nil)

		j, spec = h.job(me.Token)
		h.call(200, "GET", "jobs/"+j.ID+"/files/plan", j.Lease, nil, &got)
		if spec.Kind != run.ApplyJob || got != "the plan" {
			t.Fatalf("%s with %q", spec.Kind, got)
		}
		h.call(204, "POST", "jobs/"+j.ID+"/step", j.Lease, run.Step{Step: run.ApplyStep}, nil)
		var beaten run.Beaten
		h.call(200, "POST", "heartbeat", me.Token, run.Beat{Jobs: []run.BeatJob{{ID: j.ID, Lease: j.Lease}}}, &beaten)
		if len(beaten.Jobs) != 1 || beaten.Jobs[0].Order != run.NoOrder {
			t.Errorf("heartbeat: %+v", beaten)
		}
		h.call(422, "PUT", "jobs/"+j.ID+"/files/state", j.Lease, stateFile(1), nil, run.SHA256Header, sumOf("other"))
		first := h.put(j, run.StateFile, stateFile(1), 201)
		if again := h.put(j, run.StateFile, stateFile(1), 201); again.StateVersionID != first.StateVersionID {
			t.Errorf("the same state is kept twice: %+v, %+v", first, again)
		}
		last := h.put(j, run.StateFile, stateFile(2), 201)
		h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, run.End{Outcome: run.Succeeded, StateHome: true}, nil)
		w, err := h.verbs.Workspace(ctx, h.admin, belay.WorkspaceRef{ID: h.ws.ID})
		h.must(err)
		if w.CurrentRunStatus != string(run.Applied) || w.Lock.Held() || w.CurrentStateVersionID != last.StateVersionID {
			t.Errorf("run %s, lock %v, state %s, want %s", w.CurrentRunStatus, w.Lock, w.CurrentStateVersionID, last.StateVersionID)
		}
		h.call(401, "GET", "orders", "nobody", nil, nil)
		h.call(204, "GET", "orders", me.Token, nil, nil)
		h.call(204, "POST", "exit", me.Token, nil, nil)
	})
}

// TestAnEndBringsWhatIsShort tells the end of a plan with its files and its log in one call, twice, and
// once more as runners of before do.
func TestAnEndBringsWhatIsShort(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var me run.Registered
		h.call(201, "POST", "register", "the-pool", run.Registration{Name: "r", BootID: "b", Slots: 1}, &me)
		_, err := h.runs.Create(t.Context(), h.admin, run.Wanted{WorkspaceID: h.ws.ID, AutoApply: patch.Of(true)})
		h.must(err)
		j, spec := h.job(me.Token)
		if spec.Limits.FinishBytes != 100 {
			t.Errorf("%d bytes may come with the end", spec.Limits.FinishBytes)
		}
		file := func(kind run.FileKind, text string) run.ShortFile {
			return run.ShortFile{Kind: kind, SHA256: sumOf(text), Data: []byte(text)}
		}
		changes := true
		told := run.Finish{
			End: run.End{Outcome: run.Succeeded, HasChanges: &changes, LogSize: 9}, Log: &run.LogRest{Data: []byte("planning\n")},
			Files: []run.ShortFile{file(run.PlanFile, "the plan"), file(run.PlanJSONFile, "{}")},
		}
		refused := func(want int, change func(*run.Finish)) {
			t.Helper()
			other := told
			other.Files = slices.Clone(told.Files)
			change(&other)
			h.call(want, "POST", "jobs/"+j.ID+"/finish", j.Lease, other, nil)
		}
		refused(422, func(f *run.Finish) { f.Files = f.Files[1:] })
		refused(422, func(f *run.Finish) { f.Files[0].Data = bytes.Repeat([]byte("x"), 101) })
		refused(422, func(f *run.Finish) { f.Files[0].Kind = run.StateFile })
		refused(422, func(f *run.Finish) { f.Log = &run.LogRest{From: -1, Data: []byte("x")} })
		h.call(401, "POST", "jobs/"+j.ID+"/finish", "lease.other", told, nil)
		h.call(200, "POST", "jobs/"+j.ID+"/finish", j.Lease, told, nil)
		h.call(200, "POST", "jobs/"+j.ID+"/finish", j.Lease, told, nil)
		h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, told.End, nil)
		refused(409, func(f *run.Finish) { f.End.Outcome = run.Failed })
		if got := string(h.kept.logs[spec.LogID]); got != "planning\n" {
			t.Errorf("the log is %q", got)
		}
		j, spec = h.job(me.Token)
		var got string
		h.call(200, "GET", "jobs/"+j.ID+"/files/plan", j.Lease, nil, &got)
		if got != "the plan" {
			t.Errorf("the plan is %q", got)
		}
		refused(422, func(*run.Finish) {}) // files that no apply brings
		h.call(200, "POST", "jobs/"+j.ID+"/finish", j.Lease, run.Finish{End: run.End{Outcome: run.Failed, StateHome: true}, Log: &run.LogRest{Data: []byte("applying\n")}}, nil)
		if got := string(h.kept.logs[spec.LogID]); got != "applying\n" {
			t.Errorf("the log of the apply is %q", got)
		}
	})
}

// TestAStateThatComesLateIsKept brings one after the run was canceled by force and its
// workspace went on.
func TestAStateThatComesLateIsKept(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		var me run.Registered
		h.call(201, "POST", "register", "the-pool", run.Registration{Name: "r", BootID: "b", Slots: 1}, &me)
		view, err := h.runs.Create(ctx, h.admin, run.Wanted{WorkspaceID: h.ws.ID, AutoApply: patch.Of(true)})
		h.must(err)
		j, _ := h.job(me.Token)
		h.put(j, run.PlanFile, "p", 201)
		h.put(j, run.PlanJSONFile, "{}", 201)
		changes := true
		h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, run.End{Outcome: run.Succeeded, HasChanges: &changes}, nil)
		j, _ = h.job(me.Token)
		h.call(204, "POST", "jobs/"+j.ID+"/step", j.Lease, run.Step{Step: run.ApplyStep}, nil)
		h.must(h.runs.AdminCancel(ctx, h.admin, view.ID, ""))
		var orders run.Orders
		h.call(200, "GET", "orders?wait=50", me.Token, nil, &orders)
		if orders.Jobs[0].Order != run.KillOrder {
			t.Errorf("orders: %+v", orders)
		}
		if answer := h.put(j, run.StateFile, stateFile(7), 201); answer.Kept != "rescued" {
			t.Errorf("kept: %+v", answer)
		}
		h.call(409, "PUT", "jobs/"+j.ID+"/files/events", j.Lease, "{}", nil)
		if string(h.kept.files[view.ID+string(run.RescuedFile)]) != stateFile(7) {
			t.Error("the state is lost")
		}
	})
}

// TestWhoWaitsIsSentAwayWhenTheServerStops stops it while a runner waits for jobs, and
// another for orders.
func TestWhoWaitsIsSentAwayWhenTheServerStops(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "sqlite")
	var me run.Registered
	h.call(201, "POST", "register", "the-pool", run.Registration{Name: "r", BootID: "b", Slots: 1}, &me)
	var waiting sync.WaitGroup
	waiting.Go(func() { h.call(503, "POST", "claim", me.Token, run.Claim{Slots: 1, Wait: 50}, nil) })
	waiting.Go(func() { h.call(503, "GET", "orders?wait=50", me.Token, nil, nil) })
	time.AfterFunc(100*time.Millisecond, func() { close(h.ending) })
	waiting.Wait()
	h.call(503, "GET", "orders?wait=50", me.Token, nil, nil)
}

// TestAnOldRunnerLearnsWhichItNeeds speaks another protocol.
func TestAnOldRunnerLearnsWhichItNeeds(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "sqlite")
	var text string
	h.call(426, "POST", "register", "the-pool", run.Registration{}, &text, run.ProtocolHeader, "0")
	if !strings.Contains(text, "protocol 1") {
		t.Errorf("the answer: %s", text)
	}
}
