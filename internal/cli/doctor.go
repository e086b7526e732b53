package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// finding is one line of the doctor's.
type finding struct {
	mark string // ok, warn or FAIL
	what string
	says string
}

// doctor looks at what a server needs, one thing after another, and changes nothing.
type doctor struct {
	p     *program
	d     *data.Database
	found []finding
}

func (p *program) doctorCommand() *cobra.Command {
	var c carrying
	command := p.data.Maintenance("doctor", "Look whether a server has what it needs here",
		"Look at everything that a server needs on this machine, with the settings that it would have: the data folder and its disk, the "+
			"encryption key, the database and its schema, the clock, the store of objects, engines, isolation and git. It changes nothing, "+
			"and a server may run meanwhile. Status 1 says that something is wrong.", shell.NoArgs,
		func(ctx context.Context, d *data.Database, _ []string) error { return p.examined(ctx, d, &c) })
	c.flags(command.Flags())
	return command
}

// examine is the doctor with the settings that runners have by themselves.
func (p *program) examine(ctx context.Context, d *data.Database) error {
	var c carrying
	flags := pflag.NewFlagSet("doctor", pflag.ContinueOnError)
	c.flags(flags)
	if err := p.Environment(flags); err != nil {
		return err
	}
	return p.examined(ctx, d, &c)
}

func (p *program) examined(ctx context.Context, d *data.Database, c *carrying) error {
	doc := &doctor{p: p, d: d}
	doc.folder()
	doc.store(ctx)
	doc.database(ctx)
	doc.carries(ctx, c)
	return doc.tell()
}

func (doc *doctor) note(what string, err error, fine string) {
	f := finding{"ok", what, fine}
	if err != nil {
		f.mark, f.says = "FAIL", shell.OneLine(err)
	}
	doc.found = append(doc.found, f)
}

func (doc *doctor) warn(what, says string) {
	doc.found = append(doc.found, finding{"warn", what, says})
}

func (doc *doctor) tell() error {
	failed := 0
	for _, f := range doc.found {
		_, _ = fmt.Fprintf(doc.p.Out, "%-5s %-12s %s\n", f.mark, f.what, f.says)
		if f.mark == "FAIL" {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d things are wrong", failed)
	}
	return nil
}

// scarce is how much room on a disk is little.
const scarce = 1 << 30

func (doc *doctor) folder() {
	folder, err := filepath.Abs(doc.d.DataDir)
	if err != nil {
		doc.note("data folder", err, "")
		return
	}
	info, err := os.Stat(folder)
	if err != nil {
		doc.note("data folder", err, "")
		return
	}
	if info.Mode().Perm()&0o077 != 0 && info.Mode()&os.ModeSticky == 0 {
		doc.warn("data folder", fmt.Sprintf("%s is open to others (mode %04o); belay serve closes it", folder, info.Mode().Perm()))
	} else {
		doc.note("data folder", nil, folder)
	}
	free, err := data.FreeBytes(folder)
	switch {
	case err != nil:
		doc.warn("disk", "how much room there is can't be told: "+shell.OneLine(err))
	case free < scarce:
		doc.warn("disk", fmt.Sprintf("only %d MiB are free", free>>20))
	default:
		doc.note("disk", nil, fmt.Sprintf("%d MiB are free", free>>20))
	}
}

func (doc *doctor) store(ctx context.Context) {
	if doc.d.BlobURL == "" {
		if _, err := os.Stat(filepath.Join(doc.d.DataDir, "blobs")); err != nil {
			doc.note("objects", err, "")
			return // opening the store would make the folder
		}
	}
	blobs, err := doc.d.Blobs(ctx, nil)
	if err == nil {
		err = blobs.Ping(ctx)
	}
	doc.note("objects", err, "the store answers")
}

func (doc *doctor) database(ctx context.Context) {
	db, err := doc.d.Open(ctx, store.Options{Existing: true})
	if err != nil {
		doc.note("database", err, "")
		return
	}
	defer func() { _ = db.Close() }()
	doc.note("database", nil, fmt.Sprintf("%s, schema %d", db.Engine(), store.NewestSchema()))
	doc.key(ctx, db)
	var at time.Time
	err = db.View(ctx, func(v *store.View) (err error) { at, err = v.Clock(); return err })
	if apart := time.Since(at).Round(time.Second).Abs(); err == nil && apart > 5*time.Second {
		doc.warn("clock", fmt.Sprintf("this machine and the database are %v apart", apart))
		return
	}
	doc.note("clock", err, time.Now().UTC().Format(time.RFC3339))
}

func (doc *doctor) key(ctx context.Context, db *store.DB) {
	fresh, err := app.Fresh(ctx, db)
	if err == nil && fresh {
		doc.note("key", nil, "none yet: the first start makes one")
		return
	}
	var ring *seal.Ring
	if err == nil {
		ring, err = seal.Open(doc.p.Getenv("BELAY_ENCRYPTION_KEY"), doc.d.DataDir, false)
	}
	if err != nil {
		doc.note("key", err, "")
		return
	}
	err = db.View(ctx, func(v *store.View) error {
		known, err := v.EncryptionKeys()
		for _, k := range known {
			if k.Leads && !slices.Contains(ring.Fingerprints(), k.Fingerprint) {
				return errors.New("the encryption key is another than the one that the data is sealed with")
			}
		}
		return err
	})
	doc.note("key", err, ring.ID())
}

func (doc *doctor) carries(ctx context.Context, c *carrying) {
	if c.engineDir == "" {
		c.engineDir = filepath.Join(doc.d.DataDir, "engines")
	}
	lines, err := c.describe(ctx, filepath.Join(doc.d.DataDir, "runs"), doc.p.Getenv("PATH"), slog.New(slog.DiscardHandler))
	for _, line := range lines {
		doc.found = append(doc.found, finding{"ok", "runs", line})
	}
	if err != nil {
		doc.warn("runs", shell.OneLine(err))
	}
	if path, err := exec.LookPath("git"); err == nil {
		doc.note("git", nil, path)
	} else {
		doc.warn("git", "not here: modules from repositories can't be had")
	}
}
