package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/runner"
)

// embedded is the runner inside the server.
type embedded struct {
	slots int
	carrying
}

func (e *embedded) flags(flags *pflag.FlagSet) {
	flags.IntVar(&e.slots, "runner-slots", defaultSlots(), "plans and applies that the server carries out at once; 0 is none (BELAY_RUNNER_SLOTS)")
	e.carrying.flags(flags)
}

func (e *embedded) check() error {
	if e.slots < 0 || e.slots > maxSlots {
		return fmt.Errorf("--runner-slots is from 0 to %d, not %d", maxSlots, e.slots)
	}
	return e.carrying.check()
}

// prepare is the runner of a server that listens on addr; nil where there is none. A
// server that others reach runs no engine that it can't hold, unless it is told to.
// caPath is the authority of the server's own making, which engines are to trust.
func (e *embedded) prepare(addr net.Addr, address, dataDir, path, caPath string, log *slog.Logger) (*runner.Config, error) {
	if e.slots == 0 {
		return nil, nil
	}
	if e.engineDir == "" {
		e.engineDir = filepath.Join(dataDir, "engines")
	}
	c, err := e.runner(filepath.Join(dataDir, "runs"), path, log)
	switch {
	case errors.Is(err, isolate.ErrUnsupported) && isolate.Level(e.isolation) == isolate.Auto && loopback(addr):
		log.Warn("engines are not held apart here: this kernel has no Landlock. They may read what the server may read; it listens on loopback alone", "error", err)
	case errors.Is(err, isolate.ErrUnsupported) && isolate.Level(e.isolation) == isolate.Auto:
		log.Warn("the server carries out no runs: this machine can't hold engines apart. --isolation none runs them all the same", "error", err)
		return nil, nil
	case err != nil:
		return nil, shell.Misconfigured(err)
	}
	c.Address, c.Name, c.Slots, c.Detached = address, "server", e.slots, true
	return &c, e.trust(&c, caPath)
}

// trust lets engines trust the server's own authority beside those that they trust anyway.
func (e *embedded) trust(c *runner.Config, caPath string) (err error) {
	if caPath == "" {
		return nil
	}
	given := ""
	if slices.Contains(e.passEnv, certFile) {
		given = os.Getenv(certFile)
	}
	if c.CertFile, err = trusted(caPath, given); err != nil {
		return shell.Misconfigured(fmt.Errorf("the certificates that engines trust: %w", err))
	}
	c.Read = append(c.Read, c.CertFile)
	return nil
}

// certFile names the variable that programs find the authorities by that they trust.
const certFile = "SSL_CERT_FILE"

// knownWithin is how long requests wait for the runner inside to be known.
const knownWithin = 15 * time.Second

// untilKnown waits for the runner inside: a workspace that is made before its engines are
// known could name a version that it does not have.
func untilKnown(ctx context.Context, known <-chan struct{}) {
	select {
	case <-known:
	case <-time.After(knownWithin):
	case <-ctx.Done():
	}
}

func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// restAfter is how long a runner that ended waits before it begins again.
const restAfter = 5 * time.Second

// carryOut runs the runner against the server's own handler until the context ends. The
// engines that are under way go on, and are taken up by the next start. A runner that can't
// go on, as while another replica works in its folder, begins again a little later.
//
// known is called as soon as its engines are known, or when it is not this server's runner
// that has to be waited for.
func carryOut(ctx context.Context, c *runner.Config, handler http.Handler, token string, known func()) {
	c.Transport, c.Token, c.Known = runner.InMemory(handler), token, known
	for ctx.Err() == nil {
		err := runner.Run(ctx, *c)
		known()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, runner.ErrBusy):
			c.Log.Debug("another server carries out runs in this folder", "folder", c.WorkDir)
		default:
			c.Log.Warn("the runner inside the server begins again", "error", err)
		}
		select {
		case <-time.After(restAfter):
		case <-ctx.Done():
		}
	}
}
