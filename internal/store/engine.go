package store

import "github.com/belayhq/belay"

var engineVersions = newTable(table[belay.EngineVersion]{
	name: "engine_versions",
	hold: "e",
	from: "engine_versions e",
	own: []column[belay.EngineVersion]{
		{"id", func(e *belay.EngineVersion) any { return &e.ID }},
		{"version", func(e *belay.EngineVersion) any { return &e.Version }},
		{"url", func(e *belay.EngineVersion) any { return &e.URL }},
		{"sha", func(e *belay.EngineVersion) any { return &e.SHA }},
		{"archs", func(e *belay.EngineVersion) any { return jsonText[[]belay.EngineBuild]{&e.Archs} }},
		{"official", func(e *belay.EngineVersion) any { return &e.Official }},
		{"enabled", func(e *belay.EngineVersion) any { return &e.Enabled }},
		{"beta", func(e *belay.EngineVersion) any { return &e.Beta }},
		{"deprecated", func(e *belay.EngineVersion) any { return &e.Deprecated }},
		{"deprecated_reason", func(e *belay.EngineVersion) any { return &e.DeprecatedReason }},
		{"created_at", func(e *belay.EngineVersion) any { return millis{&e.CreatedAt} }},
	},
	joined: []column[belay.EngineVersion]{
		{"(SELECT count(*) FROM workspaces w WHERE w.engine_version = e.version)", func(e *belay.EngineVersion) any { return &e.Usage }},
	},
})

var versionTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Version has already been taken", Pointer: "/data/attributes/version",
}}

// EngineVersion is one engine version, by id.
func (v *View) EngineVersion(id string) (belay.EngineVersion, error) {
	return engineVersions.one(v, "e.id = ?", id)
}

// EngineVersions is one page of the engine versions that a search finds.
func (v *View) EngineVersions(search string, page belay.Page) ([]belay.EngineVersion, int, error) {
	return engineVersions.page(v, page, "e.created_at DESC, e.version DESC", `LOWER(e.version) LIKE ? ESCAPE '\'`, contains(search))
}

// Engines is every engine version that may be chosen.
func (v *View) Engines() (belay.Engines, error) {
	list, err := collect(v, v.sql("SELECT version, beta FROM engine_versions WHERE enabled"), func(e *belay.EngineVersion) []any {
		e.Enabled = true
		return []any{&e.Version, &e.Beta}
	})
	for i := range list {
		list[i].Enabled = true
	}
	return belay.NewEngines(list), err
}

// AddEngineVersion writes a new engine version.
func (tx *Tx) AddEngineVersion(e *belay.EngineVersion) error {
	return engineVersions.insert(tx, e, versionTaken)
}

// SaveEngineVersion writes an engine version.
func (tx *Tx) SaveEngineVersion(e *belay.EngineVersion) error {
	return engineVersions.update(tx, e, versionTaken)
}

// DropEngineVersion deletes an engine version.
func (tx *Tx) DropEngineVersion(e *belay.EngineVersion) error {
	return tx.do("DELETE FROM engine_versions WHERE id = ?", e.ID)
}
