package plan

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
)

// facetTerm is a facet that a list asks for: how its workspaces are found by an index, and how a
// workspace is asked whether it is one of them.
type facetTerm struct {
	find func(q *query)          // appends the condition on a workspace m by which it is found
	but  text                    // the few rows of an organization l that it leaves out, if it finds all else
	ask  func(q *query, at text) // appends the condition on the row f, whose columns begin so
	sort string                  // the order, if any, in which the index has those that it finds
	size int                     // how many they are, up to probeLimit; beyond it where few are left out
}

// ofColumns is a facet of what stands in the row of a workspace.
func ofColumns(sort string, ask func(q *query, at text)) facetTerm {
	return facetTerm{ask: ask, sort: sort, find: func(q *query) { ask(q, "m.") }}
}

// openRequest is a change request c that is open: one whose filing has not ended is not there yet.
const openRequest text = "c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id FROM bulk_actions u WHERE u.unfinished_until > 0)"

// facetTerms is the facets that a query asks for.
func facetTerms(o belay.Organization, want *belay.WorkspaceQuery) (terms []facetTerm) {
	column := func(sort string, ask func(q *query, at text)) { terms = append(terms, ofColumns(sort, ask)) }
	const locks text = "workspace_locks l WHERE l.organization_id = ?"
	const locked = "SELECT l.workspace_id FROM " + locks
	held := func(ask func(q *query, at text)) {
		terms = append(terms, facetTerm{ask: ask, find: func(q *query) {
			if want.LockedBy == "" {
				q.Add("m.id"+q.Dialect.Among(locked), o.ID)
			} else {
				q.Add("m.id"+q.Dialect.Among(locked+" AND l.holder_id = ?"), o.ID, want.LockedBy)
			}
			q.Add(" AND ")
			ask(q, "m.")
		}})
	}
	switch want.Lock {
	case belay.OnlyLocked:
		held(func(q *query, at text) { q.Add(at + "lock_holder_id > ''") })
	case belay.OnlyUnlocked: // few are locked
		free := ofColumns("name", func(q *query, at text) { q.Add(at+"id NOT IN ("+locked+")", o.ID) })
		free.but = locks
		terms = append(terms, free)
	}
	if want.LockedBy != "" {
		held(func(q *query, at text) { q.Add(at+"lock_holder_id = ?", want.LockedBy) })
	}
	if !want.LockedBefore.IsZero() {
		held(func(q *query, at text) {
			q.Add(at+"lock_holder_id > '' AND "+at+"locked_at < ?", sqldb.UnixMillis(want.LockedBefore))
		})
	}
	if want.Releases != nil {
		column("", func(q *query, at text) { q.In(at+"engine_release", want.Releases) })
	}
	if !want.ChangedBefore.IsZero() {
		column("latest-change-at", func(q *query, at text) { q.Add(at+"latest_change_at < ?", sqldb.UnixMillis(want.ChangedBefore)) })
	}
	if want.OpenRequests {
		terms = append(terms, facetTerm{
			find: func(q *query) {
				q.Add("m.id IN (SELECT c.workspace_id FROM change_requests c WHERE c.organization_id = ? AND "+openRequest+")", o.ID)
			},
			ask: func(q *query, _ text) {
				q.Add("COALESCE((SELECT 1 FROM change_requests c WHERE c.organization_id = ? AND c.workspace_id = f.id AND "+openRequest+" LIMIT 1), 0) <> 0", o.ID)
			},
		})
	}
	if asked, known := assessed[want.Health]; known {
		terms = append(terms, facetTerm{
			find: func(q *query) {
				q.Add("m.id"+q.Dialect.Among("SELECT a.workspace_id FROM assessments a WHERE a.organization_id = ? AND ("+attention+")"), o.ID)
				q.Add(" AND EXISTS (SELECT 1 FROM assessments a WHERE a.id = m.assessment_id AND " + asked + ")")
			},
			ask: func(q *query, _ text) {
				q.Add("EXISTS (SELECT 1 FROM workspaces z JOIN assessments a ON a.id = z.assessment_id WHERE z.id = f.id AND " + asked + ")")
			},
		})
	}
	return terms
}

// attention is the assessments that somebody has to see, as their index has it.
const attention text = "resources_drifted > 0 OR checks_failed > 0 OR checks_errored > 0 OR NOT succeeded"

