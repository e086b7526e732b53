package belay

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Token is the right to act as its owner. Its value is shown once, when it is made;
// what is kept is a hash.
type Token struct {
	ID             string
	Hash           string
	OwnerKind      SubjectKind
	OwnerID        string
	OrganizationID string // of a team, organization, agent or run token
	WorkspaceID    string // of a run token: the workspace the run belongs to
	Purpose        string // empty, or what a narrower token is for, such as "audit-trails"
	Description    string
	CreatedBy      string // the user that made it
	CreatedAt      time.Time
	LastUsedAt     time.Time // zero: never
	ExpiredAt      time.Time // zero: never
}

// NewTokenValue makes the value of a token, in the form that clients know:
// 14 letters, ".atlasv1.", 67 letters.
func NewTokenValue() string { return RandomText(14) + ".atlasv1." + RandomText(67) }

// HashToken is what is kept of a token's value. The value holds over 400 bits of
// chance, so one round of SHA-256 is enough: there is nothing to guess.
func HashToken(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}
