package sim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// mostStatements is what a run costs from its making to its end, plan and apply with their
// logs, files and state: eight to make it, and five calls of its runner. What a client asks of it
// meanwhile is not counted. The goal is 45.
var mostStatements = map[string]int64{"sqlite": 44, "postgres": 44}

// TestARunCostsTheSameWhateverWaits pins the statements of a whole run, beside one run that
// waits and beside many: ten thousand where slow tests are asked for.
func TestARunCostsTheSameWhateverWaits(t *testing.T) { //nolint:paralleltest // the source of ids is the program's
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, url := freshScene(t, engine)
			w := newWorld(t, s, url, s.folder, 1)
			defer w.end()
			w.calm = true
			r := &plain{world: w}
			r.post("register", "the-pool", run.Registration{Name: "r", BootID: "b", Slots: 1, Engines: []run.EngineBinary{{Product: run.Tofu, Version: "1.9.0"}}}, &r.me)
			r.whole() // what is kept of an organization is read once
			r.listen()
			var beside []int64
			many := stories(300, 10_000)
			for _, waiting := range []int{1, many} {
				w.queue(waiting)
				r.said = nil
				r.whole()
				beside = append(beside, r.cost)
			}
			t.Logf("%d statements beside 1 run that waits, %d beside %d", beside[0], beside[1], many)
			t.Logf("the calls of a run, and their statements:\n%s", strings.Join(r.said, "\n"))
			if beside[0] != beside[1] || beside[0] > mostStatements[engine] {
				t.Errorf("a run costs %d statements, and %d beside %d that wait: at most %d are meant, whatever waits", beside[0], beside[1], many, mostStatements[engine])
			}
		})
	}
}

// queue adds jobs that wait in a later class, and runs behind one workspace.
func (w *world) queue(n int) {
	space := w.known.spaces[1]
	err := w.server.db.Update(w.t.Context(), func(tx *store.Tx) error {
		for range n {
			r := run.New(space.ID, space.OrganizationID, tx.Now)
			if err := tx.AddRun(&r, ""); err != nil {
				return err
			}
			j := run.NewJob(&r, run.AssessJob, tx.Now)
			if err := tx.AddJob(&j, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// plain is a runner that does one thing after another.
type plain struct {
	*world
	me   run.Registered
	said []string // the calls, and the statements of each below it
	cost int64    // the statements of the last whole run
}

// listen notes what the database is told, for whoever wants to know what a run costs where:
//
//	go test ./internal/sim -run ARunCosts -v
func (r *plain) listen() {
	spaces := regexp.MustCompile(`\s+`)
	columns := regexp.MustCompile(`(SELECT|SET|VALUES) .{60,}?( FROM | WHERE |\)$)`)
	r.server.db.OnStatement(func(sql string, _ []any) {
		r.said = append(r.said, "      "+columns.ReplaceAllString(spaces.ReplaceAllString(sql, " "), "$1 …$2"))
	})
}

func (r *plain) doing(what string) { r.said = append(r.said, what) }

func (r *plain) call(method, path, token string, header http.Header, body []byte, out any) {
	r.t.Helper()
	r.doing(method + " " + path)
	request, err := http.NewRequestWithContext(r.t.Context(), method, "https://belay.example.com"+run.WirePath+"/"+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for key, value := range header {
		request.Header[key] = value
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set(run.ProtocolHeader, strconv.Itoa(run.Protocol))
	answer, err := r.server.RoundTrip(request)
	if err != nil {
		r.t.Fatal(err)
	}
	raw, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode >= 300 {
		r.t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, raw)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *plain) post(path, token string, in, out any) {
	r.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		r.t.Fatal(err)
	}
	r.call(http.MethodPost, path, token, nil, raw, out)
}

// whole carries out one run from its making to its end.
func (r *plain) whole() {
	r.t.Helper()
	before := r.server.db.Statements()
	r.doing("create")
	view, err := r.server.runs.Create(r.t.Context(), r.admin, run.Wanted{
		WorkspaceID: r.known.spaces[0].ID, AutoApply: patch.Of(true), Origin: run.Origin{Source: run.SourceAPI, Reason: run.ReasonManual},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, kind := range []run.JobKind{run.PlanJob, run.ApplyJob} {
		r.carry(kind)
	}
	r.cost = r.server.db.Statements() - before
	r.doing("show, which is not counted")
	found, err := r.server.runs.Show(r.t.Context(), r.admin, view.ID)
	if err != nil || found.Status != run.Applied {
		r.t.Fatalf("the run is %s, %v", found.Status, err)
	}
}

func (r *plain) carry(kind run.JobKind) {
	r.t.Helper()
	var claimed run.Claimed
	r.post("claim", r.me.Token, run.Claim{Slots: 1, Nonce: belay.RandomText(8), Start: true}, &claimed)
	if len(claimed.Jobs) != 1 || claimed.Jobs[0].Kind != kind {
		r.t.Fatalf("claimed %+v, want a job of the kind %s", claimed, kind)
	}
	j := claimed.Jobs[0]
	spec := claimed.Spec(j.ID)
	if spec == nil {
		r.t.Fatal("the job was not started with its claim")
	}
	if kind == run.ApplyJob {
		r.post("jobs/"+j.ID+"/step", j.Lease, run.Step{Step: run.ApplyStep}, nil)
	}
	line := []byte("one line of a log\n")
	changes := true
	end := run.End{Outcome: run.Succeeded, LogSize: int64(len(line))}
	finish := run.Finish{Log: &run.LogRest{Data: line}}
	if kind == run.PlanJob {
		end.HasChanges, end.Counts = &changes, &run.Counts{Additions: 1}
		finish.Files = []run.ShortFile{shortFile(run.PlanJSONFile, `{"format_version":"1.2"}`), shortFile(run.PlanFile, "a plan of "+j.RunID)}
	} else {
		serial := int64(1)
		if spec.State != nil {
			serial = spec.State.Serial + 1
		}
		finish.Files = []run.ShortFile{shortFile(run.StateFile, fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"one","outputs":{},"resources":[]}`, serial))}
		end.StateHome = true
	}
	finish.End = end
	r.post("jobs/"+j.ID+"/finish", j.Lease, finish, nil)
	r.doing("pour")
	r.act("pour", r.server.logs.Pour)
}

func shortFile(kind run.FileKind, text string) run.ShortFile {
	return run.ShortFile{Kind: kind, SHA256: sum(text), Data: []byte(text)}
}
