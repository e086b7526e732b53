// Command belay serves infrastructure workspaces and change requests.
package main

import (
	"context"
	"os"

	"github.com/belayhq/belay/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}
