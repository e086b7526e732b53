package runnerwire

import (
	"context"
	"io"
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// Fetches hands out commits that runners fetch for the server, and takes their archives.
type Fetches interface {
	ClaimFetch(ctx context.Context, of *run.Runner, want run.FetchClaim) (*run.FetchTask, error)
	RenewFetch(ctx context.Context, of *run.Runner, id, claim string) error
	BringFetch(ctx context.Context, of *run.Runner, id, claim string, from io.Reader) error
	FailFetch(ctx context.Context, of *run.Runner, id string, end run.FetchEnd) error
}

// fetcher is the runner of a call about fetches.
func (d *Door) fetcher(c *call) (run.Runner, error) {
	if d.Fetches == nil {
		return run.Runner{}, belay.ErrNotFound
	}
	return d.Runs.Runner(c.Context(), c.token)
}

func (d *Door) claimFetch(c *call) error {
	runner, err := d.fetcher(c)
	if err != nil {
		return err
	}
	var in run.FetchClaim
	if err := c.read(&in); err != nil {
		return err
	}
	waiting, stop, err := d.untilTheEnd(c)
	if err != nil {
		return err
	}
	defer stop()
	task, err := d.Fetches.ClaimFetch(waiting, &runner, in)
	switch {
	case task != nil:
		return c.answer(http.StatusOK, task)
	case waiting.Err() != nil:
		return errEnding
	case err != nil:
		return err
	default:
		return c.answer(http.StatusNoContent, nil)
	}
}

func (d *Door) renewFetch(c *call) error {
	return d.aboutFetch(c, func(ctx context.Context, of *run.Runner, id string, in run.FetchEnd) error {
		return d.Fetches.RenewFetch(ctx, of, id, in.Claim)
	})
}

func (d *Door) failFetch(c *call) error {
	return d.aboutFetch(c, func(ctx context.Context, of *run.Runner, id string, in run.FetchEnd) error {
		return d.Fetches.FailFetch(ctx, of, id, in)
	})
}

// aboutFetch answers a call that names its claim in the body.
func (d *Door) aboutFetch(c *call, do func(ctx context.Context, of *run.Runner, id string, in run.FetchEnd) error) error {
	runner, err := d.fetcher(c)
	if err != nil {
		return err
	}
	var in run.FetchEnd
	if err := c.read(&in); err != nil {
		return err
	}
	if err := do(c.Context(), &runner, c.PathValue("id"), in); err != nil {
		return err
	}
	return c.answer(http.StatusNoContent, nil)
}

func (d *Door) putFetch(c *call) error {
	runner, err := d.fetcher(c)
	if err != nil {
		return err
	}
	proved := newProving(c)
	if err := d.Fetches.BringFetch(c.Context(), &runner, c.PathValue("id"), c.Header.Get(run.ClaimHeader), proved); err != nil {
		return err
	}
	return c.answer(http.StatusNoContent, nil)
}
