package e2e_test

import (
	"net/url"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestWorkspacesByLockEngineAgeAndRequests narrows the list by what saved views may name, for those who may see it.
func TestWorkspacesByLockEngineAgeAndRequests(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		network := s.people()
		engine := func(name, version string) string {
			return s.newWorkspace("acme", name, func(o *tfe.WorkspaceCreateOptions) {
				o.TerraformVersion, o.ExecutionMode = tfe.String(version), tfe.String("local")
			}).ID
		}
		old, newer := engine("old", "1.5.7"), engine("newer", "1.9.8")
		s.lock(old)
		owner, reader := s.signIn("olga"), s.signIn("rita")
		page := owner.get(networkPage)
		owner.post(networkPage+"/lock", page.form("reason", "")).want(t, 303)
		s.execute("UPDATE workspaces SET latest_change_at = 1000 WHERE id = '" + old + "'")
		s.fileRequests("acme", "Update", newer, network)
		const list = "/app/acme/workspaces"
		names := map[string]string{"network": `>network</a>`, "old": `>old</a>`, "newer": `>newer</a>`}
		finds := func(b *browser, query string, want ...string) {
			t.Helper()
			got := b.get(list+query).want(t, 200).inert(t)
			for name, text := range names {
				found := false
				for _, w := range want {
					found = found || w == name
				}
				if found {
					got.has(t, text)
				} else {
					got.hasNot(t, text)
				}
			}
		}
		constraint := func(text string) string { return "?engine=" + url.QueryEscape(text) }
		for _, c := range []struct {
			query string
			want  []string
		}{
			{"?lock=locked", []string{"old", "network"}}, {"?lock=mine", []string{"network"}}, {"?lock=unlocked", []string{"newer"}},
			{"?lock=", []string{"old", "network", "newer"}}, {"?lock=nonsense", []string{"old", "network", "newer"}},
			{"?engine=1.5.7", []string{"old"}}, {"?engine=1.5.7&engine=1.9.8", []string{"old", "newer"}}, {constraint("< 1.6"), []string{"old"}},
			{constraint("~> 1.9.0"), []string{"newer"}}, {constraint(">= 1.5, < 1.9.9"), []string{"old", "newer"}}, {constraint("what?"), nil},
			{"?age=30", []string{"old"}}, {"?age=45", []string{"old"}}, {"?age=0", []string{"old", "network", "newer"}}, {"?age=x", []string{"old", "network", "newer"}},
			{"?requests=open", []string{"newer", "network"}}, {"?requests=open&lock=locked", []string{"network"}}, {"?requests=open&age=30", nil},
			{"?lock=locked&search=ne", []string{"network"}}, {"?lock=locked&sort=changed&run=none", []string{"old", "network"}},
		} {
			finds(owner, c.query, c.want...)
		}
		// The choices say what is asked for; engines are those that there are.
		owner.get(list).has(t, `name="engine" value="1.5.7"`, `name="engine" value="1.9.8"`, `placeholder="1.9.8, or &lt; 1.10"`, `name="lock" value="" checked`, `value="open"`, "for 90 days")
		owner.get(list+"?lock=mine&age=45&requests=open&engine=%3C+2").has(t, "Lock: locked by you", "Unchanged: for 45 days", "Requests: open change requests", "Engine: &lt; 2", "0 workspaces found")
		for _, vector := range vectors {
			owner.get(list+"?engine="+url.QueryEscape(vector)+"&lock="+url.QueryEscape(vector)+"&age="+url.QueryEscape(vector)).want(t, 200).inert(t)
		}
		// Who sees some of them finds these, and isn't told which engines the others have.
		finds(reader, "?lock=locked", "network")
		finds(reader, "?engine=1.5.7")
		finds(reader, "?age=30")
		finds(reader, "?requests=open", "network")
		finds(reader, "?lock=mine")
		reader.get(list).hasNot(t, "1.5.7", "1.9.8\"")
		// A saved view lists what it says; so do the file, and what is done with all that match.
		form := owner.get(list + "?lock=locked")
		owner.post(list+"?lock=locked&age=30", form.form("do", "keep-view", "name", "Held for long")).want(t, 303)
		owner.get(list).has(t, "Held for long", `?age=30&amp;lock=locked"`)
		finds(owner, "?age=30&lock=locked", "old")
		owner.get(list+"?csv&requests=open").want(t, 200).has(t, `"newer"`, `"network"`).hasNot(t, `"old"`)
		owner.post(list+"?requests=open", form.form("do", "tag", "tags", "asked", "all", "2")).want(t, 303)
		finds(owner, "?tags=asked", "newer", "network")
	})
}
