// Package client owns the commands that speak to a running server over its API: signing in and contexts, every
// noun's list, show, create, edit and delete, states, runs, change requests, and importing from elsewhere.
//
// It opens no database.
package client

import (
	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
)

// program is what these commands run in.
type program struct{ *shell.Program }

// Add gives a root the commands that speak to a running server.
func Add(to *shell.Program, root *cobra.Command) {
	p := &program{to}
	root.AddCommand(p.importCommand(), p.loginCommand(), p.logoutCommand(), p.contextCommand(), p.stateCommand(),
		p.runCommand(), p.changeRequestCommand(), p.exploreCommand())
	p.verbs(root)
	p.memberCommands(root)
}
