package plan

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store/core"
)

// exploredColumn is what a field of a view is in SQL. A user's text never becomes part of
// it: fields and operators lead to these constants, and values are arguments.
type exploredColumn struct {
	value   text       // what is shown, compared and sorted by; a missing text is the empty one
	words   wordSearch // how one of the words is found that a field lists
	search  text       // begins the search for a part of a text that stands in another table
	element text       // that text
	thin    bool       // the thin row of a word's workspaces has it
	order   text       // sorts instead of the value, where that may be null
	unknown bool       // the same for every row: nothing is known of it yet
	shared  text       // what rows of one value share, where the value is looked up for each
	named   text       // the value of what is shared, which is g.value
}

// exploredView is where the rows of a view come from; from has a place for the organization.
// Between it and closing, within may be asked to be one of some ids.
type exploredView struct {
	from    text
	closing text
	id      text
	within  text
	order   text // of rows for which none is asked, before their id
	columns map[string]exploredColumn
}

// beside is from where rows are named by their ids: SQLite would walk all that the organization has.
func (view *exploredView) beside(q *query) text {
	if view.within != "f.id" {
		return view.from
	}
	return text(strings.Replace(string(view.from), "f.organization_id", string(q.Dialect.Beside)+"f.organization_id", 1))
}

// Columns of which nothing is known.
var (
	unknownNumber   = exploredColumn{value: "CAST(NULL AS BIGINT)", unknown: true}
	unknownText     = exploredColumn{value: "''", unknown: true}
	exploredCurated = exploredColumn{value: "FALSE", unknown: true} // there is no registry to curate it
)

// newestAssessment is what the newest assessment of a workspace says; null without one, which is not looked for.
const newestAssessment text = "CASE WHEN f.assessment_id <> '' THEN (SELECT %s FROM assessments x WHERE x.id = f.assessment_id) END"

// assessedNumber is a number of the newest assessment. Without one it sorts before all.
func assessedNumber(what text) exploredColumn {
	value := text(strings.Replace(string(newestAssessment), "%s", string(what), 1))
	return exploredColumn{value: value, order: "COALESCE(" + value + ", -1)"}
}

// assessedTruth is a truth of the newest assessment.
func assessedTruth(what text) exploredColumn {
	number := assessedNumber("CASE WHEN " + what + " THEN 1 ELSE 0 END")
	return exploredColumn{value: "(" + number.value + " = 1)", order: number.order}
}

// driftedResource is whether an instance has drifted, as a number: by an assessment of the
// current state whose plan was read whole, else null. Data sources never drift.
const driftedResource text = `(SELECT CASE WHEN f.type LIKE 'data.%' THEN NULL WHEN f.drifted THEN 1 ELSE 0 END
	FROM workspaces w WHERE w.id = f.workspace_id AND w.drift_state_id <> '' AND w.drift_state_id = w.current_state_version_id)`

// listedUses is what workspaces use of a kind. Those that use nothing are not asked.
func listedUses(kind, count text) exploredColumn {
	return exploredColumn{
		value: "CASE WHEN " + count + " = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', ' ORDER BY m.source) FROM workspace_uses m WHERE m.workspace_id = f.id AND m.kind = '" + kind + "'), '') END",
		words: func(v *View, o belay.Organization, parts []string) (words, error) {
			return v.usedWords(o, string(kind), parts)
		},
	}
}

// word is a binding as the explorer writes it: its key, and its value if it has one.
func word(binding text) text {
	return binding + ".key || CASE WHEN " + binding + ".value = '' THEN '' ELSE ':' || " + binding + ".value END"
}

// exploredTags is the flat tags, as the row has them in JSON that nothing is escaped in,
// and the bindings in force for a workspace. One of its own hides that of its project with
// the same key. While tags are being deleted that many carry, the row still has their names.
var exploredTags = exploredColumn{
	value: `SUBSTR(CASE WHEN EXISTS (SELECT 1 FROM tags d WHERE d.organization_id = f.organization_id AND d.doomed)
		THEN COALESCE((SELECT string_agg(', ' || t.name, '' ORDER BY t.name) FROM workspace_tags g JOIN tags t ON t.id = g.tag_id WHERE g.workspace_id = f.id AND NOT t.doomed), '')
		WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END ||
		COALESCE((SELECT string_agg(', ' || x.word, '' ORDER BY x.word) FROM (
			SELECT ` + word("b") + ` AS word FROM workspace_tag_bindings b WHERE b.workspace_id = f.id
			UNION ALL SELECT ` + word("p") + ` FROM project_tag_bindings p WHERE p.project_id = f.project_id
				AND NOT EXISTS (SELECT 1 FROM workspace_tag_bindings b WHERE b.workspace_id = f.id AND b.key = p.key)
		) x), ''), 3)`,
	words: (*View).tagWords,
}

