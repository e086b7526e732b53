package configs

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/archive"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Upload takes the archive that a presigned URL names. size is how large it says it is; a
// negative one is not known. The same bytes once more are fine.
func (r *Room) Upload(ctx context.Context, p object.Presigned, body io.Reader, size int64) error {
	p.Upload = true // whatever its bearer says of it
	if err := r.Objects.Check(ctx, p); err != nil {
		return err
	}
	var c run.ConfigurationVersion
	var directory string
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		if c, err = v.ConfigurationVersion(p.ID); err != nil {
			return err
		}
		w, err := v.Workspace(belay.WorkspaceRef{ID: c.WorkspaceID})
		if err != nil {
			return err
		}
		directory = w.WorkingDirectory
		_, _, err = r.standing(v, &w, c.Author)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.Takes(c.SHA256); err != nil {
		return err
	}
	if size > r.MaxSize {
		return r.tooLarge()
	}
	return r.take(ctx, &c, &limited{r: body, left: r.MaxSize, refusal: r.tooLarge()}, directory)
}

// take stores an archive, looks into it, and makes it that of the configuration version.
func (r *Room) take(ctx context.Context, c *run.ConfigurationVersion, body io.Reader, directory string) error {
	file, err := r.Objects.Put(ctx, object.NewKey(object.Configuration, c.WorkspaceID, c.ID), object.From(body))
	if err != nil {
		return err
	}
	found, err := archive.Check(func() (io.ReadCloser, error) {
		return r.Objects.Open(ctx, file.Key, file.SHA256, file.Size)
	}, archive.Standard, directory)
	var bad *archive.Error
	if err != nil && !errors.As(err, &bad) {
		r.Objects.Forget(ctx, file.Key)
		return err
	}
	gone, err := r.settle(ctx, c.ID, file, found, bad)
	switch {
	case err == nil && bad != nil:
		r.Objects.Forget(ctx, file.Key)
		return belay.Refuse(belay.Invalid, "the archive can't be taken: %s", bad.Reason)
	case err == nil:
		r.Objects.Forget(ctx, gone)
		return nil
	default:
		r.Objects.ForgetAfter(ctx, err, file.Key)
		return err
	}
}

// settle notes what came of an upload, and says which file nobody needs any more.
func (r *Room) settle(ctx context.Context, id string, file object.File, found archive.Contents, bad *archive.Error) (gone string, err error) {
	err = r.change(ctx, id, func(tx *store.Tx, w *belay.Workspace, c *run.ConfigurationVersion) error {
		gone = c.Key
		author, can, err := r.standing(tx.Peek(), w, c.Author)
		if err != nil {
			return err
		}
		if err := c.Takes(file.SHA256); err != nil {
			return err
		}
		if c.Status == run.ConfigurationUploaded && c.SHA256 == file.SHA256 {
			gone = file.Key // it is there already
			return nil
		}
		if bad != nil {
			if c.Status == run.ConfigurationUploaded { // what it has stays
				return nil
			}
			c.Fail(run.BadArchive, bad.Reason, tx.Now)
			return tx.SaveConfigurationVersion(w, c)
		}
		c.Vetted = c.Vetted && can.Has(belay.ApplyRuns)
		first := c.Upload(file.Key, file.SHA256, file.Size, tx.Now)
		if err := tx.SaveConfigurationVersion(w, c); err != nil {
			return err
		}
		if err := tx.SaveReadme(c.ID, r.sealed(found.Readme, c.ID)); err != nil {
			return err
		}
		if err := emit(tx, author, "configuration_version.uploaded", w, c); err != nil {
			return err
		}
		if !first || !c.AutoQueueRuns || r.Queue == nil {
			return nil
		}
		return r.Queue(tx, author, w, c)
	})
	return gone, err
}

func (r *Room) sealed(text, id string) string {
	if text == "" {
		return ""
	}
	return r.Ring.Seal([]byte(text), id)
}

// standing is an author as it stands now, and what it may do in the workspace. Nobody can take
// a URL back, so it is good for no longer than its author could announce another: it goes with
// the right to queue runs, and with the token that it was made with.
func (r *Room) standing(v *store.View, w *belay.Workspace, author belay.Principal) (belay.Principal, belay.Permission, error) {
	author.SiteAdmin = false
	there, err := r.stands(v, &author)
	if err != nil || !there {
		return author, belay.Permission{}, cmp.Or(err, error(belay.ErrNotFound))
	}
	access, err := v.Access(author, w.Organization)
	can := access.OnWorkspace(w.ID, w.ProjectID)
	if belay.KindOf(err) == belay.Unauthenticated || err == nil && !can.Has(belay.ReadWorkspace.And(belay.QueueRuns)) {
		err = belay.ErrNotFound
	}
	return author, can, err
}

// stands says whether an author and its token are there, and notes whether it is an admin of the site.
func (r *Room) stands(v *store.View, author *belay.Principal) (bool, error) {
	if author.TokenID != "" {
		t, err := v.Token(author.TokenID)
		if err != nil || !t.ExpiredAt.IsZero() && !r.Now().Before(t.ExpiredAt) {
			return false, missing(err)
		}
	}
	if author.Kind != belay.UserPrincipal {
		return true, nil
	}
	u, err := v.User(author.ID)
	author.SiteAdmin = u.IsAdmin
	return err == nil && !u.Suspended, missing(err)
}

// missing is no error where something is only not there.
func missing(err error) error {
	if errors.Is(err, belay.ErrNotFound) {
		return nil
	}
	return err
}

// change changes a configuration version in a transaction that holds its workspace. It is
// for what was permitted before.
func (r *Room) change(ctx context.Context, id string, do change) error {
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		c, err := tx.ConfigurationVersion(id)
		if err != nil {
			return err
		}
		w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: c.WorkspaceID})
		if err != nil {
			return err
		}
		if c, err = tx.ConfigurationVersion(id); err != nil { // again, now that its workspace is held
			return err
		}
		return do(tx, &w, &c)
	})
}

func (r *Room) tooLarge() error {
	return belay.Refuse(belay.TooLarge, "the archive is larger than %d bytes", r.MaxSize)
}

// limited reads no more than a number of bytes, and then refuses.
type limited struct {
	r       io.Reader
	left    int64
	refusal error
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, l.refusal
	}
	return n, err
}
