package e2e_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// identities is a real provider of identities that a test runs.
type identities struct {
	t          *testing.T
	issuer     string
	port       string
	settings   string           // members of its configuration
	launch     func() *exec.Cmd // once the address to come back to is known
	back       string           // that address
	user, pass string           // somebody there
	command    *exec.Cmd
}

// run starts the provider, anew if it runs.
func (i *identities) run() {
	i.t.Helper()
	i.stop()
	i.command = i.launch()
	i.command.Stderr = os.Stderr
	must(i.t, i.command.Start())
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if answer, err := http.Get(strings.TrimSuffix(i.issuer, "/") + "/.well-known/openid-configuration"); err == nil {
			_ = answer.Body.Close()
			return
		}
	}
	i.t.Fatal("the provider was not ready in time")
}

func (i *identities) stop() {
	if i.command != nil {
		_ = i.command.Process.Kill()
		_ = i.command.Wait()
	}
}

// server is a Belay that takes the provider's word.
func (i *identities) server(engine string) *server {
	i.t.Helper()
	config := filepath.Join(i.t.TempDir(), "oidc.json")
	must(i.t, os.WriteFile(config, []byte(fmt.Sprintf(`{"providers":[{"id":"real","name":"Real","issuer":%q,%s}]}`, i.issuer, i.settings)), 0o600))
	s := start(i.t, engine, "--oidc-config", config, "--oidc-recheck", "10s")
	i.back = s.URL + "/oauth/callback/real"
	i.run()
	i.t.Cleanup(i.stop)
	return s
}

var (
	formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	anyField   = regexp.MustCompile(`<input[^>]*>`)
	fieldName  = regexp.MustCompile(` name="([^"]+)"`)
	fieldValue = regexp.MustCompile(` value="([^"]*)"`)
)

// walk follows a browser from an address, signs in at the provider and agrees to what that
// asks, until it is back and shown a page.
func (i *identities) walk(b *browser, at string) (string, reply) {
	i.t.Helper()
	request, err := http.NewRequest(http.MethodGet, at, nil)
	must(i.t, err)
	for range 30 {
		answer := b.send(request)
		from := request.URL
		var next *url.URL
		switch location := answer.Header.Get("Location"); {
		case location != "":
			next, err = from.Parse(location)
			must(i.t, err)
			request, err = http.NewRequest(http.MethodGet, next.String(), nil)
		case from.Port() == i.port && answer.Status == http.StatusOK:
			form := url.Values{}
			for _, field := range anyField.FindAllString(answer.Body, -1) {
				name, value := fieldName.FindStringSubmatch(field), fieldValue.FindStringSubmatch(field)
				switch {
				case name == nil:
				case name[1] == "login" || name[1] == "username":
					form.Set(name[1], i.user)
				case name[1] == "password":
					form.Set(name[1], i.pass)
				case value != nil:
					form.Set(name[1], html.UnescapeString(value[1]))
				}
			}
			action := formAction.FindStringSubmatch(answer.Body)
			if action == nil {
				i.t.Fatalf("the provider shows %s", answer.Body)
			}
			next, err = from.Parse(html.UnescapeString(action[1]))
			must(i.t, err)
			if request, err = http.NewRequest(http.MethodPost, next.String(), strings.NewReader(form.Encode())); err == nil {
				request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
		default:
			return from.String(), answer
		}
		must(i.t, err)
	}
	i.t.Fatal("the browser goes round in a circle")
	return "", reply{}
}

// until waits for something that comes in a while.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not in time", what)
		}
	}
}

// login has a command line let in by who signs in at the provider, and gives its token.
func (i *identities) login(b *browser) string {
	i.t.Helper()
	page := b.get(authorization()).want(i.t, 200)
	to := regexp.MustCompile(`href="(/app/~/sign-in/real\?return=[^"]+)"`).FindStringSubmatch(page.Body)
	if to == nil {
		i.t.Fatalf("the page offers no provider: %s", page.Body)
	}
	_, consent := i.walk(b, b.base+html.UnescapeString(to[1]))
	code := codeOf(i.t, b.post("/oauth/authorization", consent.want(i.t, 200).form("answer", "yes")))
	return b.redeem(code).want(i.t, 200).text("access_token")
}

