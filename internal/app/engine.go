package app

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// shippedVersions is the engine releases that the binary knows, one on a line.
//
//go:embed engines.txt
var shippedVersions string

// enginesFor is how long the list of engine versions is kept between looks: another
// replica may have changed it.
const enginesFor = 5 * time.Second

type knownEngines struct {
	belay.Engines
	readAt time.Time
}

// knownEngines is the engine versions that a workspace may name.
func (a *App) knownEngines(v *store.View) (belay.Engines, error) {
	now := a.now()
	if known := a.engines.Load(); known != nil && now.Sub(known.readAt) < enginesFor {
		return known.Engines, nil
	}
	engines, err := v.Engines()
	if err == nil {
		a.engines.Store(&knownEngines{engines, now})
	}
	return engines, err
}

// Engines is the engine versions that runs may be made with.
func (a *App) Engines(v *store.View) (belay.Engines, error) { return a.knownEngines(v) }

// EnginesNow is the engine versions that a workspace may name, outside of any other work.
func (a *App) EnginesNow(ctx context.Context) (known belay.Engines, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		known, err = a.knownEngines(v)
		return err
	})
	return known, err
}

// shipEngines writes the releases that the binary knows and the database does not.
func shipEngines(tx *store.Tx) error {
	there, err := tx.EngineNames()
	if err != nil {
		return err
	}
	var list []belay.EngineVersion
	for _, version := range strings.Fields(shippedVersions) {
		if !slices.Contains(there, version) {
			list = append(list, belay.EngineVersion{ID: belay.NewID("tool"), Version: version, Official: true, Enabled: true, CreatedAt: tx.Now})
		}
	}
	return tx.AddEngineVersions(list)
}

// EngineVersionPatch is a change of an engine version.
type EngineVersionPatch struct {
	Version, URL, SHA, DeprecatedReason patch.Field[string]
	Archs                               patch.Field[[]belay.EngineBuild]
	Official, Enabled, Beta, Deprecated patch.Field[bool]
}

func (p EngineVersionPatch) apply(e *belay.EngineVersion) error {
	p.Version.Into(&e.Version)
	p.URL.Into(&e.URL)
	p.SHA.Into(&e.SHA)
	switch {
	case len(p.Archs.Value) > 0:
		e.TakeBuilds(p.Archs.Value)
	case p.URL.Set || p.SHA.Set:
		e.TakeOnlyBuild()
	case p.Archs.Set:
		e.TakeBuilds(nil)
	}
	p.DeprecatedReason.Into(&e.DeprecatedReason)
	p.Official.Into(&e.Official)
	p.Enabled.Into(&e.Enabled)
	p.Beta.Into(&e.Beta)
	p.Deprecated.Into(&e.Deprecated)
	return e.Check()
}

// engineCounts is how many workspaces had each engine version.
type engineCounts struct {
	of     map[string]store.EngineCount
	readAt time.Time
}

// countedAnew is of how many workspaces the engine versions are counted each time; of more the counts are kept as long as
// the list of versions is.
const countedAnew = 2000

// engineCountsOf is how many workspaces have each engine version.
func (a *App) engineCountsOf(v *store.View) (map[string]store.EngineCount, error) {
	now := a.now()
	if kept := a.engineCounts.Load(); kept != nil && now.Sub(kept.readAt) < enginesFor {
		return kept.of, nil
	}
	counts, err := v.EngineCounts()
	all := 0
	for _, c := range counts {
		all += c.Used
	}
	if err == nil && all > countedAnew {
		a.engineCounts.Store(&engineCounts{counts, now})
	}
	return counts, err
}

// EngineVersions is the engine versions that a search finds, to site admins.
func (a *App) EngineVersions(ctx context.Context, s belay.Principal, search string, page belay.Page) (list []belay.EngineVersion, total int, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return nil, 0, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		if list, total, err = v.EngineVersions(search, page); err != nil {
			return err
		}
		counts, err := a.engineCountsOf(v)
		for i := range list {
			counts[list[i].Version].Into(&list[i])
		}
		return err
	})
	return list, total, err
}

