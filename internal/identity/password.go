package identity

import (
	"sync"

	"golang.org/x/crypto/bcrypt"

	"github.com/belayhq/belay"
)

// The bounds of a password's length: bcrypt reads no further than the longest.
const (
	shortestPassword = 10
	longestPassword  = 72
)

// hashPassword is what is kept of a password; empty when there is none to keep.
func hashPassword(password string) (string, error) {
	if password == "" {
		return "", nil
	}
	var problems belay.Problems
	switch {
	case len(password) < shortestPassword:
		problems.Attribute("password", "Password is too short (minimum is %d characters)", shortestPassword)
		return "", problems
	case len(password) > longestPassword:
		problems.Attribute("password", "Password is too long (maximum is %d bytes)", longestPassword)
		return "", problems
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	return string(hash), err
}

// nobodysHash is compared with where there is no hash, so that who asks can't tell from
// the time it takes.
var nobodysHash = sync.OnceValue(func() []byte {
	hash, _ := bcrypt.GenerateFromPassword([]byte(belay.RandomText(32)), bcrypt.DefaultCost) // fails only for a long password
	return hash
})

// samePassword says whether a password is the one that was hashed. It takes as long
// when there is no hash.
func samePassword(hash, password string) bool {
	known := []byte(hash)
	if hash == "" {
		known = nobodysHash()
	}
	same := bcrypt.CompareHashAndPassword(known, []byte(password)) == nil
	return same && hash != "" && len(password) <= longestPassword
}
