// Package cli owns the program: flags over environment over defaults, the order of
// starting and stopping, and what a person reads on the terminal. It assembles the
// house and holds no rule of it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/isolate"
)

// Version is the program's version; releases set it when they are built.
var Version = "dev"

// Exit statuses ("Build and run" in the operating contract).
const (
	exitClean         = 0
	exitFailure       = 1
	exitMisconfigured = 2
)

// misconfigured is an error of flags or configuration: exit status 2.
type misconfigured struct{ error }

// program is what the commands run in: nothing global, so that a test can run it whole.
type program struct {
	getenv      func(string) string
	in          io.Reader
	out, errOut io.Writer
	listening   func(address string) // told when the server listens; for tests
}

// Run runs the program and returns its exit status. SIGTERM and SIGINT end it cleanly.
func Run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) int {
	if len(args) == 2 && args[0] == isolate.Command {
		return isolate.Supervise(args[1]) // not a command for people
	}
	return RunWith(ctx, args, getenv, os.Stdin, out, errOut)
}

// RunWith is Run with another standard input.
func RunWith(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	getenv, err := secretsFromFiles(getenv)
	if err != nil {
		_, _ = fmt.Fprintln(errOut, "belay:", oneLine(err))
		return exitMisconfigured
	}
	p := &program{getenv: getenv, in: in, out: out, errOut: errOut}
	return p.run(ctx, args)
}

func (p *program) run(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	err := mistyped(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	var wrong misconfigured
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &wrong):
		_, _ = fmt.Fprintln(p.errOut, "belay:", oneLine(wrong.error))
		return exitMisconfigured
	default:
		_, _ = fmt.Fprintln(p.errOut, "belay:", oneLine(err))
		return exitFailure
	}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "belay",
		Short:         "A server for infrastructure workspaces and change requests",
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.errOut)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misconfigured{err} })
	root.AddCommand(p.serveCommand(), p.userCommand(), p.tokenCommand(), p.orgCommand(), p.versionCommand(), p.runnerCommand())
	root.AddCommand(p.backupCommand(), p.restoreCommand(), p.verifyCommand(), p.doctorCommand(), p.keysCommand(), p.dbCommand(), p.supportCommand())
	p.clientCommands(root)
	return root
}

// environment fills every flag that was not given from the variable that its usage names.
func (p *program) environment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := "BELAY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := p.getenv(name)
		if f.Changed || value == "" || failed != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = misconfigured{fmt.Errorf("%s: %w", name, err)}
		}
	})
	return failed
}
