package belay

import (
	"net/mail"
	"strings"
	"time"
)

// User is a person or a service that acts through tokens.
type User struct {
	ID               string
	Username         string
	Email            string
	PasswordHash     string // empty: can't sign in with a password
	IsAdmin          bool   // of the whole site
	IsServiceAccount bool
	Suspended        bool
	CreatedAt        time.Time
}

// Check is the rule of users: a plain username, and an e-mail address unless it is a service account.
func (u *User) Check() error {
	var problems Problems
	switch {
	case u.Username == "":
		problems.Attribute("username", "Username can't be blank")
	case !plainName.MatchString(u.Username):
		problems.Attribute("username", "Username can only contain letters, numbers, -, and _")
	case len(u.Username) > 90:
		problems.Attribute("username", "Username is too long (maximum is 90 characters)")
	}
	if !u.IsServiceAccount || u.Email != "" {
		checkEmail(&problems, u.Email)
	}
	return problems.Err()
}

func checkEmail(problems *Problems, email string) {
	if email == "" {
		problems.Attribute("email", "Email can't be blank")
		return
	}
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || strings.ContainsAny(email, " \t") {
		problems.Attribute("email", "Email is invalid")
	}
}
