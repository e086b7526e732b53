package e2e_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
)

// asItStands is what a browser sends of the form of a page that has a field with a value, when nobody touches it.
func asItStands(t *testing.T, r reply, name, value string) (fields url.Values) {
	t.Helper()
	root, err := xhtml.Parse(strings.NewReader(r.Body))
	must(t, err)
	for node := range root.Descendants() {
		if node.Data == "form" && node.Type == xhtml.ElementNode {
			if fields = sentOf(node); slices.Contains(fields[name], value) {
				return fields
			}
		}
	}
	t.Fatalf("no form of the page has %s %s:\n%s", name, value, r.Body)
	return nil
}

func sentOf(form *xhtml.Node) url.Values {
	fields := url.Values{}
	for node := range form.Descendants() {
		a := attributesOf(node)
		_, checked := a["checked"]
		_, selected := a["selected"]
		switch node.Data {
		case "input":
			if a["type"] != "checkbox" || checked {
				fields.Add(a["name"], a["value"])
			}
		case "textarea":
			text := ""
			if node.FirstChild != nil {
				text = node.FirstChild.Data
			}
			fields.Set(a["name"], strings.ReplaceAll(text, "\n", "\r\n"))
		case "option":
			if name := attributesOf(node.Parent)["name"]; selected || !fields.Has(name) {
				fields.Set(name, a["value"])
			}
		}
	}
	return fields
}

