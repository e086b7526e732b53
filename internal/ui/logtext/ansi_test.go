package logtext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/run"
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
		for size := 1; size <= max(len(raw), 1); size++ { // however it is cut into pieces
			var scan Scan
			for rest := raw; rest != ""; rest = rest[min(size, len(rest)):] {
				scan.Take([]byte(rest[:min(size, len(rest))]))
			}
			scan.End()
			var got []string
			for _, line := range scan.Lines() {
				got = append(got, string(line.Text))
			}
			if strings.Join(got, "|") != want {
				t.Fatalf("%q in pieces of %d is %q, want %q", raw, size, strings.Join(got, "|"), want)
			}
		}
	}
}

// TestALongLogIsShownInParts: its last lines, those from a line on, and those that have a text,
// each with the colour that was in force.
func TestALongLogIsShownInParts(t *testing.T) {
	t.Parallel()
	const lines = 3*MostLines + 7
	scanned := func(s Scan) *Scan {
		for n := 1; n <= lines; n++ {
			switch n {
			case 10:
				s.Take([]byte("\x1b[31mred begins\n"))
			case lines - 1:
				s.Take([]byte("it \x1b[32mEN\x1b[31mDS\n"))
			default:
				s.Take([]byte("x\n"))
			}
		}
		s.End()
		return &s
	}
	for from, want := range map[int][2]int{0: {lines - MostLines + 1, MostLines}, 1: {1, MostLines}, 2 * MostLines: {2 * MostLines, MostLines}, lines: {lines, 1}, lines + 1: {0, 0}} {
		shown := scanned(Scan{From: from}).Lines()
		if len(shown) != want[1] || want[1] > 0 && (shown[0].N != want[0] || from == 2*MostLines && shown[0].Text != `<span class="r">x</span>`) {
			t.Errorf("from %d on: %d lines, want %d from %d on", from, len(shown), want[1], want[0])
		}
	}
	if s := scanned(Scan{Find: "ends"}); s.Found != 1 || s.Hits[0].N != lines-1 || !strings.Contains(string(s.Hits[0].Text), "EN</span>") {
		t.Errorf("%d lines found: %v", s.Found, s.Hits)
	}
	if s := scanned(Scan{Find: "x"}); s.Found != lines-2 || len(s.Hits) != mostFound {
		t.Errorf("%d lines found, %d shown", s.Found, len(s.Hits))
	}
}

// TestWhatALogTellsOfIsFound: errors and warnings, with the time at which each line came.
func TestWhatALogTellsOfIsFound(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	text := "\x02one\n\x1b[31m╷\x1b[0m\n\x1b[31m│\x1b[0m \x1b[1m\x1b[31mError: \x1b[0mno such thing\n│ Warning: old\nsays Error: inside\npanic: at the disco\n\x03"
	second := int64(strings.Index(text, "│ Warning"))
	for size := 1; size <= len(text); size++ {
		scan := Scan{Times: []run.LogTime{{At: 1, Came: noon}, {At: second, Came: noon.Add(time.Second)}, {At: second + 3, Came: noon.Add(1200 * time.Millisecond)}, {At: int64(len(text)) - 3}}}
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			scan.Take([]byte(rest[:min(size, len(rest))]))
		}
		scan.End()
		want := "[{3 bad alert Error no such thing} {4 warn alert Warning old} {6 bad alert Crash at the disco}]"
		if got := fmt.Sprint(scan.Issues); got != want || scan.More != 0 {
			t.Fatalf("in pieces of %d: %s, want %s", size, got, want)
		}
		var came []string
		for _, l := range scan.Lines() {
			if !l.Came.IsZero() {
				came = append(came, fmt.Sprint(l.N, l.Came.Format(" 15:04:05")))
			}
		}
		if got := strings.Join(came, "|"); got != "1 12:00:00|4 12:00:01" {
			t.Fatalf("in pieces of %d lines came at %s", size, got)
		}
	}
	scan := Scan{}
	for range mostIssues + 5 {
		scan.Take([]byte("Error: " + strings.Repeat("é", 2*longestSubject) + "\n"))
	}
	if len(scan.Issues) != mostIssues || scan.More != 5 || len([]rune(scan.Issues[0].Subject)) > longestSubject+1 {
		t.Errorf("%d issues and %d more, the first has %d letters", len(scan.Issues), scan.More, len([]rune(scan.Issues[0].Subject)))
	}
}
