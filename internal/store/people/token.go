package people

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/bearer"
	"github.com/belayhq/belay/internal/sqldb"
)

// TokenOf is the one token of an owner for a purpose.
func (v *View) TokenOf(ownerID, purpose string) (belay.Token, error) {
	return tokens.One(v, "owner_id = ? AND purpose = ?", ownerID, purpose)
}

// OrganizationTokens is the tokens that an organization has of its own: at most one for each purpose.
func (v *View) OrganizationTokens(id string) ([]belay.Token, error) {
	return tokens.Many(v, v.SQL(tokens.Selected).Add("WHERE owner_id = ? AND owner_kind = ?", id, belay.OrganizationPrincipal))
}

// DescribedToken says whether an owner has a token with a description.
func (v *View) DescribedToken(ownerID, purpose, description string) (bool, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM tokens WHERE owner_id = ? AND purpose = ? AND description = ?", ownerID, purpose, description))
	return n > 0, err
}

// PoolTokens says whether an organization has a token that runners can register with.
func (v *View) PoolTokens(organizationID string, now time.Time) (bool, error) {
	q := v.SQL("SELECT 1 FROM tokens WHERE organization_id = ? AND owner_kind = ? AND ", organizationID, belay.AgentPrincipal)
	_, there, err := sqldb.Value[int](v, addTokenEnds(q, bearer.TokensOf("active", now)).First(1))
	return there, err
}

// DropTokensOf deletes the tokens of an owner for a purpose and says how many there were.
func (tx *Tx) DropTokensOf(ownerID, purpose string) (int, error) {
	n, err := tx.DropTokens("owner_id = ? AND purpose = ?", ownerID, purpose)
	return int(n), err
}

// DropTeamTokens deletes tokens of some of an organization's teams.
func (tx *Tx) DropTeamTokens(o belay.Organization, teamIDs, ids []string) error {
	d := tx.Dialect()
	_, err := tx.DropTokens("organization_id = ? AND owner_kind = 'team' AND owner_id"+d.In+" AND id"+d.In, o.ID, d.List(teamIDs), d.List(ids))
	return err
}

// TeamTokens is one page of the tokens of an organization's teams.
func (v *View) TeamTokens(o belay.Organization, want belay.TokenQuery, now time.Time) ([]belay.Token, int, error) {
	total, _, err := sqldb.Value[int](v, v.teamTokensWhere("SELECT count(*) FROM tokens JOIN teams t ON t.id = tokens.owner_id WHERE ", o, want, now))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.teamTokensWhere(tokens.Selected+"JOIN teams t ON t.id = tokens.owner_id WHERE ", o, want, now)
	q.Add(teamTokenOrder(want)).Add(", tokens.id").Page(want.Page)
	list, err := tokens.Many(v, q)
	return list, total, err
}

func (v *View) teamTokensWhere(begin sqldb.Text, o belay.Organization, want belay.TokenQuery, now time.Time) *sqldb.Query {
	q := v.SQL(begin+"tokens.organization_id = ? AND tokens.owner_kind = 'team'", o.ID)
	if want.TeamIDs != nil {
		q.In(" AND tokens.owner_id", want.TeamIDs)
	}
	if want.Search != "" {
		q.Add(" AND ").Like("t.name", sqldb.Contains(want.Search))
	}
	if want.Statuses == nil {
		return q
	}
	q.Add(" AND (FALSE")
	for _, status := range want.Statuses {
		addTokenEnds(q.Add(" OR "), bearer.TokensOf(status, now))
	}
	return q.Add(")")
}

// addTokenEnds is the condition of the tokens that end then.
func addTokenEnds(q *sqldb.Query, e bearer.TokenEnds) *sqldb.Query {
	q.Add("(FALSE")
	if e.Never {
		q.Add(" OR tokens.expired_at = 0")
	}
	if e.Dated {
		q.Add(" OR tokens.expired_at > ?", sqldb.UnixMillis(e.After))
		if !e.Until.IsZero() {
			q.Add(" AND tokens.expired_at <= ?", sqldb.UnixMillis(e.Until))
		}
	}
	return q.Add(")")
}

func teamTokenOrder(want belay.TokenQuery) sqldb.Text {
	order := map[string]sqldb.Text{
		"team-name": "t.name", "created-by": "tokens.created_by",
		"expired-at": "tokens.expired_at", "last-used-at": "tokens.last_used_at",
	}[want.Sort]
	switch {
	case order == "":
		return " ORDER BY tokens.created_at"
	case want.Descending:
		return " ORDER BY " + order + " DESC"
	default:
		return " ORDER BY " + order
	}
}
