package moving_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

func TestEverythingComesAlongAndVerifyFindsNoDifference(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			from, to := serve(t, engine), serve(t, engine)
			from.fill("acme")
			planned, status := bring(t, from.URL, to.URL, "--dry-run")
			if code, _ := to.try("GET", "organizations/acme", nil); status != 0 || code != 404 || planned.Planned < 20 || planned.touched() != 0 {
				t.Fatalf("dry run: status %d, organization %d, %+v", status, code, planned)
			}
			file := secrets(t, "acme")
			first, status := bring(t, from.URL, to.URL, "--secrets", file)
			if status != 0 {
				t.Fatalf("import: %d %+v", status, first)
			}
			if len(first.Left) > 0 || len(first.Give) > 0 {
				t.Errorf("could not come: %+v, to be given: %+v", first.Left, first.Give)
			}
			if verified, status := bring(t, from.URL, to.URL, "verify", "--secrets", file, "--compare-files"); status != 0 || len(verified.Differences) > 0 {
				t.Errorf("verify: %d %+v", status, verified.Differences)
			}
			if second, status := bring(t, from.URL, to.URL, "--secrets", file); status != 0 || second.touched() != 0 {
				t.Errorf("a second import: %d %+v", status, second)
			}
		})
	}
}

// find gives the id of the thing of a list whose attribute has a value.
func (h *house) find(list, attribute, value string) string {
	h.t.Helper()
	_, document := h.try("GET", list, nil)
	data, _ := document["data"].([]any)
	for _, item := range data {
		attributes, _ := item.(object)["attributes"].(object)
		if attributes[attribute] == value {
			return item.(object)["id"].(string)
		}
	}
	h.t.Fatalf("%s has none whose %s is %s: %v", list, attribute, value, document)
	return ""
}

func (h *house) named(workspace string) string {
	h.t.Helper()
	return h.do("GET", "organizations/acme/workspaces/"+workspace, nil)
}

