package elsewhere

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// NomadConfig is where a parameterized job is dispatched.
type NomadConfig struct {
	URL       string
	TokenFile string // read anew for each call; empty: none is sent
	Namespace string
	Job       string // the parameterized job
	Runner    string // the name of whoever dispatches: each sees its own alone
}

// Nomad dispatches a parameterized job for each job.
type Nomad struct {
	NomadConfig
	rest rest
}

// NewNomad checks what is needed to reach it.
func NewNomad(c NomadConfig) (*Nomad, error) {
	if c.URL == "" || c.Job == "" {
		return nil, errors.New("--nomad-url and --nomad-job are needed")
	}
	n := &Nomad{NomadConfig: c}
	n.rest = rest{base: strings.TrimRight(c.URL, "/"), client: &http.Client{}, authorize: n.authorize}
	return n, nil
}

func (n *Nomad) authorize(r *http.Request) error {
	if n.TokenFile == "" {
		return nil
	}
	raw, err := os.ReadFile(n.TokenFile)
	r.Header.Set("X-Nomad-Token", strings.TrimSpace(string(raw)))
	return err
}

func (n *Nomad) path(path string, query url.Values) string {
	if query == nil {
		query = url.Values{}
	}
	if n.Namespace != "" {
		query.Set("namespace", n.Namespace)
	}
	return "/v1/" + path + "?" + query.Encode()
}

// The keys of what a dispatched job knows of itself.
const (
	metaJob    = "belay_job"
	metaRunner = "belay_runner"
)

// Start dispatches the job. The token makes that once, however often it is told.
func (n *Nomad) Start(ctx context.Context, w Work) error {
	in := map[string]any{
		"Payload": base64.StdEncoding.EncodeToString(w.File),
		"Meta":    map[string]string{metaJob: w.ID, metaRunner: labelOf(n.Runner)},
	}
	path := n.path("job/"+url.PathEscape(n.Job)+"/dispatch", url.Values{"idempotency_token": {w.ID}})
	return n.rest.do(ctx, http.MethodPost, path, in, nil)
}

type nomadJob struct {
	ID, ParentID, Status, StatusDescription string

	Meta       map[string]string
	SubmitTime int64 // nanoseconds
}

// List lists what was dispatched of the job, and why allocations don't begin.
func (n *Nomad) List(ctx context.Context) ([]Place, error) {
	var all []nomadJob
	err := n.rest.do(ctx, http.MethodGet, n.path("jobs", url.Values{"prefix": {n.Job + "/dispatch-"}, "meta": {"true"}}), nil, &all)
	if err != nil {
		return nil, err
	}
	var list []Place
	for _, job := range all {
		if job.ParentID != n.Job || job.Meta[metaRunner] != labelOf(n.Runner) {
			continue
		}
		p := Place{ID: job.Meta[metaJob], Name: job.ID, Made: time.Unix(0, job.SubmitTime), Ended: job.Status == "dead"}
		if err := n.look(ctx, &p, job); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// look finds out whether the job has begun.
func (n *Nomad) look(ctx context.Context, p *Place, job nomadJob) error {
	var allocations []struct {
		ClientStatus, ClientDescription string
		TaskStates                      map[string]struct {
			State     string
			StartedAt time.Time
			Events    []struct{ Type, DisplayMessage string }
		}
	}
	err := n.rest.do(ctx, http.MethodGet, n.path("job/"+url.PathEscape(p.Name)+"/allocations", nil), nil, &allocations)
	if is(err, http.StatusNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(allocations) == 0 {
		p.Problem = job.StatusDescription
		if p.Problem == "" {
			p.Problem = "no allocation yet"
		}
	}
	for _, a := range allocations {
		for _, task := range a.TaskStates {
			p.Began = p.Began || !task.StartedAt.IsZero()
			if events := task.Events; task.State != "running" && len(events) > 0 {
				last := events[len(events)-1]
				p.Problem = strings.Trim(last.Type+": "+last.DisplayMessage, ": ")
			}
		}
	}
	return nil
}

// File reads what a job was dispatched with.
func (n *Nomad) File(ctx context.Context, p Place) ([]byte, error) {
	var job struct{ Payload []byte } // in base64, which JSON takes away
	err := n.rest.do(ctx, http.MethodGet, n.path("job/"+url.PathEscape(p.Name), nil), nil, &job)
	return job.Payload, err
}

// Stop stops a job and forgets it.
func (n *Nomad) Stop(ctx context.Context, p Place) error {
	err := n.rest.do(ctx, http.MethodDelete, n.path("job/"+url.PathEscape(p.Name), url.Values{"purge": {"true"}}), nil, nil)
	if is(err, http.StatusNotFound) {
		return nil
	}
	return err
}
