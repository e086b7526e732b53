package cli

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runner"
	"github.com/belayhq/belay/run"
)

// repositories is how version-control services are reached.
type repositories struct {
	allowPrivateVCS string
	allowForkPlans  bool
	vcsRetry        time.Duration
	vcsPoll         time.Duration
	githubApp
}

func (r *repositories) flags(flags *pflag.FlagSet) {
	flags.StringVar(&r.allowPrivateVCS, "allow-private-vcs", "", "private addresses that version-control services may have: private, ranges such as 10.0.0.0/8 with commas between, or all (BELAY_ALLOW_PRIVATE_VCS)")
	flags.BoolVar(&r.allowForkPlans, "allow-fork-plans", false, "plan pull requests that come from other repositories: whoever opens one runs its code here (BELAY_ALLOW_FORK_PLANS)")
	flags.DurationVar(&r.vcsPoll, "vcs-poll", 10*time.Minute, "how often branches are looked at, to find what no webhook told (BELAY_VCS_POLL)")
	flags.DurationVar(&r.vcsRetry, "vcs-retry", 0, "wait after a first failed try to reach a service; for tests (BELAY_VCS_RETRY)")
	_ = flags.MarkHidden("vcs-retry") // fails only for a flag that is not there
	r.githubApp.flags(flags)
}

func (r *repositories) check() error {
	if _, err := egress.Parse(r.allowPrivateVCS); err != nil {
		return fmt.Errorf("--allow-private-vcs: %w", err)
	}
	if r.vcsPoll < time.Second {
		return fmt.Errorf("--vcs-poll is a second or more, not %v", r.vcsPoll)
	}
	return r.githubApp.check()
}

// room is the room of repositories, with settings that were checked.
func (r *repositories) room(s *settings, c repos.Config) *repos.Room {
	c.Egress, _ = egress.Parse(r.allowPrivateVCS)
	c.AllowForks, c.Retry, c.PollEvery, c.App = r.allowForkPlans, r.vcsRetry, r.vcsPoll, r.app
	binary := gitBinary()
	if binary == "" {
		c.Log.Warn("the server fetches no repositories: there is no git in PATH")
	}
	folder, err := filepath.Abs(filepath.Join(s.DataDir, "repositories"))
	if err != nil {
		folder = s.DataDir
	}
	held, err := isolate.Level(s.isolation).Landlock()
	if err != nil {
		c.Log.Warn("git is not held apart here", "error", err)
	}
	c.Fetcher = &git.Fetcher{Binary: binary, Folder: folder, Egress: c.Egress, Landlock: held}
	return repos.New(c)
}

// gitBinary is the path of git; empty where there is none.
func gitBinary() string {
	binary, err := exec.LookPath("git")
	if err == nil {
		binary, err = filepath.Abs(binary)
	}
	if err != nil {
		return ""
	}
	return binary
}

// fetches has a runner fetch commits of services that are reached through its pool, with settings that
// were checked. It is there to reach what the server does not, so private addresses are let through unless
// the operator says otherwise.
func (s *runnerSettings) fetches(c *runner.Config) error {
	if s.job != nil || s.away.executor != executorProcess { // its jobs are carried out elsewhere, and so is git
		return nil
	}
	f := &git.Fetcher{Binary: gitBinary(), Folder: filepath.Join(c.WorkDir, "repositories")}
	if f.Binary == "" {
		c.Log.Info("the runner fetches no repositories: there is no git in PATH")
		return nil
	}
	var err error
	if f.Egress, err = egress.Parse(s.allowPrivateVCS); err != nil {
		return fmt.Errorf("--allow-private-vcs: %w", err)
	}
	if f.Landlock, err = isolate.Level(s.isolation).Landlock(); err != nil {
		return err
	}
	c.Fetch = func(ctx context.Context, t run.FetchTask, to io.Writer) error {
		return f.Fetch(ctx, git.Request{
			URL: t.URL, User: t.User, Password: t.Password, SSHKey: t.SSHKey, LFS: t.LFS, HostsOf: t.HostsOf, Commit: t.Commit, Ref: t.Ref, Submodules: t.Submodules,
		}, to)
	}
	return nil
}