// TestVerifyFindsPlantedDifferences changes one thing of each kind on the target. Each must
// be told, and an import must mend what it may.
func TestVerifyFindsPlantedDifferences(t *testing.T) {
	t.Parallel()
	from, to := serve(t, "sqlite"), serve(t, "sqlite")
	from.fill("acme")
	file := secrets(t, "acme")
	if r, status := bring(t, from.URL, to.URL, "--secrets", file); status != 0 || len(r.Left) > 0 {
		t.Fatalf("import: %d %+v", status, r.Left)
	}
	net, app := to.named("net"), to.named("app")
	project, team := to.find("organizations/acme/projects", "name", "Network"), to.find("organizations/acme/teams", "name", "engineers")
	set := to.find("organizations/acme/varsets", "name", "account")
	pool := to.find("organizations/acme/agent-pools", "name", "builders")
	planted := []struct {
		name       string
		plant      func()
		thing, why string
		stays      bool // an import does not mend it
	}{
		{"organization", func() {
			to.do("PATCH", "organizations/acme", thing("organizations", object{"session-timeout": 601}))
		}, "acme", "session-timeout is 600, and 601", false},
		{"organization's policy", func() {
			to.do("POST", "organizations/acme/relationships/data-retention-policy", thing("data-retention-policy-delete-olders", object{"delete-older-than-n-days": 91}))
		}, "acme", "days is 90, and 91", false},
		{"workspace", func() { to.do("PATCH", "workspaces/"+net, thing("workspaces", object{"auto-apply": false})) }, "acme/net", "auto-apply", false},
		{"repository", func() {
			to.do("PATCH", "workspaces/"+net, thing("workspaces", object{"vcs-repo": object{"branch": "other"}}))
		}, "acme/net", "vcs-repo", false},
		{"project of a workspace", func() {
			to.do("PATCH", "workspaces/"+app, thing("workspaces", object{}, object{"project": one("projects", project)}))
		}, "acme/app", "project is (default), and Network", false},
		{"flat tag", func() {
			to.do("DELETE", "workspaces/"+net+"/relationships/tags", object{"data": []object{{"type": "tags", "attributes": object{"name": "eu"}}}})
		}, "acme/net", "tag-names", false},
		{"tag binding", func() {
			to.do("PATCH", "workspaces/"+net+"/tag-bindings", object{"data": []object{{"type": "tag-bindings", "attributes": object{"key": "env", "value": "dev"}}}})
		}, "acme/net", "tag-bindings", false},
		{"variable", func() {
			to.do("PATCH", "workspaces/"+net+"/vars/"+to.find("workspaces/"+net+"/vars", "description", "where"), thing("vars", object{"value": "eu-9"}))
		}, "acme/net vars terraform/region", "value is eu-1, and eu-9", false},
		{"missing variable", func() {
			to.do("DELETE", "workspaces/"+net+"/vars/"+to.find("workspaces/"+net+"/vars", "key", "zones"), nil)
		}, "acme/net vars terraform/zones", "lacks it", false},
		{"further variable", func() {
			to.do("POST", "workspaces/"+app+"/vars", thing("vars", object{"key": "more", "category": "env"}))
		}, "acme/app vars env/more", "only the target", true},
		{"access", func() {
			_, list := to.try("GET", "team-workspaces?filter%5Bworkspace%5D%5Bid%5D="+app, nil)
			to.do("PATCH", "team-workspaces/"+list["data"].([]any)[0].(object)["id"].(string), thing("team-workspaces", object{"access": "admin"}))
		}, "acme/app team-workspaces engineers", "access is read, and admin", false},
		{"notification", func() {
			to.do("PATCH", "notification-configurations/"+to.find("workspaces/"+net+"/notification-configurations", "name", "hook"), thing("notification-configurations", object{"triggers": []string{"run:errored"}}))
		}, "acme/net notification-configurations hook (generic)", "triggers", false},
		{"run trigger", func() {
			to.do("DELETE", "run-triggers/"+to.find("workspaces/"+app+"/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound", "sourceable-name", "net"), nil)
		}, "acme/app run-triggers net", "lacks it", false},
		{"consumer", func() {
			to.do("DELETE", "workspaces/"+net+"/relationships/remote-state-consumers", some("workspaces", app))
		}, "acme/net", "remote-state-consumers is [app plain], and [plain]", false},
		{"SSH key", func() {
			to.do("PATCH", "workspaces/"+net+"/relationships/ssh-key", thing("workspaces", object{"id": nil}))
		}, "acme/net", "ssh-key is deploy, and ", false},
		{"policy of a workspace", func() {
			to.do("DELETE", "workspaces/"+app+"/relationships/data-retention-policy", nil)
		}, "acme/app", "kind is data-retention-policy-dont-deletes", false},
		{"project", func() {
			to.do("PATCH", "projects/"+project, thing("projects", object{"description": "pipes"}))
		}, "acme projects Network", "description", false},
		{"tag binding of a project", func() {
			to.do("PATCH", "projects/"+project+"/tag-bindings", object{"data": []object{{"type": "tag-bindings", "attributes": object{"key": "cost", "value": "7"}}}})
		}, "acme projects Network", "tag-bindings", false},
		{"access to a project", func() {
			_, list := to.try("GET", "team-projects?filter%5Bproject%5D%5Bid%5D="+project, nil)
			to.do("PATCH", "team-projects/"+list["data"].([]any)[0].(object)["id"].(string), thing("team-projects", object{"access": "read"}))
		}, "acme projects Network team-projects engineers", "access", false},
		{"team", func() {
			to.do("PATCH", "teams/"+team, thing("teams", object{"organization-access": object{"manage-workspaces": false}}))
		}, "acme teams engineers", "organization-access", false},
		{"member", func() {
			to.do("DELETE", "teams/"+team+"/relationships/organization-memberships", some("organization-memberships", to.find("organizations/acme/organization-memberships", "email", "ann@example.com")))
		}, "acme organization-memberships ann@example.com", "teams is [engineers], and []", false},
		{"agent pool", func() {
			to.do("PATCH", "agent-pools/"+pool, thing("agent-pools", object{}, object{"allowed-workspaces": some("workspaces", net)}))
		}, "acme agent-pools builders", "allowed-workspaces", false},
		{"set", func() { to.do("PATCH", "varsets/"+set, thing("varsets", object{"priority": false})) }, "acme varsets account", "priority", false},
		{"reach of a set", func() {
			to.do("DELETE", "varsets/"+set+"/relationships/workspaces", some("workspaces", app))
		}, "acme varsets account", "varset-workspaces is [app net], and [net]", false},
		{"reserved key", func() {
			to.do("DELETE", "reserved-tag-keys/"+to.find("organizations/acme/reserved-tag-keys", "key", "cost"), nil)
		}, "acme reserved-tag-keys cost", "lacks it", false},
		{"further workspace", func() {
			to.do("POST", "organizations/acme/workspaces", thing("workspaces", object{"name": "more"}))
		}, "acme/more", "only the target", true},
		{"further state", func() { to.state(net, 6, "line-of-net", false) }, "acme/net", "5 on the source, 6 on the target", true},
	}
	for _, p := range planted {
		p.plant()
	}
	found, status := bring(t, from.URL, to.URL, "verify")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	told := func(r result, thing, why string) bool {
		return slices.ContainsFunc(r.Differences, func(n struct{ Thing, Why string }) bool {
			return n.Thing == thing && strings.Contains(n.Why, why)
		})
	}
	for _, p := range planted {
		if !told(found, p.thing, p.why) {
			t.Errorf("%s: not told", p.name)
		}
	}
	if len(found.Differences) != len(planted) {
		t.Errorf("%d were planted: %+v", len(planted), found.Differences)
	}
	if r, status := bring(t, from.URL, to.URL, "--secrets", file); status != 0 {
		t.Fatalf("import: %d %+v", status, r)
	}
	mended, _ := bring(t, from.URL, to.URL, "verify")
	for _, p := range planted {
		if told(mended, p.thing, p.why) != p.stays {
			t.Errorf("%s: after an import: %+v", p.name, mended.Differences)
		}
	}
}

