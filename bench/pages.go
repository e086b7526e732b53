package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// listed begins the table of pages: what each of them costs is told by what the API's own list does.
const listed = "the API's list, page 1"

// resourcesOfPages is how many bytes the state has whose pages are measured: some 9,000 resources.
const resourcesOfPages = 8 << 20

// pages is the pages of an organization as its owner sees them in a browser, after the API's list.
func (t *target) pages() ([]work, error) {
	signed, err := t.signIn()
	if err != nil {
		return nil, err
	}
	c, err := t.connect()
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.conn.Close() }()
	if _, err := writeStates(usual(resourcesOfPages))(c, 0, 0); err != nil {
		return nil, err
	}
	get := func(path, lines string) step {
		return func(c *connection, _, _ int) (int, error) {
			c.extra = lines
			status, _, err := c.do("GET", path, "")
			return status, err
		}
	}
	const bench, one = "/app/bench", "/app/bench/workspaces/prod-workspace-000004"
	held := fmt.Sprintf("%s/workspaces/state-%d-0", bench, created.Load())
	const list = v2 + "/organizations/bench/workspaces"
	all := []work{{listed, get(list, "")}, {"the API's list of 50, which a page has", get(list+"?page%5Bsize%5D=50", "")}}
	for _, path := range []string{
		bench, bench + "?of=mine", bench + "/workspaces", bench + "/workspaces?search=prod", bench + "/workspaces?search=workspace-000042", bench + "/workspaces?run=none",
		bench + "/workspaces?lock=unlocked", bench + "/workspaces?sort=changed", bench + "/explorer?type=workspaces", bench + "/explorer?type=workspaces&group=workspace_terraform_version",
		bench + "/explorer?type=tf_versions", bench + "/changes", bench + "/runs", bench + "/projects", bench + "/teams", bench + "/members", bench + "/access", bench + "/access?rows=people",
		bench + "/access?rows=workspaces", bench + "/audit", bench + "/notifications", bench + "/variable-sets", bench + "/connections", bench + "/agents", bench + "/keys", bench + "/tokens", bench + "/settings",
		one, one + "/runs", one + "/state", one + "/variables", one + "/change-requests", one + "/activity", one + "/access", one + "/settings", held, held + "/state", held + "/state?q=web",
		"/app/~/search?q=workspace-000042", "/app/~/search?q=000042&part=1", "/app/~/organizations", "/app/~/profile", "/app/~/profile/notifications", "/app/settings/tokens",
		"/app/~/admin/health", "/app/~/admin/users", "/app/~/admin/engines", "/app/~/admin/storage", "/app/~/admin/deliveries", "/app/~/admin/backups", "/app/~/admin/organizations",
	} {
		all = append(all, work{path, get(path, signed)})
	}
	return all, nil
}

var hiddenForm = regexp.MustCompile(`name="form" value="([^"]*)"`)

// signIn signs the owner in as a browser does, and gives the lines that its requests have.
func (t *target) signIn() (lines string, err error) {
	const password = "correct horse battery"
	c, err := t.connect()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, c.conn.Close()) }()
	_, body, err := c.do("GET", v2+"/account/details", "")
	var me struct {
		Data struct {
			ID         string
			Attributes struct{ Username string }
		}
	}
	if err := errors.Join(err, json.Unmarshal(body, &me)); err != nil {
		return "", err
	}
	status, body, err := c.do("PATCH", v2+"/admin/users/"+me.Data.ID, fmt.Sprintf(`{"data":{"type":"users","attributes":{"password":%q}}}`, password))
	if err != nil || status != http.StatusOK {
		return "", fmt.Errorf("a password: %d %s %w", status, body, err)
	}
	jar, _ := cookiejar.New(nil)
	browser := http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: time.Minute}
	base := "http://" + t.address
	answer, err := browser.Get(base + "/app/sign-in")
	if err != nil {
		return "", err
	}
	page, err := io.ReadAll(answer.Body)
	form := hiddenForm.FindSubmatch(page)
	if err := errors.Join(err, answer.Body.Close()); err != nil || form == nil {
		return "", fmt.Errorf("the page to sign in has no form: %w", err)
	}
	sent, err := http.NewRequest(http.MethodPost, base+"/app/sign-in", strings.NewReader(url.Values{
		"form": {string(form[1])}, "name": {me.Data.Attributes.Username}, "password": {password},
	}.Encode()))
	if err != nil {
		return "", err
	}
	sent.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	sent.Header.Set("Origin", base)
	if answer, err = browser.Do(sent); err != nil {
		return "", err
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusSeeOther {
		return "", fmt.Errorf("signing in: %s: %w", answer.Status, err)
	}
	var cookies bytes.Buffer
	for _, cookie := range jar.Cookies(sent.URL) {
		fmt.Fprintf(&cookies, "%s=%s; ", cookie.Name, cookie.Value)
	}
	return "Accept: text/html\r\nAccept-Encoding: gzip\r\nCookie: " + strings.TrimSuffix(cookies.String(), "; ") + "\r\n", nil
}

// byList measures the API's list once more beside what was measured of a page: what a machine does besides changes within
// seconds, and the one is told by the other.
func (p *plan) byList(t *target, list step, r *result) error {
	beside, err := t.run(p.clients, p.each/2, list)
	r.byList, r.cpuByList = float64(r.p50)/float64(beside.p50), float64(r.cpu)/float64(beside.cpu)
	return err
}

// reportPages prints a table of pages, with how often the time of the API's list beside it each takes.
func reportPages(results []result) {
	fmt.Println("| page | p50 | by the list | p99 | CPU each | by the list | statements |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, r := range results {
		fmt.Printf("| %s | %s | %.1f | %s | %s | %.1f | %.1f |\n", r.name, r.p50.Round(10*time.Microsecond), r.byList,
			r.p99.Round(10*time.Microsecond), r.cpu.Round(time.Microsecond), r.cpuByList, r.statements)
	}
}
