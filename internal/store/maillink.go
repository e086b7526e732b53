package store

import (
	"time"

	"github.com/belayhq/belay"
)

var mailLinks = newTable(table[belay.MailLink]{
	name: "mail_links",
	own: []column[belay.MailLink]{
		{"hash", func(l *belay.MailLink) any { return &l.Hash }},
		{"kind", func(l *belay.MailLink) any { return &l.Kind }},
		{"user_id", func(l *belay.MailLink) any { return &l.UserID }},
		{"created_at", func(l *belay.MailLink) any { return millis{&l.CreatedAt} }},
		{"expired_at", func(l *belay.MailLink) any { return millis{&l.ExpiredAt} }},
	},
})

// MailLink is the link that a hash belongs to, even when it has expired.
func (v *View) MailLink(hash string) (belay.MailLink, error) {
	return mailLinks.one(v, "hash = ?", hash)
}

// MailLinksSince is how many links a user was sent later than a time.
func (v *View) MailLinksSince(userID string, since time.Time) (int, error) {
	n, _, err := value[int](v, v.sql("SELECT count(*) FROM mail_links WHERE user_id = ? AND created_at > ?", userID, unixMillis(since)))
	return n, err
}

// AddMailLink writes a new link.
func (tx *Tx) AddMailLink(l *belay.MailLink) error { return mailLinks.insert(tx, l, nil) }

// UseMailLinks ends all links of a user. They stay for a while, to be counted.
func (tx *Tx) UseMailLinks(userID string) error {
	return tx.do("UPDATE mail_links SET expired_at = 0 WHERE user_id = ?", userID)
}
