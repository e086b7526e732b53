package cli

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// names is what the certificate of a folder is good for.
func certificateIn(t *testing.T, folder string) *x509.Certificate {
	t.Helper()
	p, err := loadPair(folder, "server")
	if err != nil {
		t.Fatal(err)
	}
	return p.cert
}

func TestASelfSignedCertificateHasTheNamesThatWereAskedFor(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	now := time.Now()
	for _, names := range [][]string{nil, {"belay.example.com", "192.0.2.7"}, {"belay.example.com"}, {"other.example.com"}} {
		if err := ensureSelfSigned(folder, addr, names, now); err != nil {
			t.Fatal(err)
		}
		cert := certificateIn(t, folder)
		for _, name := range append([]string{"localhost", "127.0.0.1"}, names...) {
			if err := cert.VerifyHostname(name); err != nil {
				t.Error(err)
			}
		}
	}
	before := certificateIn(t, folder)
	if err := ensureSelfSigned(folder, addr, []string{"other.example.com"}, now); err != nil {
		t.Fatal(err)
	}
	if !before.Equal(certificateIn(t, folder)) {
		t.Error("a certificate that has every name was made again")
	}
}

func TestACertificateIsTakenAgainWhenItsFilesChange(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	if err := ensureSelfSigned(folder, addr, nil, time.Now()); err != nil {
		t.Fatal(err)
	}
	cert, key := filepath.Join(folder, "server.pem"), filepath.Join(folder, "server-key.pem")
	r, err := loadReloaded(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := func() *x509.Certificate {
		r.looked = time.Time{} // as if a while had passed
		pair, err := r.get(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf
	}
	first := served()
	if err := ensureSelfSigned(folder, addr, []string{"belay.example.com"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	second := served()
	if second.Equal(first) || !second.Equal(certificateIn(t, folder)) {
		t.Error("the certificate of before is served")
	}
	if err := os.WriteFile(key, []byte("half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !served().Equal(second) {
		t.Error("a pair that can't be read replaced the one before")
	}
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	if !served().Equal(second) {
		t.Error("a pair that is gone replaced the one before")
	}
}

func TestSecretsMayLieInFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range secrets {
		env := map[string]string{name + "_FILE": file}
		getenv, err := secretsFromFiles(func(n string) string { return env[n] })
		if err != nil || getenv(name) != "s3cret" {
			t.Errorf("%s: %v", name, err)
		}
		for _, wrong := range []map[string]string{{name + "_FILE": file, name: "x"}, {name + "_FILE": file + ".not"}, {name + "_FILE": os.DevNull}} {
			if _, err := secretsFromFiles(func(n string) string { return wrong[n] }); err == nil {
				t.Errorf("%v was taken", wrong)
			}
		}
	}
}
