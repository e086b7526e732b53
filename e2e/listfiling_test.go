package e2e_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// file files on the workspaces of a list that a form of it ticks, and is the page of the campaign.
func (s *server) file(b *browser, list string, form url.Values, asked string, count int) string {
	s.t.Helper()
	to := b.post(list, form).want(s.t, 303).Header.Get("Location")
	filing := b.get(to).want(s.t, 200).has(s.t, "that fit: "+asked+".").inert(s.t)
	some := fmt.Sprintf("<strong>%d workspaces</strong>", count)
	if count == 1 {
		some = "<strong>1 workspace</strong>"
	}
	seen := b.post("/app/acme/change-requests/preview", filing.form("subject", "Upgrade", "message", "m")).want(s.t, 200).has(s.t, some)
	send := seen.form()
	send.Del("answer")
	to = b.post("/app/acme/change-requests", send).want(s.t, 303).Header.Get("Location")
	page, _, _ := strings.Cut(to, "?")
	b.get(page).want(s.t, 200).has(s.t, asked, fmt.Sprintf("of %d archived", count)).inert(s.t)
	return page
}

// TestFilingFromAListKeepsItsCondition files on old engines, whole and in part: those that are upgraded are ready.
func TestFilingFromAListKeepsItsCondition(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		ids := map[string]string{}
		add := func(name, version string) {
			ids[name] = s.newWorkspace("acme", name, func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String(version) }).ID
		}
		for i, version := range []string{"1.6.0", "1.6.0", "1.7.3", "1.7.3", "1.9.8", "1.10.1"} {
			add(fmt.Sprintf("ws-%02d", i), version)
		}
		upgrade := func(name string) {
			t.Helper()
			s.do("PATCH", "/workspaces/"+ids[name], s.Token, `{"data":{"type":"workspaces","attributes":{"terraform-version":"1.10.1"}}}`).want(t, 200)
		}
		const list = "/app/acme/workspaces?engine=%3C+1.9"
		shown := owner.get(list).want(t, 200).has(t, `name="all" value="4"`)
		campaign := s.file(owner, list, shown.form("do", "file", "all", "4"), "Engine fits &lt; 1.9", 4)
		owner.get(campaign).has(t, "still 1.6.0</span>", "still 1.7.3</span>", "0</b> fit no more").hasNot(t, "File on")
		upgrade("ws-00")
		upgrade("ws-02")
		add("late", "1.6.0")
		page := owner.get(campaign).has(t, "2</b> fit no more", "2</b> still to do", "now 1.10.1</span>", "Archive all 2 that are ready", "File on 1 more")
		if cost := s.pageCosts(owner, campaign, 8); cost > 8 {
			t.Errorf("the page costs %d statements", cost)
		}
		owner.get("/app/acme/changes").want(t, 200).has(t, "2 ready to archive")
		to := owner.post(campaign, page.form("do", "archive-ready")).want(t, 303).Header.Get("Location")
		owner.get(to).has(t, "2 change requests archived.", "of 4 archived, 50 %")
		owner.post(campaign, page.form("do", "file-again")).want(t, 303)
		owner.get(campaign).has(t, "of 5 archived", ">late</a>")
		question := regexp.MustCompile(`href="(/app/acme/explorer\?[^"]*)"`).FindStringSubmatch(page.Body)
		asked := owner.get(html.UnescapeString(question[1])).want(t, 200).has(t, `value="&lt; 1.9"`, `value="satisfies" selected`, "3 of 8 workspaces").hasNot(t, "Checks errored</a>")
		asked.has(t, "File on these 3").inert(t)

		// Of those some are ticked: no other is filed on, ever.
		shown = owner.get(list)
		form := shown.form("do", "file", "id", ids["ws-01"]+" ws-01")
		form.Add("id", ids["ws-03"]+" ws-03")
		part := s.file(owner, list, form, "Engine fits &lt; 1.9, Workspace is ws-01 or ws-03", 2)
		upgrade("ws-01")
		page = owner.get(part).has(t, "1</b> fit no more", "1</b> still to do", "Archive the one that is ready").hasNot(t, "File on")
		owner.post(part, page.form("do", "file-again")).want(t, 303)
		owner.get(part).has(t, "of 2 archived")

		// What the explorer asks for otherwise is not kept, and the names are.
		s.do("POST", "/workspaces/"+ids["ws-03"]+"/relationships/tags", s.Token, `{"data":[{"type":"tags","attributes":{"name":"edge"}}]}`).want(t, 204)
		s.do("POST", "/workspaces/"+ids["late"]+"/relationships/tags", s.Token, `{"data":[{"type":"tags","attributes":{"name":"edge"}}]}`).want(t, 204)
		for narrowed, want := range map[string]string{
			list + "&tags=edge":                                                                 "2 Engine fits &lt; 1.9, Workspace is late or ws-03",
			"/app/acme/workspaces?tags=edge":                                                    "2 Workspace is late or ws-03",
			"/app/acme/workspaces?lock=unlocked&search=ws-0":                                    "6 Workspace contains ws-0, Workspace is ws-00 or ws-01 or ws-02 or ws-03 or ws-04 or ws-05",
			"/app/acme/workspaces?search=WS-0&run=none":                                         "6 Run is empty, Workspace contains WS-0",
			"/app/acme/workspaces?engine=1.9.8&engine=%3C+1.7":                                  "2 Engine fits 1.9.8 or &lt; 1.7",
			"/app/acme/workspaces?engine=%3E%3D+1.9%2C+%3C+2&project=Default+Project&search=ws": "5 Engine fits &gt;= 1.9, &lt; 2, Project is Default Project, Workspace contains ws",
			"/app/acme/workspaces":                                                              "8 all of them",
		} {
			count, text, _ := strings.Cut(want, " ")
			to := owner.post(narrowed, owner.get(narrowed).want(t, 200).has(t, `name="all" value="`+count+`"`).form("do", "file", "all", count)).want(t, 303).Header.Get("Location")
			filing := owner.get(to).want(t, 200).has(t, "that fit: "+text+".")
			owner.post("/app/acme/change-requests/preview", filing.form("subject", "Upgrade", "message", "m")).want(t, 200).has(t, "<strong>"+count+" workspaces</strong>")
		}
	})
}

