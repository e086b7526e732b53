// Package signin holds who comes in and how: sessions, identity providers and what they assert, the sign-in of
// command lines, mail links, and the rules by which workloads get tokens. What somebody may do then is no matter of
// it, and it asks no provider.
package signin

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

	Browser // as it was when it was last seen
}

// Browser is what is known of a browser, and when it was seen.
type Browser struct {
	Device, Address string // Device: what it says that it is
	At              time.Time
}

// MostDevice is how much is kept of what a browser says that it is.
const MostDevice = 255