// exploredWorkspaces is the view of workspaces.
var exploredWorkspaces = exploredView{
	from: "workspaces f WHERE f.organization_id = ?", id: "f.id", within: "f.id", order: "f.name",
	columns: map[string]exploredColumn{
		"all_checks_succeeded":    assessedTruth("x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0"),
		"checks_errored":          assessedNumber("x.checks_errored"),
		"checks_failed":           assessedNumber("x.checks_failed"),
		"checks_passed":           assessedNumber("x.checks_passed"),
		"checks_unknown":          assessedNumber("x.checks_unknown"),
		"current_rum_count":       {value: "f.resource_count"},
		"current_run_applied_at":  unknownNumber,
		"current_run_external_id": {value: "f.current_run_id"},
		"current_run_status":      {value: "f.current_run_status"},
		"drifted":                 assessedTruth("x.succeeded AND x.resources_drifted > 0"),
		"external_id":             {value: "f.id", thin: true},
		"module_count":            {value: "f.module_count"},
		"modules":                 listedUses(core.UsedModules, "f.module_count"),
		"organization_name":       {value: "(SELECT x.name FROM organizations x WHERE x.id = f.organization_id)"},
		"project_external_id":     {value: "f.project_id"},
		"project_name": {
			value:  "(SELECT x.name FROM projects x WHERE x.id = f.project_id)",
			search: "f.project_id IN (SELECT x.id FROM projects x WHERE x.organization_id = ? AND ", element: "x.name",
			shared: "f.project_id", named: "COALESCE((SELECT x.name FROM projects x WHERE x.id = g.value), '')",
		},
		"provider_count":                  {value: "f.provider_count"},
		"providers":                       listedUses(core.UsedProviders, "f.provider_count"),
		"resource_count":                  {value: "f.resource_count"},
		"resources_drifted":               assessedNumber("x.resources_drifted"),
		"resources_undrifted":             assessedNumber("x.resources_undrifted"),
		"source_module_id":                unknownText,
		"state_version_terraform_version": {value: "f.state_engine_version"},
		"tags":                            exploredTags,
		"vcs_repo_identifier":             {}, // the dialect's: it stands in JSON
		"workspace_created_at":            {value: "f.created_at"},
		"workspace_name":                  {value: "f.name", thin: true},
		"workspace_terraform_version":     {value: "f.engine_release"},
		"workspace_updated_at":            {value: "f.updated_at"},
	},
}

// exploredUses is a view of what workspaces use: one row for each source.
func exploredUses(kind text, registry exploredColumn) exploredView {
	return exploredView{
		from: "used_sources f WHERE f.kind = '" + kind + "' AND f.organization_id = ?", id: "f.source", within: "f.source",
		columns: map[string]exploredColumn{
			"name": {value: "f.name"}, "source": {value: "f.source"},
			"version": unknownText, // a state names no versions
			"curated": exploredCurated, "registry_type": registry,
			"workspace_count": {value: "f.workspace_count"},
			"workspaces": {value: `(SELECT string_agg(m.workspace_name, ', ' ORDER BY m.workspace_name) FROM workspace_uses m
				WHERE m.organization_id = f.organization_id AND m.kind = f.kind AND m.source = f.source)`},
		},
	}
}

// exploredViews is every view.
var exploredViews = map[explorer.View]exploredView{
	explorer.Workspaces: exploredWorkspaces,
	explorer.Versions: {
		from: `(SELECT w.organization_id, w.engine_release AS version, count(*) AS workspace_count
			FROM workspaces w WHERE w.engine_release <> '' AND w.organization_id = ?`,
		closing: " GROUP BY w.organization_id, w.engine_release) f WHERE TRUE", id: "f.version", within: "w.engine_release",
		columns: map[string]exploredColumn{
			"unique_identifier": {value: "f.version"}, "version": {value: "f.version"},
			"workspace_count": {value: "f.workspace_count"},
			"workspaces": {value: `(SELECT string_agg(w.name, ', ' ORDER BY w.name) FROM workspaces w
				WHERE w.organization_id = f.organization_id AND w.engine_release = f.version)`},
		},
	},
	explorer.Providers: exploredUses(core.UsedProviders, exploredColumn{
		value: `(CASE WHEN f.source NOT LIKE '%/%/%' OR f.source LIKE '%/builtin/%' OR f.source LIKE 'registry.terraform.io/%'
			OR f.source LIKE 'registry.opentofu.org/%' THEN 'public' ELSE 'private' END)`, // the host of a public registry may be left out
	}),
	explorer.Modules: exploredUses(core.UsedModules, unknownText), // a state knows a module's path, not its registry
	explorer.Resources: {
		// A workspace on a shelf is in another organization than the rows that hang on it.
		from: `state_resources f WHERE f.organization_id = ?
			AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = f.workspace_id AND w.organization_id = f.organization_id)`,
		id: "f.id", within: "f.id", order: "f.address",
		columns: map[string]exploredColumn{
			"address": {value: "f.address"}, "type": {value: "f.type"}, "name": {value: "f.name"},
			"module": {value: "f.module"}, "provider": {value: "f.provider"},
			"workspace_name":        {value: "(SELECT w.name FROM workspaces w WHERE w.id = f.workspace_id)"},
			"workspace_external_id": {value: "f.workspace_id"},
			"project_name":          {value: "(SELECT p.name FROM workspaces w JOIN projects p ON p.id = w.project_id WHERE w.id = f.workspace_id)"},
			"project_external_id":   {value: "(SELECT w.project_id FROM workspaces w WHERE w.id = f.workspace_id)"},
			"created_serial":        {value: "f.created_serial"}, "updated_serial": {value: "f.updated_serial"},
			"drifted": {value: "(" + driftedResource + " = 1)", order: "COALESCE(" + driftedResource + ", -1)"},
		},
	},
}

// repoIdentifiers is the identifier in the JSON of a workspace's vcs_repo, by the kind of database.
var repoIdentifiers = map[string]text{
	"sqlite":   "(CASE WHEN f.vcs_repo = '' OR " + core.ToToken.Dangles("f") + " THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END)",
	"postgres": "(CASE WHEN f.vcs_repo = '' OR " + core.ToToken.Dangles("f") + " THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE \"C\" END)",
}
