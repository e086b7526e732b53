package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// hostile is another site that the browser of somebody who is signed in comes to, and its page.
var hostile = template.Must(template.New("").Parse(`<!doctype html><title>Around</title><p>around</p>
{{range .Frames}}<iframe src="{{.}}"></iframe>{{end}}
<script>
const forms = {{.Forms}};
const fill = (form, into) => { for (const [name, values] of Object.entries(form.fields)) for (const value of values) into.append(name, value); return into; };
// Everything that a page may send without being asked for leave.
const quietly = () => Promise.allSettled(forms.flatMap((form) => [
	fill(form, new URLSearchParams()), fill(form, new FormData()), fill(form, new URLSearchParams()).toString(), // the last is text/plain
].map((body) => fetch(form.action, {method: "POST", mode: "no-cors", credentials: "include", body})).concat(
	fetch(form.action + "?" + fill(form, new URLSearchParams()), {mode: "no-cors", credentials: "include"}),
	new Promise((done) => { const img = new Image(); img.onload = img.onerror = done; img.src = form.action + "?" + fill(form, new URLSearchParams()); }))));
// What takes the window along.
const openly = (i) => { const form = document.createElement("form"); form.method = "post"; form.action = forms[i].action;
	for (const [name, values] of Object.entries(forms[i].fields)) for (const value of values) { const field = document.createElement("input"); field.name = name; field.value = value; form.append(field); }
	document.body.append(form); HTMLFormElement.prototype.submit.call(form); };
</script>`))

// TestForeignSitesInARealBrowser has other sites hold every page in a frame and send every form
// with the cookies of an owner: one on the same host, which is the same site to cookies, and one on
// another. No page is framed, and nothing that is kept changes.
func TestForeignSitesInARealBrowser(t *testing.T) {
	slow(t)
	t.Parallel()
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.everywhere()
	owner := s.signIn("olga")
	sheets := owner.crawl(t, visitor{starts: []string{networkPage, "/app/", "/app/acme", "/app/acme/more", "/app/settings/sign-in"}, within: "/app/"})
	sheets = append(sheets, s.signIn("admin").crawl(t, visitor{starts: []string{"/app/~/admin/health"}, within: "/app/~/admin/"})...)
	var addresses []string
	forms := map[string]filled{}
	for _, sheet := range sheets {
		if strings.HasPrefix(sheet.Header.Get("Content-Type"), "text/html") {
			addresses = append(addresses, s.URL+sheet.address)
		}
		for _, form := range sheet.forms {
			if !strings.HasSuffix(form.action, "/sign-out") { // its own
				forms[anID.ReplaceAllString(form.action, "$1$2*")+form.fields.Get("do")] = form
			}
		}
	}
	b := s.tab(t, chrome)
	h := &hand{tab: b, t: t, scripts: true}
	h.looks(1280, "light")
	h.signsIn("olga")
	secret := ask[string](b, `document.querySelector("input[name=form]").value`) // though no site knows it
	sent := []filled{{"/api/v2/workspaces/" + s.idOf("network") + "/actions/force-unlock", url.Values{"reason": {"forged"}}}}
	for _, key := range slices.Sorted(maps.Keys(forms)) {
		sent = append(sent, forms[key])
	}
	t.Logf("%d pages, %d forms", len(addresses), len(sent))
	if len(addresses) < 60 || len(sent) < 60 {
		t.Error("that is not all of them")
	}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		t.Run(host, func(t *testing.T) {
			h := &hand{tab: b, t: t, scripts: true}
			site := s.hostile(t, host, secret, addresses, sent)
			h.isFramedNowhere(site, addresses)
			before := s.settled(t)
			b.does(chromedp.Navigate(site + "/forms"))
			ask[int](b, `quietly().then((all) => all.length)`)
			for i := range sent {
				b.does(chromedp.Navigate(site + "/forms"))
				ask[bool](b, fmt.Sprintf(`setTimeout(openly, 0, %d) > 0`, i))
				h.until(fmt.Sprintf(`location.origin === %q`, s.URL), "the forged form was answered: "+sent[i].action)
			}
			for _, form := range sent { // a link may take the window along with its cookies
				owner.get(form.action + "?" + form.fields.Encode())
			}
			for table, rows := range s.contents(t) {
				if was := before[table]; was != rows {
					t.Errorf("a foreign site changed %s:\n%s\ninstead of\n%s", table, rows, was)
				}
			}
		})
	}
	h.open(networkPage) // a form that is sent from here is taken
	before := s.contents(t)
	h.press("summary", "Force unlock")
	h.press("form[action$='/force-unlock'] button", "Force unlock")
	h.says("Unlocked")
	if maps.Equal(before, s.contents(t)) {
		t.Error("nothing that is kept changed by a form of ours")
	}
}

// hostile serves a site of another's, and gives its origin.
func (s *server) hostile(t *testing.T, host, secret string, addresses []string, forms []filled) string {
	t.Helper()
	type form struct {
		Action string     `json:"action"`
		Fields url.Values `json:"fields"`
	}
	var all []form
	for _, f := range forms {
		fields := maps.Clone(f.fields)
		fields.Set("form", secret)
		all = append(all, form{s.URL + f.action, fields})
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page struct {
			Frames []string
			Forms  []form
		}
		switch r.URL.Path {
		case "/frames":
			must(t, json.Unmarshal([]byte(r.URL.Query().Get("of")), &page.Frames))
		case "/forms":
			page.Forms = all
		}
		w.Header().Set("Content-Type", "text/html")
		must(t, hostile.Execute(w, page))
	}))
	t.Cleanup(site.Close)
	return strings.Replace(site.URL, "127.0.0.1", host, 1)
}

