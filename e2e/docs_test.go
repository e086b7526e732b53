package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/giteatest"
)

// commands is the commands of a page, block by block, below a heading or on all of it.
func commands(t *testing.T, page, heading string) (blocks []string) {
	t.Helper()
	raw, err := os.ReadFile("../" + page)
	must(t, err)
	text := string(raw)
	if heading != "" {
		_, after, found := strings.Cut(text, "\n## "+heading+"\n")
		if !found {
			t.Fatalf("%s has no heading %q", page, heading)
		}
		text, _, _ = strings.Cut(after, "\n## ")
	}
	for {
		_, after, found := strings.Cut(text, "```sh\n")
		if !found {
			return blocks
		}
		block, rest, _ := strings.Cut(after, "```")
		blocks, text = append(blocks, block), rest
	}
}

// pageReader is somebody who does what pages say, in one folder and one shell.
type pageReader struct {
	t       *testing.T
	folder  string
	env     []string
	servers []*exec.Cmd
	replace *strings.Replacer // what is otherwise here, such as a port that is taken
}

// newReader begins in a folder with the program on the path, and in bin/ as make build leaves it.
func newReader(t *testing.T, replace ...string) *pageReader {
	t.Helper()
	r := &pageReader{t: t, folder: t.TempDir(), replace: strings.NewReplacer(replace...)}
	must(t, os.Mkdir(filepath.Join(r.folder, "bin"), 0o700))
	must(t, os.Symlink(binary, filepath.Join(r.folder, "bin", "belay")))
	r.env = append(os.Environ(), "PATH="+filepath.Join(r.folder, "bin")+":"+os.Getenv("PATH"), "HOME="+r.folder)
	t.Cleanup(r.interrupt)
	return r
}

// does runs commands as they stand, but for servers, which go on while the reader reads on.
// What the commands set is set for those of later blocks.
func (r *pageReader) does(block string) (said string) {
	r.t.Helper()
	block = r.replace.Replace(block)
	var script string
	for line := range strings.Lines(block) {
		switch {
		case strings.Contains(line, "belay serve") && !strings.HasPrefix(line, "#"):
			said, script = said+r.runs(script), ""
			r.serve(line)
		case strings.HasPrefix(line, "bin/belay runner --address"):
			said, script = said+r.runs(script), ""
			r.goesOn(line)
		default:
			script += line
		}
	}
	return said + r.runs(script)
}

// runs runs commands that end.
func (r *pageReader) runs(script string) string {
	r.t.Helper()
	if script == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*patience)
	defer cancel()
	const kept = ". ./.shell 2>/dev/null\nset -eu\n"
	command := exec.CommandContext(ctx, "bash", "-c", kept+script+"\n{ declare -p TOKEN SSL_CERT_FILE POOL; declare -f; } > .shell 2>/dev/null || true")
	command.Dir, command.Env = r.folder, r.env
	raw, err := command.CombinedOutput()
	if err != nil {
		r.t.Fatalf("the page says\n%s\nand it does not work: %v\n%s", script, err, raw)
	}
	return string(raw)
}

// serve starts a server as a line says, in place of the one before, and waits for it.
func (r *pageReader) serve(line string) {
	r.t.Helper()
	r.interrupt()
	out := r.goesOn(strings.TrimPrefix(strings.TrimSpace(line), "make build && "))
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, address, ok := strings.Cut(out.String(), "Belay listens on "); ok && strings.Contains(address, "\n") {
			address, _, _ = strings.Cut(address, "\n")
			if answer, err := http.Get(address + "/readyz"); strings.HasPrefix(address, "https://") || err == nil && answer.Body.Close() == nil {
				return
			}
		}
	}
	r.t.Fatalf("%s: no server came:\n%s", line, out)
}

// goesOn starts what does not end by itself.
func (r *pageReader) goesOn(line string) *logs {
	r.t.Helper()
	out := &logs{}
	server := exec.Command("bash", "-c", "exec "+line)
	server.Dir, server.Env, server.Stdout, server.Stderr = r.folder, r.env, out, out
	must(r.t, server.Start())
	r.servers = append(r.servers, server)
	return out
}

// knows are names and values in turn that pages take for granted.
func (r *pageReader) knows(variables ...string) {
	for i := 0; i < len(variables); i += 2 {
		r.env = append(r.env, variables[i]+"="+variables[i+1])
	}
}

// interrupt ends the server as Ctrl-C does.
func (r *pageReader) interrupt() {
	for _, server := range r.servers {
		_ = server.Process.Signal(syscall.SIGINT)
		var exit *exec.ExitError
		if err := server.Wait(); errors.As(err, &exit) && exit.ExitCode() >= 0 {
			r.t.Errorf("%s ended badly: %v\n%s", server, err, server.Stdout)
		}
	}
	r.servers = nil
}

// freePort is a port of this machine that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	return strconv.Itoa(giteatest.FreePort(t))
}

