package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// crew is runners that carry out whatever comes, and tell who waits for it.
type crew struct {
	t       *target
	mu      sync.Mutex
	claimed map[string]time.Time     // when a run's plan was claimed
	ended   map[string]chan struct{} // closed when a run was applied
	hold    bool                     // jobs are claimed and left alone
	held    []held
}

// held is a job that is claimed and left alone.
type held struct {
	lease, logID string
}

// wire makes a call of a runner.
func (c *connection) wire(method, path, token, extra, body string, out any) (int, error) {
	c.token, c.extra = token, run.ProtocolHeader+": "+strconv.Itoa(run.Protocol)+"\r\n"+extra
	status, answer, err := c.do(method, run.WirePath+"/"+path, body)
	if err == nil && status >= 300 && status != 416 {
		err = fmt.Errorf("%s %s: %d %s", method, path, status, answer)
	}
	if err == nil && out != nil && len(answer) > 0 {
		err = json.Unmarshal(answer, out)
	}
	return status, err
}

func (w *crew) register(i int) error {
	c, err := w.t.connect()
	if err != nil {
		return err
	}
	var me run.Registered
	name := fmt.Sprintf("r%d", i)
	in, _ := json.Marshal(run.Registration{Name: name, BootID: name, Slots: benchSlots, Engines: []run.EngineBinary{{Product: run.Tofu, Version: "1.9.0"}}})
	if _, err := c.wire("POST", "register", "any", "", string(in), &me); err != nil {
		return err
	}
	free := make(chan struct{}, benchSlots)
	for range benchSlots {
		free <- struct{}{}
	}
	idle := make(chan *connection, benchSlots)
	go w.claim(c, me.Token, free, idle)
	return nil
}

// claim takes jobs while the measurement lasts.
func (w *crew) claim(c *connection, token string, free chan struct{}, idle chan *connection) {
	for {
		<-free
		slots := 1 + len(free)
		free <- struct{}{}
		var got run.Claimed
		in, _ := json.Marshal(run.Claim{Slots: slots, Wait: 20, Nonce: belay.RandomText(12), Start: true})
		if _, err := c.wire("POST", "claim", token, "", string(in), &got); err != nil {
			return // the server is stopped
		}
		now := time.Now()
		for _, j := range got.Jobs {
			w.tell(j, now)
			spec := got.Spec(j.ID)
			if w.keeps(c, j, spec) {
				continue
			}
			<-free
			go func() {
				var own *connection
				select {
				case own = <-idle:
				default:
					own, _ = w.t.connect()
				}
				if err := w.carry(own, j, spec); err != nil {
					fmt.Println("carry:", err)
				}
				idle <- own
				free <- struct{}{}
			}()
		}
	}
}

func (w *crew) tell(j run.ClaimedJob, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if j.Kind == run.PlanJob {
		w.claimed[j.RunID] = now
	}
}

// keeps leaves a job alone, for its log.
func (w *crew) keeps(c *connection, j run.ClaimedJob, given *run.JobSpec) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.hold {
		return false
	}
	if spec, err := c.begin(j, given); err == nil {
		w.held = append(w.held, held{j.Lease, spec.LogID})
	}
	return true
}

// begin is what a job is to do: given with its claim, or asked for by a call of its own.
func (c *connection) begin(j run.ClaimedJob, given *run.JobSpec) (spec run.JobSpec, err error) {
	if given != nil {
		return *given, nil
	}
	_, err = c.wire("POST", "jobs/"+j.ID+"/start", j.Lease, "", "{}", &spec)
	return spec, err
}

// carry does what a runner does of a job, and no engine.
func (w *crew) carry(c *connection, j run.ClaimedJob, given *run.JobSpec) error {
	spec, err := c.begin(j, given)
	if err != nil {
		return err
	}
	if j.Kind == run.ApplyJob {
		if _, err := c.wire("POST", "jobs/"+j.ID+"/step", j.Lease, "", `{"step":"apply"}`, nil); err != nil {
			return err
		}
	}
	log := strings.Repeat("one line of the log of an engine that does nothing\n", 20)
	changes := true
	end := run.End{Outcome: run.Succeeded, LogSize: int64(len(log)), Counts: &run.Counts{Additions: 1}}
	finish := run.Finish{Log: &run.LogRest{Data: []byte(log)}}
	files := map[run.FileKind]string{run.PlanJSONFile: `{"format_version":"1.2","resource_changes":[]}`, run.PlanFile: "plan of " + j.RunID}
	if end.HasChanges = &changes; j.Kind == run.ApplyJob {
		end.HasChanges, end.StateHome = nil, true
		serial := int64(1)
		if spec.State != nil {
			serial = spec.State.Serial + 1
		}
		files = map[run.FileKind]string{
			run.StateFile: fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"one","outputs":{},"resources":[]}`, serial),
		}
	}
	for kind, text := range files {
		sum := sha256.Sum256([]byte(text))
		finish.Files = append(finish.Files, run.ShortFile{Kind: kind, SHA256: hex.EncodeToString(sum[:]), Data: []byte(text)})
	}
	finish.End = end
	raw, _ := json.Marshal(finish)
	if _, err := c.wire("POST", "jobs/"+j.ID+"/finish", j.Lease, "", string(raw), nil); err != nil {
		return err
	}
	if j.Kind == run.ApplyJob {
		w.mu.Lock()
		defer w.mu.Unlock()
		if done := w.ended[j.RunID]; done != nil {
			close(done)
		} else {
			w.ended[j.RunID] = closed
		}
	}
	return nil
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// post makes a run.
func (w *crew) post(c *connection, workspace string) (id string, err error) {
	c.token, c.extra = token, ""
	return c.create(v2+"/runs", fmt.Sprintf(
		`{"data":{"type":"runs","attributes":{"auto-apply":true},"relationships":{"workspace":{"data":{"type":"workspaces","id":%q}}}}}`, workspace))
}

// applied waits until a run is applied.
func (w *crew) applied(id string) {
	w.mu.Lock()
	done := w.ended[id]
	if done == nil {
		done = make(chan struct{})
		w.ended[id] = done
	}
	w.mu.Unlock()
	<-done
	w.mu.Lock()
	delete(w.ended, id)
	w.mu.Unlock()
}
