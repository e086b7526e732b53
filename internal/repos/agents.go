package repos

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// What agents are told.
var (
	errNoFetcher  error = belay.Refuse(belay.Forbidden, "only runners of an agent pool fetch commits")
	errRevoked    error = belay.Refuse(belay.Ended, "the token that the runner registered with was revoked, or has expired")
	errNotClaimed error = belay.Refuse(belay.Conflict, "the commit is fetched by another")
)

// The waits of agents for something to fetch.
const (
	agentWait = 50 * time.Second
	agentLook = 10 * time.Second
)

// handOver leaves a fetch to the agents of the pool that its connection is reached through: nobody
// else is given the connection's token.
func (r *Room) handOver(ctx context.Context, s *service, f *forge.Fetch) error {
	pool := s.client.AgentPoolID
	err := r.DB.Update(ctx, func(tx *store.Tx) error {
		f.State, f.Tries, f.NextAt, f.Error = forge.WorkElsewhere, 0, tx.Now, ""
		if p, err := tx.Peek().AgentPool(pool); err == nil {
			pool = p.Name
		}
		_, err := tx.SaveFetch(f)
		return err
	})
	if err == nil {
		r.tell(ctx, s, forge.VCSInfo, fmt.Sprintf("commit %.12s is left to the agents of pool %s, through which the service is reached", f.Commit, pool))
	}
	return err
}

// takeBack has the server fetch what waits for agents, where the connection is not reached through any
// pool any more.
func (r *Room) takeBack(ctx context.Context) (int, error) {
	left := false
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		left, err = v.LeftByAgents()
		return err
	})
	if err != nil || !left {
		return 0, err
	}
	return 1, r.DB.Update(ctx, func(tx *store.Tx) error { return tx.FetchHere() })
}

// ClaimFetch gives a runner a commit to fetch, and waits for one: nil when there is none in time.
func (r *Room) ClaimFetch(ctx context.Context, of *run.Runner, want run.FetchClaim) (*run.FetchTask, error) {
	if of.PoolID == "" || of.ForJob != "" {
		return nil, errNoFetcher
	}
	told, stop := r.DB.Watch(store.ReposWake)
	defer stop()
	late := time.NewTimer(min(max(time.Duration(want.Wait)*time.Second, 0), agentWait))
	defer late.Stop()
	for {
		job, err := r.takeFetch(ctx, of)
		if job != nil || err != nil {
			return job, err
		}
		look := time.NewTimer(agentLook)
		select {
		case <-told:
		case <-look.C:
		case <-late.C:
			look.Stop()
			return nil, nil
		case <-ctx.Done():
			look.Stop()
			return nil, ctx.Err()
		}
		look.Stop()
	}
}

// takeFetch takes a fetch for a runner, if one is due.
func (r *Room) takeFetch(ctx context.Context, of *run.Runner) (*run.FetchTask, error) {
	id, claim, due := "", belay.NewID("claim"), false
	err := r.DB.View(ctx, func(v *store.View) error {
		may, err := v.MayClaim(of, r.Now())
		if err == nil && !may {
			err = errRevoked
		}
		if err == nil {
			due, err = v.AgentFetchDue(of.PoolID, r.Now())
		}
		return err
	})
	if err != nil || !due {
		return nil, err
	}
	err = r.DB.Update(ctx, func(tx *store.Tx) (err error) {
		id, err = tx.ClaimAgentFetch(of.PoolID, claim, tx.Now.Add(claimFor))
		return err
	})
	if err != nil || id == "" {
		return nil, err
	}
	f, s, err := r.claimed(ctx, of, id, claim)
	if err != nil {
		return nil, err
	}
	if f.Tries > 1 {
		if mine, err := r.again(ctx, s, f); err != nil || !mine {
			return nil, err
		}
	}
	q, err := r.request(ctx, s, f)
	if err != nil { // the service is asked where its SSH is, or GitHub for a token
		_, err = r.fetched(ctx, s, f, err)
		return nil, err
	}
	return &run.FetchTask{
		ID: id, Claim: claim, RenewMillis: (claimFor / 3).Milliseconds(), URL: q.URL, User: q.User, Password: q.Password, SSHKey: q.SSHKey,
		LFS: q.LFS, HostsOf: q.HostsOf, Commit: q.Commit, Ref: q.Ref, Submodules: q.Submodules, MaxSize: r.MaxSize,
	}, nil
}

// claimed is a fetch that a runner has. It is asked each time whether the runner's token is in force, and
// the connection still reached through its pool.
func (r *Room) claimed(ctx context.Context, of *run.Runner, id, claim string) (*forge.Fetch, *service, error) {
	var f forge.Fetch
	err := r.DB.View(ctx, func(v *store.View) error {
		may, err := v.MayClaim(of, r.Now())
		if err == nil && !may {
			return errRevoked
		}
		if err == nil {
			f, err = v.Fetch(id)
		}
		return err
	})
	if gone(err) || err == nil && (claim == "" || f.Claim != claim || of.PoolID == "" || of.ForJob != "") {
		err = errNotClaimed
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := r.service(ctx, f.HookID)
	if gone(err) || err == nil && s.client.AgentPoolID != of.PoolID {
		err = errNotClaimed
	}
	return &f, s, err
}

// RenewFetch keeps a fetch for a runner that is at it.
func (r *Room) RenewFetch(ctx context.Context, of *run.Runner, id, claim string) error {
	if _, _, err := r.claimed(ctx, of, id, claim); err != nil {
		return err
	}
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		mine, err := tx.RenewAgentFetch(id, claim, tx.Now.Add(claimFor))
		if err == nil && !mine {
			err = errNotClaimed
		}
		return err
	})
}

// BringFetch takes the archive that a runner made of a commit. It is looked into like one of our own.
func (r *Room) BringFetch(ctx context.Context, of *run.Runner, id, claim string, from io.Reader) error {
	f, s, err := r.claimed(ctx, of, id, claim)
	switch {
	case err != nil:
		return err
	case f.State == forge.WorkDone:
		return nil // the answer was lost
	case f.State != forge.WorkElsewhere:
		return errNotClaimed
	}
	file, found, err := r.keep(ctx, s, f, io.LimitReader(from, r.MaxSize+1))
	lost := ctx.Err()
	if lost == nil { // it may have taken long, and the agent may not any more
		_, _, lost = r.claimed(ctx, of, id, claim)
	}
	if lost != nil {
		r.Objects.Forget(context.WithoutCancel(ctx), file.Key)
		return lost
	}
	if err == nil && file.Size > r.MaxSize {
		err = errTooLarge
	}
	return r.ended(ctx, s, f, file, found, err)
}

// FailFetch writes down why a runner could not fetch a commit.
func (r *Room) FailFetch(ctx context.Context, of *run.Runner, id string, end run.FetchEnd) error {
	f, s, err := r.claimed(ctx, of, id, end.Claim)
	if err != nil {
		return err
	}
	if f.State != forge.WorkElsewhere {
		return errNotClaimed
	}
	var failed error = &git.Error{Text: saidBy(end.Error), Passing: !end.Lasting}
	if end.Error == git.ErrToken.Error() {
		failed = git.ErrToken
	}
	_, err = r.fetched(ctx, s, f, failed)
	return err
}

// saidBy is the words of a runner, as they may be kept.
func saidBy(why string) string {
	const most = 500
	why = strings.ToValidUTF8(strings.ReplaceAll(why, "\x00", ""), "")
	if utf8.RuneCountInString(why) > most {
		why = string([]rune(why)[:most])
	}
	if why == "" {
		why = "the agent does not say why"
	}
	return why
}
