package people

import (
	"fmt"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/bearer"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var users = sqldb.NewTable(sqldb.Table[belay.User]{
	Name: "users",
	Own: []sqldb.Column[belay.User]{
		{Name: "id", At: func(u *belay.User) any { return &u.ID }},
		{Name: "username", At: func(u *belay.User) any { return &u.Username }},
		{Name: "email", At: func(u *belay.User) any { return &u.Email }},
		{Name: "email_shared", At: func(u *belay.User) any { return &u.EmailShared }},
		{Name: "unconfirmed_email", At: func(u *belay.User) any { return &u.UnconfirmedEmail }},
		{Name: "password_hash", At: func(u *belay.User) any { return &u.PasswordHash }},
		{Name: "is_admin", At: func(u *belay.User) any { return &u.IsAdmin }},
		{Name: "admin_by_groups", At: func(u *belay.User) any { return &u.AdminByGroups }},
		{Name: "is_service_account", At: func(u *belay.User) any { return &u.IsServiceAccount }},
		{Name: "suspended", At: func(u *belay.User) any { return &u.Suspended }},
		{Name: "invited", At: func(u *belay.User) any { return &u.Invited }},
		{Name: "created_at", At: func(u *belay.User) any { return sqldb.Millis(&u.CreatedAt) }},
	},
})

var userTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Username or email has already been taken", Place: "username",
}}

// User is one user, by id.
func (v *View) User(id string) (belay.User, error) { return users.One(v, "id = ?", id) }

// UserNamed is one user, by username.
func (v *View) UserNamed(username string) (belay.User, error) {
	return users.One(v, "username = ?", username)
}

// UserMailed is one user, by e-mail address, whatever its capitals.
func (v *View) UserMailed(email string) (belay.User, error) {
	u, err := users.One(v, "email = ? AND email <> ''", email)
	if belay.KindOf(err) == belay.NotFound {
		u, err = users.One(v, "LOWER(email) = ? AND email <> '' AND NOT email_shared", belay.FoldEmail(email))
	}
	return u, err
}

// UsersByID is many users, in no order.
func (v *View) UsersByID(ids []string) ([]belay.User, error) {
	return users.Many(v, v.SQL(users.Selected).Add("WHERE id").In("", ids))
}

// Users is one page of all users that a query finds, by username.
func (v *View) Users(want belay.UserQuery) ([]belay.User, int, error) {
	condition := sqldb.Text(`(LOWER(username) LIKE ? ESCAPE '\' OR LOWER(email) LIKE ? ESCAPE '\')`)
	args := []any{sqldb.Contains(want.Search), sqldb.Contains(want.Search)}
	if want.Admin != nil {
		condition, args = condition+" AND is_admin = ?", append(args, *want.Admin)
	}
	if want.Suspended != nil {
		condition, args = condition+" AND suspended = ?", append(args, *want.Suspended)
	}
	return users.Page(v, want.Page, "username", condition, args...)
}

// OrganizationsOfUsers is the organizations that users are in, by name, and the ids of
// those that each user is in.
func (v *View) OrganizationsOfUsers(userIDs []string) ([]belay.Organization, map[string][]string, error) {
	type place struct{ user, organization string }
	q := v.SQL("SELECT m.user_id, m.organization_id FROM organization_memberships m JOIN organizations o ON o.id = m.organization_id WHERE NOT (" + base.OrganizationIsGone + ") AND m.user_id")
	places, err := sqldb.Collect(v, q.In("", userIDs).Add(" ORDER BY o.name"), func(p *place) []any { return []any{&p.user, &p.organization} })
	if err != nil || len(places) == 0 {
		return nil, nil, err
	}
	ids, of := []string{}, map[string][]string{}
	for _, p := range places {
		ids, of[p.user] = append(ids, p.organization), append(of[p.user], p.organization)
	}
	list, err := v.OrganizationsByID(ids)
	return list, of, err
}

