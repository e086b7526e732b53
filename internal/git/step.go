package git

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belayhq/belay/internal/isolate"
)

// prepare makes the folders of a fetch, and what git finds its secrets by.
func (j *job) prepare() error {
	for _, name := range []string{"work", "steps", "home"} {
		if err := os.Mkdir(filepath.Join(j.dir, name), 0o700); err != nil {
			return err
		}
	}
	if err := syscall.Mkfifo(j.in("password"), 0o600); err != nil {
		return err
	}
	// The password goes through a pipe, and lies in no file and no environment.
	if err := os.WriteFile(j.in("askpass"), []byte("#!/bin/sh\nexec cat '"+j.in("password")+"'\n"), 0o700); err != nil { //nolint:gosec // git runs it
		return err
	}
	if j.request.SSHKey == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.hosts()), 0o700); err != nil {
		return err
	}
	known, err := os.OpenFile(j.hosts(), os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return err
	}
	return firstOf(known.Close(), os.WriteFile(j.in("key"), []byte(strings.TrimSpace(j.request.SSHKey)+"\n"), 0o600))
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (j *job) in(name string) string { return filepath.Join(j.dir, name) }

// hosts is the file with the keys of the hosts that a connection was told of before.
func (j *job) hosts() string {
	name := "any"
	if plainName.MatchString(j.request.HostsOf) {
		name = j.request.HostsOf
	}
	return filepath.Join(j.Folder, "known-hosts", name)
}

// run runs git, and says in which file its output is.
func (j *job) run(ctx context.Context, t target, name string, args ...string) (string, error) {
	j.steps++
	folder := filepath.Join(j.dir, "steps", fmt.Sprintf("%d-%s", j.steps, name))
	said, out := folder+".said", folder+".out"
	asked, stop := context.WithCancel(ctx)
	defer stop()
	if (name == "fetch" || name == "ls-remote") && !t.ssh {
		go j.tell(asked)
	}
	running, err := isolate.Start(folder, isolate.Step{
		Program: j.Binary, Args: append(j.settings(t), args...), Dir: j.in("work"), Env: j.environment(t),
		Output: said, Stdout: out, Read: append(isolate.SystemFiles(), j.Binary, j.in("askpass"), j.in("password"), j.in("key"), j.CertFile),
		Write: []string{j.in("work"), j.in("home"), filepath.Dir(j.hosts())}, Walls: isolate.Walls{Landlock: j.Landlock},
		// What a dead server's git waits for, such as the password, nobody gives it.
		Limits: isolate.Limits{FileSize: j.size(), Grace: 5 * time.Second, Memory: 2 << 30, Starter: os.Getpid()},
	})
	if err != nil {
		return "", err
	}
	select {
	case <-running.Done():
	case <-ctx.Done():
		running.Kill()
		<-running.Done()
		return "", ctx.Err()
	}
	if result := running.Result(); result.Code != 0 || result.Reason != "" {
		raw, _ := os.ReadFile(said)
		return "", j.problem(name, string(raw), result)
	}
	return out, nil
}

// size is how large one file may become.
func (j *job) size() int64 {
	if j.Size == 0 {
		return 2 << 30
	}
	return j.Size
}

// tell gives the password to whoever opens the pipe first.
func (j *job) tell(ctx context.Context) {
	for ctx.Err() == nil {
		// Not waiting: nobody may ever read.
		pipe, err := os.OpenFile(j.in("password"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			_, _ = pipe.WriteString(j.request.Password + "\n")
			_ = pipe.Close()
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// settings is all the configuration that git has.
func (j *job) settings(t target) []string {
	all := []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "core.askPass=",
		"credential.helper=", "protocol.allow=never", "submodule.recurse=false", "gc.auto=0", "maintenance.auto=false",
		"transfer.fsckObjects=true", "fetch.fsckObjects=true", "safe.directory=*", "init.defaultBranch=main",
		"http.followRedirects=false", "http.proxy=", "http.lowSpeedLimit=100", "http.lowSpeedTime=60", "http.emptyAuth=false",
		"protocol." + t.address.Scheme + ".allow=always",
	}
	if !t.ssh {
		port := t.address.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[t.address.Scheme]
		}
		if _, err := netip.ParseAddr(t.address.Hostname()); err != nil { // a name, which git must not ask for again
			all = append(all, "http.curloptResolve="+t.address.Hostname()+":"+port+":"+pinned(t.at))
		}
		if j.CertFile != "" {
			all = append(all, "http.sslCAInfo="+j.CertFile)
		}
	}
	var flags []string
	for _, setting := range all {
		flags = append(flags, "-c", setting)
	}
	return flags
}

// pinned is addresses as curl takes them in place of asking for the name again.
func pinned(at []netip.Addr) string {
	var texts []string
	for _, address := range at {
		text := address.String()
		if address.Is6() {
			text = "[" + text + "]"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ",")
}

func (j *job) environment(t target) []string {
	env := []string{
		"PATH=/usr/bin:/bin", "HOME=" + j.in("home"), "TMPDIR=" + j.in("home"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=" + j.in("askpass"), "GIT_NO_REPLACE_OBJECTS=1", "GIT_SSH_VARIANT=ssh",
	}
	if !t.ssh {
		return append(env, "GIT_SSH_COMMAND=false")
	}
	return append(env, "GIT_SSH_COMMAND=ssh -F /dev/null -i '"+j.in("key")+"' -o IdentitiesOnly=yes -o BatchMode=yes -o ForwardAgent=no -o ClearAllForwardings=yes"+
		" -o StrictHostKeyChecking=accept-new -o HashKnownHosts=no -o UserKnownHostsFile='"+j.hosts()+"' -o GlobalKnownHostsFile=/dev/null -o ConnectTimeout=30"+
		" -o HostKeyAlias="+t.address.Hostname()+" -o HostName="+t.at[0].String())
}
