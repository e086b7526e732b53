package shell

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Usage turns what is wrong with the arguments into a wrong command line.
func Usage(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := args(c, given); err != nil {
			return Misconfigured(fmt.Errorf("%w; see \"%s --help\"", err, c.CommandPath()))
		}
		return nil
	}
}

// NoArgs refuses every argument.
func NoArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Misconfigured(fmt.Errorf("unexpected argument %q", args[0]))
	}
	return nil
}

// Mistyped refuses a word that should be a command and is none. Of itself the library shows the
// help of the group and is content, and a script would go on.
func Mistyped(root *cobra.Command, args []string) error {
	if len(args) > 1 && args[0] == "help" {
		args = args[1:]
	}
	group, rest, err := root.Find(args)
	if err != nil || group.Runnable() && group.HasParent() || len(rest) == 0 ||
		strings.HasPrefix(rest[0], "-") || strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return nil //nolint:nilerr // it is told when the command is executed
	}
	hint := ""
	group.SuggestionsMinimumDistance = 2
	if near := group.SuggestionsFor(rest[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", group.CommandPath()+" "+near[0])
	}
	return Misconfigured(fmt.Errorf("%s has no command %q%s; see \"%s --help\"", group.CommandPath(), rest[0], hint, group.CommandPath()))
}