// EngineVersion is one engine version, to site admins.
func (a *App) EngineVersion(ctx context.Context, s belay.Principal, id string) (e belay.EngineVersion, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return e, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		e, err = v.EngineVersion(id)
		return err
	})
	return e, err
}

// CreateEngineVersion makes a version known.
func (a *App) CreateEngineVersion(ctx context.Context, s belay.Principal, p EngineVersionPatch) (e belay.EngineVersion, err error) {
	err = a.changeEngines(ctx, s, func(tx *store.Tx) error {
		e = belay.EngineVersion{ID: belay.NewID("tool"), Enabled: true, CreatedAt: tx.Now}
		if err := p.apply(&e); err != nil {
			return err
		}
		return tx.AddEngineVersion(&e)
	})
	return e, err
}

// UpdateEngineVersion changes a known version.
func (a *App) UpdateEngineVersion(ctx context.Context, s belay.Principal, id string, p EngineVersionPatch) (e belay.EngineVersion, err error) {
	err = a.changeEngines(ctx, s, func(tx *store.Tx) error {
		if e, err = tx.EngineVersion(id); err != nil {
			return err
		}
		if err := p.apply(&e); err != nil {
			return err
		}
		return tx.SaveEngineVersion(&e)
	})
	return e, err
}

// SupportEnginesFrom deprecates every version that is older than one, and no longer those that were for being older.
func (a *App) SupportEnginesFrom(ctx context.Context, s belay.Principal, id string) error {
	return a.changeEngines(ctx, s, func(tx *store.Tx) error {
		from, err := tx.EngineVersion(id)
		if err != nil {
			return err
		}
		list, err := tx.EveryEngineVersion()
		if err != nil {
			return err
		}
		changed := run.SupportFrom(list, from.Version)
		for i := range changed {
			if err := tx.SaveEngineVersion(&changed[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteEngineVersion forgets a version that no workspace names.
func (a *App) DeleteEngineVersion(ctx context.Context, s belay.Principal, id string) error {
	return a.changeEngines(ctx, s, func(tx *store.Tx) error {
		e, err := tx.EngineVersion(id)
		if err != nil {
			return err
		}
		if e.Named > 0 { // where a constraint stands for it another will do
			var problems belay.Problems
			problems.At("", "Version is in use by %d workspaces", e.Named)
			return problems
		}
		return tx.DropEngineVersion(&e)
	})
}

func (a *App) changeEngines(ctx context.Context, s belay.Principal, change func(*store.Tx) error) error {
	if err := gate.SiteAdmin(s); err != nil {
		return err
	}
	defer store.Then(ctx, func() {
		a.engines.Store(nil)
		a.engineCounts.Store(nil)
		a.resolve.Now()
	})
	return a.db.Update(ctx, change)
}

// resolveEngines notes which releases the settings of workspaces stand for, after the known
// versions have changed.
func (a *App) resolveEngines(ctx context.Context) {
	if err := a.resolveAll(ctx); err != nil && ctx.Err() == nil {
		a.log.Warn("engine versions not resolved", "error", err)
	}
}

func (a *App) resolveAll(ctx context.Context) error {
	var engines belay.Engines
	var uses []store.EngineUse
	err := a.db.View(ctx, func(v *store.View) (err error) {
		if engines, err = v.Engines(); err == nil {
			uses, err = v.EngineUses()
		}
		return err
	})
	for _, use := range uses {
		if release := engines.Resolve(use.Setting); err == nil && release != use.Release {
			err = a.resolveUse(ctx, use, release)
		}
	}
	return err
}

// resolveUse writes the release of one setting, some workspaces at a time.
func (a *App) resolveUse(ctx context.Context, use store.EngineUse, release string) error {
	var ids []string
	err := a.db.View(ctx, func(v *store.View) (err error) {
		ids, err = v.EngineUsers(use)
		return err
	})
	for part := range slices.Chunk(ids, store.RowsAtOnce) {
		if err == nil {
			err = a.db.Update(ctx, func(tx *store.Tx) error { return tx.ResolveEngine(use.Setting, release, part) })
		}
	}
	return err
}
