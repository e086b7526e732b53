package people

import (
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/signin"
)

var sessions = sqldb.NewTable(sqldb.Table[signin.Session]{
	Name: "sessions",
	Own: []sqldb.Column[signin.Session]{
		{Name: "id", At: func(s *signin.Session) any { return &s.ID }},
		{Name: "hash", At: func(s *signin.Session) any { return &s.Hash }},
		{Name: "user_id", At: func(s *signin.Session) any { return &s.UserID }},
		{Name: "created_at", At: func(s *signin.Session) any { return sqldb.Millis(&s.CreatedAt) }},
		{Name: "expired_at", At: func(s *signin.Session) any { return sqldb.Millis(&s.ExpiredAt) }},
		{Name: "identity_id", At: func(s *signin.Session) any { return &s.IdentityID }},
		{Name: "provider_session", At: func(s *signin.Session) any { return &s.ProviderSession }},
		{Name: "device", At: func(s *signin.Session) any { return &s.Device }},
		{Name: "address", At: func(s *signin.Session) any { return &s.Address }},
		{Name: "seen_at", At: func(s *signin.Session) any { return sqldb.Millis(&s.At) }},
	},
})

// visitor is a session with whose it is, and the organization that they visit where that is asked.
type visitor struct {
	session signin.Session
	user    belay.User
	visited belay.Organization
}

var selectVisitor = "SELECT " + sessions.Columns() + ", " + users.Columns() + " FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.hash = ?"

// Visitor is the session that a hash belongs to, even when it has expired, and whose it is.
func (v *View) Visitor(hash string) (signin.Session, belay.User, error) {
	found, err := base.TheOne(sqldb.Collect(v, v.SQL(selectVisitor, hash), func(n *visitor) []any {
		return append(sessions.Dest(&n.session), users.Dest(&n.user)...)
	}))
	return found.session, found.user, err
}

var selectVisitorTo = "SELECT " + sessions.Columns() + ", " + users.Columns() + ", " + core.Organizations.Columns() +
	" FROM sessions JOIN users ON users.id = sessions.user_id JOIN organizations ON organizations.name = ? OR organizations.id = ? WHERE sessions.hash = ?"

// VisitorTo is Visitor for a page of an organization, by its name: where it is there the sitting knows it from then on.
func (v *View) VisitorTo(organization, hash string) (signin.Session, belay.User, error) {
	if organization == "" || !v.Sits() {
		return v.Visitor(hash)
	}
	list, err := sqldb.Collect(v, v.SQL(selectVisitorTo, organization, organization, hash), func(n *visitor) []any {
		return slices.Concat(sessions.Dest(&n.session), users.Dest(&n.user), core.Organizations.Dest(&n.visited))
	})
	if err != nil {
		return signin.Session{}, belay.User{}, err
	}
	if len(list) == 0 { // nobody comes, or to nowhere
		return v.Visitor(hash)
	}
	v.KeepOrganization(list[0].visited)
	return list[0].session, list[0].user, nil
}

// HasSession says whether a session is still there.
func (v *View) HasSession(id string) (bool, error) {
	_, there, err := sqldb.Value[string](v, v.SQL("SELECT id FROM sessions WHERE id = ?", id))
	return there, err
}

// AddSession writes a new session.
func (tx *Tx) AddSession(s *signin.Session) error { return sessions.Insert(tx, s, nil) }

// DropSession ends the session that a hash belongs to.
func (tx *Tx) DropSession(hash string) error {
	return tx.Do("DELETE FROM sessions WHERE hash = ?", hash)
}

// DropSessionsOf ends every session of a user, and takes back its unused codes.
func (tx *Tx) DropSessionsOf(userID string) error {
	if err := tx.Do("DELETE FROM sessions WHERE user_id = ?", userID); err != nil {
		return err
	}
	return tx.Do("DELETE FROM login_codes WHERE user_id = ? AND used_at = 0", userID)
}

// DropExpired forgets the sessions, codes and tokens of runs and jobs that are of no more use.
func (tx *Tx) DropExpired(now time.Time) error {
	if err := tx.Do("DELETE FROM tokens WHERE (workspace_id <> '' OR purpose = 'workload') AND expired_at <= ?", sqldb.UnixMillis(now)); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM sessions WHERE expired_at <= ?", sqldb.UnixMillis(now)); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM mail_links WHERE expired_at <= ? AND created_at <= ?", sqldb.UnixMillis(now), sqldb.UnixMillis(now.Add(-signin.LinkPeriod))); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM seen_assertions WHERE expired_at <= ?", sqldb.UnixMillis(now)); err != nil {
		return err
	}
	return tx.Do("DELETE FROM login_codes WHERE expired_at <= ?", sqldb.UnixMillis(now))
}

var loginCodes = sqldb.NewTable(sqldb.Table[signin.LoginCode]{
	Name: "login_codes",
	Own: []sqldb.Column[signin.LoginCode]{
		{Name: "hash", At: func(c *signin.LoginCode) any { return &c.Hash }},
		{Name: "user_id", At: func(c *signin.LoginCode) any { return &c.UserID }},
		{Name: "client_id", At: func(c *signin.LoginCode) any { return &c.ClientID }},
		{Name: "redirect_uri", At: func(c *signin.LoginCode) any { return &c.RedirectURI }},
		{Name: "challenge", At: func(c *signin.LoginCode) any { return &c.Challenge }},
		{Name: "token_id", At: func(c *signin.LoginCode) any { return &c.TokenID }},
		{Name: "identity_id", At: func(c *signin.LoginCode) any { return &c.IdentityID }},
		{Name: "created_at", At: func(c *signin.LoginCode) any { return sqldb.Millis(&c.CreatedAt) }},
		{Name: "expired_at", At: func(c *signin.LoginCode) any { return sqldb.Millis(&c.ExpiredAt) }},
		{Name: "used_at", At: func(c *signin.LoginCode) any { return sqldb.Millis(&c.UsedAt) }},
	},
})

// LoginCode is the code that a hash belongs to, used or not.
func (v *View) LoginCode(hash string) (signin.LoginCode, error) {
	return loginCodes.One(v, "hash = ?", hash)
}

// AddLoginCode writes a new code.
func (tx *Tx) AddLoginCode(c *signin.LoginCode) error { return loginCodes.Insert(tx, c, nil) }

// SaveLoginCode writes a code.
func (tx *Tx) SaveLoginCode(c *signin.LoginCode) error { return loginCodes.Update(tx, c, nil) }
