package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/cli/shell"
)

// manCommand writes a manual page for every command.
func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Short: "Write the manual pages into a folder", Example: "  belay man /usr/local/share/man/man1", Args: shell.Usage(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // pages are for everybody
				return err
			}
			return writePages(c.Root(), args[0])
		},
	}
}

func writePages(c *cobra.Command, folder string) error {
	c.InitDefaultHelpFlag()
	path := filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
	if err := os.WriteFile(path, []byte(page(c)), 0o644); err != nil { //nolint:gosec // see above
		return err
	}
	for _, below := range c.Commands() {
		if below.Hidden {
			continue
		}
		if err := writePages(below, folder); err != nil {
			return err
		}
	}
	return nil
}

// page is the manual page of a command.
func page(c *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), "Belay "+Version, roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	if long := c.Long; long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(long))
	}
	if c.HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n")
		c.Flags().VisitAll(func(f *pflag.Flag) { fmt.Fprintf(&b, ".TP\n.B \\-\\-%s\n%s\n", roff(f.Name), roff(f.Usage)) })
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, below := range c.Commands() {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(below.Name()), roff(below.Short))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0: it is done. 1: it could not be done, or what was compared differs. 2: the command line or the configuration is wrong, and nothing was asked of the server.\n")
	return b.String()
}

// roff is a text that means itself in a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
