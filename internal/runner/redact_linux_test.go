package runner

import (
	"bytes"
	"strings"
	"testing"

	"github.com/belayhq/belay/run"
)

func redacted(needles []string, pieces ...string) string {
	r := newRedactor(needles)
	var out []byte
	for _, p := range pieces {
		out = append(out, r.feed([]byte(p))...)
	}
	return string(append(out, r.rest()...))
}

func TestRedactor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		needles []string
		pieces  []string
		want    string
	}{
		{[]string{"secret"}, []string{"a secret b"}, "a ****** b"},
		{[]string{"secret"}, []string{"a se", "cre", "t b"}, "a ****** b"},
		{[]string{"secret"}, []string{"a secre"}, "a secre"},
		{[]string{"secret", "cretin"}, []string{"a secretin"}, "a ********"},
		{[]string{"aab"}, []string{"aaab"}, "a***"},
		{[]string{"abcd", "bc"}, []string{"abce"}, "a**e"},
		{nil, []string{"x\x02y\x03z"}, "x?y?z"},
	} {
		if got := redacted(test.needles, test.pieces...); got != test.want {
			t.Errorf("%q without %q is %q, want %q", test.pieces, test.needles, got, test.want)
		}
	}
}

func TestNeedles(t *testing.T) {
	t.Parallel()
	key := "-----BEGIN KEY-----\nAAAAAAAAAAAAAAAA\nBBBBBBBBBBBBBBBB\n-----END KEY-----\n"
	spec := &run.JobSpec{SSHKey: key, RunToken: "token-of-the-run", Variables: []run.JobVariable{
		{Key: "short", Value: "abc", Sensitive: true}, {Key: "open", Value: "not a secret"},
		{Key: "odd", Value: "pa\"ss wörd&more", Sensitive: true},
		{Key: "long", Value: strings.Repeat("0123456789abcdef", 200), Sensitive: true},
		{Key: "hcl", Value: `{ a = "inner value", b = [1] }`, HCL: true, Sensitive: true},
	}}
	all := needles(spec, "the-lease-token")
	for _, text := range []string{
		"  AAAAAAAAAAAAAAAA  ", "token-of-the-run", "the-lease-token", "pa\"ss wörd&more", `pa\"ss wörd&more`,
		"pa%22ss+w%C3%B6rd%26more", "cGEic3Mgd8O2cmQmbW9yZQ==", strings.Repeat("0123456789abcdef", 200), "inner value",
	} {
		got := redacted(all, "x "+text+" y")
		if strings.Trim(got, "x* y=") != "" {
			t.Errorf("of %q there is left %q", text, got)
		}
	}
	for _, text := range []string{"abc", "not a secret"} {
		if got := redacted(all, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// FuzzRedactor: no needle is left, whatever the pieces; what is no star is where it was.
func FuzzRedactor(f *testing.F) {
	f.Add("secret", "hidden", "a secret is hidden", 3)
	f.Add("aaaa", "aab", "aaaaaab", 1)
	f.Fuzz(func(t *testing.T, one, two, text string, cut int) {
		if one == "" || two == "" || strings.ContainsAny(one+two+text, "*?\x02\x03") || cut < 1 {
			return
		}
		r := newRedactor([]string{one, two})
		var out []byte
		for rest := []byte(text); len(rest) > 0; {
			n := min(cut, len(rest))
			out = append(out, r.feed(rest[:n])...)
			rest = rest[n:]
		}
		out = append(out, r.rest()...)
		if len(out) != len(text) || bytes.Contains(out, []byte(one)) || bytes.Contains(out, []byte(two)) {
			t.Fatalf("%q without %q and %q is %q", text, one, two, out)
		}
		stars := make([]bool, len(text))
		for _, needle := range []string{one, two} {
			for i := 0; i+len(needle) <= len(text); i++ {
				if text[i:i+len(needle)] == needle {
					for k := i; k < i+len(needle); k++ {
						stars[k] = true
					}
				}
			}
		}
		for i, star := range stars {
			if want := text[i]; !star && out[i] != want || star && out[i] != '*' {
				t.Fatalf("%q without %q and %q is %q: byte %d", text, one, two, out, i)
			}
		}
	})
}
