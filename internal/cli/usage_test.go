package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestAMistypedCommandIsNoSuccess has scripts end where a command is none: the library shows help
// for it, with status 0.
func TestAMistypedCommandIsNoSuccess(t *testing.T) {
	t.Parallel()
	for line, hint := range map[string]string{
		"workspace lst": "belay workspace list", "wrkspace list": "belay workspace", "keys statsu": "belay keys status",
		"completion bas": "belay completion bash", "help workspce": "belay workspace", "help workspace lst": "belay workspace list",
		"nope": "belay --help", "context x y": "belay context --help", "import verfy": "verfy", "workspace create": "workspace create --help",
	} {
		var out, errOut bytes.Buffer
		status := Run(context.Background(), strings.Fields(line), func(string) string { return "" }, &out, &errOut)
		if status != 2 || strings.Count(errOut.String(), "\n") != 1 || !strings.Contains(errOut.String(), hint) || out.Len() > 0 {
			t.Errorf("%s: %d %q %q", line, status, errOut.String(), out.String())
		}
	}
	for _, line := range []string{"", "help", "help workspace", "help workspace list", "workspace", "workspace --help", "keys -h", "__complete workspace l"} {
		var out, errOut bytes.Buffer
		if status := Run(context.Background(), strings.Fields(line), func(string) string { return "" }, &out, &errOut); status != 0 || out.Len() == 0 {
			t.Errorf("%q: %d %q %q", line, status, errOut.String(), out.String())
		}
	}
}
