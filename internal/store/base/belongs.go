package base

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// NameTaken refuses a name that another of the same has. It is an error by its type: a nil of Problems would be one, too.
var NameTaken error = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Name has already been taken", Place: "name",
}}

// Belongs is the columns of the organization that a row belongs to: enough to ask who
// may see the row.
func Belongs[N any](of func(*N) *belay.Organization) []sqldb.Column[N] {
	return []sqldb.Column[N]{
		{Name: "o.id", At: func(n *N) any { return &of(n).ID }},
		{Name: "o.name", At: func(n *N) any { return &of(n).Name }},
		{Name: "o.access_generation", At: func(n *N) any { return &of(n).AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(n *N) any { return &of(n).UserTokensEnabled }},
	}
}

// AddWithin appends that a workspace w is one of a scope that is not everything.
func AddWithin(q *sqldb.Query, scope belay.Scope) *sqldb.Query {
	return q.In("(w.id", scope.Workspaces).In(" OR w.project_id", scope.Projects).Add(")")
}

// UnlessGone is an error, but for that of what is not there.
func UnlessGone(err error) error {
	if belay.KindOf(err) == belay.NotFound {
		return nil
	}
	return err
}
