package isolate

import (
	"os"
	"path/filepath"
	"sync"
)

// probeArgument makes a supervisor do nothing: what a probe runs as its step.
const probeArgument = "--probe"

// Probe finds out what this machine can do by doing it. The answer is kept.
var Probe = sync.OnceValue(func() Abilities {
	can := Abilities{Landlock: landlockABI()}
	can.Namespaces = probe(Walls{Landlock: can.Landlock > 0, Namespaces: true}) == nil
	return can
})

// probe runs a step that does nothing behind these walls.
func probe(w Walls) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "belay-probe-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	r, err := Start(filepath.Join(folder, "step"), Step{
		Program: self, Args: []string{Command, probeArgument}, Dir: "/", Env: []string{},
		Output: filepath.Join(folder, "out"), Read: append(SystemFiles(), self), Home: folder, Walls: w,
	})
	if err != nil {
		return err
	}
	if result := r.Result(); result.Code != 0 {
		return ErrUnsupported
	}
	return nil
}

// SystemFiles is what a program needs of the machine to run, to find names and to trust
// certificates. /etc is not among it: there lie the secrets of others.
func SystemFiles() []string {
	all := []string{"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store", "/proc"}
	for _, name := range []string{
		"alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "debian_version", "gai.conf", "gitconfig",
		"group", "host.conf", "hostname", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types",
		"nsswitch.conf", "os-release", "passwd", "pki", "profile", "protocols", "resolv.conf", "services", "ssh/ssh_config",
		"ssh/ssh_config.d", "ssh/ssh_known_hosts", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "static", "timezone",
	} {
		all = append(all, filepath.Join("/etc", name))
	}
	for _, name := range kept {
		all = append(all, filepath.Join("/run", name))
	}
	return all
}
