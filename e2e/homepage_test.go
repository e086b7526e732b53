package e2e_test

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheFirstStepsLetACommandLineTrustTheServer that made its certificate itself.
func TestTheFirstStepsLetACommandLineTrustTheServer(t *testing.T) {
	eachTLS(t, func(t *testing.T, s *server, _ *browser) {
		s.trust()
		s.organization("empty")
		s.user("erik")
		s.join("empty", "erik", s.owners("empty"))
		erik := s.signIn("erik")
		erik.get("/app/empty").want(t, 200).has(t, `<a href="/app/~/belay-ca.pem" download>`, "<pre>export SSL_CERT_FILE=$PWD/belay-ca.pem\ntofu login").inert(t)
		ca, err := os.ReadFile(s.caPath())
		must(t, err)
		if got := erik.get("/app/~/belay-ca.pem").want(t, 200); got.Body != string(ca) || strings.Contains(got.Body, "PRIVATE") {
			t.Errorf("%s", got.Body)
		}
		s.browse().get("/app/~/belay-ca.pem").want(t, 303)
	})
}

// TestHomeOfAnOrganization shows how one begins, what waits and what goes on, to each only what they may see.
func TestHomeOfAnOrganization(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("empty")
		s.user("erik")
		s.join("empty", "erik", s.owners("empty"))
		s.signIn("erik").get("/app/empty").want(t, 200).has(t, "From nothing to the first state", "Command lines speak TLS alone", "tofu login", `organization = <span class="hs">"empty"`, "empty is new. Three steps", "/app/empty/start").hasNot(t, "Waiting for you", "Nothing runs.").inert(t)
		erik := s.signIn("erik")
		erik.get("/app/empty").hasNot(t, "SSL_CERT_FILE")
		erik.get("/app/~/belay-ca.pem").want(t, 404)
		erik.get("/app/empty?command=terraform&name=net-work").want(t, 200).has(t, "terraform login", "terraform init\nterraform apply", `name = <span class="hs">"net-work"`, "Or begin elsewhere", "TF_TOKEN_", "/app/empty/connections").
			hasNot(t, "tofu login", "was made for your command line").inert(t)
		for _, vector := range vectors {
			erik.get("/app/empty?command=x&name="+url.QueryEscape(vector)).want(t, 200).has(t, `name = <span class="hs">"my-workspace"`, "tofu login").inert(t)
		}
		s.execute("INSERT INTO tokens (id, hash, tail, owner_kind, owner_id, organization_id, purpose, description, created_by, created_at, last_used_at, expired_at) SELECT 'at-login', 'x', 'f3Kq', 'user', id, '', '', 'tofu login', id, created_at, 0, 0 FROM users WHERE username = 'erik'")
		erik.get("/app/empty").want(t, 200).has(t, "A token (…f3Kq) was made for your command line", `<li class="done">`).inert(t)
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const home = "/app/acme"
		owner.get(home).want(t, 200).has(t, "Hello, olga</h1>", "Nothing waits for you.", "Latest activity", `<b>1</b> no run yet`, "Waiting for the first state of", `name = <span class="hs">"network"`).inert(t)
		s.hold(id, 1, instances("random_pet", 2), "")
		s.eventually(func() bool {
			return strings.Contains(owner.get(home).Body, "has its first state</b>, with 2 resources")
		}, "the first state is told")
		s.execute("UPDATE workspaces SET created_at = created_at - 3600001")
		owner.get(home).want(t, 200).hasNot(t, "From nothing")
		hidden := s.workspace("acme", "hidden")
		for _, vector := range vectors {
			s.fileRequests("acme", vector, hidden)
		}
		s.fileRequests("acme", "Upgrade", id)
		ws := s.runnable("cluster")
		s.do("POST", "/runs", s.Token, runOf(ws, `"message":"Grow it"`)).want(t, 201)
		owner.get(home).want(t, 200).has(t, "Upgrade", "Running now", "cluster</a>", "Waits for a runner", `<span class="v">12</span>`, "things wait for you.").inert(t)
		reader.get(home).want(t, 200).has(t, "Upgrade", "1 thing waits for you.", "Nothing runs.").hasNot(t, "cluster", "Latest activity", "hidden</a>", `class="strip"`, "onerror").inert(t)
		s.team("acme", "bert", nil)
		s.signIn("bert").get(home).want(t, 200).has(t, "You see no workspaces yet. Teams give access: ask admin (owner).").hasNot(t, "cluster", "hidden</a>").inert(t)
		there, absent := stranger.get(home).want(t, 404), stranger.get("/app/nothing").want(t, 404)
		if unmarked(there) != unmarked(absent) {
			t.Error("what is hidden looks unlike what is absent")
		}
		if to := s.browse().get(home).want(t, 303).Header.Get("Location"); to != "/app/sign-in?return=%2Fapp%2Facme" {
			t.Errorf("nobody is sent to %s", to)
		}
	})
}

