package e2e_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// belay runs the program to its end and gives what it wrote and its exit status.
func belay(t *testing.T, env []string, args ...string) (out, errOut string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var stdout, stderr strings.Builder
	command := exec.CommandContext(ctx, binary, args...)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), env...)
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run() // the status tells
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

func TestABadFlagEndsWithStatusTwoAndOneLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"serve", "--edition", "cheap"}, {"serve", "--nonsense"}, {"serve", "extra"}, {"serve", "--rate-limit", "-1"},
		{"serve", "--rate-limit", "x"}, {"serve", "--tls-cert", "a.pem"}, {"serve", "--log-format", "xml"},
		{"serve", "--log-level", "loud"}, {"serve", "--database-url", "mysql://x:secret@y"}, {"serve", "--public-url", "belay"},
		{"serve", "--public-url", "https://"}, {"serve", "--public-url", "https://a b"},
		{"serve", "--tls-cert", "none.pem", "--tls-key", "none.pem"}, {"serve", "--rate-limit", "NaN"}, {"serve", "--rate-limit", "Inf"},
		{"serve", "--snapshot-interval", "1ms"}, {"serve", "--snapshot-interval", "2h"}, {"serve", "--snapshot-interval", "-1s"}, {"serve", "--keep-deleted-workspaces", "0"},
		{"serve", "--addr", "8080"}, {"serve", "--blob-url", "ftp://x"}, {"nope"},
	} {
		out, errOut, status := belay(t, nil, args...)
		if status != 2 || strings.Count(errOut, "\n") != 1 || strings.Contains(errOut+out, "secret") {
			t.Errorf("%v: status %d, stderr %q, stdout %q", args, status, errOut, out)
		}
	}
	if _, errOut, status := belay(t, []string{"BELAY_EDITION=cheap"}, "serve"); status != 2 || !strings.Contains(errOut, "cheap") {
		t.Errorf("from the environment: status %d, %q", status, errOut)
	}
	if _, errOut, status := belay(t, nil, "serve", "--addr", "127.0.0.1:99999"); status != 1 || strings.Count(errOut, "belay:") != 1 {
		t.Errorf("an address that can't be had: status %d, %q", status, errOut)
	}
}

func TestHelpListsEveryFlagWithItsEnvironmentName(t *testing.T) {
	t.Parallel()
	out, _, status := belay(t, nil, "serve", "--help")
	if status != 0 {
		t.Fatalf("status %d", status)
	}
	for _, name := range []string{
		"addr", "data-dir", "database-url", "blob-url", "public-url", "tls-cert", "tls-key", "tls-self-signed",
		"edition", "rate-limit", "log-format", "log-level", "metrics-addr", "snapshot-interval", "keep-deleted-workspaces",
	} {
		env := "BELAY_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if !strings.Contains(out, "--"+name) || !strings.Contains(out, env) {
			t.Errorf("--%s or %s is not listed", name, env)
		}
	}
}

func TestFirstStartGivesATokenOnceAndLaterStartsNone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = taken.Close() }()
	if _, errOut, status := belay(t, nil, "serve", "--addr", taken.Addr().String(), "--data-dir", folder); status != 1 {
		t.Errorf("on an address that is taken: status %d, %q", status, errOut)
	}
	var token string
	for i := range 2 {
		out := &logs{}
		command := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data-dir", folder)
		command.Stdout = out
		must(t, command.Start())
		for deadline := time.Now().Add(patience); !strings.Contains(out.String(), "listens on") && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		if i == 0 {
			for deadline := time.Now().Add(patience); !strings.Contains(out.String(), "curl") && time.Now().Before(deadline); {
				time.Sleep(10 * time.Millisecond)
			}
			raw, err := os.ReadFile(filepath.Join(folder, "admin-token"))
			must(t, err)
			info, err := os.Stat(filepath.Join(folder, "admin-token"))
			must(t, err)
			token = strings.TrimSpace(string(raw))
			if !strings.Contains(out.String(), token) || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, output %q", info.Mode(), out)
			}
		}
		must(t, command.Process.Signal(syscall.SIGTERM))
		if err := command.Wait(); err != nil {
			t.Errorf("start %d did not end with status 0: %v", i, err)
		}
		if i == 1 && strings.Contains(out.String(), token) {
			t.Errorf("a later start shows the token: %q", out)
		}
	}
}

