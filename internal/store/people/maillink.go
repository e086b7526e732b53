package people

import (
	"time"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/signin"
)

var mailLinks = sqldb.NewTable(sqldb.Table[signin.MailLink]{
	Name: "mail_links",
	Own: []sqldb.Column[signin.MailLink]{
		{Name: "hash", At: func(l *signin.MailLink) any { return &l.Hash }},
		{Name: "kind", At: func(l *signin.MailLink) any { return &l.Kind }},
		{Name: "user_id", At: func(l *signin.MailLink) any { return &l.UserID }},
		{Name: "created_by", At: func(l *signin.MailLink) any { return &l.CreatedBy }},
		{Name: "created_at", At: func(l *signin.MailLink) any { return sqldb.Millis(&l.CreatedAt) }},
		{Name: "expired_at", At: func(l *signin.MailLink) any { return sqldb.Millis(&l.ExpiredAt) }},
	},
})

// MailLink is the link that a hash belongs to, even when it has expired.
func (v *View) MailLink(hash string) (signin.MailLink, error) {
	return mailLinks.One(v, "hash = ?", hash)
}

// MailLinksSince is how many links a user was sent later than a time.
func (v *View) MailLinksSince(userID string, since time.Time) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM mail_links WHERE user_id = ? AND created_at > ?", userID, sqldb.UnixMillis(since)))
	return n, err
}

// AddMailLink writes a new link.
func (tx *Tx) AddMailLink(l *signin.MailLink) error { return mailLinks.Insert(tx, l, nil) }

// UseMailLinks ends all links of a user. They stay for a while, to be counted.
func (tx *Tx) UseMailLinks(userID string) error {
	return tx.Do("UPDATE mail_links SET expired_at = 0 WHERE user_id = ?", userID)
}