// TestWhatWaitsAtHome tells one's own from what all that one may see to asks, and what is not the visitor's to nobody.
func TestWhatWaitsAtHome(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const home, mine = "/app/acme", "/app/acme?of=mine"
		s.fileRequests("acme", "Upgrade", id)
		s.lock(id)
		owner.get(home).want(t, 200).has(t, "Upgrade", "1 thing waits for you.", `?of=mine"`, "Open requests").hasNot(t, "locked by admin", "Your requests").inert(t)
		s.execute("UPDATE workspaces SET locked_at = locked_at - 259200000 WHERE id = '" + id + "'")
		owner.get(home).want(t, 200).has(t, "network is locked by admin", "2 things wait for you.").inert(t)
		reader.get(home).want(t, 200).has(t, "Upgrade", "1 thing waits for you.").hasNot(t, "is locked by")
		owner.get(mine).want(t, 200).has(t, "Nothing waits for you.", "Your requests", `/app/acme/change-requests?assignee=olga"`).hasNot(t, "Upgrade</a></p>", "is locked by").inert(t)
		request := s.firstRequest(id)
		owner.post("/app/change-requests/"+request+"/take", owner.get("/app/change-requests/"+request).form()).want(t, 303)
		owner.get(mine).want(t, 200).has(t, "Upgrade", "1 thing waits for you.").inert(t)
		for taken, found := range map[string]string{"olga": "1 change request found", "none": "0 change requests found", "rita": "0 change requests found", url.QueryEscape(vectors[0]): "0 change requests found"} {
			owner.get("/app/acme/change-requests?assignee="+taken).want(t, 200).has(t, found).inert(t)
		}
		// A state whose upload is not finished for long waits for those who may write one.
		s.do("POST", "/workspaces/"+id+"/state-versions", s.Token, stateBody(stateWith(3, 1), 3, lineage, false)).want(t, 201)
		owner.get(home).want(t, 200).hasNot(t, "did not arrive")
		s.execute("UPDATE state_versions SET created_at = created_at - 3700000 WHERE status = 'pending'")
		owner.get(home).want(t, 200).has(t, "A state of network did not arrive", "the upload of serial 3 is not finished", networkPage+`/state">Show state`).inert(t)
		owner.get(mine).want(t, 200).hasNot(t, "did not arrive")
		reader.get(home).want(t, 200).hasNot(t, "did not arrive")
		// A destination that is given up on waits for those who manage it.
		told := s.do("POST", "/workspaces/"+id+"/notification-configurations", s.Token, `{"data":{"type":"notification-configuration","attributes":{"destination-type":"generic","enabled":false,"url":"https://hooks.example.com/","triggers":["run:errored"],"name":"the <pager>"}}}`).want(t, 201).text("data.id")
		for _, at := range []string{"0", "1"} {
			s.execute("INSERT INTO deliveries (id, event_id, notification_id, workspace_id, change_request_id, action_id, status, attempts, next_at, claim, response, created_at, updated_at) SELECT 'nd-" + at + "', 'event-" + at + "', n.id, n.workspace_id, '', '', 'parked', 9, 0, '', '', n.created_at, n.created_at FROM notifications n WHERE n.id = '" + told + "'")
		}
		owner.get(home).want(t, 200).has(t, "2 deliveries to “the &lt;pager&gt;” did not arrive", "/app/acme/notifications/"+told).inert(t)
		reader.get(home).want(t, 200).hasNot(t, "pager")
		// What can't be read is said, and the rest stands.
		s.execute("ALTER TABLE deliveries RENAME TO went")
		owner.get(home).want(t, 200).has(t, "Could not be read just now: states and deliveries that did not arrive, what was put off.", "Upgrade", "Latest activity").hasNot(t, "SQLSTATE", "SQL logic").inert(t)
		s.execute("ALTER TABLE went RENAME TO deliveries")
	})
}

