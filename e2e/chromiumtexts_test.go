package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/hashicorp/go-tfe"
)

// payloads are texts that would act in a page that let them; MARK is where each is known by.
var payloads = []string{
	`MARK"'><script>__pwned=1</script><svg onload=__pwned=1><img src=x onerror=__pwned=1>`,
	`javascript:__pwned=1//MARK`,
	`data:text/html,<script>__pwned=1</script>MARK`,
	`MARK</script></textarea></title></style><script>__pwned=1</script>{{.}}{{7*7}}`,
	`MARK' onmouseover=__pwned=1 autofocus onfocus=__pwned=1 x=" onclick="__pwned=1`,
	`MARK [x](javascript:__pwned=1) <a href=javascript:__pwned=1>x</a> ![](x:y)`,
	"MARK\u202egnp.exe\u2066\u200b\u2028\ufeff<b>",
	"MARK\u001b[31m\u0007\u007f\u0085",
}

// acting is what of a page acts on its own or leads to a script.
const acting = `[...document.querySelectorAll("*")].flatMap((e) => [...e.attributes].filter((a) => /^on/i.test(a.name) || a.name === "srcdoc" || a.name === "style" ||
	/^(href|src|action|formaction|xlink:href|data)$/.test(a.name) && /^[\s\u0000-\u001f]*(javascript|data|vbscript):/i.test(a.value)).map((a) => a.name + " of " + e.outerHTML.slice(0, 200)))
	.concat([...document.querySelectorAll("script:not([src]), iframe, object, embed, base, meta[http-equiv]")].map((e) => e.outerHTML.slice(0, 200)))`

// canvas is what texts of one payload are written on: things that have one text of a kind.
type canvas struct {
	*server
	t     *testing.T
	n     int
	ids   map[string]string // what a placeholder stands for
	token string            // of a user of its own
	pages []string          // that show what was made for one row alone
}

