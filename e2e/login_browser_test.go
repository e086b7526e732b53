package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
	"github.com/chromedp/chromedp"
)

// TestBelayLoginThroughARealBrowser has the program send a real browser to the server, where
// somebody lets it in, and the next time does not.
func TestBelayLoginThroughARealBrowser(t *testing.T) {
	slow(t)
	t.Parallel()
	chrome := chromium(t)
	t.Run("engines", func(t *testing.T) {
		for _, engine := range storetest.Outside(t) {
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				s := start(t, engine)
				s.person("ann")
				b := s.tab(t, chrome)
				home := t.TempDir()
				said, err := s.belayLogin(t, home, func(address string) {
					b.does(chromedp.Navigate(address), chromedp.SendKeys("input[name=name]", "ann"),
						chromedp.SendKeys("input[name=password]", password), chromedp.Click("button[name=answer][value=yes]"), chromedp.WaitVisible("pre"))
				})
				if err != nil || !strings.Contains(said, "signed in to "+s.URL+" as ann") {
					t.Fatalf("%v: %s", err, said)
				}
				until(t, "the browser says that it is done", func() bool {
					return strings.Contains(ask[string](b, "document.body.innerText"), "Go back to your terminal")
				})
				raw, err := os.ReadFile(filepath.Join(home, ".terraform.d", "credentials.tfrc.json"))
				must(t, err)
				var kept struct {
					Credentials map[string]struct{ Token string }
				}
				must(t, json.Unmarshal(raw, &kept))
				token := kept.Credentials[strings.TrimPrefix(s.URL, "http://")].Token
				if got := s.do("GET", "/account/details", token, "").want(t, 200); got.text("data.attributes.username") != "ann" {
					t.Errorf("the token is of %s", got.Body)
				}
				if strings.Contains(said, token) || strings.Contains(s.logs.String(), token) {
					t.Error("the token was shown")
				}
				said, err = s.belayLogin(t, t.TempDir(), func(address string) {
					b.does(chromedp.Navigate(address), chromedp.Click("button[name=answer][value=no]"), chromedp.WaitVisible("pre"))
				})
				if err == nil || !strings.Contains(said, "refused in the browser") {
					t.Errorf("somebody said no: %v: %s", err, said)
				}
			})
		}
	})
}

// belayLogin has the program sign in with a browser, and follow do what the person does there.
func (s *server) belayLogin(t *testing.T, home string, follow func(address string)) (string, error) {
	t.Helper()
	opened := filepath.Join(home, "opened")
	must(t, os.WriteFile(filepath.Join(home, "xdg-open"), []byte(fakeBrowser), 0o700))
	command := exec.Command(binary, "login", s.URL, "--browser")
	command.Dir = home
	command.Env = []string{"HOME=" + home, "PATH=" + home + ":" + os.Getenv("PATH"), "OPENED=" + opened}
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	must(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	follow(waitForAddress(t, opened, ended, &said))
	err := <-ended
	return said.String(), err
}
