package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/moving"
	"github.com/belayhq/belay/internal/remote"
)

// importing is the flags of an import.
type importing struct {
	Reaching
	from, fromToken, fromTokenFile        string
	organization, project, mode, prefix   string
	states, journal, secrets, report, out string
	only, skip, rename                    []string
	concurrency                           int
	dryRun, compare                       bool
}

const importExamples = `  # everything that the token sees, of any server of this API
  belay import --from https://app.terraform.io --from-token-file hcp.token --to https://belay.example.com

  # what would happen, for one organization under another name
  belay import --from https://tfe.example.com --from-token-file tfe.token --only acme --rename acme=acme-corp --dry-run

  # a bucket of the S3 backend, and a folder with terraform.tfstate.d
  belay import --from "s3://states?region=eu-west-1" --organization acme
  belay import --from ./infrastructure --organization acme --project network

  # whether both sides have the same
  belay import verify --from https://tfe.example.com --from-token-file tfe.token --only acme`

func (p *program) importCommand() *cobra.Command {
	c := p.oneImport("import", "Bring everything along from another server, a folder or a bucket", moving.Import)
	c.Long = "Bring organizations with all that is in them, or state files, into a server. What is there already is brought " +
		"into line, nothing is deleted, and running it again after it was cut off goes on where it was. Secrets are told by no " +
		"server: they are listed, and brought from --secrets. See docs/moving-in.md."
	verify := p.oneImport("verify", "Compare both sides: counts, attributes and checksums", moving.Verify)
	verify.Example = "  belay import verify --from https://tfe.example.com --from-token-file tfe.token --to https://belay.example.com"
	c.AddCommand(verify)
	return c
}

func (p *program) oneImport(use, short string, mode moving.Mode) *cobra.Command {
	i := &importing{}
	c := &cobra.Command{
		Use: use, Short: short, Example: importExamples, Args: shell.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := p.Environment(c.Flags()); err != nil {
				return err
			}
			if i.dryRun {
				mode = moving.DryRun
			}
			return p.runImport(c, i, mode)
		},
	}
	i.flags(c, mode)
	return c
}

func (i *importing) flags(c *cobra.Command, mode moving.Mode) {
	f := c.Flags()
	i.Reaching.Flags(c, "to")
	f.StringVar(&i.from, "from", "", "a server's address, a folder, file:///… or s3://bucket?endpoint=…&region=…&prefix=… (BELAY_FROM)")
	f.StringVar(&i.fromToken, "from-token", "", "token of the source (BELAY_FROM_TOKEN)")
	f.StringVar(&i.fromTokenFile, "from-token-file", "", "file with that token")
	f.StringVar(&i.organization, "organization", "", "organization that state files come into")
	f.StringVar(&i.project, "project", "", "project that their workspaces come into; the default one when empty")
	f.StringVar(&i.mode, "execution-mode", "local", "execution mode of their workspaces: local, remote or agent")
	f.StringVar(&i.prefix, "workspace-key-prefix", "env:", "where the S3 backend kept its workspaces")
	f.StringVar(&i.states, "states", "all", "state versions of each workspace: all, none, or how many of the newest")
	f.StringArrayVar(&i.only, "only", nil, "only what matches, such as acme or acme/net-*; may be given again")
	f.StringArrayVar(&i.skip, "skip", nil, "nothing that matches; may be given again")
	f.StringArrayVar(&i.rename, "rename", nil, "another name, such as acme=acme-corp or acme/net=network; may be given again")
	f.StringVar(&i.secrets, "secrets", "", "JSON file with the secrets that the report lists: an object of what each is called to its value")
	f.IntVar(&i.concurrency, "concurrency", 16, "workspaces at once")
	f.StringVar(&i.report, "report", "", "file for the report in JSON")
	f.StringVarP(&i.out, "output", "o", "text", "report on the standard output: text or json")
	if mode == moving.Verify {
		f.BoolVar(&i.compare, "compare-files", false, "read every state of both sides, whatever checksums they tell")
		return
	}
	f.BoolVar(&i.dryRun, "dry-run", false, "say what would happen, and change nothing")
	f.StringVar(&i.journal, "journal", "belay-import.journal", "file that saves work after an import was cut off; empty for none")
}

// runImport runs an import and reports.
func (p *program) runImport(c *cobra.Command, i *importing, mode moving.Mode) (err error) {
	config, err := i.config(p, mode)
	if err != nil {
		return shell.Misconfigured(err)
	}
	if mode == moving.Import && i.journal != "" {
		if config.Journal, err = moving.OpenJournal(i.journal, i.from+" "+i.Address+" "+i.states+" "+strings.Join(i.rename, " ")); err != nil {
			return shell.Misconfigured(err)
		}
	}
	defer frugal(p.Getenv)()
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		config.Report.Show(p.ErrOut, isTerminal(p.ErrOut), ended)
		close(stopped)
	}()
	err = i.walk(c.Context(), config)
	close(ended)
	<-stopped
	err = errors.Join(err, config.Journal.Close(err == nil))
	if written := p.reported(i, config.Report); written != nil || err != nil {
		if made, changed := config.Report.Touched(); err != nil && made+changed > 0 {
			err = fmt.Errorf("%w; run the same command again to go on", err)
		}
		return errors.Join(err, written)
	}
	if n := len(config.Report.Differences); mode == moving.Verify && n > 0 {
		return fmt.Errorf("what differs: %d", n)
	}
	return nil
}

// memory is how much an import keeps to where nobody says otherwise: it holds little at a
// time, and throws much away.
const memory = 128 << 20

