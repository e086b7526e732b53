package configs

import (
	"context"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Presign signs the permission to download the archive of a configuration version.
func (r *Room) Presign(ctx context.Context, s belay.Principal, id string) (object.Presigned, error) {
	c, err := r.Show(ctx, s, id)
	if err == nil && !c.There() {
		err = belay.ErrNotFound
	}
	return r.Objects.Presign(false, object.Configuration, id, object.ShortLife), err
}

// Download opens the archive that a presigned URL names.
func (r *Room) Download(ctx context.Context, p object.Presigned) (c run.ConfigurationVersion, rc io.ReadCloser, err error) {
	p.Upload = false // whatever its bearer says of it
	if err := r.Objects.Check(ctx, p); err != nil {
		return c, nil, err
	}
	return r.Open(ctx, p.ID)
}

// Open opens the archive of a configuration version, for those who were permitted before:
// the runner of a job of it.
func (r *Room) Open(ctx context.Context, id string) (c run.ConfigurationVersion, rc io.ReadCloser, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		c, err = v.ConfigurationVersion(id)
		return err
	})
	if err == nil && !c.There() {
		err = belay.ErrNotFound
	}
	if err != nil {
		return c, nil, err
	}
	rc, err = r.Objects.Open(ctx, c.Key, c.SHA256, c.Size)
	return c, rc, err
}