// TestWhatIsNoVersionIsTold asks for engines that none can be, in the list and in the explorer.
func TestWhatIsNoVersionIsTold(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		for i, version := range []string{"1.6.0", "1.7.3", "1.10.1"} {
			s.newWorkspace("acme", fmt.Sprintf("ws-%02d", i), func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String(version) })
		}
		for _, text := range []string{"<", "below 1.9", "abc"} {
			list := "/app/acme/workspaces?engine=" + url.QueryEscape(text)
			told := "Engine: “" + strings.ReplaceAll(text, "<", "&lt;") + "” is not a version or a constraint such as &lt; 1.10."
			owner.get(list).want(t, 200).has(t, `role="alert"`, told, "0 workspaces found").inert(t)
			owner.get(list+"&engine=1.6.0").want(t, 200).has(t, told, ">ws-00</a>")
			owner.get(list+"&csv").want(t, 400).has(t, told)
			for _, operator := range []string{"is", "is_not", "satisfies"} {
				found := owner.get(owner.post(explorerPath, asking(owner.get(explorerPath), "workspace_terraform_version", operator, text)).want(t, 303).Header.Get("Location"))
				found.want(t, 400).has(t, strings.Replace(told, "1.10", "1.9", 1), `class="cond wrong"`).inert(t)
			}
		}
		owner.get("/app/acme/workspaces?engine=%3C+1.9").hasNot(t, "not a version")
		asked := "/app/acme/explorer?type=workspaces&filter[0][workspace_terraform_version]"
		owner.get(asked+"[is][0]=%3C+1.9").want(t, 400).has(t, "Engine: “&lt; 1.9” is a constraint. Ask what fits it.")
		owner.get(asked+"[is_not][0]=%3C+1.9").want(t, 400).has(t, "is a constraint")
		owner.get(asked+"[is][0]=3.0.0").want(t, 200).has(t, "Nothing fits")
		owner.get(asked+"[contains][0]=%3C").want(t, 200).has(t, "Nothing fits")
		// The API's own operators take any text, as those of others do.
		s.do("GET", "/organizations/acme/explorer?type=workspaces&filter[0][workspace_terraform_version][is][0]=%3C+1.9", s.Token, "").want(t, 200)
		refused := s.do("GET", "/organizations/acme/explorer?type=workspaces&filter[0][workspace_terraform_version][satisfies][0]=abc", s.Token, "").want(t, 400)
		if !strings.Contains(refused.Body, `is not a version or a constraint`) {
			t.Errorf("%s", refused.Body)
		}

		// What fits may be asked for in more than one way.
		for _, c := range []struct{ operator, typed, address, shown string }{
			{"satisfies", "< 1.9", "[satisfies][0]=< 1.9", "2 of 4 workspaces"},
			{"satisfies", ">= 1.7, < 2", "[satisfies][0]=>= 1.7, < 2", "3 of 4 workspaces"},
			{"satisfies", "1.6.0 or >= 1.10", "[satisfies][1]=>= 1.10", "3 of 4 workspaces"},
			{"is", "< 1.9", "[satisfies][0]=< 1.9", "2 of 4 workspaces"},
			{"is", "1.6.0, 1.7.3", "[is][1]=1.7.3", "2 of 4 workspaces"},
		} {
			to := owner.post(explorerPath, asking(owner.get(explorerPath), "workspace_terraform_version", c.operator, c.typed)).want(t, 303).Header.Get("Location")
			if raw, _ := url.QueryUnescape(to); !strings.Contains(raw, "filter[0][workspace_terraform_version]"+c.address) {
				t.Errorf("%s %s leads to %s", c.operator, c.typed, raw)
			}
			owner.get(to).want(t, 200).has(t, c.shown, `value="`+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(c.typed)+`"`, "Commas between values mean any of these").inert(t)
		}
		owner.get("/app/acme/explorer?type=tf_versions&filter[0][version][satisfies][0]=%3C+1.9").want(t, 200).has(t, "2 engines", "1.6.0", "1.7.3")
		owner.get("/app/acme/explorer?type=workspaces&filter[0][state_version_terraform_version][satisfies][0]=%3C+1.9").want(t, 200).has(t, "Nothing fits")
	})
}

