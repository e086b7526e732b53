package runnerwire_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/elsewhere"
	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/runner"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// cluster is as much of an API server as a runner needs: it keeps what it is given, and
// answers with a fault whenever one is next.
type cluster struct {
	t       *testing.T
	mu      sync.Mutex
	token   string // that it takes
	account string
	faults  []fault
	objects map[string]map[string]any // by path
	pods    map[string]any            // by the name of their Job
	every   map[string]any            // the container of the pods of all others; nil: they have none yet
	calls   []string
}

// fault is an answer to the next call of a method.
type fault struct {
	method string
	status int
	body   string
}

func newCluster(t *testing.T) (*cluster, string) {
	t.Helper()
	c := &cluster{t: t, token: "first", account: t.TempDir(), objects: map[string]map[string]any{}, pods: map[string]any{}}
	c.rotate("first")
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return c, s.URL
}

// rotate gives the pod another token, as clusters do every hour.
func (c *cluster) rotate(token string) {
	if err := os.WriteFile(filepath.Join(c.account, "token"), []byte(token+"\n"), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, r.Method+" "+r.URL.Path)
	answer := func(status int, body any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	for i, f := range c.faults {
		if f.method == r.Method {
			c.faults = append(c.faults[:i:i], c.faults[i+1:]...)
			answer(f.status, map[string]string{"kind": "Status", "message": f.body})
			return
		}
	}
	if r.Header.Get("Authorization") != "Bearer "+c.token {
		c.rotate(c.token)
		answer(401, map[string]string{"message": "Unauthorized"})
		return
	}
	kind := filepath.Base(r.URL.Path)
	switch {
	case r.Method == http.MethodPost:
		raw, _ := io.ReadAll(r.Body)
		var made map[string]any
		if err := json.Unmarshal(raw, &made); err != nil {
			answer(400, map[string]string{"message": err.Error()})
			return
		}
		meta := made["metadata"].(map[string]any)
		path := r.URL.Path + "/" + meta["name"].(string)
		if c.objects[path] != nil {
			answer(409, map[string]string{"message": "already exists"})
			return
		}
		meta["uid"], meta["creationTimestamp"] = "uid-"+meta["name"].(string), time.Now().UTC().Format(time.RFC3339)
		c.objects[path] = made
		answer(201, made)
	case kind == "jobs" || kind == "pods":
		var items []any
		for path, object := range c.objects {
			if filepath.Base(filepath.Dir(path)) != "jobs" {
				continue
			}
			if kind == "jobs" {
				items = append(items, object)
			} else if pod := c.podOf(filepath.Base(path)); pod != nil {
				items = append(items, pod)
			}
		}
		answer(200, map[string]any{"items": items, "metadata": map[string]string{}})
	case r.Method == http.MethodDelete && c.objects[r.URL.Path] != nil:
		delete(c.objects, r.URL.Path)
		delete(c.objects, strings.Replace(strings.Replace(r.URL.Path, "/apis/batch/v1/", "/api/v1/", 1), "/jobs/", "/secrets/", 1)) // it owned that
		answer(200, map[string]string{})
	case c.objects[r.URL.Path] != nil:
		answer(200, c.objects[r.URL.Path])
	default:
		answer(404, map[string]string{"message": "not found"})
	}
}

func podWith(job string, container map[string]any) any {
	return map[string]any{
		"metadata": map[string]any{"labels": map[string]string{"job-name": job}},
		"status":   map[string]any{"phase": "Pending", "containerStatuses": []any{map[string]any{"state": container}}},
	}
}

func (c *cluster) podOf(job string) any {
	if pod := c.pods[job]; pod != nil || c.every == nil {
		return pod
	}
	return podWith(job, c.every)
}

// looked waits until the runner has looked at all that is there now.
func (c *cluster) looked() {
	c.t.Helper()
	c.mu.Lock()
	from := len(c.calls)
	c.mu.Unlock()
	for range 30_000 {
		looks := 0
		c.mu.Lock()
		for _, call := range c.calls[from:] {
			if strings.HasPrefix(call, "GET ") && strings.HasSuffix(call, "/jobs") {
				looks++
			}
		}
		c.mu.Unlock()
		if looks > 1 { // it has done with the first when it begins the second
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.t.Fatal("the runner does not look")
}

// made waits for a Job with its Secret, and gives its name and both.
func (c *cluster) made() (name string, job, secret map[string]any) {
	c.t.Helper()
	for range 30_000 {
		c.mu.Lock()
		for path, object := range c.objects {
			if filepath.Base(filepath.Dir(path)) == "jobs" {
				name = filepath.Base(path)
				job, secret = object, c.objects["/api/v1/namespaces/belay/secrets/"+name]
			}
		}
		c.mu.Unlock()
		if secret != nil {
			return name, job, secret
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.t.Fatal("no Job was made")
	return "", nil, nil
}

// isEmpty waits until nothing is there.
func (c *cluster) isEmpty() {
	c.t.Helper()
	for range 30_000 {
		c.mu.Lock()
		n := len(c.objects)
		c.mu.Unlock()
		if n == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.t.Fatalf("%v is still there", c.objects)
}

// posted starts a runner whose jobs are carried out in the cluster.
func (h *house) posted(c *cluster, url, work string, startAfter time.Duration) (stop func()) {
	h.t.Helper()
	there, err := elsewhere.NewKubernetes(elsewhere.KubernetesConfig{
		URL: url, Account: c.account, Namespace: "belay", Runner: "east", Image: "belay:test", Requests: map[string]string{"memory": "1Gi"}, Deadline: time.Hour,
	})
	h.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	known := make(chan struct{})
	e := runner.Elsewhere{
		Config: runner.Config{
			Address: h.door.URL, Token: "the-pool", Name: "east", Slots: 2, WorkDir: work, Known: func() { close(known) },
			Engines: engine.New(engine.Config{Elsewhere: []engine.Binary{{Product: "tofu", Version: "1.9.0"}}}),
		},
		Executor: there, StartAfter: startAfter, LookEvery: 20 * time.Millisecond,
	}
	go func() { done <- runner.RunElsewhere(ctx, e) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
				h.t.Log(err)
			}
		})
	}
	h.t.Cleanup(stop)
	<-known
	return stop
}

func (h *house) queued() run.Run {
	h.t.Helper()
	view, err := h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: h.ws.ID})
	h.must(err)
	return view.Run
}

// fileOf is the job that a Secret holds.
func fileOf(t *testing.T, secret map[string]any) (file runner.JobFile) {
	t.Helper()
	raw, err := json.Marshal(secret["data"])
	if err != nil {
		t.Fatal(err)
	}
	var data map[string][]byte
	if err := json.Unmarshal(raw, &data); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data["job.json"], &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// at reads a value in nested objects.
func at(object any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch o := object.(type) {
		case map[string]any:
			object = o[name]
		case []any:
			object = o[0]
		}
	}
	return object
}

// TestAJobIsCarriedOutInAPod makes a Job through every passing fault of an API server, and
// lets the runner of the pod take the job with nothing but what is in its Secret.
func TestAJobIsCarriedOutInAPod(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := newCluster(t)
		stop := h.posted(c, url, t.TempDir(), time.Minute)
		c.mu.Lock()
		c.token = "second" // the first is refused from now on
		c.faults = []fault{{"POST", 500, "etcd leader changed"}, {"POST", 429, "slow down"}, {"POST", 403, "exceeded quota: jobs"}, {"GET", 503, "later"}}
		c.mu.Unlock()
		r := h.queued()
		_, job, secret := c.made()
		for path, want := range map[string]any{
			"spec.backoffLimit": 0.0, "spec.activeDeadlineSeconds": 3600.0, "spec.ttlSecondsAfterFinished": 3600.0, "spec.template.spec.restartPolicy": "Never",
			"spec.template.spec.automountServiceAccountToken": false, "spec.template.spec.containers.0.resources.requests.memory": "1Gi",
			"metadata.annotations.belay.dev/run-id": nil, "spec.template.spec.containers.0.image": "belay:test",
		} {
			if strings.Contains(path, "annotations") {
				if got := job["metadata"].(map[string]any)["annotations"].(map[string]any)["belay.dev/run-id"]; got != r.ID {
					t.Errorf("the Job is of run %v", got)
				}
				continue
			}
			if got := at(job, path); got != want {
				t.Errorf("%s is %v, want %v", path, got, want)
			}
		}
		if raw, _ := json.Marshal(job); strings.Contains(string(raw), "lease.") {
			t.Error("the Job shows the lease")
		}
		if got := at(secret, "metadata.ownerReferences.0.uid"); got != at(job, "metadata.uid") {
			t.Errorf("the Secret is owned by %v", got)
		}
		file := fileOf(t, secret)

		var me run.Registered
		h.call(201, "POST", "register", file.Job.Lease, run.Registration{Name: "thief", BootID: "x", Slots: 1}, &me)
		h.call(403, "POST", "claim", me.Token, run.Claim{Slots: 1}, nil)
		h.call(204, "POST", "exit", me.Token, struct{}{}, nil)

		walls, err := isolate.Auto.Walls(isolate.Probe())
		h.must(err)
		h.must(runner.Run(t.Context(), runner.Config{
			Address: file.Address, Token: file.Job.Lease, Job: &file.Job, Name: "pod", Slots: 1, WorkDir: t.TempDir(), Once: true,
			Engines: engine.New(engine.Config{}), Walls: walls,
		}))
		h.ends(r.ID, run.Errored) // there is no engine in this pod, and its log says so
		var left []run.Runner
		h.must(h.db.View(t.Context(), func(v *store.View) (err error) {
			left, err = v.Runners("")
			return err
		}))
		if len(left) != 1 || left[0].Name != "east" {
			t.Errorf("%+v are left of the runners", left)
		}
		stop()
	})
}

