package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/store"
)

// versionCommand prints what one needs to say in a report: the release, the commit it was
// built from, and the newest schema it knows.
func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, commit, and the newest schema this binary knows", Args: shell.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(p.Out, "belay %s\ncommit %s\nschema %d\n%s %s/%s\n",
				Version, commit(), store.NewestSchema(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// commit is the revision this binary was built from, as the Go tool recorded it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, modified := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " (with changes)"
		}
	}
	return revision + modified
}
