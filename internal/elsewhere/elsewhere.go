// Package elsewhere starts runners of one job somewhere else: as a Job of Kubernetes or of
// Nomad. It speaks their REST and nothing of ours: what a job is, and what becomes of one that
// never began, is for whoever asks.
package elsewhere

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Work is one job to be carried out elsewhere.
type Work struct {
	ID    string // of the job
	Kind  string // plan, apply or assessment
	RunID string
	File  []byte // what the runner there needs to take the job: a secret
}

// Place is what is there of a job.
type Place struct {
	ID      string // of the job
	Name    string // how it is called there
	Began   bool   // its runner has begun, or had
	Ended   bool
	Problem string // why it can't begin; empty while it may
	Made    time.Time
}

// Executor is where runners of one job are started. Each of its verbs may be done again.
type Executor interface {
	// Start starts a runner. One that is there already is left alone.
	Start(ctx context.Context, w Work) error
	// List is every job that this runner ever started there and that is not cleaned up.
	List(ctx context.Context) ([]Place, error)
	// File is what a job was started with, for a runner that takes it up again.
	File(ctx context.Context, p Place) ([]byte, error)
	// Stop takes a job away. One that is gone is no error.
	Stop(ctx context.Context, p Place) error
}

// Refusal is an answer that is an error.
type Refusal struct {
	Status int
	Reason string
	After  time.Duration // when to ask again; 0: not said
}

func (e *Refusal) Error() string { return fmt.Sprintf("%d: %s", e.Status, e.Reason) }

// is says whether an error is an answer of this status.
func is(err error, status int) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Status == status
}

// Passing says whether the same may be answered later.
func Passing(err error) bool {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Status >= 500 || r.Status == http.StatusTooManyRequests || r.Status == http.StatusRequestTimeout || r.Status == http.StatusUnauthorized ||
			r.Status == http.StatusForbidden && strings.Contains(r.Reason, "exceeded quota")
	}
	return err != nil
}

// callWithin is how long a call may take, and maxAnswer how much it may answer.
const (
	callWithin = 20 * time.Second
	maxAnswer  = 32 << 20
)

// rest is an API that speaks JSON.
type rest struct {
	base   string
	client *http.Client
	// authorize puts the token into a request. It is read anew each time: tokens change.
	authorize func(*http.Request) error
}

// do makes a call. A token that was refused is read once more: it may have changed meanwhile.
func (r *rest) do(ctx context.Context, method, path string, in, out any) error {
	err := r.once(ctx, method, path, in, out)
	if is(err, http.StatusUnauthorized) {
		err = r.once(ctx, method, path, in, out)
	}
	return err
}

func (r *rest) once(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if err := r.authorize(request); err != nil {
		return err
	}
	answer, err := r.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return refusal(answer, raw)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}

// refusal is what an answer says that is an error: a status of Kubernetes, or a text.
func refusal(answer *http.Response, raw []byte) error {
	r := &Refusal{Status: answer.StatusCode, Reason: string(bytes.TrimSpace(raw[:min(len(raw), 500)]))}
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &said) == nil && said.Message != "" {
		r.Reason = said.Message
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		r.After = time.Duration(seconds) * time.Second
	}
	return r
}
