package repos

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/archive"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// workFetches fetches commits.
func (r *Room) workFetches(ctx context.Context) (int, error) {
	return r.claim(ctx, "fetch", store.FetchWork, fetchesAtOnce, r.fetch)
}

// fetch fetches a commit for all workspaces that plan it.
func (r *Room) fetch(ctx context.Context, id, claim string) error {
	var f forge.Fetch
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		f, err = v.Fetch(id)
		return err
	})
	if err != nil || f.Claim != claim || f.State != forge.WorkWaits {
		return ignoreGone(err)
	}
	s, err := r.service(ctx, f.HookID)
	if err != nil {
		return ignoreGone(err)
	}
	if s.client.AgentPoolID != "" {
		return r.handOver(ctx, s, &f)
	}
	if f.Tries > 1 {
		if mine, err := r.again(ctx, s, &f); err != nil || !mine {
			return err
		}
	}
	file, found, err := r.archive(ctx, s, &f)
	if ctx.Err() != nil {
		r.Objects.Forget(ctx, file.Key)
		return nil //nolint:nilerr // another has it
	}
	return r.ended(ctx, s, &f, file, found, err)
}

// ended writes down how a fetch ended.
func (r *Room) ended(ctx context.Context, s *service, f *forge.Fetch, file object.File, found archive.Contents, failed error) error {
	if failed == nil {
		f.State, f.Key, f.Size, f.SHA256, f.UsedAt = forge.WorkDone, file.Key, file.Size, file.SHA256, r.Now()
		if found.Readme != "" {
			f.Readme = r.Ring.Seal([]byte(found.Readme), f.ID)
		}
	} else {
		r.Objects.Forget(ctx, file.Key)
	}
	mine, err := r.fetched(ctx, s, f, failed)
	if err != nil {
		r.Objects.ForgetAfter(ctx, err, f.Key)
	} else if !mine {
		r.Objects.Forget(ctx, file.Key)
	}
	return err
}

// archive fetches a commit into a file, and looks into that.
func (r *Room) archive(ctx context.Context, s *service, f *forge.Fetch) (file object.File, found archive.Contents, err error) {
	request, err := r.request(ctx, s, f)
	if err != nil {
		return file, found, err
	}
	reading, writing := io.Pipe()
	fetched := make(chan error, 1)
	go func() {
		err := r.Fetcher.Fetch(ctx, request, &limited{writing, r.MaxSize})
		_ = writing.CloseWithError(err)
		fetched <- err
	}()
	file, found, err = r.keep(ctx, s, f, reading)
	_ = reading.CloseWithError(io.ErrClosedPipe)
	if failed := <-fetched; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return file, found, failed
	}
	return file, found, err
}

// keep writes an archive into a file, and looks into it.
func (r *Room) keep(ctx context.Context, s *service, f *forge.Fetch, from io.Reader) (file object.File, found archive.Contents, err error) {
	file, err = r.Objects.Put(ctx, object.NewKey(object.Configuration, s.hook.ID, f.ID), object.From(from))
	if err != nil {
		return file, found, err
	}
	found, err = archive.Check(func() (io.ReadCloser, error) {
		return r.Objects.Open(ctx, file.Key, file.SHA256, file.Size)
	}, archive.Standard, "")
	return file, found, err
}

// request is how a commit is fetched: over SSH where the connection has a key, else over HTTP
// with its token, or with one of its installation that reads this repository and nothing else.
func (r *Room) request(ctx context.Context, s *service, f *forge.Fetch) (q git.Request, err error) {
	q = git.Request{Commit: f.Commit, Ref: f.Ref, Submodules: f.Submodules, Password: s.secret, SSHKey: s.sshKey, HostsOf: s.token.ID}
	if q.URL, q.User = s.ask.CloneURL(s.hook.Identifier); s.sshKey != "" {
		q.LFS = q.URL
		q.URL, err = s.ask.SSHURL(ctx, s.hook.Identifier)
	}
	if s.installation != nil {
		q.Password, err = r.lends(s.installation.Number, s.hook.Identifier, true).Token(ctx)
	}
	return q, err
}

var errTooLarge = &archive.Error{Reason: "it is larger than an archive may be"}

// limited refuses an archive that grows too large.
type limited struct {
	to   io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errTooLarge
	}
	return l.to.Write(p)
}

// settled is how many configuration versions are settled in one go.
const settled = 100

// settle gives configuration versions the archives that were fetched for them, each in a
// transaction of its own, and lets their runs go on.
func (r *Room) settle(ctx context.Context) (int, error) {
	var ids []string
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		ids, err = v.Unsettled(settled)
		return err
	})
	for _, id := range ids {
		if err == nil {
			err = r.DB.Update(ctx, func(tx *store.Tx) error { return ignoreGone(r.settleOne(tx, id)) })
		}
	}
	return len(ids), err
}

func (r *Room) settleOne(tx *store.Tx, id string) error {
	c, err := tx.Peek().ConfigurationVersion(id)
	if err != nil {
		return err
	}
	w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: c.WorkspaceID})
	if err != nil {
		return err
	}
	if c, err = tx.ConfigurationVersion(id); err != nil || c.Status != run.ConfigurationFetching {
		return err
	}
	f, err := tx.Peek().Fetch(c.FetchID)
	there := !gone(err)
	if there && (err != nil || f.State == forge.WorkWaits || f.State == forge.WorkElsewhere) {
		return err
	}
	serves, err := tx.HookServes(f.HookID, w.ProjectID)
	if err != nil {
		return err
	}
	var problem string
	switch {
	case !there: // it went with its hook
		problem = "the connection to its repository is gone"
		c.Fail(run.FetchFailed, problem, tx.Now)
	case !serves: // any more
		problem, f.Readme = forge.OutOfReach, ""
		c.Fail(run.FetchFailed, problem, tx.Now)
	default:
		problem = fetchedInto(&c, &f, tx.Now)
	}
	if err := tx.SaveConfigurationVersion(&w, &c); err != nil {
		return err
	}
	if err := r.keepReadme(tx, &f, c.ID); err != nil {
		return err
	}
	return r.Runs.Fetched(tx, &w, c.ID, problem)
}

// fetchedInto gives a configuration version what its fetch came to, and says what failed.
func fetchedInto(c *run.ConfigurationVersion, f *forge.Fetch, now time.Time) (problem string) {
	if f.State == forge.WorkFailed {
		c.Fail(f.Code, f.Error, now)
		return f.Error
	}
	c.Upload(f.Key, f.SHA256, f.Size, now)
	return ""
}

// keepReadme seals the text that came with a fetch for the configuration version that has it from now on.
func (r *Room) keepReadme(tx *store.Tx, f *forge.Fetch, id string) error {
	if f.Readme == "" {
		return nil
	}
	text, err := r.Ring.Unseal(f.Readme, f.ID)
	if err != nil {
		return err
	}
	return tx.SaveReadme(id, r.Ring.Seal(text, id))
}