func TestAPodThatNeverBegins(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := newCluster(t)
		c.every = map[string]any{"waiting": map[string]string{"reason": "ErrImagePull", "message": "no such image"}}
		h.posted(c, url, t.TempDir(), 200*time.Millisecond)
		r := h.queued()
		h.ends(r.ID, run.Errored)
		if got := h.run(r.ID); !strings.Contains(got.Error, "ErrImagePull: no such image") {
			t.Errorf("the run says %q", got.Error)
		}
		c.isEmpty()
	})
}

func (h *house) run(id string) (r run.Run) {
	h.t.Helper()
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		r, err = v.Run(id)
		return err
	}))
	return r
}

func TestAClusterThatRefuses(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := newCluster(t)
		h.posted(c, url, t.TempDir(), time.Minute)
		c.mu.Lock()
		c.faults = []fault{{"POST", 403, `jobs.batch is forbidden: User "x" cannot create`}}
		c.mu.Unlock()
		r := h.queued()
		h.ends(r.ID, run.Errored)
		if got := h.run(r.ID); !strings.Contains(got.Error, "cannot create") {
			t.Errorf("the run says %q", got.Error)
		}
	})
}

// TestAJobDeletedFromOutside is given to somebody again when its lease ends.
func TestAJobDeletedFromOutside(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := newCluster(t)
		h.posted(c, url, t.TempDir(), time.Minute)
		h.queued()
		name, _, secret := c.made()
		lost := fileOf(t, secret).Job
		c.looked()
		c.mu.Lock()
		clear(c.objects)
		c.mu.Unlock()
		c.looked()
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
			j, err := tx.Job(lost.ID)
			j.LeaseUntil = tx.Now.Add(-time.Second)
			if err != nil {
				return err
			}
			return tx.SaveJob(&j)
		}))
		h.must(h.runs.Reconcile(t.Context()))
		again, _, secret := c.made()
		if next := fileOf(t, secret).Job; again == name || next.Attempt != lost.Attempt+1 {
			t.Errorf("attempt %d is in %s, after %s", next.Attempt, again, name)
		}
	})
}

// TestARunnerTakesUpItsJobsElsewhere starts the runner anew while a pod has not begun, and
// then lets somebody cancel the run.
func TestARunnerTakesUpItsJobsElsewhere(t *testing.T) {
	storetest.NeedsSlow(t)
	each(t, func(t *testing.T, h *house) {
		c, url := newCluster(t)
		work := t.TempDir()
		stop := h.posted(c, url, work, time.Minute)
		r := h.queued()
		name, _, secret := c.made()
		id := fileOf(t, secret).Job.ID
		stop()
		before := h.holder(id)
		h.posted(c, url, work, time.Minute)
		for range 30_000 {
			if h.holder(id) != before {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if h.holder(id) == before {
			t.Fatal("the new life of the runner does not keep the lease")
		}
		if again, _, _ := c.made(); again != name {
			t.Errorf("a second Job %s was made", again)
		}
		h.must(h.runs.Cancel(t.Context(), h.admin, r.ID, ""))
		c.isEmpty() // with the next heartbeat
	})
}

func (h *house) holder(id string) (runner string) {
	h.t.Helper()
	h.must(h.db.View(h.t.Context(), func(v *store.View) error {
		j, err := v.Job(id)
		runner = j.RunnerID
		return err
	}))
	return runner
}