// CountUsers is how many users there are.
func (v *View) CountUsers() (int, error) {
	total, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM users"))
	return total, err
}

// AddUser writes a new user.
func (tx *Tx) AddUser(u *belay.User) error { return users.Insert(tx, u, userTaken) }

// WelcomeUser writes a user in the place that was held for it: its invitations become memberships.
func (tx *Tx) WelcomeUser(u *belay.User) error {
	if err := users.Update(tx, u, userTaken); err != nil {
		return err
	}
	if err := tx.moveAccessOf(u.ID); err != nil {
		return err
	}
	return tx.Do("UPDATE organization_memberships SET status = 'active', email = ? WHERE user_id = ?", u.Email, u.ID)
}

// moveAccessOf makes what was kept of a user's access anywhere stale.
func (tx *Tx) moveAccessOf(userID string) error {
	ids, err := sqldb.Values[string](&tx.View, tx.SQL("SELECT organization_id FROM organization_memberships WHERE user_id = ?", userID))
	for _, id := range ids {
		tx.MoveAccessGeneration(id)
	}
	return err
}

// SaveUser writes a user. Its memberships carry its e-mail address.
func (tx *Tx) SaveUser(u *belay.User) error {
	if err := users.Update(tx, u, userTaken); err != nil {
		return err
	}
	return tx.Unique(tx.Do("UPDATE organization_memberships SET email = ? WHERE user_id = ? AND email <> ?", u.Email, u.ID, u.Email), userTaken)
}

// DropUser deletes a user, its tokens and its memberships. orphans is the names of the
// organizations that are left without an owner who has come in: where there are any, the
// transaction must be undone. They are looked for last, and held as CountOwners does: nobody
// else's rows are waited for under them.
func (tx *Tx) DropUser(u *belay.User) (orphans []string, err error) {
	if err := tx.SeizeMembershipsOf(u.ID); err != nil {
		return nil, err
	}
	owned, err := sqldb.Values[string](&tx.View, tx.SQL(`SELECT t.organization_id FROM team_members m JOIN teams t ON t.id = m.team_id
		WHERE m.user_id = ? AND t.name = 'owners'`, u.ID))
	if err != nil {
		return nil, err
	}
	if err := tx.moveAccessOf(u.ID); err != nil {
		return nil, err
	}
	if _, err := tx.DropTokens("owner_id = ? OR created_by = ? AND workspace_id <> ''", u.ID, u.ID); err != nil {
		return nil, err
	}
	for _, statement := range []sqldb.Text{"DELETE FROM organization_memberships WHERE user_id = ?", "DELETE FROM users WHERE id = ?"} {
		if err := tx.Do(statement, u.ID); err != nil {
			return nil, err
		}
	}
	return tx.ownerless(owned)
}

// ownerless is the names of those of some organizations that no owner has come in to.
func (tx *Tx) ownerless(ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	d := tx.Dialect()
	if err := tx.HoldOrganizations("id"+d.In, d.List(ids)); err != nil {
		return nil, err
	}
	q := tx.SQL("SELECT o.name FROM organizations o WHERE o.id").In("", ids)
	return sqldb.Values[string](&tx.View, q.Add(` AND NOT (`+base.OrganizationIsGone+`) AND NOT EXISTS (SELECT 1 FROM teams t JOIN team_members c ON c.team_id = t.id
		JOIN users u ON u.id = c.user_id WHERE t.organization_id = o.id AND t.name = 'owners' AND NOT u.invited) ORDER BY o.name`))
}

