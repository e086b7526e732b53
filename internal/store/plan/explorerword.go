package plan

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// words is where the workspaces are found that have one of the words which a filter asks for.
type words struct {
	parts []wordPart
	size  int // how often the words are found: more than workspaces, where one has several
}

// wordSearch finds the words of an organization that contain one of some parts.
type wordSearch func(v *View, o belay.Organization, parts []string) (words, error)

// wordPart is one table of words: how to read the workspaces that have one of them, and
// how to ask whether the workspace f has one.
type wordPart struct {
	single bool           // there is one word: workspaces come once, and in the order of a list
	read   func(q *query) // appends SELECT … AS name, … AS id
	ask    func(q *query) // appends a SELECT of one 1, or of nothing
}

const (
	mostWords = 500 // that are told apart
	mostPairs = 32  // of a key and a value that stand in a statement
)

// usedWords finds words among what workspaces use of a kind.
func (v *View) usedWords(o belay.Organization, kind string, parts []string) (words, error) {
	type used struct {
		source string
		count  int
	}
	q := v.SQL("SELECT u.source, u.workspace_count FROM used_sources u WHERE u.organization_id = ? AND u.kind = ? AND ", o.ID, kind)
	list, err := sqldb.Collect(v, q.AnyLike("u.source", parts), func(u *used) []any { return []any{&u.source, &u.count} })
	if err != nil || len(list) == 0 {
		return words{}, err
	}
	found := words{}
	var sources []string
	for _, u := range list {
		sources, found.size = append(sources, u.source), found.size+u.count
	}
	found.parts = []wordPart{{
		single: len(sources) == 1,
		read: func(q *query) {
			q.Add("SELECT m.workspace_name AS name, m.workspace_id AS id FROM workspace_uses m WHERE m.organization_id = ? AND m.kind = ?", o.ID, kind).OneOf(" AND m.source", sources)
		},
		ask: func(q *query) {
			q.Add("SELECT 1 FROM workspace_uses m WHERE m.workspace_id = f.id AND m.kind = ?", kind).OneOf(" AND m.source", sources).Add(" LIMIT 1")
		},
	}}
	return found, nil
}

// tagWords finds words among flat tags, the bindings of workspaces and those that projects
// hand down.
func (v *View) tagWords(o belay.Organization, parts []string) (found words, err error) {
	for _, find := range []func(belay.Organization, []string) (words, error){v.flatWords, v.boundWords, v.handedWords} {
		some, err := find(o, parts)
		if err != nil {
			return words{}, err
		}
		found.parts, found.size = append(found.parts, some.parts...), found.size+some.size
	}
	return found, nil
}

func (v *View) flatWords(o belay.Organization, parts []string) (words, error) {
	type tag struct {
		id    string
		count int
	}
	list, err := sqldb.Collect(v, v.SQL("SELECT t.id, t.instance_count FROM tags t WHERE t.organization_id = ? AND NOT t.doomed AND ", o.ID).AnyLike("t.name", parts),
		func(t *tag) []any { return []any{&t.id, &t.count} })
	if err != nil || len(list) == 0 {
		return words{}, err
	}
	found := words{}
	var ids []string
	for _, t := range list {
		ids, found.size = append(ids, t.id), found.size+t.count
	}
	found.parts = []wordPart{{
		single: len(ids) == 1,
		read: func(q *query) {
			q.OneOf("SELECT g.workspace_name AS name, g.workspace_id AS id FROM workspace_tags g WHERE g.tag_id", ids)
		},
		ask: func(q *query) {
			q.OneOf("SELECT 1 FROM workspace_tags g WHERE g.workspace_id = f.id AND g.tag_id", ids).Add(" LIMIT 1")
		},
	}}
	return found, nil
}

type boundPair struct {
	key, value string
	found      bool
}

