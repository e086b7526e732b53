package store

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// nameTaken refuses a name that another of the same has.
var nameTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Name has already been taken", Place: "name",
}}

// belongs is the columns of the organization that a row belongs to: enough to ask who
// may see the row.
func belongs[N any](of func(*N) *belay.Organization) []sqldb.Column[N] {
	return []sqldb.Column[N]{
		{Name: "o.id", At: func(n *N) any { return &of(n).ID }},
		{Name: "o.name", At: func(n *N) any { return &of(n).Name }},
		{Name: "o.access_generation", At: func(n *N) any { return &of(n).AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(n *N) any { return &of(n).UserTokensEnabled }},
	}
}

// addWithin appends that a workspace w is one of a scope that is not everything.
func addWithin(q *query, scope belay.Scope) *query {
	return q.In("(w.id", scope.Workspaces).In(" OR w.project_id", scope.Projects).Add(")")
}

// unlessGone is an error, but for that of what is not there.
func unlessGone(err error) error {
	if belay.KindOf(err) == belay.NotFound {
		return nil
	}
	return err
}
