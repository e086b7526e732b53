package isolate

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a rule may allow, by the version of Landlock that knows it.
const (
	readAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	deviceAccess = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	firstAccess  = 1<<13 - 1 // of ABI 1: everything up to making symbolic links
	// What no step may do, even below a folder that it may change.
	devices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockABI is the version of Landlock that the kernel has; 0: none, or switched off.
func landlockABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// handled is all that this version of Landlock can refuse.
func handled(abi int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: firstAccess}
	if abi >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// restrict shuts this thread, and what it starts, out of every file but those of the
// step, and keeps it from signalling and tracing what is outside. There is no way back.
func restrict(s *Step) error {
	abi := landlockABI()
	if abi == 0 {
		return fmt.Errorf("%w: this kernel has no Landlock", ErrUnsupported)
	}
	attr := handled(abi)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), rulesetSize(abi), 0) //nolint:gosec // as the kernel takes it
	if errno != 0 {
		return fmt.Errorf("make the Landlock rules: %w", errno)
	}
	ruleset := int(fd)
	defer func() { _ = unix.Close(ruleset) }()
	var problems []error
	for _, path := range s.Read {
		problems = append(problems, allow(ruleset, path, readAccess&attr.Handled_access_fs))
	}
	for _, path := range s.Write {
		problems = append(problems, allow(ruleset, path, attr.Handled_access_fs&^devices))
	}
	for _, path := range openDevices {
		problems = append(problems, allow(ruleset, path, deviceAccess&attr.Handled_access_fs))
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("enter the Landlock rules: %w", errno)
	}
	return nil
}

var openDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// rulesetSize is how much of the attributes the kernel of this version knows: it refuses
// bytes of members that came later only when they are set.
func rulesetSize(abi int) uintptr {
	switch {
	case abi < 4:
		return 8
	case abi < 6:
		return 16
	default:
		return 24
	}
}

// allow adds one rule. A path that is not there needs none.
func allow(ruleset int, path string, access uint64) error {
	file, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(file) }()
	var stat unix.Stat_t
	if err := unix.Fstat(file, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileAccess
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(file)} //nolint:gosec // numbers of files are small
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0) //nolint:gosec // as the kernel takes it
	if errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}
