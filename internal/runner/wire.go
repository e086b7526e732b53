package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/run"
)

// callWithin is how long a call that does not wait may take.
const callWithin = 30 * time.Second

// The pauses between tries of a call that was not answered.
const (
	firstPause = 200 * time.Millisecond
	longPause  = 15 * time.Second
)

// wire is the server as a runner sees it.
type wire struct {
	base  string
	http  *http.Client
	token string // of the runner
}

func newWire(address string, transport http.RoundTripper) *wire {
	if transport == nil {
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: 20 * time.Second,
			TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
		}
	}
	return &wire{base: strings.TrimRight(address, "/") + run.WirePath + "/", http: &http.Client{Transport: transport}}
}

// refusal is an answer that is an error of ours.
type refusal struct {
	status int
	detail string
}

func (e *refusal) Error() string {
	return fmt.Sprintf("the server answered %d: %s", e.status, e.detail)
}

// refused says whether the server answered with this status.
func refused(err error, status int) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == status
}

// passing says whether the same call may be answered later.
func passing(err error) bool {
	var r *refusal
	if errors.As(err, &r) {
		return r.status >= 500 || r.status == http.StatusTooManyRequests || r.status == http.StatusRequestTimeout
	}
	return err != nil
}

// untilAnswered repeats a call until the server says something to it: yes or no.
func (w *wire) untilAnswered(ctx context.Context, call func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		began := time.Now()
		err := call()
		if !passing(err) {
			return err
		}
		if time.Since(began) > longPause {
			pause = firstPause // it was heard meanwhile: a proxy cut a call that waits
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

func (w *wire) post(ctx context.Context, path, token string, in, out any) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return w.do(ctx, http.MethodPost, path, token, bytes.NewReader(raw), out)
}

func (w *wire) get(ctx context.Context, path, token string, out any) error {
	return w.do(ctx, http.MethodGet, path, token, nil, out)
}

func (w *wire) do(ctx context.Context, method, path, token string, body io.Reader, out any) error {
	request, err := w.request(ctx, method, path, token, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := w.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if err := refuse(answer); err != nil {
		return err
	}
	if out == nil || answer.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(answer.Body).Decode(out); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}

func (w *wire) request(ctx context.Context, method, path, token string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, w.base+path, body)
	if err != nil {
		return nil, err
	}
	if token == "" {
		token = w.token
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set(run.ProtocolHeader, strconv.Itoa(run.Protocol))
	trace.Carry(ctx, request.Header)
	return request, nil
}

// refuse turns an answer that is an error into one.
func refuse(answer *http.Response) error {
	if answer.StatusCode < 300 {
		return nil
	}
	var said struct {
		Errors []struct{ Title, Detail string } `json:"errors"`
	}
	raw, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	r := &refusal{status: answer.StatusCode, detail: http.StatusText(answer.StatusCode)}
	if json.Unmarshal(raw, &said) == nil && len(said.Errors) > 0 {
		r.detail = said.Errors[0].Title
		if d := said.Errors[0].Detail; d != "" {
			r.detail = d
		}
	}
	return r
}
