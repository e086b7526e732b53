// Package cli owns the program: the tree of its commands, and of those the server and the runner, with
// the order of starting and stopping. It assembles the house and holds no rule of it.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/client"
	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/cli/shell"
)

// Version is the program's version; releases set it when they are built.
var Version = "dev"

// program is what all commands run in, and those of the server's own data beside it.
type program struct {
	*shell.Program
	data data.Commands
}

func newProgram(in *shell.Program) *program { return &program{in, data.Commands{Program: in}} }

// Run runs the program and returns its exit status. SIGTERM and SIGINT end it cleanly.
func Run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) int {
	return RunWith(ctx, args, getenv, os.Stdin, out, errOut)
}

// RunWith is Run with another standard input.
func RunWith(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	p := newProgram(&shell.Program{Getenv: getenv, In: in, Out: out, ErrOut: errOut, Version: Version})
	var err error
	if p.Getenv, err = secretsFromFiles(getenv); err != nil {
		return p.Ended(err)
	}
	return p.run(ctx, args)
}

func (p *program) run(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	err := shell.Mistyped(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	return p.Ended(err)
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "belay",
		Short:         "A server for infrastructure workspaces and change requests",
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          shell.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.ErrOut)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return shell.Misconfigured(err) })
	root.AddCommand(p.serveCommand(), p.userCommand(), p.tokenCommand(), p.orgCommand(), p.versionCommand(), p.runnerCommand())
	root.AddCommand(p.data.Backup(), p.data.Restore(), p.data.Verify(), p.doctorCommand(), p.data.Keys(), p.data.DB(), p.supportCommand())
	client.Add(p.Program, root)
	root.AddCommand(p.manCommand())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	exampled(root)
	return root
}
