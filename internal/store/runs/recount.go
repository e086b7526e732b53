package runs

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// Miscount is a counter that is not what it counts.
type Miscount struct {
	Counter string // in words
	ID      string
	Kept    int
	Counted int
}

// counter is a number that is kept, and how it is counted.
type counter struct{ of, id, from, kept, counted sqldb.Text }

// Organizations that nobody reaches are erased in parts: their counters count nothing.
const reached sqldb.Text = " o.name NOT LIKE '% %'"

var counted = []counter{
	{"workspaces of the organization", "o.name", "organizations o WHERE" + reached, base.Counted("o"),
		"(SELECT count(*) FROM workspaces w WHERE w.organization_id = o.id)"},
	{"workspaces of the project", "p.id", "projects p JOIN organizations o ON o.id = p.organization_id WHERE" + reached, base.CountedIn("p"),
		"(SELECT count(*) FROM workspaces w WHERE w.project_id = p.id)"},
	{"workspaces with the tag", "t.id", "tags t JOIN organizations o ON o.id = t.organization_id WHERE" + reached, "t.instance_count",
		"(SELECT count(*) FROM workspace_tags w WHERE w.tag_id = t.id)"},
	{"workspaces that use the source", "u.source", "used_sources u JOIN organizations o ON o.id = u.organization_id WHERE" + reached, "u.workspace_count",
		"(SELECT count(*) FROM workspace_uses w WHERE w.organization_id = u.organization_id AND w.kind = u.kind AND w.source = u.source)"},
	{"modules of the workspace", "w.id", "workspaces w JOIN organizations o ON o.id = w.organization_id WHERE" + reached, "w.module_count",
		"(SELECT count(*) FROM workspace_uses u WHERE u.workspace_id = w.id AND u.kind = 'modules')"},
	{"providers of the workspace", "w.id", "workspaces w JOIN organizations o ON o.id = w.organization_id WHERE" + reached, "w.provider_count",
		"(SELECT count(*) FROM workspace_uses u WHERE u.workspace_id = w.id AND u.kind = 'providers')"},
}

// Recount counts everything that is kept as a number, and tells what differs. Each kind is one
// statement, so that what is written meanwhile is no difference.
func (v *View) Recount() (list []Miscount, err error) {
	for _, c := range counted {
		q := v.SQL("SELECT id, kept, counted FROM (SELECT " + c.id + " AS id, " + c.kept + " AS kept, " + c.counted + " AS counted FROM " + c.from +
			") every WHERE kept <> counted ORDER BY id")
		found, err := sqldb.Collect(v, q, func(m *Miscount) []any { return []any{&m.ID, &m.Kept, &m.Counted} })
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Counter = string(c.of)
		}
		list = append(list, found...)
	}
	return list, nil
}
