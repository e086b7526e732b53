package belay

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// How many characters free texts may have. The API states no such limits: these leave
// room for all that people write.
const (
	MaxLabel       = 255  // a name for people, or a word from another program
	MaxPath        = 1024 // a path, or an address
	MaxDescription = 4096
	MaxURL         = 2048
	MaxSecret      = 64 << 10
)

// maxPaths is how many paths a list may hold.
const maxPaths = 1000

// CheckLength refuses a text that is longer than what is kept.
func CheckLength(problems *Problems, attribute, called, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		problems.Attribute(attribute, "%s is too long (maximum is %d characters)", called, limit)
	}
}

// CheckLabel is the rule of names that only people read: anything that is not blank.
func CheckLabel(problems *Problems, attribute, called, label string) {
	if strings.TrimSpace(label) == "" {
		problems.Attribute(attribute, "%s can't be blank", called)
	}
	CheckLength(problems, attribute, called, label, MaxLabel)
}

// CheckURL is the rule of addresses that people follow, which some must be given.
func CheckURL(problems *Problems, attribute, called, text string) {
	if strings.TrimSpace(text) == "" {
		problems.Attribute(attribute, "%s can't be blank", called)
		return
	}
	CheckAnyURL(problems, attribute, called, text)
}

// CheckAnyURL is the same rule of those that may be left out.
func CheckAnyURL(problems *Problems, attribute, called, text string) {
	parsed, err := url.Parse(text)
	if text != "" && (err != nil || parsed.Hostname() == "" || parsed.Scheme != "https" && parsed.Scheme != "http") {
		problems.Attribute(attribute, "%s must be a URL that begins with https:// or http://", called)
	}
	CheckLength(problems, attribute, called, text, MaxURL)
}

// checkPaths is the rule of lists of paths.
func checkPaths(problems *Problems, attribute, called string, paths []string) {
	if len(paths) > maxPaths {
		problems.Attribute(attribute, "%s are too many (maximum is %d)", called, maxPaths)
	}
	for _, path := range paths {
		if utf8.RuneCountInString(path) > MaxPath {
			problems.Attribute(attribute, "One of %s is too long (maximum is %d characters)", strings.ToLower(called), MaxPath)
			return
		}
	}
}

// Distinct is a list without repetitions, in the order of first appearance.
func Distinct[T comparable](list []T) []T {
	var kept []T
	seen := make(map[T]bool, len(list))
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			kept = append(kept, item)
		}
	}
	return kept
}