// TestAStateWithOtherBytesIsFound has the second state of three with other bytes under the
// same serial.
func TestAStateWithOtherBytesIsFound(t *testing.T) {
	t.Parallel()
	from, to := serve(t, "sqlite"), serve(t, "sqlite")
	for _, h := range []*house{from, to} {
		h.do("POST", "organizations", thing("organizations", object{"name": "acme", "email": "a@example.com"}))
		ws := h.do("POST", "organizations/acme/workspaces", thing("workspaces", object{"name": "net"}))
		h.state(ws, 1, "line", false)
		if h == from {
			h.stateOf(ws, 2, "line", false, append(stateFile(2, "line"), '\n'))
		} else {
			h.state(ws, 2, "line", false)
		}
		h.state(ws, 3, "line", false)
	}
	found, status := bring(t, from.URL, to.URL, "verify")
	if status != 1 || len(found.Differences) != 1 || !strings.Contains(found.Differences[0].Why, "serial 2 has other bytes") {
		t.Errorf("%d %+v", status, found.Differences)
	}
	if r, _ := bring(t, from.URL, to.URL); len(r.Left) != 1 || !strings.Contains(r.Left[0].Why, "states of its own") || r.touched() != 0 {
		t.Errorf("an import over states of another history: %+v", r)
	}
}

func TestNamesAndPatternsChooseWhatComes(t *testing.T) {
	t.Parallel()
	from, to := serve(t, "sqlite"), serve(t, "sqlite")
	for _, organization := range []string{"acme", "other"} {
		from.do("POST", "organizations", thing("organizations", object{"name": organization, "email": "a@example.com"}))
		for _, workspace := range []string{"net", "net-old", "app"} {
			ws := from.do("POST", "organizations/"+organization+"/workspaces", thing("workspaces", object{"name": workspace}))
			for serial := range 4 {
				from.state(ws, serial+1, "line", false)
			}
		}
	}
	args := []string{"--only", "acme/net*", "--skip", "*/*-old", "--rename", "acme=corp", "--rename", "acme/net=network", "--states", "2"}
	r, status := bring(t, from.URL, to.URL, args...)
	if status != 0 || r.Counts["workspaces"].Made != 1 || r.Counts["state-versions"].Made != 2 {
		t.Fatalf("%d %+v", status, r)
	}
	to.do("GET", "organizations/corp/workspaces/network", nil)
	from.state(from.named("net"), 5, "line", false) // the window moves on
	if r, _ := bring(t, from.URL, to.URL, args...); r.Counts["state-versions"].Made != 1 {
		t.Errorf("one new state: %+v", r)
	}
	if r, status := bring(t, from.URL, to.URL, append([]string{"verify"}, args...)...); status != 0 {
		t.Errorf("verify: %+v", r.Differences)
	}
	if _, errOut, status := belay("import", "--from", from.URL, "--from-token", "x", "--to", to.URL, "--token", adminToken, "--only", "["); status != 2 || !strings.Contains(errOut, "pattern") {
		t.Errorf("a pattern that is none: %d %s", status, errOut)
	}
}
