// Package data owns the commands that work on a server's own data, whether one runs or not: backup,
// restore, verify, keys and db; and the flags that say where the data are.
//
// It speaks to no server.
package data

import "github.com/belayhq/belay/internal/cli/shell"

// Commands is what the commands on a server's own data run in.
type Commands struct{ *shell.Program }
