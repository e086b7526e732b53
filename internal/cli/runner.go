package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/runner"
	"github.com/belayhq/belay/run"
)

// runnerSettings is everything that a runner can be told.
type runnerSettings struct {
	address, tokenFile  string
	token               string // from the environment alone
	name                string
	slots               int
	labels              []string
	accept              []string
	workDir             string
	once                bool
	drainTimeout        time.Duration
	logFormat, logLevel string
	jobFile             string
	allowPrivateVCS     string
	job                 *run.ClaimedJob // that was in it
	away                away
	tracing
	carrying
}

func (s *runnerSettings) flags(flags *pflag.FlagSet) {
	s.carrying.flags(flags)
	s.tracing.flags(flags)
	flags.StringVar(&s.workDir, "work-dir", "/var/tmp/belay-runs", "folder that jobs are carried out in, the same on all runners of a pool (BELAY_WORK_DIR)")
	flags.StringVar(&s.logFormat, "log-format", "text", "text or json (BELAY_LOG_FORMAT)")
	flags.StringVar(&s.logLevel, "log-level", "info", "debug, info, warn or error (BELAY_LOG_LEVEL)")
}

func (p *program) runnerCommand() *cobra.Command {
	var s runnerSettings
	c := &cobra.Command{
		Use:   "runner",
		Short: "Carry out plans and applies of an agent pool",
		Args:  shell.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := p.runnerEnvironment(c.Flags(), &s); err != nil {
				return err
			}
			if err := s.check(); err != nil {
				return shell.Misconfigured(err)
			}
			return p.runner(c.Context(), s)
		},
	}
	flags := c.Flags()
	s.flags(flags)
	flags.StringVar(&s.address, "address", "", "address of the server (BELAY_ADDRESS, TFC_ADDRESS)")
	flags.StringVar(&s.tokenFile, "token-file", "", "file with the token of an agent pool; BELAY_RUNNER_TOKEN or TFC_AGENT_TOKEN when empty (BELAY_TOKEN_FILE)")
	flags.StringVar(&s.name, "name", "", "name of this runner; the machine's when empty (BELAY_NAME, TFC_AGENT_NAME)")
	flags.IntVar(&s.slots, "slots", defaultSlots(), "jobs at once (BELAY_SLOTS)")
	flags.StringSliceVar(&s.labels, "labels", nil, "what is shown of this runner to people, KEY=VALUE with commas between (BELAY_LABELS)")
	flags.StringSliceVar(&s.accept, "accept", nil, "kinds of job to take: plan, apply, assessment; all when empty (BELAY_ACCEPT)")
	flags.BoolVar(&s.once, "once", false, "end after one job (BELAY_ONCE, TFC_AGENT_SINGLE)")
	flags.DurationVar(&s.drainTimeout, "drain-timeout", 0, "how long jobs may go on after SIGTERM before they are canceled; 0 is as long as they take (BELAY_DRAIN_TIMEOUT)")
	flags.StringVar(&s.allowPrivateVCS, "allow-private-vcs", "private", "private addresses that are fetched from for connections of this pool: private, ranges such as 10.0.0.0/8 with commas between, none or all (BELAY_ALLOW_PRIVATE_VCS)")
	flags.StringVar(&s.jobFile, "job-file", "", "file with the one job that this runner is for, which another one wrote (BELAY_JOB_FILE)")
	s.away.flags(flags)
	c.AddCommand(p.runnerCheckCommand())
	return c
}

func (p *program) runnerCheckCommand() *cobra.Command {
	var s runnerSettings
	c := &cobra.Command{
		Use:   "check",
		Short: "Say which isolation, engines and network this machine gives a runner",
		Args:  shell.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := p.runnerEnvironment(c.Flags(), &s); err != nil {
				return err
			}
			if err := s.carrying.check(); err != nil {
				return shell.Misconfigured(err)
			}
			return p.checkRunner(c.Context(), s)
		},
	}
	s.flags(c.Flags())
	return c
}

// runnerEnvironment fills the flags from the environment: ours, and the names that agents
// elsewhere have.
func (p *program) runnerEnvironment(flags *pflag.FlagSet, s *runnerSettings) error {
	if err := p.Environment(flags); err != nil {
		return err
	}
	for name, variable := range map[string]string{"address": "TFC_ADDRESS", "name": "TFC_AGENT_NAME", "once": "TFC_AGENT_SINGLE"} {
		value := p.Getenv(variable)
		if f := flags.Lookup(name); f != nil && !f.Changed && value != "" {
			if err := flags.Set(name, value); err != nil {
				return shell.Misconfigured(fmt.Errorf("%s: %w", variable, err))
			}
		}
	}
	for _, variable := range []string{"TFC_AGENT_TOKEN", "BELAY_RUNNER_TOKEN"} {
		if value := p.Getenv(variable); value != "" {
			s.token = value
		}
	}
	return nil
}

