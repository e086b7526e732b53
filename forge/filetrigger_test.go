package forge_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
)

func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		// the whole path, from the root, with a leading slash or none
		{"a/x.tf", "a/x.tf", true}, {"/a/x.tf", "a/x.tf", true}, {"/a/x.tf", "/a/x.tf", true},
		{"x.tf", "a/x.tf", false}, {"a", "a/x.tf", false}, {"a/", "a/x.tf", false}, {"//a", "a", false},
		{"A/x.tf", "a/x.tf", false}, {"*", ".hidden", true}, {"**/*", "a/.git/x", true}, {"", "a", false},
		// *
		{"*.tf", "x.tf", true}, {"*.tf", ".tf", true}, {"*.tf", "a/x.tf", false}, {"a/*/x", "a/b/x", true},
		{"a/*/x", "a/b/c/x", false}, {"a*b*c", "aXXbYYc", true}, {"a*b*c", "ac", false}, {"*", "", true},
		{"é*", "éa", true}, {"*b", "aaab", true}, {"*ab", "aaab", true},
		// ?
		{"?.tf", "x.tf", true}, {"?.tf", ".tf", false}, {"?.tf", "xx.tf", false}, {"a?b", "a/b", false},
		{"?", "é", true}, {"?", "日", true}, {"*.???", "main.tfx", true}, {"*.???", "main.tf", false}, {"*.???", "a.b.cde", true},
		{"?*", "", false}, {"*?", "a", true},
		// ** as a segment
		{"/**/*", "x", true}, {"/**/*", "a/b/c", true}, {"/a/**/*.tf", "a/x.tf", true}, {"/a/**/*.tf", "a/b/c/x.tf", true},
		{"/a/**/*.tf", "b/a/x.tf", false}, {"/**/networking/**/*", "networking/x", true}, {"/**/networking/**/*", "a/b/networking/c/x", true},
		{"/**/networking/**/*", "a/networks/x", false}, {"**", "a/b", true}, {"**", "a", true}, {"a/**", "a", true}, {"a/**", "ab", false},
		{"a/**/b", "a/b", true}, {"a/**/**/b", "a/b", true}, {"a/**/b/**/c", "a/b/x/b/c", true}, {"**/b", "a/c", false}, {"**/x/**/x", "x", false},
		// ** inside a segment is *
		{"a**", "abc", true}, {"a**", "a/b", false}, {"**.tf", "x.tf", true}, {"**.tf", "a/x.tf", false}, {"a/***", "a/b", true}, {"***", "a/b", false},
		// all else is itself
		{"[ab].tf", "a.tf", false}, {"[ab].tf", "[ab].tf", true}, {"{a,b}.tf", "a.tf", false}, {"{a,b}.tf", "{a,b}.tf", true},
		{`a\*b`, "a*b", false}, {`a\*b`, `a\xb`, true}, {"!a", "b", false}, {"a.tf", "aXtf", false}, {"(a|b)+", "(a|b)+", true}, {"\xff?", "\xff\xfe", true},
	} {
		if got := forge.MatchesGlob(c.pattern, c.file); got != c.want {
			t.Errorf("%q on %q: %v, want %v", c.pattern, c.file, got, c.want)
		}
	}
}

