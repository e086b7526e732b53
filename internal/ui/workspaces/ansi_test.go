package workspaces

import (
	"strings"
	"testing"
)

func TestLogsKeepTheirColoursAndNothingElse(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                                 "",
		"\x02\x03":                         "",
		"\x02plain\n\x03":                  "plain",
		"\x02a\nb":                         "a|b",
		"\x1b[32m+\x1b[0m x":               `<span class="g">+</span> x`,
		"\x1b[1m\x1b[31mbad\nstill\x1b[0m": `<span class="b r">bad</span>|<span class="b r">still</span>`,
		"\x1b[1;33mnote\x1b[m.":            `<span class="b y">note</span>.`,
		"<b>&\x1b[31m<i>":                  `&lt;b&gt;&amp;<span class="r">&lt;i&gt;</span>`,
		"\x1b[2J\x1b[Hcleared\a":           "cleared",
		"\x1b[38;5;9mfar\x1b[0m":           "far",
		"10%\r50%\rdone":                   "done",
		"cut \x1b[3":                       "cut ",
	} {
		lines, more := logLines(raw)
		var got []string
		for _, line := range lines {
			got = append(got, string(line))
		}
		if strings.Join(got, "|") != want || more {
			t.Errorf("%q is %q, want %q", raw, strings.Join(got, "|"), want)
		}
	}
	if lines, more := logLines(strings.Repeat("x\n", mostLines+1)); len(lines) != mostLines || !more {
		t.Errorf("%d lines of a long log", len(lines))
	}
}
