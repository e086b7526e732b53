package people

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/signin"
)

var identities = sqldb.NewTable(sqldb.Table[signin.Identity]{
	Name: "identities",
	Own: []sqldb.Column[signin.Identity]{
		{Name: "id", At: func(i *signin.Identity) any { return &i.ID }},
		{Name: "user_id", At: func(i *signin.Identity) any { return &i.UserID }},
		{Name: "issuer", At: func(i *signin.Identity) any { return &i.Issuer }},
		{Name: "subject", At: func(i *signin.Identity) any { return &i.Subject }},
		{Name: "email", At: func(i *signin.Identity) any { return &i.Email }},
		{Name: "group_names", At: func(i *signin.Identity) any { return sqldb.JSON(&i.Groups) }},
		{Name: "admin", At: func(i *signin.Identity) any { return &i.Admin }},
		{Name: "refresh_token", At: func(i *signin.Identity) any { return &i.RefreshToken }},
		{Name: "asserted_at", At: func(i *signin.Identity) any { return sqldb.Millis(&i.AssertedAt) }},
		{Name: "check_at", At: func(i *signin.Identity) any { return sqldb.Millis(&i.CheckAt) }},
		{Name: "created_at", At: func(i *signin.Identity) any { return sqldb.Millis(&i.CreatedAt) }},
	},
})

var identityTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Subject has already been taken", Place: "subject",
}}

// Identity is one identity, by id.
func (v *View) Identity(id string) (signin.Identity, error) { return identities.One(v, "id = ?", id) }

// IdentityOf is the identity of a subject of an issuer.
func (v *View) IdentityOf(issuer, subject string) (signin.Identity, error) {
	return identities.One(v, "issuer = ? AND subject = ?", issuer, subject)
}

// IdentitiesOf is the identities of a user, oldest first.
func (v *View) IdentitiesOf(userID string) ([]signin.Identity, error) {
	return identities.Many(v, v.SQL(identities.Selected).Add("WHERE user_id = ? ORDER BY created_at, id", userID))
}

// DueIdentities is some identities whose provider is to be asked again by now, longest due first.
func (v *View) DueIdentities(now time.Time, n int) ([]signin.Identity, error) {
	return identities.Many(v, v.SQL(identities.Selected).Add("WHERE check_at > 0 AND check_at <= ? ORDER BY check_at, id", sqldb.UnixMillis(now)).First(n))
}

// IdentityInUse says whether an identity keeps a browser signed in, or a token alive.
func (v *View) IdentityInUse(i *signin.Identity) (bool, error) {
	n, _, err := sqldb.Value[int](v, v.SQL(`SELECT (SELECT count(*) FROM sessions WHERE identity_id = ?) +
		(SELECT count(*) FROM tokens WHERE owner_id = ?)`, i.ID, i.UserID))
	return n > 0, err
}

// AddIdentity writes a new identity.
func (tx *Tx) AddIdentity(i *signin.Identity) error { return identities.Insert(tx, i, identityTaken) }

// SaveIdentity writes an identity.
func (tx *Tx) SaveIdentity(i *signin.Identity) error { return identities.Update(tx, i, nil) }

// DropIdentity deletes an identity, and ends what it began.
func (tx *Tx) DropIdentity(i *signin.Identity) error {
	if err := tx.EndIdentity(i.ID); err != nil {
		return err
	}
	return tx.Do("DELETE FROM identities WHERE id = ?", i.ID)
}

// EndIdentity ends the sessions and the tokens of an identity, and takes its codes back.
func (tx *Tx) EndIdentity(id string) error {
	if err := tx.EndSessionsBy(id, ""); err != nil {
		return err
	}
	return tx.Do("DELETE FROM tokens WHERE identity_id = ?", id)
}

// EndSessionsBy ends the sessions of an identity and takes its codes back: all, or the
// sessions that belong to one session of the provider.
func (tx *Tx) EndSessionsBy(id, providerSession string) error {
	if err := tx.Do("DELETE FROM sessions WHERE identity_id = ? AND (provider_session = ? OR CAST(? AS TEXT) = '')", id, providerSession, providerSession); err != nil {
		return err
	}
	return tx.Do("DELETE FROM login_codes WHERE identity_id = ? AND used_at = 0", id)
}

// IdentitiesInSession is the ids of the identities that are signed in by a session of a provider.
func (v *View) IdentitiesInSession(issuer, providerSession string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL(`SELECT DISTINCT i.id FROM identities i JOIN sessions s ON s.identity_id = i.id
		WHERE i.issuer = ? AND s.provider_session = ?`, issuer, providerSession))
}

// SeeOnce notes something that may come once, until a time; it says whether it is new.
func (tx *Tx) SeeOnce(hash string, until time.Time) (bool, error) {
	n, err := tx.Exec(tx.SQL("INSERT INTO seen_assertions (hash, expired_at) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, sqldb.UnixMillis(until)))
	return n == 1, err
}

// TeamsOfGroups is the teams that take their members from these groups.
func (v *View) TeamsOfGroups(groups []string) ([]belay.Team, error) {
	q := v.SQL(teams.Selected).Add("WHERE t.sso_team_id <> '' AND t.sso_team_id").In("", groups)
	return teams.Many(v, q.Add(" AND NOT ("+base.OrganizationIsGone+") ORDER BY t.organization_id, t.id"))
}

// GroupPlaces is the ids of the teams that a user is in because of its groups.
func (v *View) GroupPlaces(userID string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT team_id FROM team_members WHERE user_id = ? AND by_groups ORDER BY organization_id, team_id", userID))
}

// HasPlace says whether a user is in a team.
func (v *View) HasPlace(teamID, userID string) (bool, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM team_members WHERE team_id = ? AND user_id = ?", teamID, userID))
	return n > 0, err
}

// AddGroupPlace puts a member of the organization into a team because of its groups.
func (tx *Tx) AddGroupPlace(t *belay.Team, userID string) error {
	if err := tx.Do("INSERT INTO team_members (team_id, user_id, organization_id, by_groups, joined_at) VALUES (?, ?, ?, TRUE, ?) ON CONFLICT DO NOTHING",
		t.ID, userID, t.OrganizationID, sqldb.UnixMillis(tx.Now)); err != nil {
		return err
	}
	tx.MoveAccessGeneration(t.OrganizationID)
	return nil
}

// IdleGroupMemberships is the memberships that a user has because of groups that put it
// into no team any more.
func (v *View) IdleGroupMemberships(userID string) ([]belay.Membership, error) {
	return memberships.Many(v, v.SQL(memberships.Selected).Add(`WHERE m.user_id = ? AND m.by_groups AND NOT EXISTS
		(SELECT 1 FROM team_members c WHERE c.user_id = m.user_id AND c.organization_id = m.organization_id) ORDER BY m.id`, userID))
}
