package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/belayhq/belay/run"
)

// fetchAll fetches commits for the server, one after the other, beside the jobs: those of services
// that are reached through the runner's pool.
func (r *Runner) fetchAll(ctx context.Context) {
	if r.Fetch == nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-r.drain:
			stop()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		var task run.FetchTask
		ask := run.FetchClaim{Wait: min(50, max(1, r.me.WaitSeconds))}
		err := r.wire.untilAnswered(ctx, func() error {
			waiting, cancel := context.WithTimeout(ctx, time.Duration(ask.Wait)*time.Second+callWithin)
			defer cancel()
			return r.wire.post(waiting, "fetches/claim", "", ask, &task)
		})
		switch {
		case err != nil: // an old server, no pool's runner, or one that gets nothing any more
			if ctx.Err() == nil {
				r.Log.Info("the runner fetches no commits", "because", err)
			}
			return
		case task.ID == "":
			continue
		}
		if err := r.fetchOne(context.WithoutCancel(ctx), &task); err != nil {
			r.Log.Warn("a commit was not fetched", "fetch", task.ID, "error", err)
		}
	}
}

// fetchOne fetches a commit into a file, which is brought whole: an answer that is lost does not have
// it fetched again.
func (r *Runner) fetchOne(ctx context.Context, task *run.FetchTask) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go r.renewFetch(ctx, stop, task)
	file, err := os.CreateTemp(r.WorkDir, "commit-*.tar.gz")
	if err != nil {
		return errors.Join(err, r.failFetch(ctx, task, errors.New("the agent has no place for the archive")))
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	sum := &summed{sum: sha256.New(), left: task.MaxSize}
	if err := r.Fetch(ctx, *task, io.MultiWriter(file, sum)); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return errors.Join(err, r.failFetch(ctx, task, err))
	}
	return r.wire.untilAnswered(ctx, func() error {
		return r.bringFetch(ctx, task, file, hex.EncodeToString(sum.sum.Sum(nil)))
	})
}

func (r *Runner) failFetch(ctx context.Context, task *run.FetchTask, why error) error {
	end := run.FetchEnd{Claim: task.Claim, Error: why.Error()}
	var fault interface{ Lasting() bool }
	end.Lasting = errors.Is(why, errTooLarge) || errors.As(why, &fault) && fault.Lasting()
	return r.wire.untilAnswered(ctx, func() error {
		call, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return r.wire.post(call, "fetches/"+task.ID+"/fail", "", end, nil)
	})
}

// bringFetch sends an archive from its beginning.
func (r *Runner) bringFetch(ctx context.Context, task *run.FetchTask, file *os.File, sum string) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return &refusal{detail: err.Error()}
	}
	request, err := r.wire.request(ctx, http.MethodPut, "fetches/"+task.ID+"/archive", "", io.NopCloser(file))
	if err != nil {
		return err
	}
	request.Header.Set(run.ClaimHeader, task.Claim)
	request.Header.Set(run.SHA256Header, sum)
	answer, err := r.wire.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	return refuse(answer)
}

// renewFetch keeps the claim, and ends the fetch when another has it.
func (r *Runner) renewFetch(ctx context.Context, stop func(), task *run.FetchTask) {
	every := time.Duration(max(1000, task.RenewMillis)) * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		call, cancel := context.WithTimeout(ctx, callWithin)
		err := r.wire.post(call, "fetches/"+task.ID+"/renew", "", run.FetchEnd{Claim: task.Claim}, nil)
		cancel()
		if err != nil && !passing(err) {
			stop()
			return
		}
	}
}

var errTooLarge = errors.New("it is larger than an archive may be")

// summed sums up an archive, and refuses one that grows too large.
type summed struct {
	sum  hash.Hash
	left int64
}

func (c *summed) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		return 0, errTooLarge
	}
	return c.sum.Write(p)
}