var tokens = sqldb.NewTable(sqldb.Table[belay.Token]{
	Name: "tokens",
	Own: []sqldb.Column[belay.Token]{
		{Name: "id", At: func(t *belay.Token) any { return &t.ID }},
		{Name: "owner_kind", At: func(t *belay.Token) any { return &t.OwnerKind }},
		{Name: "owner_id", At: func(t *belay.Token) any { return &t.OwnerID }},
		{Name: "organization_id", At: func(t *belay.Token) any { return &t.OrganizationID }},
		{Name: "workspace_id", At: func(t *belay.Token) any { return &t.WorkspaceID }},
		{Name: "purpose", At: func(t *belay.Token) any { return &t.Purpose }},
		{Name: "description", At: func(t *belay.Token) any { return &t.Description }},
		{Name: "created_by", At: func(t *belay.Token) any { return &t.CreatedBy }},
		{Name: "identity_id", At: func(t *belay.Token) any { return &t.IdentityID }},
		{Name: "by_organization", At: func(t *belay.Token) any { return &t.ByOrganization }},
		{Name: "issued_by", At: func(t *belay.Token) any { return &t.IssuedBy }},
		{Name: "created_at", At: func(t *belay.Token) any { return sqldb.Millis(&t.CreatedAt) }},
		{Name: "last_used_at", At: func(t *belay.Token) any { return sqldb.Millis(&t.LastUsedAt) }},
		{Name: "used_from", At: func(t *belay.Token) any { return &t.UsedFrom }},
		{Name: "expired_at", At: func(t *belay.Token) any { return sqldb.Millis(&t.ExpiredAt) }},
		{Name: "hash", At: func(t *belay.Token) any { return &t.Hash }},
		{Name: "tail", At: func(t *belay.Token) any { return &t.Tail }},
	},
})

// Token is one token, by id.
func (v *View) Token(id string) (belay.Token, error) { return tokens.One(v, "id = ?", id) }

// TokensOf is one page of the tokens of an owner, oldest first.
func (v *View) TokensOf(ownerID, purpose string, page belay.Page) ([]belay.Token, int, error) {
	return tokens.Page(v, page, "created_at, id", "owner_id = ? AND purpose = ?", ownerID, purpose)
}

// AddToken writes a new token, and holds what it acts for until the commit: nothing refers
// to an owner that is of several kinds, and a token that outlived it would act for nobody.
func (tx *Tx) AddToken(t *belay.Token) error {
	if err := tx.holdOwner(t); err != nil {
		return err
	}
	return tokens.Insert(tx, t, nil)
}

// holdOwner holds the row that goes with all its tokens, unless it is gone already.
func (tx *Tx) holdOwner(t *belay.Token) (err error) {
	switch t.OwnerKind {
	case belay.UserPrincipal:
		_, err = tx.User(t.OwnerID)
	case belay.TeamPrincipal:
		_, err = tx.Team(t.OwnerID)
	case belay.OrganizationPrincipal:
		_, err = tx.Organization(t.OrganizationID)
	case belay.AgentPrincipal:
		_, err = tx.BareAgentPool(t.OwnerID)
	case belay.RunPrincipal:
		_, err = tx.Workspace(belay.WorkspaceRef{ID: t.WorkspaceID})
	default:
		err = fmt.Errorf("a token of %q has no owner to hold", t.OwnerKind)
	}
	return err
}

// SaveToken writes a token.
func (tx *Tx) SaveToken(t *belay.Token) error { return tokens.Update(tx, t, nil) }

// DropToken deletes a token.
func (tx *Tx) DropToken(t *belay.Token) error {
	return tx.Lastly("DELETE FROM tokens WHERE id = ?", t.ID)
}

// TouchTokens notes when tokens were last used, and from where. They come in the order of their ids.
func (tx *Tx) TouchTokens(ids []string, used map[string]belay.TokenUse) error {
	for _, id := range ids {
		// One that another holds is passed over: who waits for nobody is in no circle, and the next use is noted.
		at := sqldb.UnixMillis(used[id].At)
		q := tx.SQL("UPDATE tokens SET last_used_at = ?, used_from = ? WHERE id = ? AND last_used_at < ?", at, used[id].From, id, at)
		if skip := tx.Dialect().SkipHeld; skip != "" {
			q.Add(" AND id IN (SELECT id FROM tokens WHERE id = ?"+skip+")", id)
		}
		if _, err := tx.Exec(q); err != nil {
			return err
		}
	}
	return nil
}

