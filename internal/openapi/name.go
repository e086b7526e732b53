package openapi

import (
	"iter"
	"strings"
	"unicode"
)

// Name is a name as programs write it: "WorkspaceVars" for "workspace-vars".
func Name(text string) string {
	name := ""
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// apart is what programs call a name that differs from one of others only in the signs
// between its words, which generators of clients drop: created_at beside created-at is
// CreatedAt2. It is empty where there is no such other.
func apart(name string, others iter.Seq[string]) string {
	for other := range others {
		if strings.EqualFold(Name(name), Name(other)) {
			return Name(name) + "2"
		}
	}
	return ""
}