// fill puts ids into a text.
func (c *canvas) fill(text string) string {
	for name, id := range c.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// make makes something, and keeps its id under a name.
func (c *canvas) make(name, path, body string) string {
	c.t.Helper()
	id := c.do("POST", c.fill(path), c.Token, c.fill(body)).wantAny(c.t, 200, 201).text("data.id")
	c.ids[name] = id
	return id
}

// quoted is a text as JSON has it.
func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// write sends the text of a row, and gives the answer.
func (c *canvas) write(row textRow, text string) reply {
	c.t.Helper()
	if row.write != nil {
		return row.write(c, row.prefix+text)
	}
	_, attribute, _ := strings.Cut(row.of, " ")
	body := row.body
	if !strings.HasPrefix(body, "{") {
		kind, more, _ := strings.Cut(body, " ")
		if more != "" {
			more += ","
		}
		body = fmt.Sprintf(`{"data":{"type":%q,"attributes":{%s%q:TEXT}}}`, kind, more, attribute)
	}
	method, path, _ := strings.Cut(row.send, " ")
	token := c.Token
	if row.own {
		token = c.token
	}
	if strings.Contains(path, "{fresh}") { // what one row writes, another would write over
		name := fmt.Sprintf("fresh-%d-%d", c.n, len(c.pages))
		c.ids["fresh"] = c.workspace("acme", name)
		c.pages = append(c.pages, "/app/acme/workspaces/"+name+"/settings", "/app/acme/workspaces/"+name+"/settings/repository")
	}
	body = strings.ReplaceAll(strings.ReplaceAll(c.fill(body), "TEXT", quoted(row.prefix+text)), "NEW", fmt.Sprintf("n%d_%d", c.n, len(row.of)))
	answer := c.do(method, c.fill(path), token, body)
	switch id := answer.text("data.id"); {
	case id == "":
	case path == "/runs":
		c.pages = append(c.pages, c.fill("/app/acme/workspaces/runs-{n}/runs/")+id)
	case row.keep != "":
		c.ids[row.keep] = id
	}
	return answer
}

// newCanvas makes what the texts of one payload are written on.
func (s *server) newCanvas(t *testing.T, n int, pool, runner string) *canvas {
	t.Helper()
	c := &canvas{server: s, t: t, n: n, ids: map[string]string{"n": fmt.Sprint(n), "pool": pool, "runner": runner}}
	c.ids["ws"] = s.workspace("acme", fmt.Sprintf("canvas-%d", n))
	c.ids["rws"] = s.runnable(fmt.Sprintf("runs-%d", n))
	c.ids["writer"], c.token = s.user(fmt.Sprintf("writer-%d", n))
	s.join("acme", fmt.Sprintf("writer-%d", n), s.owners("acme"))
	c.make("project", "/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"project-{n}"}}}`)
	c.make("team", "/organizations/acme/teams", `{"data":{"type":"teams","attributes":{"name":"team-{n}"}}}`)
	c.make("set", "/organizations/acme/varsets", `{"data":{"type":"varsets","attributes":{"name":"set-{n}","global":true}}}`)
	_, c.ids["token"] = s.connect("acme", tfe.ServiceProviderGithub, func(o *tfe.OAuthClientCreateOptions) { o.Name = tfe.String("connection-" + fmt.Sprint(n)) })
	c.make("run", "/runs", runOf(c.ids["rws"], `"message":"m"`))
	return c
}

// textPages are where what was written is shown: of each canvas, and of the organization.
var textPages = strings.Fields(`/app/acme/workspaces/canvas-{n} /app/acme/workspaces/locked-{n} /app/acme/workspaces/canvas-{n}/health /app/acme/workspaces/canvas-{n}/state
	/app/acme/workspaces/canvas-{n}/state/1 /app/acme/workspaces/canvas-{n}/state?graph=modules /app/acme/workspaces/canvas-{n}/variables /app/acme/workspaces/canvas-{n}/variables?edit={variable}
	/app/acme/workspaces/canvas-{n}/change-requests /app/acme/workspaces/canvas-{n}/activity /app/acme/workspaces/canvas-{n}/access /app/acme/workspaces/canvas-{n}/settings /app/acme/workspaces/canvas-{n}/settings/repository /app/acme/workspaces/canvas-{n}/settings/notifications
	/app/acme/workspaces/runs-{n}/runs/{run} /app/acme/workspaces/runs-{n}/runs /app/acme/workspaces/planned-{n}/runs/{planned} /app/acme/workspaces/planned-{n}
	/app/acme/projects/{project} /app/acme/teams/{team} /app/acme/variable-sets/{set} /app/acme/notifications/{notification} /app/acme/notifications/{address}
	/app/acme/changes/{campaign} /app/acme/agents/{pool} /app/acme/explorer?type=resources&filter%5B0%5D%5Bworkspace_name%5D%5Bis%5D%5B0%5D=canvas-{n}
	/app/acme/workspaces?search=canvas-{n}&columns=tags&columns=description&columns=repository&columns=engine&columns=project&columns=team /app/acme/runs?page=1 /app/acme/audit?page={page}`)

var sharedTextPages = strings.Fields(`/app/ /app/acme /app/acme/more /app/acme/workspaces /app/acme/runs /app/acme/changes /app/acme/change-requests /app/acme/explorer /app/acme/projects
	/app/acme/access /app/acme/teams /app/acme/members /app/acme/members?page=2 /app/acme/variable-sets /app/acme/connections /app/acme/agents /app/acme/keys /app/acme/notifications /app/acme/tokens
	/app/acme/settings /app/~/profile /app/settings/tokens /app/~/search?in=acme&q=pwned /app/acme/explorer?type=modules /app/acme/explorer?type=providers /app/acme/explorer?type=resources
	/app/~/admin/users /app/~/admin/engines /app/~/admin/engines?search=1.8.3 /app/~/admin/organizations /app/~/admin/runs /app/~/admin/storage /app/~/admin/deliveries /app/~/admin/health`)

// TestStoredTextsInARealBrowser writes each payload into every text that somebody can write, and
// goes to every page that shows any: nothing runs, nothing leads to a script, the policy has nothing to
// refuse, and each text that was taken is there to be read on some page, unless its row says why not; secrets are on none.
func TestStoredTextsInARealBrowser(t *testing.T) {
	slow(t)
	t.Parallel()
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.people()
	pool, runner := s.agents("acme")
	admin := s.do("GET", "/admin/users?q=admin", s.Token, "").want(t, 200).text("data.0.id")
	s.do("PATCH", "/admin/users/"+admin, s.Token, fmt.Sprintf(`{"data":{"type":"users","attributes":{"password":%q}}}`, password)).want(t, 200)
	written := map[string]textRow{} // by mark
	taken, answers := map[string]int{}, map[string]string{}
	var pages []string
	for n, payload := range payloads {
		c := s.newCanvas(t, n, pool, runner)
		for i, row := range textRows {
			mark := fmt.Sprintf("t%dx%d", i, n)
			answer := c.write(row, strings.ReplaceAll(payload, "MARK", mark))
			switch {
			case answer.Status < 300:
				taken[row.of+row.prefix]++
				written[mark] = row
			case answer.Status != 422 && answer.Status != 400 && answer.Status != 409 && answer.Status != 404:
				t.Errorf("%s with %q answers %d: %s", row.of, payload, answer.Status, answer.Body)
			default:
				answers[row.of+row.prefix] = fmt.Sprintf("%d %.300s", answer.Status, answer.Body)
			}
		}
		c.ids["page"] = fmt.Sprint(n + 1)
		pages = append(pages, c.pages...)
		for _, page := range textPages {
			if page = c.fill(page); !strings.Contains(page, "{") { // else this text was not taken there
				pages = append(pages, page)
			}
		}
	}
	for _, row := range textRows {
		if n := taken[row.of+row.prefix]; n == 0 && !row.refused || n > 0 && row.refused {
			t.Errorf("%s%s was taken %d times: %s", row.prefix, row.of, n, answers[row.of+row.prefix])
		}
	}
	b := s.tab(t, chrome)
	b.looks(1280, "light")
	b.signIn("admin")
	b.heard()
	var told strings.Builder
	for _, page := range append(pages, sharedTextPages...) {
		status := b.open(page)
		if status != 200 {
			t.Errorf("%s answers %d", page, status)
			continue
		}
		if found := append(ask[[]string](b, acting), append(ask[[]string](b, "window.__refused"), b.heard()...)...); len(found) > 0 || ask[bool](b, "window.__pwned !== undefined") {
			t.Errorf("%s: %q", page, found)
		}
		told.WriteString(ask[string](b, `document.documentElement.textContent + [...document.querySelectorAll("[value], [title], [aria-label], [href]")].map((e) => [e.value, e.title, e.ariaLabel, e.getAttribute("href")].join("\n")).join("\n")`))
	}
	wrong := map[string][]string{}
	for mark, row := range written {
		if seen := strings.Contains(told.String(), mark); seen == row.secret && row.unseen == "" {
			wrong[row.of] = append(wrong[row.of], mark)
		}
	}
	for of, marks := range wrong {
		t.Errorf("a secret is seen, or what is none on no page that was gone to: %s %v", of, marks)
	}
	h := &hand{tab: b, t: t, keyboard: true, scripts: true}
	h.open("/app/acme")
	var asked []string // the palette builds its rows itself: of workspaces, and of what is called like a payload
	for n := range payloads {
		asked = append(asked, fmt.Sprintf("canvas-%d", n))
	}
	for mark, row := range written {
		if row.of == "VariableSet name" {
			asked = append(asked, mark)
		}
	}
	if len(asked) <= len(payloads) {
		t.Error("nothing that the palette finds is called like a payload")
	}
	for _, words := range asked {
		h.keys("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
		h.until(`document.activeElement.matches("dialog.palette input")`, "the palette is open")
		h.keys(words)
		h.until(fmt.Sprintf(`[...document.querySelectorAll("dialog.palette [role=option]")].some((o) => o.innerText.includes(%q))`, words), "the palette offers "+words)
		h.keys("\x1b")
		h.keys("\x1b")
	}
	if found := append(ask[[]string](b, acting), b.heard()...); len(found) > 0 || ask[bool](b, "window.__pwned !== undefined") {
		t.Errorf("the palette: %q", found)
	}
}

// TestEveryTextOfTheAPIIsTried finds the texts that docs/openapi.json takes and no row of the table writes.
func TestEveryTextOfTheAPIIsTried(t *testing.T) {
	raw, err := os.ReadFile("../docs/openapi.json")
	must(t, err)
	var document struct {
		Components struct{ Schemas map[string]textSchema }
	}
	must(t, json.Unmarshal(raw, &document))
	tried := map[string]bool{}
	for _, row := range textRows {
		tried[row.of] = true
	}
	found := map[string]bool{}
	for name, schema := range document.Components.Schemas {
		if kind, body := strings.CutSuffix(name, "Body"); body {
			for _, text := range schema.texts("") {
				found[kind+" "+text] = true
			}
		}
	}
	if len(found) < 60 {
		t.Errorf("only %d texts were found", len(found))
	}
	for text := range found {
		if tried[text] == (noTexts[text] != "") {
			t.Errorf("%s: a row of textRows %v, said to be no text %q", text, tried[text], noTexts[text])
		}
	}
	for text := range noTexts {
		if !found[text] {
			t.Errorf("there is no %s", text)
		}
	}
}

// textSchema is what a schema says of texts.
type textSchema struct {
	Type                 any
	Format               string
	Enum                 []any
	Properties           map[string]textSchema
	Items                *textSchema
	AdditionalProperties any
	OneOf                []textSchema
	AnyOf                []textSchema
}

// texts is the names of the attributes below that hold a text of whoever sends it.
func (s textSchema) texts(name string) (all []string) {
	if strings.Contains(fmt.Sprint(s.Type), "string") && s.Enum == nil && s.Format == "" && name != "type" && name != "id" && !strings.HasSuffix(name, "-id") {
		all = append(all, name)
	}
	for property, schema := range s.Properties {
		all = append(all, schema.texts(property)...)
	}
	if s.Items != nil {
		all = append(all, s.Items.texts(name)...)
	}
	if more, is := s.AdditionalProperties.(map[string]any); is && more["type"] == "string" {
		all = append(all, name)
	}
	for _, schema := range slices.Concat(s.OneOf, s.AnyOf) {
		all = append(all, schema.texts(name)...)
	}
	return all
}