// TestColumnsOfTheExplorerKeepTheirOrder asks for more, and adds and takes away columns.
func TestColumnsOfTheExplorerKeepTheirOrder(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	s.people()
	owner := s.signIn("olga")
	order := func(r reply) (heads string) {
		for _, part := range strings.Split(r.Body, `<th scope="col"`)[1:] {
			_, name, _ := strings.Cut(part, `">`)
			_, name, _ = strings.Cut(name, `">`)
			name, _, _ = strings.Cut(name, "<")
			heads += name + "; "
		}
		return heads
	}
	first := owner.get(explorerPath + "?type=workspaces")
	usual := order(first)
	if !strings.HasPrefix(usual, "Workspace; Engine; ") {
		t.Fatalf("the columns are %s", usual)
	}
	columns := strings.Split("current_run_status project_name resource_count tags workspace_name workspace_terraform_version workspace_updated_at", " ") // as the form has them
	ask := func(from reply, columns []string) (string, reply) {
		form := asking(from, "workspace_name", "contains", "net")
		form["column"] = columns
		to := owner.post(explorerPath, form).want(t, 303).Header.Get("Location")
		return to, owner.get(to).want(t, 200)
	}
	to, same := ask(first, columns)
	if got := order(same); got != usual || strings.Contains(to, "fields=") {
		t.Errorf("%s has %s", to, got)
	}
	_, more := ask(same, append([]string{"external_id"}, columns[1:]...))
	if got := order(more); got != strings.Replace(usual, "Run; ", "", 1)+"Id; " {
		t.Errorf("with another column and without one: %s", got)
	}
	wrong := owner.get(explorerPath+"?type=workspaces&fields=workspace_name,external_id&filter[0][resource_count][gt][0]=x").want(t, 400)
	_, kept := ask(wrong, []string{"external_id", "workspace_name"})
	if got := order(kept); got != "Workspace; Id; " {
		t.Errorf("after a refusal: %s", got)
	}
}
