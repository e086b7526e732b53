package isolate

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write the golden file")

// The places that the attacker is told of. A real one knows them, too.
type target struct {
	data, other, own, control, supervisor, runner, port string
}

// An escape is something that a configuration might try. It says nil when it got through.
type escape struct {
	name string
	try  func(t target) error
}

func reads(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func writes(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

func lists(path string) error {
	_, err := os.ReadDir(path)
	return err
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func dials(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return err
	}
	return c.Close()
}

// threads tries each thread of a process: what holds for one need not hold for the next.
func threads(of int, try func(thread int) error) error {
	entries, err := os.ReadDir("/proc/" + strconv.Itoa(of) + "/task")
	for _, e := range entries {
		if err = try(number(e.Name())); err == nil {
			return nil
		}
	}
	return err
}

// errShut is a refusal that is no error of the system.
var errShut = errors.New("shut")

// escapes are all that is tried, each in a step of its own.
var escapes = []escape{
	{"read the server's database", func(t target) error { return reads(t.data + "/belay.db") }},
	{"read the server's keys", func(t target) error { return reads(t.data + "/keys/key") }},
	{"read the runner's token", func(t target) error { return reads(t.data + "/admin-token") }},
	{"list the server's data folder", func(t target) error { return lists(t.data) }},
	{"write into the server's data folder", func(t target) error { return writes(t.data + "/new") }},
	{"append to the server's database", func(t target) error { return writes(t.data + "/belay.db") }},
	{"truncate the server's database", func(t target) error { return os.Truncate(t.data+"/belay.db", 0) }},
	{"remove the server's database", func(t target) error { return os.Remove(t.data + "/belay.db") }},
	{"rename the server's database into its own folder", func(t target) error { return os.Rename(t.data+"/belay.db", t.own+"/db") }},
	{"link the server's database into its own folder", func(t target) error { return os.Link(t.data+"/belay.db", t.own+"/db") }},
	{"read the server's database by a symbolic link", func(t target) error {
		if err := os.Symlink(t.data+"/belay.db", t.own+"/link"); err != nil {
			return err
		}
		return reads(t.own + "/link")
	}},
	{"read another run's variables", func(t target) error { return reads(t.other + "/secret") }},
	{"write into another run's folder", func(t target) error { return writes(t.other + "/secret") }},
	{"list the runs of this runner", func(t target) error { return lists(filepath.Dir(t.other)) }},
	{"write its own exit status", func(t target) error { return writes(t.control + "/exit") }},
	{"read its own lease", func(t target) error { return reads(t.control + "/../job.json") }},
	{"open the log again to cut it", func(target) error { return os.Truncate("/proc/self/fd/1", 0) }},
	{"read /etc/shadow", func(target) error { return reads("/etc/shadow") }},
	{"read the machine's private keys", func(target) error { return lists("/etc/ssl/private") }},
	{"list the home of root", func(target) error { return lists("/root") }},
	{"list /", func(target) error { return lists("/") }},
	{"list /tmp", func(target) error { return lists("/tmp") }},
	{"write into /tmp", func(target) error { return writes("/tmp/belay-escape") }},
	{"write into /usr", func(target) error { return writes("/usr/bin/belay-escape") }},
	{"write into /etc", func(target) error { return writes("/etc/belay-escape") }},
	{"write into /dev/shm", func(target) error { return writes("/dev/shm/belay-escape") }},
	{"overwrite the program that it is", func(target) error { return writes("/proc/self/exe") }},
	{"read the environment of process 1 of the machine", func(target) error {
		raw, err := os.ReadFile("/proc/1/environ")
		if err == nil && len(raw) == 0 {
			return errShut
		}
		return err
	}},
	{"read the environment of its supervisor", func(t target) error { return reads("/proc/" + t.supervisor + "/environ") }},
	{"read the environment of the runner", func(t target) error { return reads("/proc/" + t.runner + "/environ") }},
	{"read the memory of the runner", func(t target) error { return reads("/proc/" + t.runner + "/mem") }},
	{"list the open files of the runner", func(t target) error { return lists("/proc/" + t.runner + "/fd") }},
	{"follow the open files of the runner", func(t target) error {
		entries, err := os.ReadDir("/proc/" + t.runner + "/fd")
		for _, e := range entries {
			if _, err = os.Readlink("/proc/" + t.runner + "/fd/" + e.Name()); err == nil {
				return nil
			}
		}
		return err
	}},
	{"see the files that the runner sees", func(t target) error { return lists("/proc/" + t.runner + "/root/root") }},
	{"read the command line of the runner", func(t target) error { return reads("/proc/" + t.runner + "/cmdline") }},
	{"trace the runner", func(t target) error { return unix.PtraceAttach(number(t.runner)) }},
	{"read the runner's memory by number", func(t target) error {
		buffer := make([]byte, 8)
		local := []unix.Iovec{{Base: &buffer[0], Len: 8}}
		_, err := unix.ProcessVMReadv(number(t.runner), local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&buffer[0])), Len: 8}}, 0)
		return err
	}},
	{"signal the runner", func(t target) error { return syscall.Kill(number(t.runner), 0) }},
	{"stop its supervisor", func(t target) error { return syscall.Kill(os.Getppid(), syscall.SIGCONT) }},
	{"stop a thread of its supervisor", func(t target) error {
		return threads(os.Getppid(), func(thread int) error { return unix.Tgkill(os.Getppid(), thread, syscall.SIGCONT) })
	}},
	{"trace a thread of its supervisor", func(t target) error { return threads(os.Getppid(), unix.PtraceSeize) }}, // an attached one would stand still
	{"write into the memory of its supervisor", func(t target) error {
		return threads(os.Getppid(), func(thread int) error { return writes("/proc/" + strconv.Itoa(thread) + "/mem") })
	}},
	{"signal everything", func(target) error { return syscall.Kill(-1, syscall.SIGCONT) }},
	{"connect to an abstract socket of the machine", func(t target) error { return dials("unix", "@belay-escape-"+t.port) }},
	{"connect to a socket in the file system", func(t target) error { return dials("unix", t.data+"/socket") }},
	{"connect to the machine's loopback", func(t target) error { return dials("tcp", "127.0.0.1:"+t.port) }},
	{"send to the metadata address of a cloud", func(target) error { return dials("udp", "169.254.169.254:80") }},
	{"mount a file system", func(t target) error { return unix.Mount("tmpfs", t.own, "tmpfs", 0, "") }},
	{"mount in namespaces of its own", func(t target) error {
		script := exec.Command("/usr/bin/unshare", "-Urm", "/bin/mount", "-t", "tmpfs", "tmpfs", t.own)
		return script.Run()
	}},
	{"change the root folder", func(target) error { return unix.Chroot("/usr") }},
	{"make a device", func(t target) error { return unix.Mknod(t.own+"/sda", unix.S_IFBLK|0o600, 8<<8) }},
	{"become another user", func(target) error { return unix.Setuid(1) }},
	{"gain by a program of root's", func(target) error {
		if n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || n == 1 {
			return errShut
		}
		return nil
	}},
	{"have capabilities", func(target) error {
		status, err := os.ReadFile("/proc/self/status")
		if err == nil && bytes.Contains(status, []byte("CapPrm:\t0000000000000000")) && bytes.Contains(status, []byte("CapBnd:\t0000000000000000")) {
			return errShut
		}
		return err
	}},
	{"set the clock", func(target) error {
		return unix.ClockSettime(unix.CLOCK_REALTIME, &unix.Timespec{Sec: time.Now().Unix()})
	}},
	{"name the machine", func(target) error { return unix.Sethostname([]byte("mine")) }},
	{"load into the kernel", func(target) error {
		_, _, errno := unix.Syscall(unix.SYS_INIT_MODULE, 0, 0, 0)
		if errno == unix.EFAULT || errno == unix.ENOEXEC {
			return nil
		}
		return errno
	}},
	{"write a setting of the kernel", func(target) error { return writes("/proc/sys/kernel/core_pattern") }},
	{"read /sys", func(target) error { return lists("/sys/class") }},
	{"find secrets in its environment", func(target) error {
		if strings.Contains(strings.Join(os.Environ(), " "), "SECRET") {
			return nil
		}
		return errShut
	}},
	{"find open files that are not its own", func(target) error {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		for _, e := range entries {
			if path, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && number(e.Name()) > 2 &&
				!strings.HasPrefix(path, "anon_inode:") && !strings.HasPrefix(path, "/proc/") && !strings.HasPrefix(path, "/sys/fs/cgroup") {
				return nil
			}
		}
		return errShut
	}},
	{"leave the session to outlive the step", func(target) error {
		_, err := unix.Setsid()
		if err == nil {
			return errShut // it may: the supervisor finds it all the same (TestNothingOutlivesAStep)
		}
		return err
	}},
	{"dump its memory where others read it", func(target) error {
		return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20})
	}},
	{"be spared when memory is short", func(target) error { return os.WriteFile("/proc/self/oom_score_adj", []byte("-500"), 0) }},
}

