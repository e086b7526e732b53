package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// password is everybody's.
const password = "correct horse"

// organizationsPath is the page that people choose an organization on.
const organizationsPath = "/app/~/organizations"

// browser is a person's browser: it keeps cookies and follows no redirect by itself.
type browser struct {
	t    testing.TB
	base string
	http *http.Client
}

// browse opens a browser that trusts the server's own CA.
func (s *server) browse() *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	transport := &http.Transport{}
	if strings.HasPrefix(s.URL, "https://") {
		transport.TLSClientConfig = &tls.Config{RootCAs: s.ca()}
	}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &browser{s.t, s.URL, &http.Client{
		Jar: jar, Transport: held{transport}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ca is the CA that --tls-self-signed made.
func (s *server) ca() *x509.CertPool {
	s.t.Helper()
	raw, err := os.ReadFile(s.caPath())
	must(s.t, err)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		s.t.Fatal("the CA file holds no certificate")
	}
	return pool
}

func (s *server) caPath() string { return filepath.Join(s.args[4], "tls", "ca.pem") }

func (b *browser) send(request *http.Request) reply {
	b.t.Helper()
	answer, err := b.http.Do(request)
	must(b.t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	must(b.t, err)
	return reply{answer.StatusCode, answer.Header, string(raw)}
}

func (b *browser) get(path string) reply {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodGet, b.base+path, nil)
	must(b.t, err)
	return b.send(request)
}

func (b *browser) post(path string, form url.Values) reply {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodPost, b.base+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.send(request)
}

var hiddenFields = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// form is the hidden fields of a page's last form that has any of its own, with more put in.
func (r reply) form(more ...string) url.Values {
	form := url.Values{}
	for _, found := range hiddenFields.FindAllStringSubmatch(r.Body, -1) {
		form.Set(found[1], html.UnescapeString(found[2]))
	}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// works says whether a token is taken.
func (b *browser) works(token string) bool {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodGet, b.base+"/api/v2/account/details", nil)
	must(b.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	return b.send(request).Status == http.StatusOK
}

// sameServer is another browser.
func (b *browser) sameServer() *browser {
	b.t.Helper()
	jar, err := cookiejar.New(nil)
	must(b.t, err)
	other := *b.http
	other.Jar = jar
	return &browser{b.t, b.base, &other}
}

// copyOfCookies is another browser with the same cookies.
func (b *browser) copyOfCookies(t testing.TB) *browser {
	other := b.sameServer()
	base, err := url.Parse(b.base)
	must(t, err)
	other.http.Jar.SetCookies(base, secured(b.http.Jar.Cookies(base)))
	return other
}

func secured(cookies []*http.Cookie) []*http.Cookie {
	for _, c := range cookies {
		c.Secure, c.Path = true, "/"
	}
	return cookies
}

// eachTLS is each, over TLS with a CA of the server's own.
func eachTLS(t *testing.T, test func(t *testing.T, s *server, b *browser)) {
	t.Helper()
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, "--tls-self-signed")
			b := s.browse()
			b.addUser("ann")
			test(t, s, b)
		})
	}
}

// addUser makes a user with a password, and gives its id.
func (b *browser) addUser(name string) string {
	b.t.Helper()
	return b.api("POST", "/admin/users", "admin-token-of-the-test", fmt.Sprintf(
		`{"data":{"type":"users","attributes":{"username":%q,"email":"%s@example.com","password":%q}}}`, name, name, password)).want(b.t, 201).text("data.id")
}

func (b *browser) api(method, path, token, body string) reply {
	b.t.Helper()
	request, err := http.NewRequest(method, b.base+"/api/v2"+path, strings.NewReader(body))
	must(b.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/vnd.api+json")
	return b.send(request)
}
