package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/belayhq/belay/internal/cli"
)

// asBelay is the word that makes this program the one that is shipped, with a profile of its
// processor time when it is asked for one.
const asBelay = "-as-belay"

// buildBelay makes the program that is shipped of the code at hand.
func buildBelay(dir string) (binary string, err error) {
	binary = filepath.Join(dir, "belay")
	build := exec.Command("go", "build", "-o", binary, "./cmd/belay")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build belay: %w: %s", err, out)
	}
	return binary, nil
}

// serve starts a program of Belay's as it is shipped: with its log and its metrics, and without a
// limit of requests. What follows program comes before its own arguments.
func serve(url, dir string, program ...string) (*target, error) {
	args := append(slices.Clone(program[1:]), "serve", "--addr", "127.0.0.1:0", "--data-dir", dir, "--rate-limit", "0", "--runner-slots", "0")
	command := exec.Command(program[0], args...)
	command.Env = append(os.Environ(), "BELAY_ADMIN_TOKEN="+token, "BELAY_PROFILE="+filepath.Join(dir, "profile"))
	if strings.HasPrefix(url, "postgres") {
		command.Env = append(command.Env, "BELAY_DATABASE_URL="+url)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	command.Stderr = log
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(command.Start(), log.Close()); err != nil {
		return nil, err
	}
	database, _, _ := strings.Cut(url[strings.LastIndex(url, "/")+1:], "?")
	t := &target{command: command, dir: dir, database: database, url: url, program: program}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, address, found := strings.Cut(lines.Text(), "Belay listens on http://"); found {
			t.address = address
			go func() {
				for lines.Scan() {
					continue
				}
			}()
			return t, t.ready()
		}
	}
	t.stop()
	said, _ := os.ReadFile(filepath.Join(dir, "log"))
	return nil, fmt.Errorf("%s did not start: %s", program[0], said)
}

func (t *target) ready() error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		answer, err := http.Get("http://" + t.address + "/readyz")
		if err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server is not ready: %w", err)
		}
	}
}

// used is what a server has used so far, or since.
type used struct {
	statements float64
	cpu        time.Duration // of the server, and of the database's processes that serve it
	database   time.Duration // of those alone
	resident   float64       // bytes
}

// figures asks a server that is shipped for its metrics, and the system for the database's processes.
func (t *target) figures() (u used, err error) {
	if t.dir == "" { // it answers from memory
		cpu, err := t.ask("/cpu")
		u.cpu = time.Duration(cpu) * time.Microsecond
		return u, err
	}
	answer, err := http.Get("http://" + t.address + "/metrics")
	if err != nil {
		return u, err
	}
	defer func() { _ = answer.Body.Close() }()
	var seconds float64
	into := map[string]*float64{"belay_sql_statements_total": &u.statements, "process_cpu_seconds_total": &seconds, "process_resident_memory_bytes": &u.resident}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if at := into[name]; at != nil {
			if *at, err = strconv.ParseFloat(value, 64); err != nil {
				return u, err
			}
		}
	}
	u.database = backends(t.database)
	u.cpu = time.Duration(seconds*float64(time.Second)) + u.database
	return u, lines.Err()
}

// backends is the processor time of PostgreSQL's processes that serve a database.
func backends(database string) (sum time.Duration) {
	const tick = 10 * time.Millisecond // USER_HZ, the same everywhere
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range list {
		name, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(name, []byte("postgres:")) || !bytes.Contains(name, []byte(" "+database+" ")) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		sum += time.Duration(user+system) * tick
	}
	return sum
}

// profiled is the shipped program in this one: a first SIGUSR1 begins a profile of its processor
// time, and a second ends it.
func profiled(args []string) int {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for n := 0; ; n++ {
			<-asked
			file, err := os.Create(fmt.Sprintf("%s-%d", os.Getenv("BELAY_PROFILE"), n))
			if err != nil || pprof.StartCPUProfile(file) != nil {
				fmt.Fprintln(os.Stderr, "bench: no profile:", err)
				continue
			}
			<-asked
			pprof.StopCPUProfile()
			_ = file.Close()
			_ = os.WriteFile(fmt.Sprintf("%s-%d.done", os.Getenv("BELAY_PROFILE"), n), nil, 0o600)
		}
	}()
	return cli.Run(context.Background(), args, os.Getenv, os.Stdout, os.Stderr)
}

// profile takes a profile of the server while something is measured, and puts it into a folder.
func (t *target) profile(to, name string, measure func() error) error {
	at := filepath.Join(t.dir, fmt.Sprintf("profile-%d", t.profiles))
	t.profiles++
	if err := t.command.Process.Signal(syscall.SIGUSR1); err != nil {
		return err
	}
	failed := measure()
	if err := t.command.Process.Signal(syscall.SIGUSR1); err != nil {
		return err
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(at + ".done"); err == nil {
			name = strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
					return r
				}
				return '-'
			}, name)
			raw, err := os.ReadFile(at)
			return errors.Join(failed, err, os.WriteFile(filepath.Join(to, name+".pprof"), raw, 0o600))
		}
	}
	return errors.Join(failed, errors.New("the server wrote no profile"))
}