// attack tries one escape and says whether it got through.
func attack(args []string) int {
	t := target{args[1], args[2], args[3], args[4], args[5], args[6], args[7]}
	for _, e := range escapes {
		if e.name == args[0] {
			if err := e.try(t); err != nil {
				fmt.Println("SHUT", err)
			} else {
				fmt.Println("OPEN")
			}
			return 0
		}
	}
	fmt.Println("UNKNOWN")
	return 1
}

// byDesign is why what is open is open.
var byDesign = map[string]string{
	"connect to the machine's loopback":       "engines need the network; what listens on loopback has to ask who it is",
	"send to the metadata address of a cloud": "engines need the network; which addresses they reach is the network's to say, and belay runner check warns where this one answers",
	"connect to a socket in the file system":  "Landlock does not know it yet; with namespaces /run is another one, elsewhere sockets need their own rights",
	"read the command line of the runner":     "command lines are open to all processes of a machine; the runner has no secret in its own",
	"signal everything":                       "everything is what it started itself",
	"list the open files of the runner":       "their numbers are shown to processes of the same user; what they are is not",
}

// TestEscapesAreMany keeps the list from growing short: each escape is another one.
func TestEscapesAreMany(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, e := range escapes {
		names[e.name] = true
	}
	if len(names) != len(escapes) || len(names) < 60 {
		t.Errorf("%d escapes have %d names: at least 60 are tried", len(escapes), len(names))
	}
	for name := range byDesign {
		if !names[name] {
			t.Errorf("%q is open by design, and nobody tries it", name)
		}
	}
}