// TestTheHolderOfALockIsAsked by those who may lock, finds it at home, and the question is gone with the lock.
func TestTheHolderOfALockIsAsked(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, holder := s.signIn("olga"), s.signIn("rita"), s.signIn("admin")
		ask := func(b *browser, text string) reply {
			return b.post(networkPage+"/ask", b.get(networkPage).form("question", text))
		}
		ask(owner, "Done?").want(t, 409).has(t, "Nobody holds the lock")
		s.lock(id)
		s.execute("UPDATE workspaces SET locked_at = locked_at - 259200000 WHERE id = '" + id + "'")
		reader.get(networkPage).want(t, 200).hasNot(t, "Ask admin")
		ask(reader, "Done?").want(t, 404)
		owner.get("/app/acme").want(t, 200).has(t, "network is locked by admin", networkPage+`?ask">Ask admin`).inert(t)
		owner.get(networkPage).want(t, 200).has(t, "Ask admin").hasNot(t, "Unlock</button>").inert(t)
		owner.get(networkPage+"?ask").want(t, 200).has(t, `<details class="facet" open><summary class="btn" data-key="l">`).inert(t)
		ask(owner, strings.Repeat("x", 501)).want(t, 422).has(t, "xxx")
		ask(owner, "First").want(t, 303)
		ask(owner, "Are you <done>?").want(t, 303)
		holder.get("/app/acme").want(t, 200).has(t, "network is locked by you", "olga asks: “Are you &lt;done&gt;?”").hasNot(t, "First").inert(t)
		for _, b := range []*browser{holder, reader} {
			b.get(networkPage).want(t, 200).has(t, "<b>olga</b> asks", "Are you &lt;done&gt;?").hasNot(t, "First").inert(t)
		}
		got := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
		if by := got.at("data.attributes.lock-questions.0.by.id"); by == nil || got.at("data.attributes.lock-questions.0.question") != "Are you <done>?" || got.at("data.attributes.lock-questions.1") != nil {
			t.Errorf("the questions are %v", got.at("data.attributes.lock-questions"))
		}
		s.do("POST", "/workspaces/"+id+"/actions/ask-holder", s.Token, "").want(t, 409) // its own lock
		s.unlock(id)
		s.lock(id)
		owner.get(networkPage).want(t, 200).hasNot(t, "asks")
	})
}

// TestSideBarCounts what goes on and waits, of what the visitor may see.
func TestSideBarCounts(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page = "/app/acme/projects"
		s.fileRequests("acme", "Upgrade", id)
		ws := s.runnable("cluster")
		s.execute("UPDATE workspaces SET current_run_status = 'planning' WHERE id = '"+ws+"'", "UPDATE workspaces SET current_run_status = 'planned' WHERE id = '"+id+"'")
		form := owner.get("/app/acme/workspaces?search=net").form("do", "keep-view", "name", "Nets & more")
		owner.post("/app/acme/workspaces?search=net", form).want(t, 303)
		const hot, live, open = `<span class="n hot">1<span class="hidden"> waits for you`, `<span class="n live">1<span class="hidden"> goes on`, `<span class="n">1<span class="hidden"> is open`
		s.eventually(func() bool {
			body := owner.get(page).want(t, 200).Body
			return strings.Contains(body, hot) && strings.Contains(body, live) && strings.Contains(body, open) && strings.Contains(body, "Nets &amp; more")
		}, "an owner's side bar counts")
		s.eventually(func() bool { return strings.Contains(reader.get(page).want(t, 200).Body, `>Runs</span></a>`) }, "a reader's side bar counts no run of others")
		reader.get(page).hasNot(t, "is open", "Nets").inert(t)
		stranger.get(page).want(t, 404).hasNot(t, "goes on")
		for _, vector := range vectors {
			owner.post("/app/acme/workspaces?search=net", owner.get("/app/acme/workspaces?search=net").form("do", "keep-view", "name", vector)).want(t, 303)
		}
		owner.get(page).want(t, 200).inert(t)
	})
}

// TestNotNowAtHome leaves a thing out for a day, in every browser of one person, and shows it again.
func TestNotNowAtHome(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		s.user("otto")
		s.join("acme", "otto", s.owners("acme"))
		owner, other, stranger := s.signIn("olga"), s.signIn("otto"), s.signIn("stan")
		elsewhere := s.browse()
		elsewhere.post("/app/sign-in", elsewhere.get("/app/sign-in").form("name", "olga", "password", password)).want(t, 303)
		const home = "/app/acme"
		s.fileRequests("acme", "Upgrade <it>", id)
		shown := owner.get(home).want(t, 200).has(t, "1 thing waits for you.", "From nothing to the first state", `Not now<span class="hidden">: “Upgrade &lt;it&gt;”`).inert(t)
		marks := regexp.MustCompile(`name="later" value="([^"]+)"`).FindAllStringSubmatch(shown.Body, -1)
		if len(marks) != 2 {
			t.Fatalf("%d things can be put off", len(marks))
		}
		for i, mark := range marks {
			if to := owner.post(home, shown.form("later", mark[1])).want(t, 303).Header.Get("Location"); to != home {
				t.Errorf("it leads to %s", to)
			}
			owner.get(home).want(t, 200).has(t, []string{"1 thing is left out for a day.", "2 things are left out for a day."}[i]).inert(t)
		}
		owner.get(home).want(t, 200).has(t, "Nothing waits for you.").hasNot(t, "Upgrade &lt;it&gt;</a>", "From nothing to the first state")
		elsewhere.get(home).want(t, 200).has(t, "Nothing waits for you.", "2 things are left out for a day.")
		other.get(home).want(t, 200).has(t, "1 thing waits for you.", "From nothing to the first state").hasNot(t, "left out for a day")
		for _, wrong := range append([]string{"", "a.b-cdefgh", "../../../.."}, vectors...) {
			owner.post(home, shown.form("later", wrong)).want(t, 422).has(t, "There is nothing of the kind").inert(t)
		}
		owner.post(home, shown.form("later", marks[0][1], "form", "x")).want(t, 403)
		stranger.post(home, stranger.get(organizationsPath).form("later", marks[0][1])).want(t, 404)
		s.execute("UPDATE put_off SET until = 1 WHERE mark = '" + marks[0][1] + "'")
		owner.get(home).want(t, 200).has(t, "1 thing is left out for a day.") // a day has gone
		owner.post(home, shown.form("again", "yes")).want(t, 303)
		owner.get(home).want(t, 200).has(t, "1 thing waits for you.", "From nothing to the first state").hasNot(t, "left out for a day")
	})
}

