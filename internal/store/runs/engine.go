package runs

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/run"
)

var engineVersions = sqldb.NewTable(sqldb.Table[belay.EngineVersion]{
	Name: "engine_versions",
	Hold: "e",
	From: "engine_versions e",
	Own: []sqldb.Column[belay.EngineVersion]{
		{Name: "id", At: func(e *belay.EngineVersion) any { return &e.ID }},
		{Name: "version", At: func(e *belay.EngineVersion) any { return &e.Version }},
		{Name: "url", At: func(e *belay.EngineVersion) any { return &e.URL }},
		{Name: "sha", At: func(e *belay.EngineVersion) any { return &e.SHA }},
		{Name: "archs", At: func(e *belay.EngineVersion) any { return sqldb.JSON(&e.Archs) }},
		{Name: "official", At: func(e *belay.EngineVersion) any { return &e.Official }},
		{Name: "enabled", At: func(e *belay.EngineVersion) any { return &e.Enabled }},
		{Name: "beta", At: func(e *belay.EngineVersion) any { return &e.Beta }},
		{Name: "deprecated", At: func(e *belay.EngineVersion) any { return &e.Deprecated }},
		{Name: "deprecated_reason", At: func(e *belay.EngineVersion) any { return &e.DeprecatedReason }},
		{Name: "created_at", At: func(e *belay.EngineVersion) any { return sqldb.Millis(&e.CreatedAt) }},
	},
})

var versionTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Version has already been taken", Place: "version",
}}

// EngineVersion is one engine version, by id.
func (v *View) EngineVersion(id string) (belay.EngineVersion, error) {
	e, err := engineVersions.One(v, "e.id = ?", id)
	if err != nil {
		return e, err
	}
	counts, err := v.EngineCounts(e.Version)
	counts[e.Version].Into(&e)
	return e, err
}

// EngineVersions is one page of the engine versions that a search finds, the newest first and without their use: there are
// some hundreds, and no database knows that 1.10 comes after 1.9.
func (v *View) EngineVersions(search string, page belay.Page) ([]belay.EngineVersion, int, error) {
	list, err := engineVersions.Many(v, v.SQL(engineVersions.Selected).Add(`WHERE LOWER(e.version) LIKE ? ESCAPE '\'`, sqldb.Contains(search)))
	if err != nil {
		return nil, 0, err
	}
	run.SortEngines(list)
	total, from := len(list), min(page.Offset(), len(list))
	return list[from:min(from+page.Size, total)], total, nil
}

// EveryEngineVersion is all versions that are known, in no order.
func (v *View) EveryEngineVersion() ([]belay.EngineVersion, error) {
	return engineVersions.Many(v, v.SQL(engineVersions.Selected))
}

// EngineCount is how many workspaces have a version: those whose setting stands for it, and those of them that name exactly it.
type EngineCount struct{ Used, Named int }

// Into tells a version.
func (c EngineCount) Into(e *belay.EngineVersion) { e.Usage, e.Named = c.Used, c.Named }

// EngineCounts is that of some versions, of none of all that are used, in one pass over an index. Those on a
// shelf are taken off: the index alone counts the rest.
func (v *View) EngineCounts(versions ...string) (map[string]EngineCount, error) {
	type count struct {
		release string
		EngineCount
	}
	const counted = "SELECT w.engine_release AS release, count(*) AS used, count(CASE WHEN w.engine_version = w.engine_release THEN 1 END) AS named FROM "
	q := v.SQL("SELECT g.release, CAST(sum(g.used) AS BIGINT), CAST(sum(g.named) AS BIGINT) FROM (" + counted + "workspaces w")
	if versions != nil {
		q.In(" WHERE w.engine_release", versions)
	}
	q.Add(` GROUP BY w.engine_release UNION ALL
		SELECT w.engine_release, -count(*), -count(CASE WHEN w.engine_version = w.engine_release THEN 1 END) FROM recoverable_items k JOIN workspaces w ON w.id = k.workspace_id GROUP BY w.engine_release
		) g GROUP BY g.release`)
	list, err := sqldb.Collect(v, q, func(c *count) []any { return []any{&c.release, &c.Used, &c.Named} })
	counts := make(map[string]EngineCount, len(list))
	for _, c := range list {
		counts[c.release] = c.EngineCount
	}
	return counts, err
}

// Engines is every engine version that may be chosen.
func (v *View) Engines() (belay.Engines, error) {
	list, err := sqldb.Collect(v, v.SQL("SELECT version, official, enabled, beta, deprecated FROM engine_versions WHERE enabled"), func(e *belay.EngineVersion) []any {
		return []any{&e.Version, &e.Official, &e.Enabled, &e.Beta, &e.Deprecated}
	})
	return belay.NewEngines(list), err
}

// EngineNames is the versions that are known.
func (v *View) EngineNames() ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT version FROM engine_versions"))
}

// EngineUse is a setting of an engine version that workspaces have, and the release that they
// say it stands for.
type EngineUse struct{ Setting, Release string }

// EngineUses is every use of engine versions, found by leaping over an index from one to the
// next: the same for every number of workspaces.
func (v *View) EngineUses() ([]EngineUse, error) {
	const next = "SELECT min(w.engine_version) FROM workspaces w WHERE w.engine_release = "
	return sqldb.Collect(v, v.SQL(`WITH RECURSIVE releases(release) AS (
			SELECT (SELECT min(w.engine_release) FROM workspaces w)
			UNION ALL SELECT (SELECT min(w.engine_release) FROM workspaces w WHERE w.engine_release > releases.release) FROM releases WHERE releases.release IS NOT NULL
		), uses(release, setting) AS (
			SELECT releases.release, (`+next+`releases.release) FROM releases WHERE releases.release IS NOT NULL
			UNION ALL SELECT uses.release, (`+next+`uses.release AND w.engine_version > uses.setting) FROM uses WHERE uses.setting IS NOT NULL
		) SELECT setting, release FROM uses WHERE setting IS NOT NULL ORDER BY setting, release`), func(u *EngineUse) []any { return []any{&u.Setting, &u.Release} })
}

// EngineUsers is the workspaces of a use.
func (v *View) EngineUsers(u EngineUse) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT id FROM workspaces WHERE engine_release = ? AND engine_version = ? ORDER BY id", u.Release, u.Setting))
}

// ResolveEngine notes which release a setting stands for on workspaces that still have it.
func (tx *Tx) ResolveEngine(setting, release string, ids []string) error {
	q := tx.SQL("UPDATE workspaces SET engine_release = ? WHERE engine_version = ? AND id", release, setting)
	changed, err := sqldb.Values[string](&tx.View, q.In("", ids).Add(" RETURNING organization_id"))
	for _, id := range changed {
		tx.MoveFacts(id)
	}
	return err
}

// AddEngineVersion writes a new engine version.
func (tx *Tx) AddEngineVersion(e *belay.EngineVersion) error {
	return engineVersions.Insert(tx, e, versionTaken)
}

// AddEngineVersions writes new engine versions.
func (tx *Tx) AddEngineVersions(list []belay.EngineVersion) error {
	return tx.Unique(engineVersions.InsertMany(tx, list), versionTaken)
}

// SaveEngineVersion writes an engine version.
func (tx *Tx) SaveEngineVersion(e *belay.EngineVersion) error {
	return engineVersions.Update(tx, e, versionTaken)
}

// DropEngineVersion deletes an engine version.
func (tx *Tx) DropEngineVersion(e *belay.EngineVersion) error {
	return tx.Do("DELETE FROM engine_versions WHERE id = ?", e.ID)
}
