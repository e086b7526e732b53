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

const explorerPath = "/app/acme/explorer"

// asking is a form of the explorer with the conditions: fields, operators and values in threes.
func asking(r reply, more ...string) url.Values {
	form := r.form("do", "ask", "type", "workspaces", "view", "", "sort", "")
	for i := 0; i+2 < len(more); i += 3 {
		form.Add("field", more[i])
		form.Add("operator", more[i+1])
		form.Add("value", more[i+2])
	}
	return form
}

// TestExplorerPages asks by forms alone, keeps a question, takes it as a file, and files on it.
func TestExplorerPages(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		for i, version := range []string{"1.9.8", "1.9.8", "1.10.1"} {
			s.newWorkspace("acme", fmt.Sprintf("app-%d", i), func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String(version) })
		}
		for _, b := range []*browser{reader, stranger} {
			b.get(explorerPath).want(t, 404)
			b.get("/app/acme/explorer?type=workspaces&csv").want(t, 404)
			b.post(explorerPath, b.get(organizationsPath).form("do", "ask")).want(t, 404)
		}
		reader.get("/app/acme/workspaces").hasNot(t, explorerPath)
		first := owner.get(explorerPath).want(t, 200).has(t, "Questions to begin with", "Old engines", "Modules by version", "No change for 90 days", `data-key="+"`, "app-0", "4 workspaces", ">1.9.8</a>").inert(t)
		ask := func(form url.Values) (string, reply) {
			to := owner.post(explorerPath, form).want(t, 303).Header.Get("Location")
			return to, owner.get(to)
		}
		to, found := ask(asking(first, "workspace_terraform_version", "is", "1.9.8, 1.10.1", "workspace_name", "contains", "app"))
		for _, part := range []string{"filter[0][workspace_terraform_version][is][0]=1.9.8", "filter[0][workspace_terraform_version][is][1]=1.10.1", "filter[1][workspace_name][contains][0]=app"} {
			if raw, _ := url.QueryUnescape(to); !strings.Contains(raw, part) {
				t.Errorf("%s lacks %s", raw, part)
			}
		}
		found.want(t, 200).has(t, "3 of 4 workspaces", `value="1.9.8, 1.10.1"`, "File on these 3", "(67 %)", ">app-2</a>").hasNot(t, ">network</a>").inert(t)
		owner.post(explorerPath, asking(first, "workspace_name", "contains", strings.Repeat("long ", 180_000))).want(t, 422).has(t, "Too much to be asked for at once", "value").inert(t)
		owner.post("/app/acme/members", owner.get("/app/acme/members").form("do", "remove", "member", strings.Repeat("m", 900_000))).want(t, 422).has(t, "Too much to be asked for at once", "member")
		// The command asks the API the same.
		curl := regexp.MustCompile(`curl -H "Authorization: Bearer \$TOKEN" '(http[^']+)'`).FindStringSubmatch(html.UnescapeString(found.Body))
		if curl == nil {
			t.Fatal("there is no command")
		}
		_, api, _ := strings.Cut(curl[1], "/api/v2")
		if rows := s.do("GET", api, s.Token, "").want(t, 200); rows.at("meta.pagination.total-count") != 3.0 {
			t.Errorf("the API finds %v", rows.at("meta.pagination.total-count"))
		}
		// A condition without a value waits for it, one that is dropped is gone, and an operator of
		// another kind of field becomes one of its own.
		_, waiting := ask(asking(found, "resource_count", "contains", "", "workspace_name", "is", "app-1"))
		waiting.want(t, 200).has(t, "1 of 4 workspaces", "is more than")
		dropped := asking(found, "workspace_name", "is", "app-1", "workspace_name", "is", "app-2")
		dropped.Set("drop", "0")
		_, left := ask(dropped)
		left.want(t, 200).has(t, ">app-2</a>").hasNot(t, ">app-1</a>")
		_, wrong := ask(asking(found, "resource_count", "gt", "many"))
		wrong.want(t, 400).has(t, "is no whole number", `value="many"`).inert(t)
		owner.get(explorerPath+"?type=workspaces&filter[0][nonsense][is][0]=x").want(t, 400).has(t, "is no field").inert(t)
		owner.get(explorerPath+"?type=workspaces&sort=-workspace_name").want(t, 200).has(t, `aria-sort="descending"`)
		_, none := ask(asking(found, "workspace_name", "is", "nothing"))
		none.want(t, 200).has(t, "Nothing fits", "0 of 4 workspaces").hasNot(t, "File on")
		for _, kind := range []string{"tf_versions", "providers", "modules", "resources"} {
			owner.get(explorerPath+"?type="+kind).want(t, 200).inert(t)
		}
		owner.get(explorerPath+"?type=tf_versions").has(t, "workspace_terraform_version%5D%5Bis%5D%5B0%5D=1.9.8")
		fresh := s.newWorkspace("acme", "new", func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String("1.10.1") })
		if page := owner.get(explorerPath + "?type=tf_versions&sort=version").Body; strings.Index(page, "5D=1.9.8") > strings.Index(page, "5D=1.10.1") || !strings.Contains(page, "5D=1.10.1") {
			t.Errorf("versions are out of order: %s", page)
		}
		s.do("DELETE", "/workspaces/"+fresh.ID, s.Token, "").want(t, 204)
		csv := owner.get(to+"&csv").want(t, 200).has(t, "workspace_name,workspace_terraform_version", `"app-0","1.9.8"`)
		if kind := csv.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") || !strings.Contains(csv.Header.Get("Content-Disposition"), "workspaces.csv") {
			t.Errorf("the file is %s", kind)
		}
		owner.get(explorerPath+"?type=workspaces&filter[0][nonsense][is][0]=x&csv").want(t, 400)

		// Keep the question, open it, change it, forget it.
		keep := found.form("do", "keep", "name", vectors[0])
		kept := owner.post(to, keep).want(t, 303).Header.Get("Location")
		opened := owner.get(owner.get(kept).want(t, 303).Header.Get("Location")).want(t, 200).has(t, "3 of 4 workspaces", "Saved", html.EscapeString(vectors[0])).inert(t)
		owner.post(to, found.form("do", "keep", "name", " ")).want(t, 422).has(t, "Name can&#39;t be blank", "3 of 4 workspaces")
		owner.post(to, found.form("do", "keep", "name", "x", "query", "nonsense")).want(t, 422)
		owner.post(to, found.form("do", "keep", "name", "x", "form", "x")).want(t, 403)
		owner.post(to, opened.form("do", "keep", "name", "Renamed", "view", kept[len(explorerPath)+1:])).want(t, 303)
		owner.get(explorerPath).has(t, "Renamed").hasNot(t, html.EscapeString(vectors[0]))
		stranger.get(kept).want(t, 404)
		owner.post(explorerPath, opened.form("do", "forget", "view", kept[len(explorerPath)+1:])).want(t, 303)
		owner.get(kept).want(t, 404)
		owner.get(explorerPath).hasNot(t, "Renamed")

		// File on the answer: the question comes along.
		file := regexp.MustCompile(`href="(/app/acme/change-requests/new\?query=[^"]*)"`).FindStringSubmatch(found.Body)
		if file == nil {
			t.Fatal("there is no way to file on the answer")
		}
		form := owner.get(html.UnescapeString(file[1])).want(t, 200).has(t, "Engine is 1.9.8 or 1.10.1").hasNot(t, "Workspaces whose name has").inert(t)
		seen := owner.post("/app/acme/change-requests/preview", form.form("subject", "Upgrade", "message", "m")).want(t, 200).has(t, "<strong>3 workspaces</strong>", "app-2").hasNot(t, ">network<")
		send := seen.form()
		send.Del("answer")
		campaign := owner.get(owner.post("/app/acme/change-requests", send).want(t, 303).Header.Get("Location")).want(t, 200)
		campaign.has(t, "was put on 3 workspaces", "Engine is 1.9.8 or 1.10.1").inert(t)
	})
}

