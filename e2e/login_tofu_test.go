package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeBrowser stands for xdg-open: it only writes down where it was sent.
const fakeBrowser = `#!/bin/sh
printf '%s' "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"
`

// TestTofuLogin drives the real command line: it opens a browser, which signs in and is
// sent back to it; the token it then keeps must work.
func TestTofuLogin(t *testing.T) {
	slow(t)
	tofu := tool(t, "BELAY_TOFU")
	eachTLS(t, func(t *testing.T, s *server, b *browser) {
		details := b.api("GET", "/account/details", s.tofuLogin(t, tofu, b.followLogin), "").want(t, 200)
		if details.text("data.attributes.username") != "ann" {
			t.Errorf("the token is of %s", details.Body)
		}
	})
}

// tofuLogin has the command line sign in, follow do what the person does whom it sends somewhere,
// and gives the token that it keeps.
func (s *server) tofuLogin(t *testing.T, tofu string, follow func(address string)) string {
	t.Helper()
	home := t.TempDir()
	opened := filepath.Join(home, "opened")
	must(t, os.WriteFile(filepath.Join(home, "xdg-open"), []byte(fakeBrowser), 0o700))
	base, err := url.Parse(s.URL)
	must(t, err)
	host := "localhost:" + base.Port()
	command := exec.Command(tofu, loginOfThePage(t, host)...)
	command.Dir = home
	command.Env = []string{
		"HOME=" + home, "PATH=" + home + ":" + os.Getenv("PATH"), "OPENED=" + opened,
		"SSL_CERT_FILE=" + s.caPath(), "CHECKPOINT_DISABLE=1",
	}
	var said bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader("yes\n"), &said, &said
	must(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	follow(waitForAddress(t, opened, ended, &said))
	if err := <-ended; err != nil {
		t.Fatalf("tofu login: %v\n%s", err, said.String())
	}
	raw, err := os.ReadFile(filepath.Join(home, ".terraform.d", "credentials.tfrc.json"))
	must(t, err)
	var kept struct {
		Credentials map[string]struct{ Token string }
	}
	must(t, json.Unmarshal(raw, &kept))
	return kept.Credentials[host].Token
}

// loginOfThePage is what docs/sign-in.md says after "tofu" to sign in, for another host.
func loginOfThePage(t *testing.T, host string) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/sign-in.md")
	must(t, err)
	_, line, found := strings.Cut(string(page), "\n    tofu login ")
	line, _, _ = strings.Cut(line, "\n")
	if !found || line != "belay.example.com" {
		t.Fatalf("docs/sign-in.md signs in by %q", line)
	}
	return []string{"login", host}
}

// waitForAddress is where the browser was sent, once it was.
func waitForAddress(t *testing.T, path string, ended chan error, said *bytes.Buffer) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		select {
		case err := <-ended:
			t.Fatalf("tofu login ended early: %v\n%s", err, said.String())
		case <-time.After(20 * time.Millisecond):
		}
		if raw, err := os.ReadFile(path); err == nil {
			return string(raw)
		}
	}
	t.Fatal("tofu opened no browser")
	return ""
}

// followLogin signs in where the command line sent the browser, and goes back to it.
func (b *browser) followLogin(address string) {
	b.t.Helper()
	to, err := url.Parse(address)
	must(b.t, err)
	page := b.get(to.RequestURI()).want(b.t, 200)
	answer := b.post(to.Path, page.form("name", "ann", "password", password, "answer", "yes")).want(b.t, 303)
	back, err := http.Get(answer.Header.Get("Location"))
	must(b.t, err)
	must(b.t, back.Body.Close())
	if back.StatusCode != http.StatusOK {
		b.t.Errorf("the command line answered the browser %d", back.StatusCode)
	}
}
