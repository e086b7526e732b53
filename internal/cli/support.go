package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/store"
)

func (p *program) supportCommand() *cobra.Command {
	return p.data.Maintenance("support-bundle FILE", "Collect what others need to know to help, without secrets",
		"Write into one archive what others need to know to help: versions, settings without their secrets, what the doctor finds, the schema, "+
			"sizes and counts. No token, key, password, state, name or address of a person, workspace or organization is in it. Look at it before you "+
			"give it away: it is a tar file of texts. Logs are not in it; they are where your service manager keeps them.",
		cobra.ExactArgs(1), func(ctx context.Context, d *data.Database, args []string) error {
			parts := map[string][]byte{
				"version.txt":  p.said(func(p *program) error { return p.versionCommand().RunE(nil, nil) }),
				"settings.txt": p.settingsTold(),
				"doctor.txt":   p.said(func(p *program) error { return p.examine(ctx, d) }),
				"database.txt": p.said(func(p *program) error { return p.data.DBStatus(ctx, d, nil) }),
				"figures.json": figuresTold(ctx, d),
			}
			return p.data.WriteArchive(ctx, args[0], func(w io.Writer) error { return bundle(w, parts) })
		})
}

// said is what a command writes, and how it ended.
func (p *program) said(run func(*program) error) []byte {
	var out bytes.Buffer
	other := *p.Program
	other.Out, other.ErrOut = &out, &out
	if err := run(newProgram(&other)); err != nil {
		_, _ = fmt.Fprintln(&out, "error:", shell.OneLine(err))
	}
	return out.Bytes()
}

// settingsTold is which settings of serve the environment has, without what is secret in them.
func (p *program) settingsTold() []byte {
	var out bytes.Buffer
	_, _ = fmt.Fprintf(&out, "os %s\narch %s\ncpus %d\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	names := slices.Clone(secrets)
	p.serveCommand().Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, "BELAY_"+strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
	})
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if value := p.Getenv(name); value != "" {
			_, _ = fmt.Fprintf(&out, "%s=%s\n", name, harmless(name, value))
		}
	}
	return out.Bytes()
}

// harmless is a setting without what nobody else may know: of a URL the scheme alone is told.
func harmless(name, value string) string {
	u, err := url.Parse(value)
	switch {
	case err == nil && u.Scheme != "" && u.Opaque == "":
		return u.Scheme + "://…"
	case slices.Contains(secrets, name):
		return "(set)"
	default:
		return value
	}
}

// figuresTold is how much of everything there is.
func figuresTold(ctx context.Context, d *data.Database) []byte {
	db, err := d.Open(ctx, store.Options{Existing: true})
	if err == nil {
		var figures store.Figures
		figures, err = db.Figures(ctx)
		if err = errors.Join(err, db.Close()); err == nil {
			raw, _ := json.MarshalIndent(figures, "", "  ") // numbers and times
			return raw
		}
	}
	return []byte("error: " + shell.OneLine(err) + "\n")
}

func bundle(w io.Writer, parts map[string][]byte) error {
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	for _, name := range []string{"version.txt", "settings.txt", "doctor.txt", "database.txt", "figures.json"} {
		head := &tar.Header{Name: "belay-support/" + name, Mode: 0o600, Size: int64(len(parts[name])), ModTime: time.Now(), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		if _, err := archive.Write(parts[name]); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}
