// Package configs owns the verbs of configuration versions: announcing one, taking
// its archive, handing it out, giving it up. It decides who may, and asks the archive room
// what may be unpacked.
//
// It never makes a run by itself: what is to happen when an archive came is handed in.
package configs

import (
	"context"
	"log/slog"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// DefaultMaxSize is how many bytes an archive may have, when nothing else is said.
const DefaultMaxSize = 100 << 20

// maxWaiting is how many configuration versions of one workspace may wait for an archive.
const maxWaiting = 500

// Room is the verbs.
type Room struct {
	Config
}

// Config is what the verbs are built on.
type Config struct {
	DB      *store.DB
	Objects *object.Room
	Ring    *seal.Ring       // seals what people are told about a configuration
	Log     *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // the clock; time.Now when nil
	MaxSize int64            // bytes of an archive; 0: DefaultMaxSize
	Edition site.Edition     // says whether retention policies are carried out

	// Queue makes the run of a configuration version that asks for one as soon as its
	// archive is there, in the transaction that notes that; nil: none is made. The
	// workspace is held. The author is who made the configuration version, as it stands now.
	Queue func(tx *store.Tx, author belay.Principal, w *belay.Workspace, c *run.ConfigurationVersion) error
}

// New makes the verbs.
func New(c Config) *Room {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxSize == 0 {
		c.MaxSize = DefaultMaxSize
	}
	return &Room{c}
}

// get hands out a configuration version to those who have a permission on its workspace.
func get(v store.Reader, s belay.Principal, id string, need belay.Permission) (run.ConfigurationVersion, belay.Workspace, error) {
	c, err := v.Peek().ConfigurationVersion(id)
	if err != nil {
		return c, belay.Workspace{}, err
	}
	w, _, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: c.WorkspaceID}, need)
	return c, w, err
}

// Create announces a configuration version. Whoever announces it may upload its archive.
func (r *Room) Create(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, p run.ConfigurationPatch, source string) (c run.ConfigurationVersion, upload object.Presigned, err error) {
	err = r.DB.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(&tx.Locked, s, ref, belay.QueueRuns)
		if err != nil {
			return err
		}
		waiting, err := tx.WaitingConfigurations(w.ID)
		if err != nil {
			return err
		}
		if waiting >= maxWaiting {
			return belay.Refuse(belay.Conflict, "%d configuration versions of this workspace wait for their upload already: upload them, or wait until they expire", waiting)
		}
		c = p.NewConfiguration(access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ApplyRuns), tx.Now)
		c.CreatedBy, _ = s.Actor()
		c.Author, c.Source = s, source
		c.Author.SiteAdmin = false // what it is when the archive comes is looked up then
		if err := tx.AddConfigurationVersion(&w, &c); err != nil {
			return err
		}
		return emit(tx, s, "configuration_version.created", &w, &c)
	})
	return c, r.Objects.Presign(true, object.Configuration, c.ID, object.LongLife), err
}

// Show is one configuration version.
func (r *Room) Show(ctx context.Context, s belay.Principal, id string) (c run.ConfigurationVersion, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		c, _, err = get(v, s, id, belay.ReadRuns)
		return err
	})
	return c, err
}

// Ingress is the configuration version that ingress attributes belong to.
func (r *Room) Ingress(ctx context.Context, s belay.Principal, id string) (c run.ConfigurationVersion, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		if c, err = v.ConfigurationByIngress(id); err == nil {
			_, _, err = gate.Workspace(v, s, belay.WorkspaceRef{ID: c.WorkspaceID}, belay.ReadRuns)
		}
		return err
	})
	return c, err
}

// IngressOf is a configuration version that has ingress attributes.
func (r *Room) IngressOf(ctx context.Context, s belay.Principal, id string) (run.ConfigurationVersion, error) {
	c, err := r.Show(ctx, s, id)
	if err == nil && c.Ingress == nil {
		err = belay.ErrNotFound
	}
	return c, err
}

// List is one page of the configuration versions of a workspace, the newest first.
func (r *Room) List(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, page belay.Page) (list []run.ConfigurationVersion, total int, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadRuns)
		if err != nil {
			return err
		}
		list, total, err = v.ConfigurationVersions(w.ID, page)
		return err
	})
	return list, total, err
}

// Readmes is what people are told about configuration versions, by id: of those that a
// caller has been shown already.
func (r *Room) Readmes(ctx context.Context, ids []string) (texts map[string]string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = r.DB.View(ctx, func(v *store.View) error {
		texts, err = v.Readmes(ids)
		return err
	})
	for id, sealed := range texts {
		raw, err := r.Ring.Unseal(sealed, id)
		if err != nil {
			return nil, err
		}
		texts[id] = string(raw)
	}
	return texts, err
}

// emit records what a principal did to a configuration version.
func emit(tx *store.Tx, s belay.Principal, kind string, w *belay.Workspace, c *run.ConfigurationVersion) error {
	return record.EmitWithin(tx, s, kind, w, "configuration-versions", c.ID, map[string]any{"workspace": w.Name, "status": c.Status, "source": c.Source})
}
