package forge

import (
	"github.com/belayhq/belay"
	"path"
	"strings"
	"unicode/utf8"
)

// Why changed files start a run, as its trigger-reason says it.
const (
	TriggerDisabled     = "disabled"     // the workspace does not look at files
	TriggerMatched      = "matched"      // one of them matters, or all do
	TriggerInconclusive = "inconclusive" // what changed is not known
)

// triggerWork is how many characters are compared before the files count as not known: patterns made to
// be slow, in a repository of many files, must not keep the others waiting.
const triggerWork = 200_000_000

// TriggerOn says whether changed files start a run here, and why. Known is false when there may be more
// than these. Paths start at the root of the repository.
func TriggerOn(w *belay.Workspace, files []string, known bool) (reason string, runs bool) {
	rules := triggerRules(w)
	switch {
	case !w.FileTriggersEnabled:
		return TriggerDisabled, true
	case len(rules) == 0:
		return TriggerMatched, true
	case !known:
		return TriggerInconclusive, true
	}
	left := triggerWork
	for _, file := range files {
		parts := strings.Split(strings.TrimPrefix(file, "/"), "/")
		for _, rule := range rules {
			if rule.matches(parts, &left) {
				return TriggerMatched, true
			}
			if left < 0 {
				return TriggerInconclusive, true
			}
		}
	}
	return "", false
}

// triggerRules is what a file must match: patterns, or else what lies under prefixes and the working
// directory.
func triggerRules(w *belay.Workspace) []glob {
	var rules []glob
	for _, pattern := range w.TriggerPatterns {
		rules = append(rules, parseGlob(pattern))
	}
	if len(rules) > 0 {
		return rules
	}
	for _, prefix := range w.TriggerPrefixes {
		rules = append(rules, below(prefix))
	}
	if w.WorkingDirectory != "" {
		rules = append(rules, below(w.WorkingDirectory))
	}
	return rules
}

// MatchesGlob says whether a pattern of trigger-patterns matches a path.
func MatchesGlob(pattern, file string) bool {
	left := triggerWork
	return parseGlob(pattern).matches(strings.Split(strings.TrimPrefix(file, "/"), "/"), &left)
}

// glob is a pattern in its segments.
type glob []segment

type segment struct {
	text    string
	any     bool // **: any number of segments, also none
	literal bool // text holds neither * nor ?
}

func parseGlob(pattern string) glob {
	var g glob
	for _, text := range strings.Split(strings.TrimPrefix(pattern, "/"), "/") {
		s := segment{text: text, any: text == "**", literal: !strings.ContainsAny(text, "*?")}
		if s.any && len(g) > 0 && g[len(g)-1].any {
			continue
		}
		g = append(g, s)
	}
	return g
}

// below matches a folder and what is in it. The characters of a prefix stand for themselves.
func below(prefix string) glob {
	var g glob
	if clean := strings.Trim(path.Clean("/"+prefix), "/"); clean != "" {
		for _, text := range strings.Split(clean, "/") {
			g = append(g, segment{text: text, literal: true})
		}
	}
	return append(g, segment{text: "**", any: true})
}

// matches goes through the segments once, and back to the latest ** only: what an earlier one could take
// in addition, the later one can take as well. It stops when no work is left.
func (g glob) matches(parts []string, left *int) bool {
	at, part, anyAt, anyPart := 0, 0, -1, 0
	for part < len(parts) {
		switch {
		case at < len(g) && g[at].any:
			anyAt, anyPart = at, part
			at++
		case at < len(g) && g[at].matches(parts[part], left):
			at++
			part++
		case anyAt >= 0 && *left >= 0:
			anyPart++
			at, part = anyAt+1, anyPart
		default:
			return false
		}
	}
	for at < len(g) && g[at].any {
		at++
	}
	return at == len(g)
}

// matches compares one segment in the same way: back to the latest * only.
func (s segment) matches(part string, left *int) bool {
	*left -= 1 + len(part)
	if s.literal {
		return s.text == part
	}
	at, in, starAt, starIn := 0, 0, -1, 0
	for in < len(part) {
		_, width := utf8.DecodeRuneInString(part[in:])
		switch {
		case at < len(s.text) && s.text[at] == '*':
			starAt, starIn = at, in
			at++
		case at < len(s.text) && s.text[at] == '?':
			at++
			in += width
		case at < len(s.text) && strings.HasPrefix(s.text[at:], part[in:in+width]):
			at += width
			in += width
		case starAt >= 0:
			*left--
			_, skip := utf8.DecodeRuneInString(part[starIn:])
			starIn += skip
			at, in = starAt+1, starIn
		default:
			return false
		}
	}
	return strings.Trim(s.text[at:], "*") == ""
}
