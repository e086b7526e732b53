package cli

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/belayhq/belay/internal/cli/shell"
)

func TestVersionSaysWhatAReportNeeds(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	if status := Run(t.Context(), []string{"version"}, func(string) string { return "" }, &out, &errOut); status != shell.ExitClean {
		t.Fatalf("status %d: %s", status, errOut.String())
	}
	want := regexp.MustCompile(`^belay \S+\ncommit \S.*\nschema [1-9][0-9]*\ngo\S+ \S+/\S+\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("printed %q, want it to match %s", out.String(), want)
	}
}