// model is the table of docs/repositories.md as a regular expression.
func model(pattern string) *regexp.Regexp {
	var b strings.Builder
	parts := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	b.WriteString("(?s)^")
	for _, part := range parts {
		if part == "**" {
			b.WriteString("(/[^/]*)*")
			continue
		}
		b.WriteByte('/')
		for _, r := range part {
			switch r {
			case '*':
				b.WriteString("[^/]*")
			case '?':
				b.WriteString("[^/]")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	b.WriteByte('$')
	return regexp.MustCompile(b.String())
}

func agrees(t *testing.T, pattern, file string) {
	t.Helper()
	want := model(pattern).MatchString("/" + strings.TrimPrefix(file, "/"))
	if got := forge.MatchesGlob(pattern, file); got != want {
		t.Errorf("%q on %q: %v, the model says %v", pattern, file, got, want)
	}
}

// TestGlobsAgreeWithTheModel draws patterns and paths of few characters, so that many match.
func TestGlobsAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(alphabet []string, most int) string {
		var b strings.Builder
		for range random.IntN(most + 1) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	pieces := []string{"a", "b", "é", "/", "/", "*", "?", "**", "/**/", ".", "[", "\\"}
	letters := []string{"a", "b", "é", "/", "/", ".", "[", "\\"}
	matched := 0
	for range 60_000 {
		pattern, file := draw(pieces, 8), draw(letters, 9)
		agrees(t, pattern, file)
		if forge.MatchesGlob(pattern, file) {
			matched++
		}
	}
	if matched < 2000 {
		t.Errorf("only %d of the tries match: they prove little", matched)
	}
}

func FuzzGlobs(f *testing.F) {
	f.Add("/**/a*b?/**", "x/aab/c")
	f.Fuzz(func(t *testing.T, pattern, file string) {
		if len(pattern) < 200 && len(file) < 200 && strings.ToValidUTF8(pattern+file, "") == pattern+file {
			agrees(t, pattern, file)
		}
	})
}

func TestTriggerOn(t *testing.T) {
	t.Parallel()
	on := func(change func(*belay.Workspace)) belay.Workspace {
		w := belay.Workspace{FileTriggersEnabled: true}
		change(&w)
		return w
	}
	patterns := func(p ...string) belay.Workspace { return on(func(w *belay.Workspace) { w.TriggerPatterns = p }) }
	prefixes := func(dir string, p ...string) belay.Workspace {
		return on(func(w *belay.Workspace) { w.TriggerPrefixes, w.WorkingDirectory = p, dir })
	}
	for name, c := range map[string]struct {
		workspace belay.Workspace
		files     []string
		unknown   bool
		reason    string
	}{
		"file triggers are off":                    {workspace: belay.Workspace{TriggerPrefixes: []string{"a"}}, files: []string{"b"}, reason: "disabled"},
		"off, and nothing is known":                {workspace: belay.Workspace{}, unknown: true, reason: "disabled"},
		"no rule":                                  {workspace: on(func(*belay.Workspace) {}), files: []string{"b"}, reason: "matched"},
		"no rule, and nothing is known":            {workspace: on(func(*belay.Workspace) {}), unknown: true, reason: "matched"},
		"a pattern":                                {workspace: patterns("x", "/a/**/*"), files: []string{"b", "a/c"}, reason: "matched"},
		"no pattern matches":                       {workspace: patterns("x", "/a/**/*"), files: []string{"b", "c/a/d"}},
		"no file":                                  {workspace: patterns("**")},
		"patterns and unknown files":               {workspace: patterns("x"), files: []string{"b"}, unknown: true, reason: "inconclusive"},
		"patterns do not see the directory":        {workspace: on(func(w *belay.Workspace) { w.TriggerPatterns, w.WorkingDirectory = []string{"x"}, "a" }), files: []string{"a/b"}},
		"a prefix":                                 {workspace: prefixes("", "mod"), files: []string{"mod/x"}, reason: "matched"},
		"a prefix is a whole segment":              {workspace: prefixes("", "mod"), files: []string{"modules/x", "a/mod/x"}},
		"a prefix matches itself":                  {workspace: prefixes("", "mod"), files: []string{"mod"}, reason: "matched"},
		"slashes at the ends of a prefix":          {workspace: prefixes("", "/mod/"), files: []string{"mod/x"}, reason: "matched"},
		"a prefix of two segments":                 {workspace: prefixes("", "mod/a"), files: []string{"mod/a/x"}, reason: "matched"},
		"a prefix of two segments, beside it":      {workspace: prefixes("", "mod/a"), files: []string{"mod/ab/x", "mod"}},
		"the empty prefix":                         {workspace: prefixes("", ""), files: []string{"x"}, reason: "matched"},
		"the slash":                                {workspace: prefixes("", "/"), files: []string{"a/x"}, reason: "matched"},
		"a prefix has no wildcards":                {workspace: prefixes("", "m*", "**"), files: []string{"mod/x"}},
		"a directory":                              {workspace: prefixes("live/eu"), files: []string{"live/eu/main.tf"}, reason: "matched"},
		"outside the directory":                    {workspace: prefixes("live/eu"), files: []string{"live/us/main.tf", "main.tf"}},
		"outside the directory, in a prefix":       {workspace: prefixes("live/eu", "modules"), files: []string{"modules/main.tf"}, reason: "matched"},
		"outside the prefix, in the directory":     {workspace: prefixes("./live/eu/", "modules"), files: []string{"live/eu/main.tf"}, reason: "matched"},
		"the directory is the root":                {workspace: prefixes("./"), files: []string{"x"}, reason: "matched"},
		"a directory, and unknown files":           {workspace: prefixes("live"), unknown: true, reason: "inconclusive"},
		"a directory, a leading slash of the file": {workspace: prefixes("live"), files: []string{"/live/x"}, reason: "matched"},
		"a directory, and case":                    {workspace: prefixes("Live"), files: []string{"live/x"}},
	} {
		reason, runs := forge.TriggerOn(&c.workspace, c.files, !c.unknown)
		if reason != c.reason || runs != (c.reason != "") {
			t.Errorf("%s: %q, %v; want %q", name, reason, runs, c.reason)
		}
	}
}

// TestHostilePatternsEnd gives patterns and paths that are as slow as can be: the answer is that nothing
// is known, not that all others wait.
func TestHostilePatternsEnd(t *testing.T) {
	t.Parallel()
	w := belay.Workspace{FileTriggersEnabled: true}
	for i := range 50 {
		w.TriggerPatterns = append(w.TriggerPatterns, strings.Repeat("**/*a*a*a*b/", 80)+fmt.Sprint(i))
	}
	file := strings.Repeat(strings.Repeat("a", 40)+"/", 100)
	files := make([]string, 20_000)
	for i := range files {
		files[i] = file + fmt.Sprint(i)
	}
	if reason, runs := forge.TriggerOn(&w, files, true); reason != forge.TriggerInconclusive || !runs {
		t.Errorf("%q, %v", reason, runs)
	}
	if forge.MatchesGlob(strings.Repeat("*a", 500)+"b", strings.Repeat("a", 4000)) || forge.MatchesGlob(strings.Repeat("**/a/", 200)+"b", strings.Repeat("a/", 2000)+"c") {
		t.Error("matched")
	}
}
