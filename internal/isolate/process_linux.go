package isolate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// process is what /proc says of one.
type process struct {
	pid, parent, session int
	since                uint64
	pages                int64 // that it has in memory
}

// readProcess reads /proc/PID/stat. The name in it may hold anything, so what follows its
// last parenthesis is read.
func readProcess(pid int) (process, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	end := bytes.LastIndexByte(raw, ')')
	if end < 0 {
		return process{}, errors.New("no name in the process's status")
	}
	fields := strings.Fields(string(raw[end+1:])) // the first is the third of the file
	if len(fields) < 22 {
		return process{}, errors.New("the process's status is too short")
	}
	p := process{pid: pid}
	var problems [4]error
	p.parent, problems[0] = strconv.Atoi(fields[1])
	p.session, problems[1] = strconv.Atoi(fields[3])
	p.since, problems[2] = strconv.ParseUint(fields[19], 10, 64)
	p.pages, problems[3] = strconv.ParseInt(fields[21], 10, 64)
	return p, errors.Join(problems[:]...)
}

// processes is every process that can be seen; one that ends meanwhile is left out.
func processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// descendants is all that a process started, directly or not.
func descendants(of int) []process {
	children := map[int][]process{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []process
	for next := []int{of}; len(next) > 0; {
		here := children[next[0]]
		next = next[1:]
		for _, p := range here {
			if p.pid == of {
				continue
			}
			found = append(found, p)
			next = append(next, p.pid)
		}
	}
	return found
}

// identify is a process's number with what tells it from others that had it.
func identify(pid int) (started, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return started{}, fmt.Errorf("read the boot id: %w", err)
	}
	p, err := readProcess(pid)
	if err != nil {
		return started{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return started{Boot: strings.TrimSpace(string(boot)), PID: pid, Since: p.since}, nil
}

// killSession kills what a supervisor left behind that was itself killed. A number that
// was used again since this boot belongs to a session that began later.
func killSession(who started) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || strings.TrimSpace(string(boot)) != who.Boot {
		return
	}
	for range 100 {
		found := false
		for _, p := range processes() {
			if p.session == who.PID && p.pid != who.PID && p.since >= who.Since {
				found = syscall.Kill(p.pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
