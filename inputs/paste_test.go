package inputs_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay/inputs"
)

// TestPasteOfTFVars reads what a .tfvars file may have, and refuses with its line what is worked out.
func TestPasteOfTFVars(t *testing.T) {
	t.Parallel()
	text := "\ufeff# a comment\n// another\n/* and\n one */ region = \"eu-\\\"1\\\"\\n$${x}\"  # behind\r\nsize=3\nratio = -1.5e3\non = true // it is\n" +
		"zones = [\n  \"a]\", # ]\n  \"b\",\n]\ntags = { a = \"x}\", b = { c = [1] } }\nempty = \"\"\ntext = <<-EOT\n    one\n      two\n    EOT\nraw = <<E\n  it's\nE\nlast = [<<E\n]\nE\n]"
	list, err := inputs.Paste(text, inputs.EngineVariable)
	if err != nil {
		t.Fatal(err)
	}
	want := []inputs.Pasted{
		{"region", "eu-\"1\"\n${x}", false, 4}, {"size", "3", true, 5}, {"ratio", "-1.5e3", true, 6}, {"on", "true", true, 7},
		{"zones", "[\n  \"a]\", # ]\n  \"b\",\n]", true, 8}, {"tags", `{ a = "x}", b = { c = [1] } }`, true, 12}, {"empty", "", false, 13},
		{"text", "one\n  two\n", false, 14}, {"raw", "  it's\n", false, 18}, {"last", "[<<E\n]\nE\n]", true, 21},
	}
	same(t, list, want)
	for text, says := range map[string]string{
		"":                               "no variable",
		"# nothing":                      "no variable",
		"a = 1\na = 2":                   "Line 2: a stands on line 1 already",
		"a = 1\nb":                       "Line 2: it is not name = value",
		"a = 1\n\nb = var.x":             "Line 3: the value of b",
		"a = \"x${var.b}\"":              "Line 1: something is filled",
		"a = \"%{ if x }\"":              "Line 1: something is filled",
		"a = \"x":                        "Line 1: a quote has no end",
		"a = \"x\\":                      "Line 1: a quote has no end",
		"a = \"\\q\"":                    `Line 1: \q in a text`,
		"a = \"x\ny\"":                   "Line 1: a text in quotes ends on its line",
		"a = 1 2":                        "Line 1: something follows the value of a",
		"a = 12abc":                      "Line 1: the value of a",
		"a = [1":                         "Line 1: a list or a map has no end",
		"a = [\n1)\n]":                   "Line 2: ) closes nothing",
		"a = [\"${x}\"]":                 "Line 1: something is filled",
		"a = <<EOT\nx":                   "Line 1: EOT does not come",
		"a = <<\nx":                      "Line 1: it is not <<MARK",
		"a = <<E\n${x}\nE":               "Line 1: something is filled",
		"a = null":                       "Line 1: the value of a",
		"{\"a\": 1}":                     "Line 1: it is not name = value",
		"a = 1\n/* no end":               "",
		"a = \"\xff\"":                   "not UTF-8",
		"a = 1; b = 2":                   "Line 1: something follows",
		strings.Repeat("x", 10) + " = ]": "Line 1",
	} {
		refuses(t, text, inputs.EngineVariable, says)
	}
}

// TestPasteOfEnv reads what an .env file may have. Other variables are filled in nowhere: what asks for it is refused.
func TestPasteOfEnv(t *testing.T) {
	t.Parallel()
	text := "\ufeff# a comment\nexport AWS_REGION=eu-central-1 # behind\nA = b c \r\nURL=https://x.example/#part\nEMPTY=\nNONE= # nothing\nQ=\"a \\\"b\\\"\\n\\$c\" # d\nMANY=\"one\ntwo\"\nRAW='${not} \"filled\"\n# in'\nPASS=a$1b$\n"
	list, err := inputs.Paste(text, inputs.EnvironmentVariable)
	if err != nil {
		t.Fatal(err)
	}
	same(t, list, []inputs.Pasted{
		{"AWS_REGION", "eu-central-1", false, 2}, {"A", "b c", false, 3}, {"URL", "https://x.example/#part", false, 4}, {"EMPTY", "", false, 5}, {"NONE", "", false, 6},
		{"Q", "a \"b\"\n$c", false, 7}, {"MANY", "one\ntwo", false, 8}, {"RAW", "${not} \"filled\"\n# in", false, 10}, {"PASS", "a$1b$", false, 12},
	})
	for text, says := range map[string]string{
		"A=1\nnonsense":     "Line 2: it is not KEY=VALUE",
		"=x":                "Line 1: it is not KEY=VALUE",
		"A=1\nA=2":          "Line 2: A stands on line 1 already",
		"A=${B}":            "Line 1: another variable is filled in",
		"A=x$B":             "Line 1: another variable is filled in",
		"A=$(whoami)":       "Line 1: another variable is filled in",
		"A=\"$B\"":          "Line 1: something is filled",
		"A='x":              "Line 1: the quote of A has no end",
		"A=\"x":             "Line 1: a quote has no end",
		"A='x' y":           "Line 1: something follows the value of A",
		"A=\"x\" // y":      "Line 1: something follows the value of A",
		"B=\"a\nb\"\nA=$(x": "Line 3: another variable",
	} {
		refuses(t, text, inputs.EnvironmentVariable, says)
	}
}

func same(t *testing.T, got, want []inputs.Pasted) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i >= len(want):
			t.Fatalf("%d variables, not %d: %+v", len(got), len(want), got)
		case got[i] != want[i]:
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

func refuses(t *testing.T, text, category, says string) {
	t.Helper()
	_, err := inputs.Paste(text, category)
	if got := errorText(err); says == "" && err != nil || !strings.Contains(got, says) {
		t.Errorf("%q: %q, not %q", text, got, says)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzPaste: no text stops the reader, and what it reads is of the text.
func FuzzPaste(f *testing.F) {
	f.Add("a = [1, {b = \"c\"}]\n", true)
	f.Add("A='x'\nB=\"y\"", false)
	f.Add("a = <<-E\n x\nE\n", true)
	f.Fuzz(func(t *testing.T, text string, engine bool) {
		category := inputs.EnvironmentVariable
		if engine {
			category = inputs.EngineVariable
		}
		list, err := inputs.Paste(text, category)
		for _, one := range list {
			if err != nil || one.Key == "" || one.Line < 1 || len(one.Value) > len(text) {
				t.Errorf("%q gives %+v, %v", text, one, err)
			}
		}
	})
}
