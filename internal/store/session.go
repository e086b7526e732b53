package store

import (
	"time"

	"github.com/belayhq/belay"
)

var sessions = newTable(table[belay.Session]{
	name: "sessions",
	own: []column[belay.Session]{
		{"id", func(s *belay.Session) any { return &s.ID }},
		{"hash", func(s *belay.Session) any { return &s.Hash }},
		{"user_id", func(s *belay.Session) any { return &s.UserID }},
		{"created_at", func(s *belay.Session) any { return millis{&s.CreatedAt} }},
		{"expired_at", func(s *belay.Session) any { return millis{&s.ExpiredAt} }},
		{"identity_id", func(s *belay.Session) any { return &s.IdentityID }},
		{"provider_session", func(s *belay.Session) any { return &s.ProviderSession }},
	},
})

// Session is the session that a hash belongs to, even when it has expired.
func (v *View) Session(hash string) (belay.Session, error) { return sessions.one(v, "hash = ?", hash) }

// HasSession says whether a session is still there.
func (v *View) HasSession(id string) (bool, error) {
	_, there, err := value[string](v, v.sql("SELECT id FROM sessions WHERE id = ?", id))
	return there, err
}

// AddSession writes a new session.
func (tx *Tx) AddSession(s *belay.Session) error { return sessions.insert(tx, s, nil) }

// DropSession ends the session that a hash belongs to.
func (tx *Tx) DropSession(hash string) error {
	return tx.do("DELETE FROM sessions WHERE hash = ?", hash)
}

// DropSessionsOf ends every session of a user, and takes back its unused codes.
func (tx *Tx) DropSessionsOf(userID string) error {
	if err := tx.do("DELETE FROM sessions WHERE user_id = ?", userID); err != nil {
		return err
	}
	return tx.do("DELETE FROM login_codes WHERE user_id = ? AND used_at = 0", userID)
}

// DropExpired forgets the sessions, codes and tokens of runs and jobs that are of no more use.
func (tx *Tx) DropExpired(now time.Time) error {
	if err := tx.do("DELETE FROM tokens WHERE (workspace_id <> '' OR purpose = 'workload') AND expired_at <= ?", unixMillis(now)); err != nil {
		return err
	}
	if err := tx.do("DELETE FROM sessions WHERE expired_at <= ?", unixMillis(now)); err != nil {
		return err
	}
	if err := tx.do("DELETE FROM mail_links WHERE expired_at <= ? AND created_at <= ?", unixMillis(now), unixMillis(now.Add(-belay.LinkPeriod))); err != nil {
		return err
	}
	if err := tx.do("DELETE FROM seen_assertions WHERE expired_at <= ?", unixMillis(now)); err != nil {
		return err
	}
	return tx.do("DELETE FROM login_codes WHERE expired_at <= ?", unixMillis(now))
}

var loginCodes = newTable(table[belay.LoginCode]{
	name: "login_codes",
	own: []column[belay.LoginCode]{
		{"hash", func(c *belay.LoginCode) any { return &c.Hash }},
		{"user_id", func(c *belay.LoginCode) any { return &c.UserID }},
		{"client_id", func(c *belay.LoginCode) any { return &c.ClientID }},
		{"redirect_uri", func(c *belay.LoginCode) any { return &c.RedirectURI }},
		{"challenge", func(c *belay.LoginCode) any { return &c.Challenge }},
		{"token_id", func(c *belay.LoginCode) any { return &c.TokenID }},
		{"identity_id", func(c *belay.LoginCode) any { return &c.IdentityID }},
		{"created_at", func(c *belay.LoginCode) any { return millis{&c.CreatedAt} }},
		{"expired_at", func(c *belay.LoginCode) any { return millis{&c.ExpiredAt} }},
		{"used_at", func(c *belay.LoginCode) any { return millis{&c.UsedAt} }},
	},
})

// LoginCode is the code that a hash belongs to, used or not.
func (v *View) LoginCode(hash string) (belay.LoginCode, error) {
	return loginCodes.one(v, "hash = ?", hash)
}

// AddLoginCode writes a new code.
func (tx *Tx) AddLoginCode(c *belay.LoginCode) error { return loginCodes.insert(tx, c, nil) }

// SaveLoginCode writes a code.
func (tx *Tx) SaveLoginCode(c *belay.LoginCode) error { return loginCodes.update(tx, c, nil) }