// TestFirstStepsSayWhatWasRefused: who begins sees what the command line was refused, and nobody else does; the way stays
// at an address of its own.
func TestFirstStepsSayWhatWasRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		_, token := s.user("olga")
		s.join("acme", "olga", s.owners("acme"))
		s.user("otto")
		s.join("acme", "otto", s.owners("acme"))
		owner, other := s.signIn("olga"), s.signIn("otto")
		const home = "/app/acme"
		owner.get(home).want(t, 200).has(t, "Put your first state here", "Waiting for the first workspace").hasNot(t, "Refused ", "Running now", "Latest activity").inert(t)
		s.do("GET", "/organizations/acme/workspaces/my-workspace", token, "").want(t, 404) // a look is no failure
		owner.get(home).want(t, 200).hasNot(t, "Refused ")
		s.do("GET", "/organizations/acmee/entitlement-set", token, "").want(t, 404)
		owner.get(home).want(t, 200).has(t, "names the organization “acmee”", "organization = &#34;acme&#34;").inert(t)
		other.get(home).want(t, 200).hasNot(t, "Refused ", "acmee")
		s.do("POST", "/organizations/acme/workspaces", token, `{"data":{"type":"workspaces","attributes":{"name":"<b>"}}}`).want(t, 422)
		owner.get(home).want(t, 200).has(t, "POST /api/v2/organizations/acme/workspaces:", "Write a name that it takes").hasNot(t, "acmee").inert(t)
		s.do("GET", "/organizations/acme/entitlement-set", "a token that is none", "").want(t, 401)
		for _, each := range []*browser{owner, other} {
			each.get(home).want(t, 200).has(t, "came with a token that opens nothing here").inert(t)
		}
		id := s.workspace("acme", "network")
		s.do("GET", "/organizations/acme/entitlement-set", token, "").want(t, 200)
		owner.get(home).want(t, 200).has(t, "Waiting for the first state").hasNot(t, "Refused ", "opens nothing here") // it came further since
		s.lock(id)
		s.do("POST", "/workspaces/"+id+"/actions/lock", token, `{}`).want(t, 409)
		owner.get(home).want(t, 200).has(t, "Refused ", "unlock it on its page").inert(t)
		s.workspace("acme", "other")
		owner.get(home).want(t, 200).hasNot(t, "From nothing to the first state")
		if to := owner.get("/app/acme/start").want(t, 303).Header.Get("Location"); to != home+"?start" {
			t.Errorf("the first steps are at %s", to)
		}
		owner.get(home+"?start").want(t, 200).has(t, "From nothing to the first state", "Running now", "Waiting for the workspace my-workspace…").hasNot(t, "the first workspace").inert(t)
		if to := owner.get("/app/acme/start?name=other").want(t, 303).Header.Get("Location"); to != home+"?start&name=other" {
			t.Errorf("the first steps of another workspace are at %s", to)
		}
		owner.get(home+"?start&name=new-one").want(t, 200).has(t, `<input type="hidden" name="start" value="">`, `href="?start&amp;name=new-one">look again`, "Waiting for the workspace new-one…")
		owner.get(home+"?start&name=other").want(t, 200).has(t, "Waiting for the first state of", `name = <span class="hs">"other"`).inert(t)
		s.do("POST", "/organizations", token, `{"data":{"type":"organizations","attributes":{"name":"settings"}}}`).wantAny(t, 403, 422) // no command line asks for that
		owner.get(home+"?start").want(t, 200).hasNot(t, "Refused ")
	})
}
