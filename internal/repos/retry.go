package repos

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/archive"
	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
	"github.com/belayhq/belay/run"
)

// What may pass is tried again for about an hour, while runs wait: with the first waits of half a
// minute, two and eight, and then every ten minutes, so that a service that is back is not waited for
// much longer.
const (
	fetchTries       = 9
	longestFetchWait = 10 * time.Minute
)

// errLost is the end of a try that left no word.
var errLost = errors.New("whoever fetched it went away in the middle")

// lasting says that a fetch fails whenever it is tried: the service refuses it, or what is there can't
// be planned. What nobody knows the kind of, such as a disk that is full, may pass.
func lasting(err error) bool {
	var bad *archive.Error
	var fault interface{ Lasting() bool }
	var answer *vcs.Error
	switch {
	case errors.As(err, &bad), errors.Is(err, egress.ErrPrivate):
		return true
	case errors.As(err, &fault):
		return fault.Lasting()
	case errors.As(err, &answer):
		return !answer.Temporary()
	default:
		return false
	}
}

// fetched writes down what came of a fetch: with a failure, that it is tried again or not.
func (r *Room) fetched(ctx context.Context, s *service, f *forge.Fetch, failed error) (mine bool, err error) {
	var told []forge.VCSEvent
	if failed != nil {
		s.unlend(r) // git does not say whether it was the token
		told = append(told, s.event(forge.VCSError, r.failed(s, f, failed), r.Now()))
	}
	return r.saveFetch(ctx, f, told)
}

// saveFetch writes down how a fetch stands, and what is told of it, unless another has it by now.
func (r *Room) saveFetch(ctx context.Context, f *forge.Fetch, told []forge.VCSEvent) (mine bool, err error) {
	err = r.DB.Update(ctx, func(tx *store.Tx) (err error) {
		if mine, err = tx.SaveFetch(f); err != nil || !mine {
			return err
		}
		return tx.AddVCSEvents(told)
	})
	return mine, err
}

// failed is what a failure means for a fetch, which is told in words.
func (r *Room) failed(s *service, f *forge.Fetch, failed error) string {
	told := fmt.Sprintf("commit %.12s could not be fetched (try %d): %s", f.Commit, f.Tries, plain(failed))
	// Tokens of installations end early, and another is lent for the next try.
	another := s.installation != nil && f.Tries == 1 && errors.Is(failed, git.ErrToken)
	var bad *archive.Error
	switch {
	case errors.As(failed, &bad):
		f.State, f.Code, f.Error = forge.WorkFailed, run.BadArchive, "the commit can't be planned: "+bad.Reason
	case lasting(failed) && !another:
		f.State, f.Code, f.Error = forge.WorkFailed, run.FetchFailed, "the commit could not be fetched: "+plain(failed)
	case f.Tries >= fetchTries:
		f.State, f.Code = forge.WorkFailed, run.FetchFailed
		f.Error = fmt.Sprintf("the commit could not be fetched: %s (after %d tries)", plain(failed), f.Tries)
	default:
		wait := r.fetchWait(f.Tries, failed)
		f.Error, f.NextAt = plain(failed), r.Now().Add(wait)
		return fmt.Sprintf("%s; it is tried again in %s", told, wait.Round(time.Second))
	}
	return told + "; it is not tried again"
}

// fetchWait is how long a fetch that may succeed later is left alone.
func (r *Room) fetchWait(tries int, failed error) time.Duration {
	now := r.Now()
	wait := min(r.after(tries, now).Sub(now), longestFetchWait)
	var answer *vcs.Error
	if errors.As(failed, &answer) { // the service may say when
		wait = max(wait, min(answer.RetryAfter, time.Hour))
	}
	return wait
}

// again begins another try of a fetch. Where the one before left no word, whoever was at it is gone,
// which is told; what nobody ever comes to the end of is given up.
func (r *Room) again(ctx context.Context, s *service, f *forge.Fetch) (mine bool, err error) {
	var told []forge.VCSEvent
	if f.Error == "" {
		if f.Tries > fetchTries {
			_, err := r.fetched(ctx, s, f, errLost)
			return false, err
		}
		told = append(told, s.event(forge.VCSError, fmt.Sprintf("commit %.12s: %s; it is fetched again (try %d)", f.Commit, errLost, f.Tries), r.Now()))
	}
	f.Error = ""
	return r.saveFetch(ctx, f, told)
}