// isFramedNowhere has the site hold pages in frames: the browser must refuse each by what its answer says.
func (h *hand) isFramedNowhere(site string, addresses []string) {
	h.t.Helper()
	var mu sync.Mutex
	asked, refused := map[network.RequestID]string{}, map[string]string{}
	ctx, stop := context.WithCancel(h.ctx)
	defer stop()
	must(h.t, chromedp.Listen(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if asked[e.RequestID] == "" { // else it is where it was sent on to
				asked[e.RequestID] = e.Request.URL
			}
		case *network.EventLoadingFailed:
			refused[asked[e.RequestID]] = e.ErrorText
		}
	}))
	call(h.tab, network.Enable, network.EnableParams{})
	for some := range slices.Chunk(addresses, 20) {
		raw, err := json.Marshal(some)
		must(h.t, err)
		h.does(chromedp.Navigate(site + "/frames?of=" + url.QueryEscape(string(raw))))
		h.until(`true`, "all frames were tried")
	}
	mu.Lock()
	defer mu.Unlock()
	for _, address := range addresses {
		if why := refused[address]; why != "net::ERR_BLOCKED_BY_RESPONSE" {
			h.t.Errorf("%s may hold %s in a frame: %q", site, address, why)
		}
	}
	h.heard() // that they are refused
}

// restless are tables that change while nobody does anything, and why.
var restless = map[string]string{
	"organization_storage": "counted now and then",
	"replicas":             "servers come and go",
	"state_reads":          "written some seconds after a state was read",
	"user_seen":            "written some seconds after somebody came",
}

// lately are columns that are written some seconds after somebody came, or when a job has waited for ten minutes.
var lately = []string{"last_used_at", "last_seen_at", "seen_at", "used_from", "device", "address", "class", "risen_at"}

// settled is everything that is kept, when what the server does behind requests is done.
func (s *server) settled(t *testing.T) map[string]string {
	t.Helper()
	was := s.contents(t)
	waitFor(t, "nothing to change by itself", func() bool {
		time.Sleep(3 * time.Second)
		is := s.contents(t)
		same := maps.Equal(was, is)
		was = is
		return same
	})
	return was
}

// contents is everything that is kept, table by table.
func (s *server) contents(t *testing.T) map[string]string {
	t.Helper()
	db, all := s.database(), map[string]string{}
	names := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if s.onPostgres() {
		names = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	read := func(statement string) (lines []string) {
		rows, err := db.QueryContext(context.Background(), statement)
		must(t, err)
		defer func() { _ = rows.Close() }()
		columns, err := rows.Columns()
		must(t, err)
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			must(t, rows.Scan(values...))
			line := ""
			for i, name := range columns {
				if slices.Contains(lately, name) {
					continue
				}
				line += fmt.Sprintf(" %s=%v", name, *values[i].(*any))
			}
			lines = append(lines, line)
		}
		must(t, rows.Err())
		slices.Sort(lines)
		return lines
	}
	for _, line := range read(names) {
		_, table, _ := strings.Cut(line, "=")
		if restless[table] == "" {
			all[table] = strings.Join(read(`SELECT * FROM "`+table+`"`), "\n")
		}
	}
	return all
}

// TestAFirstVisitInARealBrowser weighs what a first visit brings, and sends a form from a page that is of no site.
func TestAFirstVisitInARealBrowser(t *testing.T) {
	slow(t)
	t.Parallel()
	chrome := chromium(t)
	s := start(t, "sqlite")
	id := s.people()
	s.signIn("olga") // gets the password
	b := s.tab(t, chrome)
	h := &hand{tab: b, t: t, scripts: true}
	b.looks(1280, "light")
	weight := 0.0
	must(t, chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*network.EventLoadingFinished); ok {
			b.mu.Lock()
			weight += e.EncodedDataLength
			b.mu.Unlock()
		}
	}))
	call(b, network.Enable, network.EnableParams{})
	h.signsIn("olga")
	b.mu.Lock()
	if t.Logf("signing in brings %.0f bytes", weight); weight > 60<<10 {
		t.Errorf("a first visit weighs %.0f bytes", weight)
	}
	b.mu.Unlock()
	for _, kind := range []string{"application/x-www-form-urlencoded", "text/plain", "multipart/form-data"} {
		forged := fmt.Sprintf(`<form method="post" enctype="%s" action="%s%s/lock"><input name="reason" value="forged"></form><script>document.forms[0].submit()</script>`, kind, s.URL, networkPage)
		b.does(chromedp.Navigate("data:text/html," + strings.NewReplacer("%", "%25", "#", "%23").Replace(forged)))
		h.until(fmt.Sprintf(`location.href.startsWith(%q)`, s.URL), "the forged form was answered")
		if locked := s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes.locked"); locked != false {
			t.Fatal("a forged form locked the workspace")
		}
	}
}
