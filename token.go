package belay

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// Token is the right to act as its owner. Its value is shown once, when it is made;
// what is kept is a hash.
type Token struct {
	ID             string
	Hash           string
	Tail           string // the last letters of its value, by which people tell it from others; empty: nobody knows them
	OwnerKind      PrincipalKind
	OwnerID        string
	OrganizationID string // of a team, organization, agent or run token
	WorkspaceID    string // of a run token: the workspace the run belongs to
	Purpose        string // empty, or what a narrower token is for, such as "audit-trails"
	Description    string
	CreatedBy      string // the user that made it
	IdentityID     string // of a user's token that ends with its place at a provider
	ByOrganization bool   // it was made by an organization token, or by one that was
	IssuedBy       string // of a run token: the token whose end is its own; empty: it was a person's without one
	CreatedAt      time.Time
	LastUsedAt     time.Time // zero: never
	UsedFrom       string    // the address that it was used from then; empty: not known
	ExpiredAt      time.Time // zero: never
}

// TokenUse is when a token was used, and from which address.
type TokenUse struct {
	At   time.Time
	From string
}

// The purposes of tokens that are not the plain token of their owner.
const (
	AuditTrails     = "audit-trails" // reads the audit trail of its organization, and nothing else
	WorkloadPurpose = "workload"     // of a team, for a job of somebody else's, and soon over
	OperatorPurpose = "operator"     // of whoever holds the database, for one command
	LegacyToken     = "legacy"       // the one token of a team that is made without a description
)

// tokenYears is how long a token lives that nobody gave an end.
const tokenYears = 2

// Expire settles when the token ends: when it was asked to, never when that was null, and
// in two years when nothing was said. Tokens of agents have no end of their own. most is the
// end of the token that asks, which makes none that lasts longer; zero: it has no end.
func (t *Token) Expire(at patch.Field[time.Time], most, now time.Time) error {
	asked := at.Set
	if !asked && t.OwnerKind != AgentPrincipal {
		at.Value = now.AddDate(tokenYears, 0, 0)
	}
	longer := !most.IsZero() && (at.Value.IsZero() || at.Value.After(most))
	if longer && !asked {
		at.Value, longer = most, false
	}
	if at.Value.IsZero() && !longer {
		return nil
	}
	var problems Problems
	switch {
	case longer:
		problems.Attribute("expired-at", "Expired at must be %s at the latest, when the token that asks ends", most.UTC().Format(time.RFC3339))
	case !at.Value.After(now):
		problems.Attribute("expired-at", "Expired at must be in the future")
	}
	t.ExpiredAt = at.Value.UTC().Truncate(time.Millisecond)
	return problems.Err()
}

// Bound is the end that nothing outlasts that the token makes; zero: there is none. An operator's
// token is soon over because its command is.
func (t *Token) Bound() time.Time {
	if t.Purpose == OperatorPurpose {
		return time.Time{}
	}
	return t.ExpiredAt
}

// RunTokenPrefix begins the tokens that engines act with.
const RunTokenPrefix = "run."

// TokenOfJob is the id of the token that the engine of a job acts with.
func TokenOfJob(jobID string) string { return "at-" + strings.TrimPrefix(jobID, "job-") }

// Describe says what the token is for.
func (t *Token) Describe(text string) error {
	var problems Problems
	CheckLength(&problems, "description", "Description", text, MaxDescription)
	t.Description = text
	return problems.Err()
}

// TokenPatch is a change of a token that is there.
type TokenPatch struct {
	Description patch.Field[string]
	ExpiredAt   patch.Field[time.Time]
}

// Apply changes the token, or says all that is wrong with the patch. Its end only comes nearer:
// what was to be over would otherwise last for ever in the hands of whoever took it.
func (t *Token) Apply(p TokenPatch, now time.Time) error {
	var problems Problems
	if p.Description.Set && t.Purpose == LegacyToken && p.Description.Value != "" {
		problems.Attribute("description", "Description can't be given to the one token of a team: make another, with a description")
	} else if p.Description.Set {
		CheckLength(&problems, "description", "Description", p.Description.Value, MaxDescription)
		t.Description = p.Description.Value
	}
	if at := p.ExpiredAt.Value.UTC().Truncate(time.Millisecond); p.ExpiredAt.Set && !at.Equal(t.ExpiredAt) {
		t.end(&problems, at, p.ExpiredAt.Value.IsZero(), now)
	}
	return problems.Err()
}

// end has the token end at a time, if that is nearer than its end was.
func (t *Token) end(problems *Problems, at time.Time, never bool, now time.Time) {
	switch {
	case never && t.ExpiredAt.IsZero():
	case never || !t.ExpiredAt.IsZero() && at.After(t.ExpiredAt):
		problems.Attribute("expired-at", "Expired at must be %s at the latest, when the token was to end: make another one to last longer", t.ExpiredAt.Format(time.RFC3339))
	case !at.After(now):
		problems.Attribute("expired-at", "Expired at must be in the future: delete the token to end it now")
	default:
		t.ExpiredAt = at
	}
}

// TokenQuery is what a list of a organization's team tokens asks for.
type TokenQuery struct {
	Search     string   // in the name of the team
	TeamIDs    []string // only of these teams; nil: of all
	Statuses   []string // any of these; nil: all
	Sort       string   // team-name, created-by, expired-at, last-used-at
	Descending bool
	Page       Page
}

// NewTokenValue makes the value of a token, in the form that clients know:
// 14 letters, ".atlasv1.", 67 letters.
func NewTokenValue() string { return RandomText(14) + ".atlasv1." + RandomText(67) }

// tailLetters is how many letters of a value its tail is.
const tailLetters = 4

// TailOf is the last letters of a token's value; none of one that is too short to be known in part. What they tell
// takes 24 of over 400 bits of chance from who guesses.
func TailOf(value string) string {
	const long = 64
	if len(value) < long {
		return ""
	}
	return value[len(value)-tailLetters:]
}

// endsSoon is how long before its end a token's owner should see to another.
const endsSoon = 14 * 24 * time.Hour

// EndsSoon says that the token is over in a few days, or already.
func (t *Token) EndsSoon(now time.Time) bool {
	return !t.ExpiredAt.IsZero() && t.ExpiredAt.Sub(now) < endsSoon
}

// HashToken is what is kept of a token's value, but for its tail. The value holds over 400 bits of
// chance, so one round of SHA-256 is enough: there is nothing to guess.
func HashToken(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}