// boundWords finds the pairs of a key and a value by leaping over the index from one to
// the next. Where there are very many pairs, every binding is looked at.
func (v *View) boundWords(o belay.Organization, parts []string) (words, error) {
	const next = `SELECT min(b.value) FROM workspace_tag_bindings b WHERE b.organization_id = ? AND b.key = `
	q := v.SQL(`WITH RECURSIVE keys(key) AS (
			SELECT (SELECT min(b.key) FROM workspace_tag_bindings b WHERE b.organization_id = ?)
			UNION ALL SELECT (SELECT min(b.key) FROM workspace_tag_bindings b WHERE b.organization_id = ? AND b.key > keys.key) FROM keys WHERE keys.key IS NOT NULL
		), pairs(key, value) AS (
			SELECT keys.key, (`+next+`keys.key) FROM keys WHERE keys.key IS NOT NULL
			UNION ALL SELECT pairs.key, (`+next+`pairs.key AND b.value > pairs.value) FROM pairs WHERE pairs.value IS NOT NULL
		) SELECT b.key, b.value, `, o.ID, o.ID, o.ID, o.ID)
	q.AnyLike(word("b"), parts).Add(" FROM pairs b WHERE b.value IS NOT NULL").First(mostWords + 1)
	list, err := sqldb.Collect(v, q, func(p *boundPair) []any { return []any{&p.key, &p.value, &p.found} })
	if err != nil {
		return words{}, err
	}
	var pairs []boundPair
	for _, p := range list {
		if p.found {
			pairs = append(pairs, p)
		}
	}
	told := len(list) <= mostWords
	if told && len(pairs) == 0 {
		return words{}, nil
	}
	which := func(q *query) { q.Add("b.organization_id = ? AND ", o.ID).AnyLike(word("b"), parts) }
	if told && len(pairs) <= mostPairs {
		which = func(q *query) { addPairs(q, o, pairs) }
	}
	part := wordPart{
		single: told && len(pairs) == 1,
		read: func(q *query) {
			q.Add("SELECT b.workspace_name AS name, b.workspace_id AS id FROM workspace_tag_bindings b WHERE ")
			which(q)
		},
		ask: func(q *query) {
			q.Add("SELECT 1 FROM workspace_tag_bindings b WHERE b.workspace_id = f.id AND ").AnyLike(word("b"), parts).Add(" LIMIT 1")
		},
	}
	size, err := v.sizeOf(part, o.WorkspaceCount)
	return words{[]wordPart{part}, size}, err
}

// addPairs appends that a binding b is one of some.
func addPairs(q *query, o belay.Organization, pairs []boundPair) {
	for i, p := range pairs {
		if i > 0 {
			q.Add(" OR ")
		}
		q.Add("b.organization_id = ? AND b.key = ? AND b.value = ?", o.ID, p.key, p.value)
	}
}

// handedWords finds the bindings of projects, which hold for their workspaces that have
// none of their own with the same key.
func (v *View) handedWords(o belay.Organization, parts []string) (words, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM project_tag_bindings b WHERE b.organization_id = ? AND ", o.ID).AnyLike(word("b"), parts))
	if err != nil || n == 0 {
		return words{}, err
	}
	part := wordPart{
		read: func(q *query) {
			q.Add("SELECT w.name AS name, w.id AS id FROM project_tag_bindings b JOIN workspaces w ON w.project_id = b.project_id WHERE b.organization_id = ? AND ", o.ID)
			q.AnyLike(word("b"), parts).Add(" AND (SELECT 1 FROM workspace_tag_bindings h WHERE h.workspace_id = w.id AND h.key = b.key) IS NULL")
		},
		ask: func(q *query) {
			q.Add("SELECT 1 FROM project_tag_bindings b WHERE b.project_id = f.project_id AND ").AnyLike(word("b"), parts)
			q.Add(" AND (SELECT 1 FROM workspace_tag_bindings h WHERE h.workspace_id = f.id AND h.key = b.key) IS NULL LIMIT 1")
		},
	}
	size, err := v.sizeOf(part, o.WorkspaceCount)
	return words{[]wordPart{part}, size}, err
}

// sizeOf is how often a part's words are found, up to a limit.
func (v *View) sizeOf(part wordPart, limit int) (int, error) {
	q := v.SQL("SELECT count(*) FROM (")
	part.read(q)
	n, _, err := sqldb.Value[int](v, q.First(min(limit, probeLimit)).Add(") x"))
	return n, err
}

// addWorkspacesWith appends the workspaces that have one of the words: their names and ids.
func addWorkspacesWith(q *query, w words) *query {
	for i, part := range w.parts {
		if i > 0 {
			q.Add(" UNION ")
		}
		part.read(q)
	}
	switch {
	case len(w.parts) == 0:
		q.Add("SELECT w.name AS name, w.id AS id FROM workspaces w WHERE FALSE")
	case len(w.parts) == 1 && !w.parts[0].single:
		q.Add(" GROUP BY 1, 2")
	}
	return q
}

// addHasWord appends that the workspace f has one of the words. A scalar subselect is looked
// up for each row; see tagged.
func addHasWord(q *query, w words) *query {
	if len(w.parts) == 0 {
		return q.Add("FALSE")
	}
	q.Add("COALESCE(")
	for _, part := range w.parts {
		q.Add("(")
		part.ask(q)
		q.Add("), ")
	}
	return q.Add("0) <> 0")
}