// comeAndGo signs somebody in by a browser and a command line, in an organization that a
// group leads to, and sees both out when the person is gone.
func (i *identities) comeAndGo(t *testing.T, s *server, group string, leave, vanish func()) {
	t.Helper()
	admin := s.browse()
	admin.api("POST", "/organizations", s.Token, `{"data":{"type":"organizations","attributes":{"name":"acme","email":"a@example.com"}}}`).want(t, 201)
	admin.api("POST", "/organizations/acme/teams", s.Token, fmt.Sprintf(`{"data":{"type":"teams","attributes":{"name":"crew","sso-team-id":%q}}}`, group)).want(t, 200)
	b := s.browse()
	at, page := i.walk(b, s.URL+"/app/~/sign-in/real?return=/app/acme/workspaces")
	if at != s.URL+"/app/acme/workspaces" || page.Status != http.StatusOK {
		t.Fatalf("the browser is at %s: %d %s\n%s", at, page.Status, page.Body, s.logs)
	}
	token := i.login(s.browse())
	sees := func() bool { return b.api("GET", "/organizations/acme", token, "").Status == http.StatusOK }
	if !sees() || b.get("/app/acme/workspaces").Status != http.StatusOK {
		t.Fatal("the group gives nothing")
	}
	if leave != nil {
		leave()
		until(t, "a group that is gone gives nothing", func() bool { return !sees() })
		if !b.works(token) {
			t.Error("the token ended with the group")
		}
	}
	vanish()
	until(t, "the token of who is gone ends", func() bool { return !b.works(token) })
	b.get(organizationsPath).want(t, 303)
	if strings.Contains(s.logs.String(), token) {
		t.Error("a token is in the log")
	}
}

// TestZitadelSignsIn signs in by the server that comes with zitadel/oidc, a certified
// library. It has no groups: its usernames stand for them.
func TestZitadelSignsIn(t *testing.T) {
	slow(t)
	program := tool(t, "BELAY_IDENTITY")
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			i := &identities{t: t, port: freePort(t), user: "test-user2", pass: "verysecure"}
			i.issuer = "http://localhost:" + i.port + "/"
			i.settings = `"client-id":"web","client-secret":"secret","groups-claim":"preferred_username","scopes":["openid","profile","email","offline_access"]`
			i.launch = func() *exec.Cmd {
				command := exec.Command(program)
				command.Env = append(os.Environ(), "PORT="+i.port, "REDIRECT_URI="+i.back)
				return command
			}
			i.comeAndGo(t, i.server(engine), "test-user2", nil, i.run) // it forgets everybody
		})
	}
}

// TestOIDCProviderSignsIn signs in by npm's oidc-provider, whose people come and go.
func TestOIDCProviderSignsIn(t *testing.T) {
	slow(t)
	folder := os.Getenv("BELAY_OIDC_PROVIDER")
	if folder == "" {
		t.Skip("BELAY_OIDC_PROVIDER names no folder with oidc-provider in it: see e2e/tools/README.md")
	}
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			people := filepath.Join(t.TempDir(), "people.json")
			write := func(all map[string]any) {
				raw, err := json.Marshal(all)
				must(t, err)
				must(t, os.WriteFile(people+".new", raw, 0o600))
				must(t, os.Rename(people+".new", people))
			}
			write(map[string]any{"ann": map[string]any{"groups": []string{"devs"}}})
			i := &identities{t: t, port: freePort(t), user: "ann", pass: "any"}
			i.issuer = "http://localhost:" + i.port
			i.settings = `"client-id":"belay","client-secret":"secret","parameters":{"prompt":"consent"}`
			i.launch = func() *exec.Cmd {
				return exec.Command("node", filepath.Join("testdata", "provider.mjs"), folder, i.port, i.back, people)
			}
			i.comeAndGo(t, i.server(engine), "devs",
				func() { write(map[string]any{"ann": map[string]any{"groups": []string{}}}) },
				func() { write(map[string]any{}) })
		})
	}
}
