package e2e_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestNoSecretIsReachedByCopies: somebody who writes variables of one workspace and reads those of another tries what copies, pastes,
// the API and links to passwords allow, and so does somebody who reads variables here and does all elsewhere. No step tells a secret,
// and none brings one to where their own code could print it.
func TestNoSecretIsReachedByCopies(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		ids := map[string]string{}
		for _, name := range []string{"a", "b", "c"} {
			ids[name] = s.newWorkspace("acme", name, func(*tfe.WorkspaceCreateOptions) {}).ID
		}
		put := func(of, key, value, more string) {
			s.do("POST", "/workspaces/"+ids[of]+"/vars", s.Token, fmt.Sprintf(`{"data":{"type":"vars","attributes":{"key":%q,"value":%q,"category":"terraform"%s}}}`, key, value, more)).want(t, 201)
		}
		secrets := []string{"hunter-a", "hunter-b"}
		put("a", "own", "hunter-a", `,"sensitive":true`)
		put("a", "open", "of a", "")
		put("b", "theirs", "hunter-b", `,"sensitive":true`)
		put("b", "plain", "of b", "")
		give := func(who, of, access string) (token string) {
			team, token := s.team("acme", who, nil)
			for i, workspace := range strings.Fields(of) {
				s.do("POST", "/team-workspaces", s.Token, fmt.Sprintf(`{"data":{"type":"team-workspaces","attributes":{%s},"relationships":{"workspace":{"data":{"type":"workspaces","id":%q}},"team":{"data":{"type":"teams","id":%q}}}}}`,
					strings.Split(access, ";")[i], ids[workspace], team.ID)).want(t, 201)
			}
			return token
		}
		custom := func(runs, variables string) string {
			return fmt.Sprintf(`"access":"custom","runs":%q,"variables":%q,"state-versions":"none"`, runs, variables)
		}
		all := fmt.Sprint(s.valuesOf(ids["a"]), s.valuesOf(ids["b"]), s.valuesOf(ids["c"]))
		told := func(step string, got reply, status int) reply {
			t.Helper()
			if got.Status != status {
				t.Errorf("%s: %d, want %d: %.300s", step, got.Status, status, got.Body)
			}
			for _, secret := range secrets {
				if strings.Contains(got.Body+fmt.Sprint(got.Header), secret) {
					t.Errorf("%s tells %s", step, secret)
				}
			}
			return got
		}
		unchanged := func(step string) {
			t.Helper()
			if now := fmt.Sprint(s.valuesOf(ids["a"]), s.valuesOf(ids["b"]), s.valuesOf(ids["c"])); now != all {
				t.Errorf("%s changed %s to %s", step, all, now)
			}
		}
		vars := func(of string) string { return "/app/acme/workspaces/" + of + "/variables" }
		copied := func(b *browser, from, to string, keys ...string) url.Values {
			form := b.get(organizationsPath).form("to", to)
			for _, key := range keys {
				form.Add("id", s.variableOf(ids[from], key))
			}
			return form
		}

		vera := give("vera", "a b", custom("read", "write")+";"+custom("read", "read"))
		v := s.signIn("vera")
		told("her page of a", v.get(vars("a")), 200)
		told("her page of b", v.get(vars("b")), 200)
		told("the form of a copy", v.get(vars("b")+"?copy"), 200)
		told("the secret of a to b", v.post(vars("a")+"/copy", copied(v, "a", "b", "own", "open")), 422)
		told("the secret of a to c, which she does not see", v.post(vars("a")+"/copy", copied(v, "a", "c", "own")), 422)
		look := told("the secret of b to a", v.post(vars("b")+"/copy", copied(v, "b", "a", "theirs")), 200).has(t, "left out", "There is nothing to write.")
		told("the same, sent though", v.post(vars("b")+"/copy", look.form()), 303)
		told("ids of a in a copy of b", v.post(vars("b")+"/copy", copied(v, "a", "a", "own")), 200).has(t, "There is nothing to write.")
		unchanged("what she copied")
		told("a paste into b", v.post(vars("b")+"/paste", v.get(organizationsPath).form("text", "theirs = 1", "category", "terraform")), 404)
		over := told("a paste over the secret of a", v.post(vars("a")+"/paste", v.get(vars("a")+"?paste").form("text", "own = \"x\"", "category", "terraform")), 200)
		told("its sealed text at b", v.post(vars("b")+"/paste", over.form()), 404)
		told("its sealed text as a copy", v.post(vars("a")+"/copy", over.form()), 409)
		told("a copy's sealed text as a paste", v.post(vars("a")+"/paste", look.form()), 409)
		own := "/workspaces/" + ids["a"] + "/vars/" + s.variableOf(ids["a"], "own")
		told("the secret of a unsealed", s.do("PATCH", own, vera, `{"data":{"type":"vars","attributes":{"sensitive":false}}}`), 422)
		told("the secret of a under another key", s.do("PATCH", own, vera, `{"data":{"type":"vars","attributes":{"key":"open2"}}}`), 422)
		told("the secret of a in the environment, by its name", s.do("PATCH", own, vera, `{"data":{"type":"vars","attributes":{"category":"env"}}}`), 200)
		told("and back", s.do("PATCH", own, vera, `{"data":{"type":"vars","attributes":{"category":"terraform"}}}`), 200)
		told("the secret of b changed", s.do("PATCH", "/workspaces/"+ids["b"]+"/vars/"+s.variableOf(ids["b"], "theirs"), vera, `{"data":{"type":"vars","attributes":{"description":"x"}}}`), 404)
		told("the secret of b by her workspace", s.do("GET", "/workspaces/"+ids["a"]+"/vars/"+s.variableOf(ids["b"], "theirs"), vera, ""), 404)
		told("what runs of b get", s.do("GET", "/workspaces/"+ids["b"]+"/all-vars", vera, ""), 200)
		unchanged("what she pasted and sent")
		admin := s.do("GET", "/admin/users?q=admin", s.Token, "").want(t, 200).text("data.0.id")
		told("a link to the password of another", s.do("POST", "/admin/users/"+admin+"/actions/password-link", vera, ""), 404)
		told("the same on the page", v.post("/app/~/admin/users", v.get(organizationsPath).form("do", "password-link", "user", admin)), 404)

		// Who reads variables of b, or writes them and steers no run, takes no secret to c, where all is theirs.
		for who, runs := range map[string]string{"nina": custom("apply", "read"), "theo": custom("plan", "write")} {
			give(who, "b c", runs+`;"access":"admin"`)
			b := s.signIn(who)
			look := told(who+" looks", b.post(vars("b")+"/copy", copied(b, "b", "c", "theirs", "plain")), 200).has(t, "left out", "Copy 1 variable")
			told(who+" copies", b.post(vars("b")+"/copy", look.form()), 303)
			if got := s.valuesOf(ids["c"]); len(got) != 1 || !strings.HasPrefix(got["plain"], "of b ") {
				t.Errorf("%s has brought to c: %v", who, got)
			}
			s.do("DELETE", "/workspaces/"+ids["c"]+"/vars/"+s.variableOf(ids["c"], "plain"), s.Token, "").want(t, 204)
		}
		unchanged("what those brought to c, taken away again,")

		// Who might, and may no more when it is done, does not; nor does another with what they looked at.
		give("mona", "b c", custom("apply", "write")+`;"access":"admin"`)
		m, n := s.signIn("mona"), s.signIn("nina")
		seen := told("mona looks", m.post(vars("b")+"/copy", copied(m, "b", "c", "theirs")), 200).has(t, "Copy 1 variable")
		told("nina with what mona looked at", n.post(vars("b")+"/copy", n.get(organizationsPath).form("sealed", seen.form().Get("sealed"))), 409)
		found := s.do("GET", "/team-workspaces?filter[workspace][id]="+ids["b"], s.Token, "").want(t, 200)
		for i := 0; found.at(fmt.Sprintf("data.%d", i)) != nil; i++ {
			s.do("PATCH", "/team-workspaces/"+found.text(fmt.Sprintf("data.%d.id", i)), s.Token, `{"data":{"type":"team-workspaces","attributes":{"access":"custom","runs":"read"}}}`).want(t, 200)
		}
		told("mona, whose right is gone", m.post(vars("b")+"/copy", seen.form()), 409).has(t, "changed since you looked")
		unchanged("what mona may do no more")
	})
}
