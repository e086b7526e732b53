// Package shell owns what every command runs in: where it reads and writes, how it is asked for what is
// missing, tables and JSON, and what makes a command line wrong.
//
// It knows no command, and nothing of a server.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit statuses (docs/commands.md).
const (
	ExitClean         = 0
	exitFailure       = 1
	ExitMisconfigured = 2
)

// wrongly is an error of flags or configuration: exit status 2.
type wrongly struct{ error }

// Misconfigured says that the command line or the configuration is wrong.
func Misconfigured(err error) error { return wrongly{err} }

// Program is what the commands run in: nothing global, so that a test can run it whole.
type Program struct {
	Getenv      func(string) string
	In          io.Reader
	Out, ErrOut io.Writer
	Listening   func(address string) // told when the server listens; for tests
	Version     string               // of the program
}

// Environment fills every flag that was not given from the variable that its usage names.
func (p *Program) Environment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := "BELAY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := p.Getenv(name)
		if f.Changed || value == "" || failed != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = Misconfigured(fmt.Errorf("%s: %w", name, err))
		}
	})
	return failed
}

// Checked runs a command once its flags, and those that the environment gives, are right.
func (p *Program) Checked(check func() error, run func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, given []string) error {
		if err := p.Environment(c.Flags()); err != nil {
			return err
		}
		if err := check(); err != nil {
			return Misconfigured(err)
		}
		return run(c.Context(), given)
	}
}

// Ended says on a line what went wrong, and is the exit status.
func (p *Program) Ended(err error) int {
	if err == nil {
		return ExitClean
	}
	_, _ = fmt.Fprintln(p.ErrOut, "belay:", OneLine(err))
	var wrong wrongly
	if errors.As(err, &wrong) {
		return ExitMisconfigured
	}
	return exitFailure
}

// OneLine is an error on one line.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