// assessed is what a list can ask of the newest assessment of a workspace.
var assessed = map[belay.HealthFilter]text{
	belay.OnlyDrifted: "a.succeeded AND a.resources_drifted > 0",
	belay.OnlyBroken:  "a.succeeded AND a.resources_drifted = 0 AND a.checks_failed + a.checks_errored > 0",
	belay.OnlyUnknown: "NOT a.succeeded",
}

// facetsKey is the facets that a list asks for.
type facetsKey string

// sizeFacets counts what each facet finds, in one statement.
func (v *View) sizeFacets(o belay.Organization, terms []facetTerm) error {
	if terms == nil {
		return nil
	}
	q, same := v.SQL(""), map[string][]int{} // terms by what they find
	keys := make([]string, len(terms))
	for i := range terms {
		find := v.SQL("")
		terms[i].find(find)
		keys[i] = find.Key()
		if same[keys[i]] = append(same[keys[i]], i); len(same[keys[i]]) > 1 {
			continue
		}
		if i > 0 {
			q.Add(" UNION ALL ")
		}
		q.Add("SELECT CAST(? AS BIGINT), ", i)
		terms[i].measure(q, o)
	}
	type size struct{ at, n int }
	sizes, err := core.Once(v.seat(), facetsKey(q.Key()), func() ([]size, error) { // a page lists and counts by the same
		return sqldb.Collect(v, q, func(s *size) []any { return []any{&s.at, &s.n} })
	})
	for _, s := range sizes {
		for _, i := range same[keys[s.at]] {
			terms[i].size = s.n
		}
	}
	return err
}

// measure appends how many a facet finds. Of most of a large organization they are all but the few that are left out.
func (t *facetTerm) measure(q *query, o belay.Organization) {
	if t.but != "" && o.WorkspaceCount > 2*probeLimit {
		q.Add("COALESCE((SELECT ? - n FROM (SELECT count(*) AS n FROM (SELECT 1 FROM "+t.but, o.WorkspaceCount, o.ID).First(probeLimit).Add(") d) e WHERE n < ?), ", probeLimit)
		defer q.Add(")")
	}
	q.Add("(SELECT count(*) FROM (SELECT 1 FROM workspaces m WHERE m.organization_id = ? AND ", o.ID)
	t.find(q)
	q.First(probeLimit).Add(") d)")
}

// addFacet appends the few workspaces of a facet, as f, materialized as those of a scope are.
func addFacet(q *query, l *listing, t facetTerm) {
	q.Add("(WITH s AS MATERIALIZED (SELECT "+listed+" FROM workspaces m WHERE m.organization_id = ? AND ", l.o.ID)
	t.find(q)
	q.Add(") SELECT * FROM s) f WHERE 1 = 1")
}

// addAsked appends the facets as conditions on the row. A page is walked in its order: by the index
// of a facet that finds many and has them in another, all of them would be sorted.
func addAsked(q *query, l *listing, d origin) {
	sort := l.want.Sort.Key
	if l.want.Sort.ByName() {
		sort = "name"
	}
	for i, t := range l.facets {
		if d.kind == byFacet && i == d.term {
			continue
		}
		at := text("f.")
		if d.kind != byRow || d.need != anyOrder && t.sort != sort {
			at = q.Dialect.Beside + at
		}
		q.Add(" AND ")
		t.ask(q, at)
	}
}

// EngineReleases is the releases of engines that an organization's workspaces have, found by
// leaping over an index from one to the next.
func (v *View) EngineReleases(organizationID string) ([]string, error) {
	const next = "SELECT min(w.engine_release) FROM workspaces w WHERE w.organization_id = ? AND w.engine_release > "
	return core.Once(v.seat(), releasesKey(organizationID), func() ([]string, error) {
		return sqldb.Values[string](v, v.SQL(`WITH RECURSIVE releases(release) AS (
			SELECT (`+next+`'')
			UNION ALL SELECT (`+next+`releases.release) FROM releases WHERE releases.release IS NOT NULL
		) SELECT release FROM releases WHERE release IS NOT NULL`, organizationID, organizationID))
	})
}

// StateReleases is the releases of engines that wrote the current states of an organization's workspaces.
func (v *View) StateReleases(organizationID string) ([]string, error) {
	return core.Once(v.seat(), stateReleasesKey(organizationID), func() ([]string, error) {
		return sqldb.Values[string](v, v.SQL("SELECT DISTINCT w.state_engine_version FROM workspaces w WHERE w.organization_id = ? AND w.state_engine_version <> ''", organizationID))
	})
}

// The organizations whose releases a page has asked for.
type (
	releasesKey      string
	stateReleasesKey string
)
