package belay

import "time"

// SessionLifetime is how long a person stays signed in with a browser.
const SessionLifetime = 12 * time.Hour

// Session is a browser that a person has signed in with. Its value lies in a cookie;
// what is kept is a hash.
type Session struct {
	ID        string
	Hash      string
	UserID    string
	CreatedAt time.Time
	ExpiredAt time.Time

	IdentityID      string // by which the person came in; empty: with a password
	ProviderSession string // what the provider calls its own session
}