// TestCampaignPages follows a campaign: what is done falls out, what is new comes in.
func TestCampaignPages(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		for i := range 4 {
			s.newWorkspace("acme", fmt.Sprintf("app-%d", i), func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String("1.9.8") })
		}
		id := s.do("POST", "/organizations/acme/explorer/bulk-actions", s.Token, `{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests",
			"action_inputs":{"subject":"Upgrade","message":"**do** it"},"query":{"type":"workspaces","filter":[{"field":"workspace_terraform_version","operator":"is","value":["1.9.8"]}]}}}}`).want(t, 201).text("data.id")
		page := "/app/acme/changes/" + id
		stranger.get("/app/acme/changes").want(t, 404)
		if to := reader.get("/app/acme/changes").want(t, 303).Header.Get("Location"); to != "/app/acme/change-requests" {
			t.Errorf("a reader is led to %s", to)
		}
		for _, b := range []*browser{reader, stranger} {
			b.get(page).want(t, 404)
			for _, do := range []string{"archive", "archive-ready", "file-again", "due", "remind"} {
				b.post(page, b.get(organizationsPath).form("do", do, "id", s.firstRequest(s.idOf("app-0")))).want(t, 404)
			}
		}
		owner.get("/app/acme/changes").want(t, 200).has(t, ">Upgrade</a>", "0 <span class=\"faint\">of 4</span>").inert(t)
		shown := owner.get(page).want(t, 200).has(t, "of 4 archived, 0 %", "Engine is 1.9.8", "<strong>do</strong>", "Default Project", "still 1.9.8</span>", "4</b> still to do").hasNot(t, "now 1.", "File on", "that is ready").inert(t)
		upgrade := func(name, version string) {
			t.Helper()
			s.do("PATCH", "/workspaces/"+s.idOf(name), s.Token, `{"data":{"type":"workspaces","attributes":{"terraform-version":"`+version+`"}}}`).want(t, 200)
		}
		upgrade("app-0", "1.10.1")
		upgrade("app-1", "1.10.1")
		s.newWorkspace("acme", "late", func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String("1.9.8") })
		owner.get(page).has(t, "2</b> fit no more", "2</b> still to do", "now 1.10.1</span>", "still 1.9.8</span>", "Archive all 2 that are ready", "File on 1 more").inert(t)
		owner.get(page+"?show=ready").has(t, ">app-0</a>", ">app-1</a>").hasNot(t, ">app-2</a>")
		owner.get(page+"?show=todo").has(t, ">app-2</a>").hasNot(t, ">app-0</a>")
		owner.post(page, shown.form("do", "archive-ready", "form", "x")).want(t, 403)
		owner.post(page, shown.form("do", "archive")).want(t, 422).has(t, "Tick the change requests")
		owner.post(page, shown.form("do", "nonsense")).want(t, 422)
		to := owner.post(page+"?filed", shown.form("do", "archive-ready")).want(t, 303).Header.Get("Location")
		owner.get(to).want(t, 200).has(t, `role="status"`, "2 change requests archived.").hasNot(t, "was put on").inert(t)
		owner.get(page).has(t, "of 4 archived, 50 %", "0</b> fit no more")
		owner.get(page+"?show=archived").has(t, ">app-0</a>", "olga").hasNot(t, ">app-2</a>").inert(t)
		ticked := shown.form("do", "archive", "id", s.firstRequest(s.idOf("app-2")))
		ticked.Add("id", "wscr-0000000000000000")
		to = owner.post(page+"?filed&show=todo", ticked).want(t, 303).Header.Get("Location")
		owner.get(to).want(t, 200).has(t, `role="status"`, "1 change request archived, 1 not:", `aria-current="true">To do 1</a>`, `action="`+page+`?show=todo"`).hasNot(t, "was put on", "filed=", "archived=").inert(t)
		if strings.Contains(to, "filed") {
			t.Errorf("archiving leads to %s", to)
		}
		owner.get(page+"?archived=-1&not=%3Cb%3E").want(t, 200).hasNot(t, `role="status"`).inert(t)
		owner.get(page+"?filed").want(t, 200).has(t, "was put on", `action="`+page+`"`)
		owner.get(page).has(t, "of 4 archived, 75 %", "3 today, ", " a day")
		trail := s.do("GET", "/organizations/acme/audit-trail?sort=-timestamp", s.Token, "").trail()
		if n := strings.Count(strings.Join(trail, " "), "change_request archive"); n != 3 {
			t.Errorf("the trail tells of %d that were archived: %v", n, trail)
		}
		owner.post(page, shown.form("do", "file-again")).want(t, 303)
		owner.post(page, shown.form("do", "file-again")).want(t, 303) // a second click
		owner.get(page).has(t, "of 5 archived", ">late</a>").hasNot(t, "File on")
		owner.post(page, shown.form("do", "due", "due", "soon")).want(t, 422).has(t, "Write the day")
		owner.post(page, shown.form("do", "due", "due", "2031-01-31")).want(t, 303)
		owner.get(page).has(t, "days left", `value="2031-01-31"`).inert(t)
		owner.get("/app/acme/changes").has(t, "days left")
		owner.post(page, shown.form("do", "due", "due", "")).want(t, 303)
		owner.get(page).hasNot(t, "days left")
		owner.get("/app/acme/changes/eba-0000000000000000").want(t, 404)
		owner.get("/app/acme/changes?show=open").want(t, 200).has(t, ">Upgrade</a>").inert(t)
		owner.get("/app/acme/changes?show=done").want(t, 200).has(t, "None here.", ">All 1</a>", ">Open 1</a>", ">Done 0</a>", ">One by one 2</a>").hasNot(t, ">Upgrade</a>").inert(t)
		owner.get(page).has(t, "Archived 3</b> by olga", "Filed 5</b>")
		file := owner.get(page+"?as=csv").want(t, 200).Body
		if lines := strings.Split(strings.TrimSpace(file), "\n"); len(lines) != 6 || lines[0] != "workspace,change_request,state,matches,taken_by,filed,archived,now" {
			t.Errorf("the file is %q", file)
		}
		for name, now := range map[string]string{"app-0": "1.10.1", "app-2": "1.9.8", "app-3": "1.9.8", "late": "1.9.8"} { // two are archived
			if !regexp.MustCompile(`\n"` + name + `","wscr-[^\n]*,"` + now + `"\n`).MatchString(file) {
				t.Errorf("%s has %s now, and the file is %q", name, now, file)
			}
		}
		for _, b := range []*browser{reader, stranger} {
			b.get(page+"?as=csv").want(t, 404)
		}

		one := s.do("GET", "/organizations/acme/change-requests?archive=false", s.Token, "").text("data.0.id")
		asked := owner.get("/app/change-requests/"+one).has(t, ">Take</button>", ">Archive</button>").inert(t)
		owner.post("/app/change-requests/"+one+"/take", asked.form()).want(t, 303)
		owner.get("/app/change-requests/"+one).has(t, "taken by olga", ">Release</button>").hasNot(t, ">Take</button>").inert(t)
		owner.get(page).has(t, "Taken by", ">Remind</button>").inert(t)
		owner.get(page+"?show=mine").has(t, `aria-current="true">Mine</a>`, ">Open<span").inert(t)
		owner.post(page, shown.form("do", "remind")).want(t, 303)
		owner.get(page).has(t, "reminded", "no notice yet").hasNot(t, ">Remind</button>", "delivered")
		again := owner.post(page, shown.form("do", "remind")).want(t, 409).hasNot(t, "~/theme") // nobody comes back to an answer
		if !regexp.MustCompile(`less than an hour ago; again from \d{4}-\d\d-\d\d \d\d:\d\d UTC\.`).MatchString(again.Body) {
			t.Errorf("%s", again.Body)
		}
		owner.post("/app/change-requests/"+one+"/release", asked.form()).want(t, 303)
		owner.get("/app/change-requests/"+one).has(t, ">Take</button>")
		owner.get(page+"?show=mine").has(t, "None here.")
		owner.get(page).has(t, "Reminded those who were told")
		reader.post("/app/change-requests/"+one+"/take", reader.get(organizationsPath).form()).want(t, 404)
	})
}
