package belay

import (
	"net/mail"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// User is a person or a service that acts through tokens.
type User struct {
	ID               string
	Username         string
	Email            string
	EmailShared      bool   // with an older user, but for capitals: it is found by its exact spelling alone
	UnconfirmedEmail string // what the user wants it to be; a site admin decides
	PasswordHash     string // empty: can't sign in with a password
	IsAdmin          bool   // of the whole site
	AdminByGroups    bool   // because of its groups at an identity provider, and only as long
	IsServiceAccount bool
	Suspended        bool
	Invited          bool // holds the place of somebody who was invited and has not come yet
	CreatedAt        time.Time
}

// UserPatch is a change of a user. A password is changed beside it: it takes time to hash.
type UserPatch struct {
	Username, Email           patch.Field[string]
	IsAdmin, IsServiceAccount patch.Field[bool]
}

// UserQuery is what a list of all users of the site asks for.
type UserQuery struct {
	Search           string // in the username and the e-mail address
	Admin, Suspended *bool  // nil: both
	Page             Page
}

// Apply changes the user, as a site admin may.
func (u *User) Apply(change UserPatch) error {
	change.Username.Into(&u.Username)
	u.EmailShared = u.EmailShared && change.Email.Or(u.Email) == u.Email
	change.Email.Into(&u.Email)
	if change.IsAdmin.Set {
		u.AdminByGroups = false
	}
	change.IsAdmin.Into(&u.IsAdmin)
	change.IsServiceAccount.Into(&u.IsServiceAccount)
	if change.Email.Set || u.UnconfirmedEmail == u.Email {
		u.UnconfirmedEmail = ""
	}
	return u.Check()
}

// ApplyOwn changes the user as the user itself may. A new address waits for a site
// admin: organizations invite by address, so who chooses it freely could be taken for another.
func (u *User) ApplyOwn(change UserPatch) error {
	if u.IsAdmin {
		return u.Apply(UserPatch{Username: change.Username, Email: change.Email})
	}
	wanted := *u
	err := wanted.Apply(UserPatch{Username: change.Username, Email: change.Email})
	u.Username = wanted.Username
	if change.Email.Set {
		u.UnconfirmedEmail = ""
		if wanted.Email != u.Email {
			u.UnconfirmedEmail = wanted.Email
		}
	}
	return err
}

// Succeed makes a new user, by its e-mail address, who was invited and whose place is held: with that one's
// id, and so its invitations. It says whether the place was held for anybody.
func (u *User) Succeed(held *User) bool {
	if !held.Invited {
		return false
	}
	u.ID, u.EmailShared = held.ID, held.EmailShared && held.Email == u.Email
	return true
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

// FoldEmail is an e-mail address as addresses are compared: capitals are none. It folds what
// databases fold.
func FoldEmail(email string) string { return lowerASCII(email) }

func checkEmail(problems *Problems, email string) {
	if email == "" {
		problems.Attribute("email", "Email can't be blank")
		return
	}
	CheckLength(problems, "email", "Email", email, MaxLabel)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || strings.ContainsAny(email, " \t") {
		problems.Attribute("email", "Email is invalid")
	}
}

// CanSignIn says whether a user may come in by the door for people: one who is a person,
// is there by now, and is not suspended.
func (u *User) CanSignIn() bool { return !u.Suspended && !u.IsServiceAccount && !u.Invited }

// TakeAdmin makes a user a site admin by its groups, or no longer one; it says whether that
// changed anything. Whom somebody made a site admin stays one.
func (u *User) TakeAdmin(admin bool) bool {
	switch {
	case admin && !u.IsAdmin:
		u.IsAdmin, u.AdminByGroups = true, true
	case !admin && u.AdminByGroups:
		u.IsAdmin, u.AdminByGroups = false, false
	default:
		return false
	}
	return true
}

// Presence is how somebody comes in, and when they did last.
type Presence struct {
	Password            bool // they have one
	Providers           int  // identities of theirs
	LastSeen, LastToken time.Time
	Sessions            int // browsers that are signed in
}