// frugal has memory given back early, until the import is over.
func frugal(getenv func(string) string) (over func()) {
	if getenv("GOMEMLIMIT") != "" || getenv("GOGC") != "" {
		return func() {}
	}
	limit, percent := debug.SetMemoryLimit(memory), debug.SetGCPercent(50)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}

func (i *importing) config(p *program, mode moving.Mode) (moving.Config, error) {
	c := moving.Config{Mode: mode, Concurrency: i.concurrency, Compare: i.compare}
	c.Report = moving.NewReport(func(line string) { _, _ = fmt.Fprintln(p.Out, line) })
	var err error
	if c.States, err = i.howManyStates(); err != nil {
		return c, err
	}
	if i.out != "text" && i.out != "json" {
		return c, fmt.Errorf("--output is text or json, not %q", i.out)
	}
	if i.from == "" {
		return c, errors.New("--from is missing: where everything comes from")
	}
	if c.Filter, err = moving.NewFilter(i.only, i.skip, i.rename); err != nil {
		return c, err
	}
	if err := i.readSecrets(&c); err != nil {
		return c, err
	}
	if c.To, err = i.Reach(p.Program); err == nil && strings.TrimSuffix(i.from, "/") == c.To.Base && len(i.rename) == 0 {
		err = fmt.Errorf("%s is the source and the target: give --rename to have things there twice, or another --to", c.To.Base)
	}
	return c, err
}

// howManyStates is the versions that come over of each workspace.
func (i *importing) howManyStates() (int, error) {
	switch i.states {
	case "all":
		return moving.AllStates, nil
	case "none":
		return 0, nil
	}
	n, err := strconv.Atoi(i.states)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("--states is all, none or a number, not %q", i.states)
	}
	return n, nil
}

// readSecrets reads the values that a source does not give out.
func (i *importing) readSecrets(c *moving.Config) error {
	if i.secrets == "" {
		return nil
	}
	raw, err := os.ReadFile(i.secrets)
	if err == nil {
		err = json.Unmarshal(raw, &c.Secrets)
	}
	if err != nil {
		return fmt.Errorf("--secrets: %w", err)
	}
	return nil
}

// walk opens the source and walks over both sides.
func (i *importing) walk(ctx context.Context, c moving.Config) error {
	if !strings.HasPrefix(i.from, "https://") && !strings.HasPrefix(i.from, "http://") {
		if i.organization == "" {
			return shell.Misconfigured(errors.New("--organization is missing: state files come into one"))
		}
		files, err := blob.OpenPlain(i.from)
		if err != nil {
			return shell.Misconfigured(err)
		}
		return moving.RunFiles(ctx, c, moving.Place{
			Files: files, Organization: i.organization, Project: i.project, ExecutionMode: i.mode, Prefix: i.prefix,
		})
	}
	token := i.fromToken
	if i.fromTokenFile != "" {
		raw, err := os.ReadFile(i.fromTokenFile)
		if err != nil {
			return shell.Misconfigured(fmt.Errorf("--from-token-file: %w", err))
		}
		token = strings.TrimSpace(string(raw))
	}
	if token == "" {
		return shell.Misconfigured(errors.New("--from-token-file is missing: a file with a token of the source"))
	}
	source, err := moving.OpenServer(i.from, token, nil)
	if err != nil {
		return err
	}
	c.From = source
	return moving.Run(ctx, c)
}

// reported writes the report where it was asked for.
func (p *program) reported(i *importing, report *moving.Report) error {
	if i.report != "" {
		file, err := os.OpenFile(i.report, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(report.JSON(file), file.Close()); err != nil {
			return err
		}
	}
	if i.out == "json" {
		return report.JSON(p.Out)
	}
	if i.dryRun {
		_, _ = fmt.Fprintf(p.Out, "%d steps would be taken\n\n", report.Planned())
	}
	report.Text(p.Out)
	return nil
}

// Reaching is how a command reaches a running server: its address and a token.
type Reaching struct {
	Address, token, tokenFile string
}

// Flags adds the flags that say which server, the address under a name of its own.
func (r *Reaching) Flags(c *cobra.Command, name string) {
	c.Flags().StringVar(&r.Address, name, "", "the server's address, such as https://belay.example.com; that of \"belay login\" when empty (BELAY_"+strings.ToUpper(name)+")")
	c.Flags().StringVar(&r.token, "token", "", "token for it; that of \"belay login\" when empty (BELAY_TOKEN)")
	c.Flags().StringVar(&r.tokenFile, "token-file", "", "file with that token")
}

// Reach is a client of the server.
func (r *Reaching) Reach(in *shell.Program) (*remote.Client, error) {
	p := &program{in}
	if r.tokenFile != "" {
		raw, err := os.ReadFile(r.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		r.token = strings.TrimSpace(string(raw))
	}
	kept, err := p.kept()
	if err != nil {
		return nil, err
	}
	if r.Address == "" {
		r.Address = kept.now().Address
	}
	if r.Address == "" {
		return nil, errors.New("no server is named: sign in with \"belay login https://…\", or give its address")
	}
	if r.token == "" {
		if r.token, err = p.keptToken(r.Address); err != nil {
			return nil, err
		}
	}
	if r.token == "" {
		return nil, fmt.Errorf("there is no token for %s: sign in with \"belay login %s\", or give --token-file", r.Address, r.Address)
	}
	return remote.NewClient(r.Address, r.token, nil)
}

// isTerminal says whether somebody looks at what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && shell.Terminal(file)
}
