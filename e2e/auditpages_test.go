package e2e_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheAuditTrailIsNarrowedAndTaken asks the page for some of what happened, opens one event, and takes files.
func TestTheAuditTrailIsNarrowedAndTaken(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		_, ollis := s.newUser("olli", "")
		s.join("acme", "olli", s.owners("acme"))
		s.do("POST", "/workspaces/"+id+"/vars", ollis, `{"data":{"type":"vars","attributes":{"key":"cmd","value":"hunter2","category":"terraform"}}}`).want(t, 201)
		s.do("POST", "/organizations/acme/teams", ollis, `{"data":{"type":"teams","attributes":{"name":"operators"}}}`).want(t, 200)
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const path = "/app/acme/audit"
		owner.get(path).want(t, 200).has(t, "Variable created", "Team created", "Workspace created", "JSON lines").hasNot(t, "hunter2").inert(t)
		owner.get(path+"?what=variables").want(t, 200).has(t, "Variable created", "1 event found").hasNot(t, "Team created", "Workspace created").inert(t)
		owner.get(path+"?what=access&who=olli").want(t, 200).has(t, "Team created").hasNot(t, "Variable created", "Membership created")
		owner.get(path+"?about="+id).want(t, 200).has(t, "Workspace created", "Variable created").hasNot(t, "Team created")
		owner.get(path+"?who=nobody").want(t, 200).has(t, "Nothing of this kind happened in this time.").inert(t)
		owner.get(path+"?since=day&who=olli").want(t, 200).has(t, "Variable created", `name="since" value="day"`, `value="olli"`)
		owner.get(path+"?who=%27%22%3E%3Cb%3E&what=nonsense&since=x").want(t, 200).inert(t)

		rope := owner.get(path+"?view=rope&who=olli").want(t, 200).has(t, " "+time.Now().UTC().Format("2006")+"</h3>", `<ol class="rope">`, "<summary>Variable created", "<dt>key</dt><dd>cmd</dd>", "The event by itself", `name="view" value="rope"`, `view=rope&amp;who=olli" aria-current="true"`).
			hasNot(t, "hunter2", "<table", "Workspace created").inert(t)
		if days, people := strings.Count(rope.Body, "<h3>"), strings.Count(rope.Body, `<p class="who">`); days > 2 || people != days {
			t.Errorf("the rope has %d days and %d times somebody", days, people)
		}
		one := regexp.MustCompile(path + `/ev-[0-9a-f]{32}`).FindString(owner.get(path + "?what=variables").Body)
		page := owner.get(one).want(t, 200).has(t, "Variable created</h1>", ">olli<", "All by olli", "The same request", ">cmd<").hasNot(t, "hunter2").inert(t)
		request := regexp.MustCompile(`about=([^"]+)"><svg class="i"[^>]*><path[^>]*/></svg>The same request`).FindStringSubmatch(page.Body)
		if request == nil {
			t.Fatalf("no way to the request: %s", page.Body)
		}
		owner.get(path+"?about="+request[1]).want(t, 200).has(t, "Variable created", "1 event found")
		for _, b := range []*browser{reader, stranger} {
			b.get(one).want(t, 404)
			b.get(path+"?as=csv").want(t, 404)
		}
		s.do("POST", "/organizations", s.Token, `{"data":{"type":"organizations","attributes":{"name":"other","email":"o@example.com"}}}`).want(t, 201)
		s.join("other", "stan", s.owners("other"))
		stranger.get(strings.Replace(one, "acme", "other", 1)).want(t, 404)

		table := owner.get(path+"?what=variables&as=csv").want(t, 200)
		if lines := strings.Split(strings.TrimSpace(table.Body), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "timestamp,event,kind,actor") || !strings.Contains(lines[1], `"variable.created","olli"`) {
			t.Errorf("the file is %q", table.Body)
		}
		lines := strings.Split(strings.TrimSpace(owner.get(path+"?as=jsonl").want(t, 200).Body), "\n")
		for _, line := range lines {
			var event struct {
				Kind, Actor string
				Facts       map[string]any
			}
			if err := json.Unmarshal([]byte(line), &event); err != nil || event.Kind == "" {
				t.Errorf("%q: %v", line, err)
			}
		}
		if total := fmt.Sprint(len(lines), " events"); !strings.Contains(owner.get(path).Body, total) {
			t.Errorf("the file has %s, and the page another number", total)
		}
		owner.get(path+"?as=xml").want(t, 404)
		s.execute("UPDATE events SET id = 'ev-00' || SUBSTR(id, 6)") // as if they were of 1970
		owner.get(path+"?since=month").want(t, 200).has(t, "Nothing in these 30 days. Events are kept for good").inert(t)
		owner.get(path+"?since=month&view=rope&who=olli").want(t, 200).has(t, "Nothing of this kind happened in this time.").inert(t)
	})
}

