package app

import (
	"golang.org/x/crypto/bcrypt"

	"github.com/belayhq/belay"
)

// hashPassword is what is kept of a password; empty when there is none to keep.
func hashPassword(password string) (string, error) {
	if password == "" {
		return "", nil
	}
	var problems belay.Problems
	switch {
	case len(password) < 8:
		problems.Attribute("password", "Password is too short (minimum is 8 characters)")
		return "", problems
	case len(password) > 72: // bcrypt reads no further
		problems.Attribute("password", "Password is too long (maximum is 72 bytes)")
		return "", problems
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	return string(hash), err
}
