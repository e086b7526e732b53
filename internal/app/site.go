package app

import (
	"context"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

// healthFor is how long what was found of the site is told again without another look.
const healthFor = 5 * time.Second

// lookWithin is how long the store of objects may take to answer that it is there.
const lookWithin = 2 * time.Second

// siteHealth is what was found last. Whoever asks meanwhile waits for the one look.
type siteHealth struct {
	sync.Mutex
	last site.Health
}

// SiteHealth is how the server and what it needs stands, for site admins.
func (a *App) SiteHealth(ctx context.Context, s belay.Principal) (site.Health, error) {
	if err := gate.SiteAdmin(s); err != nil {
		return site.Health{}, err
	}
	a.health.Lock()
	defer a.health.Unlock()
	if now := a.now(); now.Sub(a.health.last.At) < healthFor {
		return a.health.last, nil
	}
	h, err := a.lookAround(ctx)
	if err == nil {
		a.health.last = h
	}
	return h, err
}

func (a *App) lookAround(ctx context.Context) (h site.Health, err error) {
	figures, err := a.db.Figures(ctx)
	if err != nil {
		return h, err
	}
	busy := a.db.Busy()
	h = site.Health{
		At: a.now(), Database: a.db.Engine(), Schema: store.NewestSchema(), DatabaseBytes: figures.Bytes,
		ConnectionsInUse: busy.InUse, ConnectionsAtMost: busy.Max, WriterQueue: busy.Queue,
		Organizations: figures.Organizations, Workspaces: figures.Workspaces, Users: figures.Users, Sessions: figures.Sessions,
		OldestRun: figures.OldestRun, Due: figures.Due, DeadLettered: figures.DeadLettered, BackupIsInProgress: figures.ObjectsHeld, Replicas: figures.Replicas,
	}
	if figures.Due > 0 {
		h.OldestDue = figures.OldestDue
	}
	for _, n := range figures.Runs {
		h.RunsOpen += n
	}
	h.DiskFree = -1
	if a.serverFacts != nil {
		h.ServerFacts = a.serverFacts()
	}
	h.ObjectsFail = a.objectsFail(ctx)
	err = a.db.View(ctx, func(v *store.View) error { return a.lookInside(v, &h) })
	return h, err
}

func (a *App) lookInside(v *store.View, h *site.Health) (err error) {
	if h.LastBackup, err = v.LastBackup(); err != nil {
		return err
	}
	pools, err := v.PoolLoads(h.At, nil)
	if err != nil {
		return err
	}
	for _, load := range pools {
		if load.Runners == 0 {
			h.Starved += load.Waiting
		}
	}
	keys, err := v.EncryptionKeys()
	h.Keys = len(keys)
	for _, k := range keys {
		if k.Leads {
			h.Key = k.ID()
		}
	}
	return err
}

// objectsFail is why the store of objects does not answer. Where it lies is nobody's business.
func (a *App) objectsFail(ctx context.Context) string {
	if a.objects.Absent() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	if err := a.objects.Ping(ctx); err != nil {
		a.log.Warn("the store of objects does not answer", "error", err)
		return "the server's log says why"
	}
	return ""
}

// SiteStorage is what organizations keep, the largest first, for site admins.
func (a *App) SiteStorage(ctx context.Context, s belay.Principal, page belay.Page) (list []site.OrganizationStorage, total int, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return nil, 0, err
	}
	err = a.db.View(ctx, func(v *store.View) error { list, total, err = v.OrganizationStorage(page); return err })
	return list, total, err
}

// SiteKeys is the keys that data is sealed with, and what is known of what each seals, for site admins.
func (a *App) SiteKeys(ctx context.Context, s belay.Principal) (k site.Keys, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return k, err
	}
	err = a.db.View(ctx, func(v *store.View) error { k, err = v.Keys(); return err })
	return k, err
}

const (
	countStorageEvery = 10 * time.Second
	storageFor        = time.Hour // how long a count of what an organization keeps is good for
	storageAtOnce     = 500       // workspaces that one statement counts
)

// countStorage counts what organizations keep that were not counted in the last hour.
func (a *App) countStorage(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := a.countOne(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.Warn("what organizations keep was not counted", "error", err)
		}
		if err != nil || !more {
			return
		}
	}
}

// countOne counts one organization, in parts that nobody waits for.
func (a *App) countOne(ctx context.Context) (more bool, err error) {
	var due string
	err = a.db.View(ctx, func(v *store.View) (err error) { due, err = v.DueStorage(a.now().Add(-storageFor)); return err })
	if err != nil || due == "" {
		return false, err
	}
	var kept site.OrganizationStorage
	err = a.db.Update(ctx, func(tx *store.Tx) (err error) {
		kept = site.OrganizationStorage{CountedAt: tx.Now}
		kept.OrganizationID, err = tx.ClaimStorage(tx.Now.Add(-storageFor))
		return err
	})
	if err != nil || kept.OrganizationID == "" {
		return false, err
	}
	for after := ""; ; {
		var last string
		err := a.db.View(ctx, func(v *store.View) (err error) { last, err = v.AddStorage(&kept, after, storageAtOnce); return err })
		if err != nil {
			return false, err
		}
		if after = last; after == "" {
			break
		}
	}
	return true, a.db.Update(ctx, func(tx *store.Tx) error { return tx.SaveStorage(&kept) })
}