// TestDestinationsOnOnePage shows who is told to those who manage them: a destination in trouble first, and what came of
// each delivery; those of others are not there.
func TestDestinationsOnOnePage(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		network := s.people()
		const path = "/app/acme/notifications"
		owner, reader := s.signIn("olga"), s.signIn("rita")
		owner.get(path).want(t, 200).has(t, "2 destinations", "Default email", "Nothing was sent yet.").inert(t) // those of the teams
		heard := receiver(t, nil)
		good := s.notify("/teams/"+s.do("GET", "/organizations/acme/teams?filter[names]=rita", s.Token, "").text("data.0.id"), "generic", heard.URL, "")
		s.fileRequests("acme", "Rotate the key", network)
		s.eventually(func() bool { return s.deliveries(good, "delivered") == 1 }, "it is told")
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"data"}}}`).want(t, 201).text("data.id")
		bad := s.notify("/workspaces/"+network, "slack", receiver(t, nil).URL, "")
		s.execute(fmt.Sprintf(`INSERT INTO deliveries (id, event_id, notification_id, workspace_id, change_request_id, action_id, raised, status, attempts, next_at, claim, response, created_at, updated_at)
			SELECT 'd-one', 'ev-one', '%s', workspace_id, '', '', raised, 'parked', 8, 0, '', '{"code":"502","body":"%s"}', created_at, updated_at FROM deliveries WHERE notification_id = '%s'`, bad, strings.Repeat("bad gateway ", 20), good))
		page := owner.get(path).want(t, 200).has(t, "4 destinations, 1 with trouble", "1 delivery to “hook” was given up.", "502", "the answer", "network, 1 event", "rita, 1 event",
			`href="`+path+"/"+bad+`" aria-current="true"`, `href="`+networkPage+`"`).inert(t)
		owner.get(path+"/"+good).want(t, 200).has(t, "delivered</span>").hasNot(t, "given up.")
		s.eventually(func() bool {
			return strings.Contains(owner.get(path+"/"+good).want(t, 200).Body, "100 % delivered in 30 days")
		}, "the share is told of what was delivered")
		owner.get(path+"/"+bad+"?show=failed").want(t, 200).has(t, "Given up 1", "given up</span>").inert(t)
		owner.get(path+"/"+bad+"?show=waiting").want(t, 200).has(t, "None here.")
		owner.post(path, page.form("do", "retry", "notification", bad)).want(t, 303)
		owner.get("/app/acme/audit?what=notifications").want(t, 200).has(t, "Notification configuration retried")
		// One that was delivered is sent again alone, by those who manage it; what is none of the destination's is not there.
		one := s.do("GET", "/notification-configurations/"+good+"/deliveries", s.Token, "").want(t, 200).text("data.0.id")
		again := owner.get(path+"/"+good).want(t, 200).has(t, "Send again<")
		for _, wrong := range [][2]string{{good, "d-none"}, {bad, one}} {
			owner.post(path, again.form("do", "resend", "notification", wrong[0], "delivery", wrong[1])).want(t, 404)
			s.do("POST", "/notification-configurations/"+wrong[0]+"/deliveries/actions/retry?delivery="+wrong[1], s.Token, "").want(t, 404)
		}
		reader.post(path, reader.get(path).form("do", "resend", "notification", good, "delivery", one)).want(t, 404)
		owner.post(path+"/"+good, again.form("do", "resend", "notification", good, "delivery", one)).want(t, 303)
		s.eventually(func() bool { return len(heard.all()) == 2 }, "it is sent again")
		s.eventually(func() bool { return s.deliveries(good, "delivered") == 1 }, "and delivered")
		s.do("POST", "/notification-configurations/"+good+"/deliveries/actions/retry?delivery="+one, s.Token, "").want(t, 204)
		s.eventually(func() bool { return len(heard.all()) == 3 }, "the API does the same")
		reader.get(path).want(t, 200).has(t, "0 destinations", "Nobody is told yet").hasNot(t, "hook")
		reader.get(path+"/"+bad).want(t, 404)
		reader.post(path, reader.get(path).form("do", "retry", "notification", bad)).want(t, 404)
		reader.get(path+"/new").want(t, 200).has(t, "You manage no team.", "You administer no project.").inert(t)
		owner.get(path+"/new").want(t, 200).has(t, ">owners</a>", ">data</a>").inert(t)
		made := owner.post(path+"/"+project, owner.get(path+"/"+project).want(t, 200).has(t, "Notifications of data").inert(t).
			form("do", "new", "name", "data channel", "destination", "slack", "url", "https://hooks.example.com/", "trigger", "run:errored")).want(t, 303).Header.Get("Location")
		owner.get(made).want(t, 200).has(t, "data channel</h1>", "data, off", "<dd>a run fails</dd>")
		// Who maintains a project's workspaces and not the project is told of what is theirs alone.
		team, token := s.team("acme", "mia", nil)
		s.do("POST", "/team-projects", s.Token, `{"data":{"type":"team-projects","attributes":{"access":"maintain"},"relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}},"team":{"data":{"type":"teams","id":"`+team.ID+`"}}}}}`).want(t, 201)
		mine := s.do("POST", "/organizations/acme/workspaces", token, `{"data":{"type":"workspaces","attributes":{"name":"lake"},"relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}}}}}`).want(t, 201).text("data.id")
		s.notify("/workspaces/"+mine, "slack", receiver(t, nil).URL, "")
		mia := s.signIn("mia")
		mia.get(path).want(t, 200).has(t, "1 destination", "lake, 1 event").hasNot(t, "data channel", "network, 1 event").inert(t)
		mia.get(made).want(t, 404)
	})
}
