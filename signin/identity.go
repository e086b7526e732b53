package signin

import (
	"cmp"
	"fmt"
	"github.com/belayhq/belay"
	"regexp"
	"slices"
	"strings"
	"time"
)

// IdentityProvider is somebody whose word about people is taken, as the operator has it
// configured, and the rules for those who come from there.
type IdentityProvider struct {
	ID     string // in the addresses of the sign-in
	Name   string // on its button
	Issuer string // what it calls itself; no two have one

	MakesAccounts  bool                // at the first sign-in of somebody
	TrustsEmails   bool                // its addresses are verified, though it does not say so
	AllowedDomains []string            // of e-mail addresses; empty: any
	AllowedGroups  []string            // one of these; empty: any
	RequiredClaims map[string][]string // each has one of these values
	AdminGroups    []string            // whoever is in one is a site admin
	GroupPrefix    string              // before each group, where teams and admins are looked for
	HoldsFor       time.Duration       // how long its word holds where it can't be asked again
}

// Assertion is what a provider says of a person, signed and checked.
type Assertion struct {
	Issuer, Subject string
	Email           string
	EmailVerified   bool
	Username        string
	Groups          []string
	GroupsKnown     bool // it said something of groups, or of everything
	Full            bool // it said everything that it says at a sign-in
	SessionID       string
	At              time.Time
	RefreshToken    string         // with which it is asked again; empty: it can't be
	Claims          map[string]any // all that it said
}

// Identity is a person at a provider, and the user that it is here. It is found by issuer
// and subject alone: whatever else a provider says may change hands.
type Identity struct {
	ID              string
	UserID          string
	Issuer, Subject string
	Email           string   // when it last came, for people to read
	Groups          []string // as teams name them
	Admin           bool     // one of the groups makes site admins
	RefreshToken    string   // sealed with the id of the row
	AssertedAt      time.Time
	CheckAt         time.Time // when the provider is asked again, or its word ends; zero: never
	CreatedAt       time.Time
}

// ErrGone says that a provider no longer vouches for a person.
var ErrGone = belay.Refuse(belay.Unauthenticated, "the identity provider no longer vouches for this person")

// EmailHeld says whether the person is known to read mail at the address.
func (p *IdentityProvider) EmailHeld(a *Assertion) bool {
	return a.Email != "" && (a.EmailVerified || p.TrustsEmails)
}

// Admits says whether a person may come in by the provider. What it did not say this time,
// because it was only asked again, is not held against the person.
func (p *IdentityProvider) Admits(a *Assertion) error {
	_, domain, _ := strings.Cut(strings.ToLower(a.Email), "@")
	switch {
	case len(p.AllowedDomains) > 0 && (a.Full || a.Email != "") && (!p.EmailHeld(a) || !slices.Contains(p.AllowedDomains, domain)):
		return belay.Refuse(belay.Forbidden, "Your e-mail address is not one of those that may sign in here.")
	case len(p.AllowedGroups) > 0 && (a.Full || a.GroupsKnown) && !overlap(p.AllowedGroups, a.Groups):
		return belay.Refuse(belay.Forbidden, "You are in none of the groups that may sign in here.")
	}
	for claim, allowed := range p.RequiredClaims {
		said, there := ClaimOf(a.Claims, claim)
		if (a.Full || there) && !overlap(allowed, said) {
			return belay.Refuse(belay.Forbidden, "What %s says of you does not let you in here.", p.Name)
		}
	}
	return nil
}

func overlap(one, other []string) bool {
	return slices.ContainsFunc(one, func(text string) bool { return slices.Contains(other, text) })
}

// Take notes what a provider says, and says whether that was news. An older word than the
// last one is not taken: of two that come at once, the later counts.
func (i *Identity) Take(p *IdentityProvider, a *Assertion) bool {
	if a.At.Before(i.AssertedAt) {
		return false
	}
	i.AssertedAt = a.At
	i.Email = cmp.Or(a.Email, i.Email)
	if !a.GroupsKnown {
		return false
	}
	before, admin := i.Groups, i.Admin
	i.Groups, i.Admin = nil, overlap(p.AdminGroups, a.Groups)
	for _, group := range a.Groups {
		if group != "" && len(group) <= belay.MaxLabel {
			i.Groups = append(i.Groups, p.GroupPrefix+group)
		}
	}
	slices.Sort(i.Groups)
	i.Groups = slices.Compact(i.Groups)
	return admin != i.Admin || !slices.Equal(before, i.Groups)
}

// ClaimOf is the texts of a claim: one, or those of a list. A claim inside of another is
// named with a dot between them.
func ClaimOf(claims map[string]any, name string) (texts []string, there bool) {
	value, there := claims[name]
	if !there {
		outer, inner, nested := strings.Cut(name, ".")
		if deeper, ok := claims[outer].(map[string]any); nested && ok {
			return ClaimOf(deeper, inner)
		}
		return nil, false
	}
	switch v := value.(type) {
	case nil:
		return nil, true
	case []any:
		for _, one := range v {
			texts = append(texts, claimText(one))
		}
		return texts, true
	default:
		return []string{claimText(v)}, true
	}
}

func claimText(value any) string {
	if number, ok := value.(float64); ok && number == float64(int64(number)) {
		return fmt.Sprint(int64(number))
	}
	return fmt.Sprint(value)
}

var unnameable = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// ServicePrefixes begin the names of users that stand for something else.
var servicePrefixes = []string{"api-org-", "operator-"}

// UsernameFor is a name for a new user that a provider tells of: the nth try, if those
// before it are taken.
func UsernameFor(a *Assertion, nth int) string {
	local, _, _ := strings.Cut(cmp.Or(a.Username, a.Email), "@")
	name := strings.Trim(unnameable.ReplaceAllString(local, "-"), "-")
	name = name[:min(len(name), 80)]
	for _, prefix := range servicePrefixes {
		if strings.HasPrefix(name, prefix) {
			name = "user-" + name
		}
	}
	name = cmp.Or(name, "user")
	if nth > 1 {
		name += fmt.Sprintf("-%d", nth)
	}
	return name
}

// LogoutNotice is a provider's word that somebody has signed out there.
type LogoutNotice struct {
	Issuer, Subject string // the subject is empty where only a session is named
	SessionID       string // empty: all sessions
	ID              string // no two notices have one
	Until           time.Time
}

// SignInFlow is what binds a sign-in by a provider to the browser that began it.
type SignInFlow struct {
	State, Nonce, Verifier string
	RedirectURI            string // where the provider sends the browser back to
}