var bearerColumns = func(b *bearer.Bearer) []any {
	return []any{
		&b.Token.ID, &b.Token.OwnerKind, &b.Token.OwnerID, &b.Token.OrganizationID, &b.Token.WorkspaceID, &b.Token.Purpose, &b.Token.IdentityID,
		&b.Token.ByOrganization, sqldb.Millis(&b.Token.ExpiredAt), sqldb.Millis(&b.Token.LastUsedAt),
		&b.User.Username, &b.User.IsAdmin, &b.User.Suspended, &b.User.ID, &b.Team, &b.Of.ServiceUserID, &b.Of.Name,
		&b.Issuer.OwnerKind, &b.Issuer.OwnerID, &b.Issuer.ByOrganization, &b.IssuerGone,
	}
}

const (
	bearerRead sqldb.Text = `SELECT t.id, t.owner_kind, t.owner_id, t.organization_id, t.workspace_id, t.purpose, t.identity_id, t.by_organization, t.expired_at, t.last_used_at,
		COALESCE(u.username, ''), COALESCE(u.is_admin, FALSE), COALESCE(u.suspended, FALSE), COALESCE(u.id, ''),
		COALESCE(m.name, ''), COALESCE(o.service_user_id, ''), COALESCE(o.name, ''),
		COALESCE(i.owner_kind, ''), COALESCE(i.owner_id, ''), COALESCE(i.by_organization, FALSE), t.issued_by <> '' AND i.id IS NULL`
	bearerFrom sqldb.Text = `
		FROM tokens t LEFT JOIN tokens i ON i.id = t.issued_by
		LEFT JOIN users u ON u.id = COALESCE(i.owner_id, t.owner_id) LEFT JOIN teams m ON m.id = t.owner_id
		LEFT JOIN organizations o ON o.id = t.organization_id WHERE t.hash = ?`
)

// Bearer is a token with what is asked before it acts for its owner.
func (v *View) Bearer(hash string) (bearer.Bearer, error) {
	return base.TheOne(sqldb.Collect(v, v.SQL(bearerRead+bearerFrom, hash), bearerColumns))
}

// Versions tell the rows that a token is made of from all that they were: its own, that of its owner, and
// that of its organization. For one that it does not need its own stands.
type Versions [3]uint32

// VersionedBearer is Bearer with the versions of its rows, where rows have them.
func (v *View) VersionedBearer(hash string) (bearer.Bearer, Versions, error) {
	type versioned struct {
		bearer.Bearer
		Versions
	}
	q := v.SQL(bearerRead+", t.xmin, COALESCE(u.xmin, m.xmin, t.xmin), COALESCE(o.xmin, t.xmin)"+bearerFrom, hash)
	found, err := base.TheOne(sqldb.Collect(v, q, func(n *versioned) []any {
		return append(bearerColumns(&n.Bearer), &n.Versions[0], &n.Versions[1], &n.Versions[2])
	}))
	return found.Bearer, found.Versions, err
}

// JobBearer is the token that the engine of a job acts with, whose end is zero once that has ended.
func (v *View) JobBearer(hash string) (bearer.Bearer, error) {
	q := v.SQL(`SELECT j.id, j.run_id, j.organization_id, j.workspace_id, j.token_until, COALESCE(o.service_user_id, ''), COALESCE(o.name, '')
		FROM jobs j LEFT JOIN organizations o ON o.id = j.organization_id WHERE j.token_hash = ? AND j.token_hash <> ''`, hash)
	return base.TheOne(sqldb.Collect(v, q, func(b *bearer.Bearer) []any {
		t := &b.Token
		return []any{&t.ID, &t.OwnerID, &t.OrganizationID, &t.WorkspaceID, sqldb.Millis(&t.ExpiredAt), &b.Of.ServiceUserID, &b.Of.Name}
	}))
}