// TestTwoWindowsKeepEachOthersChanges has two windows show a form at once: each saves another field, and both are kept.
// Who saves one that is another by now than they saw is told so, with what they typed, and may save it again.
func TestTwoWindowsKeepEachOthersChanges(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		post := func(path, body string) string {
			return s.do("POST", path, s.Token, body).wantAny(t, 200, 201).text("data.id")
		}
		project := post("/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"data"}}}`)
		set := post("/organizations/acme/varsets", `{"data":{"type":"varsets","attributes":{"name":"regions"}}}`)
		pool := post("/organizations/acme/agent-pools", `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`)
		variable := post("/workspaces/"+id+"/vars", `{"data":{"type":"vars","attributes":{"key":"size","value":"one\ntwo","category":"terraform"}}}`)
		client := post("/organizations/acme/oauth-clients", `{"data":{"type":"oauth-clients","attributes":{
			"service-provider":"gitea","http-url":"https://git.example.com","api-url":"https://git.example.com/api/v1","oauth-token-string":"hunter2"}}}`)
		token := s.do("GET", "/oauth-clients/"+client+"/oauth-tokens", s.Token, "").text("data.0.id")
		s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"identifier":"acme/app","oauth-token-id":"`+token+`"}}}}`).want(t, 200)
		team, _ := s.team("acme", "operators", nil)
		owner := s.signIn("olga")
		for _, one := range []struct{ page, to, by, form, first, one, second, two, again string }{
			{networkPage + "/settings", "", "section", "general", "description", "what\r\nit is", "folder", "infra", "something else"},
			{networkPage + "/settings/execution", networkPage + "/settings", "section", "runs", "auto-apply", "yes", "allow-destroy", "", ""},
			{networkPage + "/settings/repository", networkPage + "/settings", "section", "repository", "branch", "release", "submodules", "yes", "main"},
			{networkPage + "/variables?edit=" + variable, networkPage + "/variables", "id", variable, "value", "three\r\nfour", "description", "how large", "five"},
			{"/app/acme/settings", "", "do", "general", "email", "ops@example.com", "recoverable", "yes", "other@example.com"},
			{"/app/acme/settings", "", "do", "runs", "mode", "local", "sharing", "yes", ""},
			{"/app/acme/projects/" + project, "", "do", "save", "description", "tables", "name", "tables", "views"},
			{"/app/acme/teams/" + team.ID, "", "do", "save", "description", "on call", "tokens", "", "at night"},
			{"/app/acme/variable-sets/" + set, "", "do", "save", "description", "where", "priority", "yes", "whither"},
			{"/app/acme/agents/" + pool, "", "do", "save", "name", "east", "scoped", "", "north"},
			{"/app/acme/connections/" + client, "", "do", "save", "name", "forge", "scoped", "", "smithy"},
		} {
			if one.to == "" {
				one.to = one.page
			}
			form := func() url.Values { return asItStands(t, owner.get(one.page).want(t, 200), one.by, one.form) }
			change := func(fields url.Values, name, value string) url.Values {
				if fields.Set(name, value); value == "" {
					fields.Del(name)
				}
				return fields
			}
			first, second := form(), form()
			if first.Get(one.first) == one.one || second.Get(one.second) == one.two {
				t.Errorf("%s: nothing is changed: %v", one.page, first)
			}
			owner.post(one.to, change(first, one.first, one.one)).want(t, 303)
			owner.post(one.to, change(second, one.second, one.two)).want(t, 303)
			if now := form(); now.Get(one.first) != one.one || now.Get(one.second) != one.two {
				t.Errorf("%s %s: %s is %q, not %q, and %s is %q, not %q", one.page, one.form, one.first, now.Get(one.first), one.one, one.second, now.Get(one.second), one.two)
			}
			if one.again == "" {
				continue
			}
			second = form()
			owner.post(one.to, change(form(), one.first, one.again+"2")).want(t, 303)
			r := owner.post(one.to, change(second, one.first, one.again)).want(t, 409).has(t, "was changed by somebody else meanwhile, to "+one.again+"2.")
			typed := asItStands(t, r, one.by, one.form)
			if typed.Get(one.first) != one.again {
				t.Errorf("%s: %s is %q in the form that comes again", one.page, one.first, typed.Get(one.first))
			}
			owner.post(one.to, typed).want(t, 303)
			if now := form(); now.Get(one.first) != one.again || now.Get(one.second) != one.two {
				t.Errorf("%s: saved again, it is %v", one.page, now)
			}
		}

		// Choices are kept as texts are.
		for _, one := range [][4]string{{"execution", "mode", "local", "remote"}, {"sharing", "sharing", "project", "organization"}} {
			page := networkPage + "/settings/" + one[0]
			first, second := asItStands(t, owner.get(page), "section", one[0]), asItStands(t, owner.get(page), "section", one[0])
			first.Set(one[1], one[2])
			second.Set(one[1], one[3])
			owner.post(networkPage+"/settings", first).want(t, 303)
			r := owner.post(networkPage+"/settings", second).want(t, 409)
			again := asItStands(t, r, "section", one[0])
			owner.post(networkPage+"/settings", again).want(t, 303)
			if now := asItStands(t, owner.get(page), "section", one[0]).Get(one[1]); again.Get(one[1]) != one[3] || now != one[3] {
				t.Errorf("%s is %s in the form that comes again, and then %s", one[1], again.Get(one[1]), now)
			}
			first.Set(one[1], "garbage")
			owner.post(networkPage+"/settings", first).wantAny(t, 409, 422)
		}

		s.do("PATCH", "/oauth-clients/"+client, s.Token, `{"data":{"type":"oauth-clients","attributes":{"organization-scoped":true}}}`).want(t, 200)

		// A field that counts only with another choice takes nothing away: it asks for that choice.
		for _, one := range []struct{ page, by, form, choice, first, with, typed string }{
			{networkPage + "/settings/destroy", "section", "destroy", "how", "never", "after", "14d"},
			{networkPage + "/settings/retention", "section", "retention", "kind", "data-retention-policy-dont-deletes", "days", "40"},
			{networkPage + "/settings/repository", "section", "repository", "on", "tags", "patterns", "*.tf"},
			{"/app/acme/settings", "do", "retention", "kind", "data-retention-policy-dont-deletes", "days", "40"},
		} {
			to := strings.TrimSuffix(one.page, "/"+one.form)
			first, second := asItStands(t, owner.get(one.page), one.by, one.form), asItStands(t, owner.get(one.page), one.by, one.form)
			if first.Set(one.choice, one.first); one.first == "tags" {
				first.Set("tags", "^v")
			}
			second.Set(one.with, one.typed)
			owner.post(to, first).want(t, 303)
			owner.post(to, second).wantAny(t, 303, 422)
			if now := asItStands(t, owner.get(one.page), one.by, one.form).Get(one.choice); now != one.first {
				t.Errorf("%s: %s is %q, not %q", one.page, one.choice, now, one.first)
			}
		}

		// Rights in the whole organization, each by itself.
		page := "/app/acme/teams/" + team.ID
		first, second := asItStands(t, owner.get(page), "do", "rights"), asItStands(t, owner.get(page), "do", "rights")
		first.Add("switch", "manage-teams")
		second.Add("switch", "manage-projects")
		owner.post(page, first).want(t, 303)
		owner.post(page, second).want(t, 303)
		if now := asItStands(t, owner.get(page), "do", "rights")["switch"]; !slices.Contains(now, "manage-teams") || !slices.Contains(now, "manage-projects") {
			t.Errorf("the team may %v", now)
		}
	})
}
