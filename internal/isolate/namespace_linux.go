package isolate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// kept is what names are looked up with on machines that keep it below /run.
var kept = []string{"systemd/resolve", "resolvconf", "NetworkManager", "connman", "nscd"}

// arrange makes the file system of a step in its mount namespace: a /run of its own, so
// that no socket of the machine is there, with the step's home at Fixed, and a /proc that
// shows its own processes alone.
func arrange(s *Step, folder string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("%w: keep mounts private: %w", ErrUnsupported, err)
	}
	run := filepath.Join(folder, "run")
	if err := os.MkdirAll(run, 0o700); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", run, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=16m"); err != nil {
		return fmt.Errorf("%w: mount a folder of its own: %w", ErrUnsupported, err)
	}
	for _, name := range kept {
		if err := bind(filepath.Join("/run", name), filepath.Join(run, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	inside, err := filepath.Rel("/run", Fixed)
	if err != nil {
		return err
	}
	if err := bind(s.Home, filepath.Join(run, inside)); err != nil {
		return err
	}
	if err := unix.Mount(run, "/run", "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%w: put it in place of /run: %w", ErrUnsupported, err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("%w: mount /proc: %w", ErrUnsupported, err)
	}
	return nil
}

func bind(from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%w: show %s as %s: %w", ErrUnsupported, from, to, err)
	}
	return nil
}