func TestEscapes(t *testing.T) {
	can := Probe()
	if can.Landlock == 0 {
		t.Skip("this kernel has no Landlock")
	}
	golden := filepath.Join("testdata", "escapes.golden")
	known, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	for _, walls := range []Walls{{Landlock: true}, {Landlock: true, Namespaces: true}} {
		if walls.Namespaces && !can.Namespaces {
			t.Log("namespaces are not allowed here: nothing was tried with them")
			continue
		}
		for _, name := range openEscapes(t, walls) {
			line := fmt.Sprintf("%s: %s: %s\n", walls, name, byDesign[name])
			if report.WriteString(line); !*update && !strings.Contains(string(known), line) {
				t.Errorf("with %s it could: %s", walls, name)
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(report.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// openEscapes are those that got through.
func openEscapes(t *testing.T, walls Walls) (open []string) {
	t.Helper()
	folder := t.TempDir()
	data, runs := filepath.Join(folder, "data"), filepath.Join(folder, "runs")
	for path, content := range map[string]string{
		data + "/belay.db": "SECRET", data + "/keys/key": "SECRET", data + "/admin-token": "SECRET",
		runs + "/w/other/secret": "SECRET", runs + "/jobs/own/job.json": "SECRET",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	port := listens(t, "tcp", "127.0.0.1:0")
	listens(t, "unix", data+"/socket")
	listens(t, "unix", "@belay-escape-"+port)
	t.Setenv("BELAY_SECRET", "SECRET")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range escapes {
		home := filepath.Join(runs, "w", "own"+strconv.Itoa(i))
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		control := filepath.Join(runs, "jobs", "own", "step"+strconv.Itoa(i))
		own := home
		if walls.Namespaces {
			own = Fixed
		}
		s := Step{
			Program: self, Dir: own, Env: []string{"PATH=/usr/bin:/bin"}, Output: control + ".out", Home: home,
			Args: []string{"attack", e.name, data, runs + "/w/other", own, control, strconv.Itoa(os.Getppid()), strconv.Itoa(os.Getpid()), port},
			Read: append(SystemFiles(), self), Write: []string{own}, Walls: walls,
		}
		begun(t, control, s).Result()
		said, err := os.ReadFile(s.Output)
		switch {
		case err != nil || !bytes.HasPrefix(said, []byte("OPEN")) && !bytes.HasPrefix(said, []byte("SHUT")):
			t.Errorf("%s: %s: it said %q, %v", walls, e.name, said, err)
		case bytes.HasPrefix(said, []byte("OPEN")):
			open = append(open, e.name)
		}
	}
	slices.Sort(open)
	return open
}

// listens serves nobody at an address, and says its port.
func listens(t *testing.T, network, address string) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "SECRET")
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