func TestTheSmallCommandsWorkOnTheDatabaseAndOnARunningServer(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	folder := s.args[4]
	s.stop()
	if _, errOut, status := belay(t, nil, "user", "create", "ann", "--email", "ann@example.com", "--data-dir", folder); status != 0 {
		t.Fatalf("user create: %d %s", status, errOut)
	}
	if _, errOut, status := belay(t, nil, "user", "create", "ann", "--email", "ann@example.com", "--data-dir", folder); status != 1 || !strings.Contains(errOut, "taken") {
		t.Errorf("the same user again: %d %s", status, errOut)
	}
	if _, errOut, status := belay(t, nil, "org", "create", "acme", "--owner", "ann", "--data-dir", folder); status != 0 {
		t.Fatalf("org create: %d %s", status, errOut)
	}
	token, errOut, status := belay(t, nil, "token", "create", "--user", "ann", "--description", "laptop", "--expires", "720h", "--data-dir", folder)
	if status != 0 {
		t.Fatalf("token create: %d %s", status, errOut)
	}
	s.run()
	ann := strings.TrimSpace(token)
	if got := s.do("GET", "/organizations/acme", ann, "").want(t, 200); got.at("data.attributes.permissions.can-update") != true {
		t.Errorf("ann is no owner: %s", got.Body)
	}
	if _, errOut, status := belay(t, nil, "user", "create", "bob", "--email", "bob@example.com", "--address", s.URL, "--token", s.Token); status != 0 {
		t.Errorf("user create on a running server: %d %s", status, errOut)
	}
	if _, errOut, status := belay(t, nil, "user", "create", "eve", "--email", "eve@example.com", "--address", s.URL, "--token", ann); status != 1 {
		t.Errorf("ann, no site admin, creates a user: %d %s", status, errOut)
	}
}

func TestSelfSignedServesWhatItsAuthorityVouchesFor(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := start(t, "sqlite", "--data-dir", folder, "--tls-self-signed")
	raw, err := os.ReadFile(filepath.Join(folder, "tls", "ca.pem"))
	must(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(raw)
	c := &http.Client{Transport: held{&http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}}
	for _, address := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
		answer, err := c.Get(address + "/.well-known/terraform.json")
		must(t, err)
		must(t, answer.Body.Close())
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", address, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
	}
	if answer, err := http.Get(s.URL + "/readyz"); err == nil {
		_ = answer.Body.Close()
		t.Error("a client that does not know the authority is served")
	}
	s.stop()
	s.run()
	again, err := os.ReadFile(filepath.Join(folder, "tls", "ca.pem"))
	must(t, err)
	if string(again) != string(raw) {
		t.Error("a restart made another authority")
	}
}

func TestPingAndTheOperatorsPaths(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ping := s.do("GET", "/ping", "", "").want(t, 204)
		if ping.Header.Get("TFP-API-Version") != "2.6" || ping.Header.Get("TFP-AppName") == "" || ping.Header.Get("X-Request-Id") == "" {
			t.Errorf("headers of ping: %v", ping.Header)
		}
		for _, path := range []string{"/healthz", "/readyz", "/_health_check", "/metrics", "/.well-known/terraform.json"} {
			answer, err := http.Get(s.URL + path)
			must(t, err)
			must(t, answer.Body.Close())
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %d", path, answer.StatusCode)
			}
		}
		head, err := http.Head(s.URL + "/api/v2/ping")
		must(t, err)
		must(t, head.Body.Close())
		if head.StatusCode != http.StatusNoContent {
			t.Errorf("HEAD: %d", head.StatusCode)
		}
		s.organization("acme")
		set := s.do("GET", "/organizations/acme/entitlement-set", s.Token, "").want(t, 200)
		if set.at("data.attributes.operations") != false || set.at("data.attributes.state-storage") != true {
			t.Errorf("entitlements: %s", set.Body)
		}
	})
}

func TestTheRateLimitIsTheUsersNotTheTokens(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", "--rate-limit", "5")
	account := func(token string) reply { return s.do("GET", "/account/details", token, "") }
	id := account(s.Token).want(t, 200).text("data.id")
	second := s.do("POST", "/users/"+id+"/authentication-tokens", s.Token, "").want(t, 201).text("data.attributes.token")
	var limited atomic.Int64
	ask := func(i int) int {
		got := account([]string{s.Token, second}[i%2])
		if got.Header.Get("X-RateLimit-Limit") != "5" || got.Header.Get("X-RateLimit-Remaining") == "" || got.Header.Get("X-RateLimit-Reset") == "" {
			t.Errorf("headers %v", got.Header)
		}
		if got.Status == 429 {
			limited.Add(1)
			if got.text("errors.0.title") != "Too many requests" || got.text("errors.0.status") != "429" || got.Header.Get("Retry-After") == "" {
				t.Errorf("%s %v", got.Body, got.Header)
			}
		}
		return got.Status
	}
	waitFor(t, "one of 20 requests at once that is not let through at 5 a second", func() bool {
		together(20, ask)
		return limited.Load() > 0
	})
}
