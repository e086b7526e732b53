// Package belay is the domain: the nouns of infrastructure workspaces and change
// requests, and the rules about them. It does no I/O, reads no clock and knows no
// request; the folders below internal/ are the rooms that do.
//
// A map of the house:
//
//	workspace.go      what a workspace is, how a patch applies to it, its lock
//	organization.go   who owns workspaces; project.go: how they are grouped
//	user.go, team.go, token.go, principal.go: who acts
//	access.go         the permission bits, and who has which on what
//	engine.go         engine versions and constraints
//	edition.go        what each edition offers; text.go: how long texts may be
//	error.go          the kinds of refusal; event.go: what happened
package belay

import (
	"crypto/rand"
	"regexp"
)

// What random texts are made of. Ids leave out the letters that are taken for others:
// import syntaxes of clients tell an id from a name by that.
const (
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	idLetters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// NewID makes an id: the prefix, a hyphen and 16 letters of base58 from a cryptographic
// source.
func NewID(prefix string) string { return prefix + "-" + randomOf(idLetters, 16) }

// RandomText is n letters of [A-Za-z0-9] from a cryptographic source.
func RandomText(n int) string { return randomOf(letters, n) }

// randomOf draws from an alphabet. Bytes past the largest multiple of its length are drawn
// again, so that each letter is as likely as another.
func randomOf(alphabet string, n int) string {
	text := make([]byte, 0, n)
	size := len(alphabet)
	var draw [64]byte
	for {
		_, _ = rand.Read(draw[:]) // never fails: crypto/rand ends the program instead
		for _, b := range draw {
			if int(b) >= 256-256%size {
				continue
			}
			if text = append(text, alphabet[int(b)%size]); len(text) == n {
				return string(text)
			}
		}
	}
}

// Page asks for one page of a list: its number from 1, and how many rows it holds.
type Page struct{ Number, Size int }

// Offset is how many rows come before the page.
func (p Page) Offset() int { return (p.Number - 1) * p.Size }

// Total is how many rows there are in all, where a page that shows so many tells it: it is not full.
func (p Page) Total(shown int) (total int, told bool) {
	return p.Offset() + shown, shown < p.Size && (shown > 0 || p.Number == 1)
}

// PageOf is the rows of a page of a list that is at hand whole: none, past its end.
func PageOf[T any](list []T, p Page) []T {
	from := min(p.Offset(), len(list))
	return list[from:min(from+p.Size, len(list))]
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// CheckPlainName is the rule of names that stand in paths: letters, digits, - and _.
func CheckPlainName(problems *Problems, name string, limit int) {
	switch {
	case name == "":
		problems.Attribute("name", "Name can't be blank")
	case !plainName.MatchString(name):
		problems.Attribute("name", "Name can only contain letters, numbers, -, and _")
	case len(name) > limit:
		problems.Attribute("name", "Name is too long (maximum is %d characters)", limit)
	}
}
