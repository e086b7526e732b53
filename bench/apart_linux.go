package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// apart has PostgreSQL wait for no processor of the server's: it has a machine of its own where several servers use it. All
// its processes on this machine come before all others from then on, and those that they begin; among themselves they take turns.
func apart() error {
	list, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return err
	}
	first := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
	for _, path := range list {
		name, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(name, []byte("postgres\n")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return err
		}
		if err := unix.SchedSetAttr(pid, &first, 0); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("-apart: process %d: %w", pid, err)
		}
	}
	return nil
}
