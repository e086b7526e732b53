package app

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
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

// shipEngines writes the releases that the binary knows and the database does not.
func shipEngines(tx *store.Tx) error {
	list, _, err := tx.EngineVersions("", belay.Page{Number: 1, Size: 1 << 20})
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range list {
		there[e.Version] = true
	}
	for _, version := range strings.Fields(shippedVersions) {
		if there[version] {
			continue
		}
		e := belay.EngineVersion{ID: belay.NewID("tool"), Version: version, Official: true, Enabled: true, CreatedAt: tx.Now}
		if err := tx.AddEngineVersion(&e); err != nil {
			return err
		}
	}
	return nil
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

// EngineVersions is the engine versions that a search finds, to site admins.
func (a *App) EngineVersions(ctx context.Context, s belay.Subject, search string, page belay.Page) (list []belay.EngineVersion, total int, err error) {
	if err := siteAdmin(s); err != nil {
		return nil, 0, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		list, total, err = v.EngineVersions(search, page)
		return err
	})
	return list, total, err
}

// EngineVersion is one engine version, to site admins.
func (a *App) EngineVersion(ctx context.Context, s belay.Subject, id string) (e belay.EngineVersion, err error) {
	if err := siteAdmin(s); err != nil {
		return e, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		e, err = v.EngineVersion(id)
		return err
	})
	return e, err
}

// CreateEngineVersion makes a version known.
func (a *App) CreateEngineVersion(ctx context.Context, s belay.Subject, p EngineVersionPatch) (e belay.EngineVersion, err error) {
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
func (a *App) UpdateEngineVersion(ctx context.Context, s belay.Subject, id string, p EngineVersionPatch) (e belay.EngineVersion, err error) {
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

// DeleteEngineVersion forgets a version that no workspace names.
func (a *App) DeleteEngineVersion(ctx context.Context, s belay.Subject, id string) error {
	return a.changeEngines(ctx, s, func(tx *store.Tx) error {
		e, err := tx.EngineVersion(id)
		if err != nil {
			return err
		}
		if e.Usage > 0 {
			var problems belay.Problems
			problems.At("", "Version is in use by %d workspaces", e.Usage)
			return problems
		}
		return tx.DropEngineVersion(&e)
	})
}

func (a *App) changeEngines(ctx context.Context, s belay.Subject, change func(*store.Tx) error) error {
	if err := siteAdmin(s); err != nil {
		return err
	}
	defer a.engines.Store(nil)
	return a.db.Update(ctx, change)
}