func (s *runnerSettings) check() error {
	if err := s.readJob(); err != nil {
		return err
	}
	if err := s.away.check(); err != nil {
		return err
	}
	if err := run.CheckLabels(s.labels); err != nil {
		return fmt.Errorf("--labels: %w", err)
	}
	if err := checkPublicURL(s.address); err != nil || s.address == "" {
		return fmt.Errorf("--address is the server's, such as https://belay.example.com, not %q", s.address)
	}
	if err := s.readToken(); err != nil {
		return err
	}
	if s.slots < 1 || s.slots > maxSlots {
		return fmt.Errorf("--slots is from 1 to %d, not %d", maxSlots, s.slots)
	}
	if err := s.checkKinds(); err != nil {
		return err
	}
	if s.name == "" {
		s.name, _ = os.Hostname()
	}
	if s.allowPrivateVCS == "none" {
		s.allowPrivateVCS = ""
	}
	if _, err := egress.Parse(s.allowPrivateVCS); err != nil {
		return fmt.Errorf("--allow-private-vcs: %w", err)
	}
	if err := shell.CheckLog(s.logFormat, s.logLevel); err != nil {
		return err
	}
	return s.carrying.check()
}

// readToken takes the token from its file, which comes before the environment.
func (s *runnerSettings) readToken() error {
	if s.tokenFile != "" {
		raw, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		s.token = strings.TrimSpace(string(raw))
	}
	if s.token == "" {
		return errors.New("the token of an agent pool is needed: --token-file, or BELAY_RUNNER_TOKEN")
	}
	return nil
}

func (s *runnerSettings) checkKinds() error {
	for _, kind := range s.accept {
		switch run.JobKind(kind) {
		case run.PlanJob, run.ApplyJob, run.AssessJob:
		default:
			return fmt.Errorf("--accept is plan, apply or assessment, not %q", kind)
		}
	}
	return nil
}

// runner carries out jobs until it is told to end. Told once it takes nothing new and
// waits for those that it has; told twice it cancels them.
func (p *program) runner(ctx context.Context, s runnerSettings) error {
	ctx, log, endTraces, err := s.tracing.record(ctx, p.Getenv, "belay-runner", shell.NewLog(p.ErrOut, s.logFormat, s.logLevel))
	if err != nil {
		return err
	}
	defer endTraces()
	c, err := s.config(p.Getenv("PATH"), log)
	if err != nil {
		return shell.Misconfigured(err)
	}
	for _, kind := range s.accept {
		c.Kinds = append(c.Kinds, run.JobKind(kind))
	}
	stopped := make(chan struct{})
	c.Drain, c.Stop, c.Detached = ctx.Done(), stopped, true
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	again := make(chan os.Signal, 2)
	go func() {
		<-ctx.Done()
		log.Info("draining: jobs that were begun are ended")
		signal.Notify(again, syscall.SIGTERM, syscall.SIGINT)
		var late <-chan time.Time
		if s.drainTimeout > 0 {
			late = time.After(s.drainTimeout)
		}
		select {
		case <-again:
		case <-late:
		case <-working.Done():
			return
		}
		log.Warn("canceling the jobs that are left")
		close(stopped)
	}()
	if s.away.executor == executorProcess {
		return runner.Run(working, c)
	}
	there, err := s.away.place(s.name)
	if err != nil {
		return shell.Misconfigured(err)
	}
	return runner.RunElsewhere(working, runner.Elsewhere{Config: c, Executor: there, StartAfter: s.away.startTimeout})
}

// config is the configuration of a runner. One whose jobs are carried out elsewhere needs
// neither walls nor engines here.
func (s *runnerSettings) config(path string, log *slog.Logger) (c runner.Config, err error) {
	if s.away.executor == executorProcess {
		if c, err = s.runner(s.workDir, path, log); err != nil {
			return c, err
		}
	} else {
		c = runner.Config{WorkDir: s.workDir, Version: Version, Log: log, Engines: s.away.engines()}
	}
	c.Address, c.Token, c.Name, c.Slots, c.Once, c.Job = s.address, s.token, s.name, s.slots, s.once, s.job
	c.Labels = s.labels
	return c, s.fetches(&c)
}

// readJob reads the job that this runner is for: it names the server, and lets the runner in.
func (s *runnerSettings) readJob() error {
	if s.jobFile == "" {
		return nil
	}
	raw, err := os.ReadFile(s.jobFile)
	if err != nil {
		return fmt.Errorf("--job-file: %w", err)
	}
	var file runner.JobFile
	if err := json.Unmarshal(raw, &file); err != nil || file.Job.Lease == "" {
		return errors.New("--job-file is not what a runner wrote for another")
	}
	s.job, s.token, s.tokenFile, s.once = &file.Job, file.Job.Lease, "", true
	if s.address == "" {
		s.address = file.Address
	}
	return nil
}

// metadataAddress is where clouds tell a machine its secrets.
const metadataAddress = "169.254.169.254:80"

func (p *program) checkRunner(ctx context.Context, s runnerSettings) error {
	lines, err := s.describe(ctx, s.workDir, p.Getenv("PATH"), shell.NewLog(p.ErrOut, s.logFormat, s.logLevel))
	git := "not here: modules from repositories can't be had"
	if path, missing := exec.LookPath("git"); missing == nil {
		git = path
	}
	lines = append(lines, "git:         "+git, "metadata:    "+metadata(ctx), "work folder: "+filepath.Clean(s.workDir))
	_, _ = fmt.Fprintln(p.Out, strings.Join(lines, "\n"))
	return err
}

// metadata says whether the cloud's metadata address answers, which engines could ask.
func metadata(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", metadataAddress)
	if err != nil {
		return "does not answer"
	}
	_ = connection.Close()
	return "ANSWERS: engines can ask it for this machine's credentials; keep them from " + metadataAddress
}