// TestTheDayOfARestore does what its chapter says, with an archive of a server of either engine.
func TestTheDayOfARestore(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		s.lock(id)
		s.give(id, stateWith(1, 3), 1)
		r := newReader(t, "belay serve", "belay serve --runner-slots 0 --addr 127.0.0.1:"+freePort(t))
		archive := filepath.Join(r.folder, "belay.tar")
		if _, errOut, status := belay(t, s.env, "backup", archive, "--data-dir", s.args[4]); status != 0 {
			t.Fatal(errOut)
		}
		s.stop()
		key, err := os.ReadFile(filepath.Join(s.args[4], "encryption.key"))
		must(t, err)
		must(t, os.Mkdir(filepath.Join(r.folder, "safe"), 0o700))
		must(t, os.WriteFile(filepath.Join(r.folder, "safe", "encryption.key"), key, 0o600))
		blocks := commands(t, "docs/backup.md", "The day of a restore")
		if len(blocks) < 5 {
			t.Fatalf("the chapter has %d blocks", len(blocks))
		}
		said := ""
		for _, block := range blocks {
			said += r.does(block)
		}
		for _, want := range []string{"is whole", "restored the backup of", " 0 faults", "ok    database"} {
			if !strings.Contains(said, want) {
				t.Errorf("nothing said %q: %s", want, said)
			}
		}
		if len(r.servers) != 1 {
			t.Error("no server was started")
		}
	})
}

// TestABackupAsThePageSays does what comes before that chapter, while a server of either engine
// serves: the vault is another folder, and the line with a bucket has
// TestABackupIntoABucketAsThePageSays.
func TestABackupAsThePageSays(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		s.lock(id)
		s.give(id, stateWith(1, 3), 1)
		raw, err := os.ReadFile("../docs/backup.md")
		must(t, err)
		before, _, _ := strings.Cut(string(raw), "\n## The day of a restore\n")
		r := newReader(t, "/var/lib/belay", s.args[4], "/backup/", "daily/", `\%`, "%")
		r.env = append(s.env[:len(s.env):len(s.env)], r.env...)
		r.knows("BELAY_DATA_DIR", s.args[4])
		for _, folder := range []string{"vault", "daily"} {
			must(t, os.Mkdir(filepath.Join(r.folder, folder), 0o700))
		}
		must(t, os.WriteFile(filepath.Join(r.folder, "bin", "ssh"), []byte("#!/bin/sh\ncd \"$1\" && exec sh -c \"$2\"\n"), 0o700))
		done := 0
		for line := range strings.Lines(before) {
			_, daily, cron := strings.Cut(line, "* * *  ")
			if cron {
				line = daily
			}
			if strings.HasPrefix(line, "belay backup") && !strings.Contains(line, "s3://") {
				r.does(line)
				done++
			}
		}
		archives, err := filepath.Glob(filepath.Join(r.folder, "daily", "*.tar"))
		must(t, err)
		archives = append(archives, filepath.Join(r.folder, "belay.tar"), filepath.Join(r.folder, "vault", "belay.tar"))
		if done != 3 || len(archives) != 3 {
			t.Errorf("%d commands and %v", done, archives)
		}
		for _, archive := range archives {
			if said, errOut, status := belay(t, nil, "verify", archive); status != 0 || !strings.Contains(said, "is whole") {
				t.Errorf("%s: %d %s %s", archive, status, said, errOut)
			}
		}
	})
}

// offline is the blocks of a page that need no command line but belay's.
func offline(blocks []string) (list []string) {
	for _, block := range blocks {
		if !strings.Contains(block, "tofu ") && !strings.Contains(block, "make check") {
			list = append(list, block)
		}
	}
	return list
}

// newcomer reads the README and Getting started, one after the other.
func newcomer(t *testing.T) *pageReader {
	t.Helper()
	plain := "127.0.0.1:" + freePort(t)
	return newReader(t, "make build && bin/belay serve\n", "bin/belay serve --addr "+plain+"\n", "make build\n", "",
		"127.0.0.1:8080", plain, ":8443", ":"+freePort(t))
}

// TestANewcomerDoesWhatThePagesSay runs every command of both pages, in order, but for those of
// another's command line.
func TestANewcomerDoesWhatThePagesSay(t *testing.T) {
	t.Parallel()
	r := newcomer(t)
	said := ""
	for _, page := range []string{"README.md", "docs/getting-started.md"} {
		for _, block := range offline(commands(t, page, "")) {
			said += r.does(block)
		}
	}
	if strings.Contains(said, `"errors"`) {
		t.Errorf("something was refused: %s", said)
	}
	for _, want := range []string{`"name":"acme"`, `"name":"network"`, "organization example is org-", `"id":"example"`} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing said %q: %s", want, said)
		}
	}
}

// firstRun does in a folder that has a cloud block what docs/runs.md says of the first run, as somebody
// who says yes.
func (r *pageReader) firstRun(folder string) (said string) {
	r.t.Helper()
	for _, block := range commands(r.t, "docs/runs.md", "The first run") {
		for line := range strings.Lines(block) {
			said += r.does("cd " + folder + ` && echo yes | env "TF_TOKEN_localhost:8443=$TOKEN" ` + line)
		}
	}
	return said
}

// TestANewcomerComesToAFirstApply runs every command, with the real command line.
func TestANewcomerComesToAFirstApply(t *testing.T) {
	slow(t)
	tofu := tool(t, "BELAY_TOFU")
	t.Parallel()
	r := newcomer(t)
	must(t, os.Symlink(tofu, filepath.Join(r.folder, "bin", "tofu")))
	r.env = append(r.env, "CHECKPOINT_DISABLE=1")
	said := ""
	for _, page := range []string{"README.md", "docs/getting-started.md"} {
		for _, block := range commands(t, page, "") {
			if !strings.Contains(block, "make check") {
				said += r.does(block)
			}
		}
	}
	said += r.firstRun("network")
	for _, want := range []string{"Apply complete! Resources: 1 added", "terraform_data.kept", "world", "Your infrastructure matches the configuration"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing said %q: %s", want, said)
		}
	}
}
