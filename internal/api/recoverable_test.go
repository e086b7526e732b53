package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestADeletedWorkspaceIsNowhere reads all that can be read, deletes a workspace on which one
// of everything hangs, and reads again: nothing of it is found by its ids, and no other answer
// knows it. When it is brought back everything is as it was.
func TestADeletedWorkspaceIsNowhere(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		about := w.laden()
		w.do("PATCH", "/organizations/acme", `{"data":{"attributes":{"recoverable-items-enabled":true}}}`)
		before := w.readAll(about)
		w.do("DELETE", "/workspaces/"+about["workspace_id"], "")
		w.isNowhere(about, before)
		w.do("POST", "/recoverable-items/"+w.get("/organizations/acme/recoverable-items", "data.0.id")+"/actions/recover", "")
		after := w.readAll(about)
		delete(after, "/api/v2/admin/site-health") // its figures are kept for seconds
		for path, is := range after {
			if was := before[path]; was.status != is.status || plain(was.body) != plain(is.body) {
				t.Errorf("%s was %d\n%s\nand is %d\n%s", path, was.status, plain(was.body), is.status, plain(is.body))
			}
		}
	})
}

// answered is what a path gave.
type answered struct {
	status int
	body   string
}

// laden is the shared things with a workspace on which one of everything hangs, and their ids.
func (w *world) laden() things {
	w.t.Helper()
	about := begun(w, configured(w, w.shared.with(nil)))
	delete(about, "unique")
	w.do("POST", "/runs/"+about["run_id"]+"/actions/cancel", "")
	about["access_id"] = givenWorkspace(w, nil)["access_id"]
	about["notification_id"] = freshNotification(w, nil)["notification_id"]
	about["variable_id"] = freshVariable(w, nil)["variable_id"]
	for _, send := range [][3]string{
		{"POST", "/workspaces/<workspace_id>/relationships/tags", `{"data":[{"type":"tags","attributes":{"name":"of-the-deleted"}},{"type":"tags","attributes":{"name":"of-both"}}]}`},
		{"POST", "/workspaces/<other_workspace_id>/relationships/tags", `{"data":[{"type":"tags","attributes":{"name":"of-both"}}]}`},
		{"PATCH", "/workspaces/<workspace_id>/tag-bindings", bindings},
		{"PATCH", "/workspaces/<workspace_id>/relationships/ssh-key", `{"data":{"type":"workspaces","attributes":{"id":"<ssh_key_id>"}}}`},
		{"PATCH", "/workspaces/<workspace_id>", `{"data":{"attributes":{"vcs-repo":{"identifier":"acme/app","oauth-token-id":"<oauth_token_id>"},"terraform-version":"1.5.0"}}}`},
		{"POST", "/workspaces/<workspace_id>/relationships/remote-state-consumers", `{"data":[{"type":"workspaces","id":"<other_workspace_id>"}]}`},
		{"POST", "/workspaces/<other_workspace_id>/relationships/remote-state-consumers", `{"data":[{"type":"workspaces","id":"<workspace_id>"}]}`},
		{"POST", "/workspaces/<workspace_id>/run-triggers", `{"data":{"relationships":{"sourceable":{"data":{"type":"workspaces","id":"<other_workspace_id>"}}}}}`},
		{"POST", "/workspaces/<other_workspace_id>/run-triggers", `{"data":{"relationships":{"sourceable":{"data":{"type":"workspaces","id":"<workspace_id>"}}}}}`},
		{"PATCH", "/agent-pools/<agent_pool_id>", `{"data":{"relationships":{"allowed-workspaces":{"data":[{"type":"workspaces","id":"<workspace_id>"}]},"excluded-workspaces":{"data":[{"type":"workspaces","id":"<workspace_id>"}]}}}}`},
		{"PATCH", "/workspaces/<workspace_id>", `{"data":{"attributes":{"execution-mode":"agent","agent-pool-id":"<agent_pool_id>"}}}`},
		{"POST", "/workspaces/<workspace_id>/relationships/data-retention-policy", `{"data":{"type":"data-retention-policy-delete-olders","attributes":{"delete-older-than-n-days":30}}}`},
	} {
		w.do(send[0], about.in(send[1]), about.in(send[2]))
	}
	about["run_trigger_id"] = w.get("/workspaces/"+about["workspace_id"]+"/run-triggers?filter[run-trigger][type]=outbound", "data.0.id")
	for name, link := range map[string]string{
		"state_url": w.get("/workspaces/"+about["workspace_id"]+"/current-state-version", "data.attributes.hosted-state-download-url"),
		"log_url":   w.get("/plans/"+about["plan_id"], "data.attributes.log-read-url"),
	} {
		_, object, _ := strings.Cut(link, "/_objects/")
		about[name] = "/_objects/" + object
	}
	return about
}

// more is what the areas do not ask and that might know of a workspace.
var more = []string{
	"/organizations/acme/explorer?type=workspaces", "/organizations/acme/explorer?type=modules", "/organizations/acme/explorer?type=providers",
	"/organizations/acme/explorer?type=tf_versions", "/organizations/acme/workspaces?search[tags]=of-both", "/organizations/acme/workspaces?search[name]=w",
	"/organizations/acme/workspaces?include=organization,project,current_run,outputs&sort=-latest-change-at",
	"/organizations/acme/projects", "/organizations/acme/tags?q=of", "/organizations/acme/runs?page[size]=100", "/admin/runs", "/admin/terraform-versions?search[version]=1.5.0",
	"/organizations/acme/varsets?include=workspaces,projects,vars", "/organizations/acme/agent-pools?include=workspaces", "/workspaces/<other_workspace_id>/relationships/remote-state-consumers",
	"/workspaces/<other_workspace_id>/run-triggers?filter[run-trigger][type]=inbound", "/workspaces/<other_workspace_id>/run-triggers?filter[run-trigger][type]=outbound",
	"/organizations/acme/workspaces?filter[project][id]=<project_id>", "/organizations/acme/oauth-clients", "/organizations/acme/change-requests",
}

// readAll is every answer that can be read about the things.
func (w *world) readAll(about things) map[string]answered {
	found := map[string]answered{}
	read := func(path string) {
		if strings.Contains(path, "{") || strings.Contains(path, "audit-trail") || strings.Contains(path, "recoverable") {
			return
		}
		status, answer := w.send(http.MethodGet, path, w.admin, "")
		found[path] = answered{status, answer}
	}
	for _, a := range areas() {
		for _, r := range a.rows {
			method, path, _ := strings.Cut(r.route, " ")
			if method != http.MethodGet || strings.HasPrefix(path, "/.well-known") || strings.HasPrefix(path, "/app/") || path == "/openapi.json" {
				continue
			}
			if path = about.in(path); r.query != "" {
				path += "?" + about.in(r.query)
			}
			read("/api/v2" + path)
		}
	}
	for _, path := range more {
		read("/api/v2" + about.in(path))
	}
	read(about["state_url"])
	read(about["log_url"])
	return found
}

// itsOwn is the things that go with the workspace.
var itsOwn = []string{
	"workspace_id", "state_version_id", "output_id", "run_id", "plan_id", "apply_id", "comment_id", "run_event_id", "variable_id",
	"configuration_version_id", "notification_id", "change_request_id", "access_id", "run_trigger_id", "state_url", "log_url",
}

// isNowhere tries every route about what hangs on a workspace that was deleted, and looks for
// it in all other answers.
func (w *world) isNowhere(about things, before map[string]answered) {
	w.t.Helper()
	about = about.with(things{"consumer_id": about["other_workspace_id"], "source_id": about["workspace_id"]})
	delete(about, "unique")
	tried := 0
	for _, a := range areas() {
		for _, r := range a.rows {
			method, path, _ := strings.Cut(r.route, " ")
			if !slices.ContainsFunc(itsOwn, func(name string) bool { return strings.Contains(path, "{"+name+"}") }) && !strings.Contains(path, "workspaces/{name}") {
				continue
			}
			if path = "/api/v2" + about.in(path); r.query != "" {
				path += "?" + about.in(r.query)
			}
			if strings.Contains(path, "{") {
				continue // of something else: a variable of a set
			}
			tried++
			if status, answer := w.send(method, path, w.admin, about.with(nil).in(r.body)); status != http.StatusNotFound && !strings.Contains(path, "/varsets/") {
				w.t.Errorf("%s of what hangs on a deleted workspace: %d %.300s", r.route, status, answer)
			}
		}
	}
	if tried < 100 {
		w.t.Errorf("only %d routes were tried", tried)
	}
	for path, is := range w.readAll(about) {
		for _, name := range append(itsOwn, "name") {
			if about[name] != "" && is.status != http.StatusNotFound && strings.Contains(is.body, about[name]) {
				w.t.Errorf("%s: %d, and it names the %s of a deleted workspace: %s", path, is.status, name, near(is.body, about[name]))
			}
		}
		if was := before[path]; was.status != http.StatusOK && path == about["state_url"] || is.status >= 500 {
			w.t.Errorf("%s: %d %.300s, and before %d", path, is.status, is.body, was.status)
		}
		if (path == about["state_url"] || path == about["log_url"]) && is.status != http.StatusNotFound {
			w.t.Errorf("%s: %d %.300s", path, is.status, is.body)
		}
	}
	w.countsWithout(before)
}

// countsWithout looks at the totals of some lists: the deleted one is not counted.
func (w *world) countsWithout(before map[string]answered) {
	w.t.Helper()
	for _, path := range []string{
		"/api/v2/organizations/acme/workspaces", "/api/v2/organizations/acme/explorer?type=workspaces", "/api/v2/organizations/acme/change-requests",
		"/api/v2/organizations/acme/tags?q=of", "/api/v2/admin/runs",
	} {
		_, answer := w.send(http.MethodGet, path, w.admin, "")
		if was, is := totalOf(before[path].body), totalOf(answer); is >= was {
			w.t.Errorf("%s: %d in all, and %d before", path, is, was)
		}
	}
	const version = "/api/v2/admin/terraform-versions?search[version]=1.5.0"
	_, answer := w.send(http.MethodGet, version, w.admin, "")
	if was, is := usage.FindString(before[version].body), usage.FindString(answer); was != `"usage":1` || is != `"usage":0` {
		w.t.Errorf("the version of the deleted one: %s, and before %s", is, was)
	}
}

// usage is how many workspaces have the engine version that the deleted one had.
var usage = regexp.MustCompile(`"usage":\d+`)

func totalOf(body string) int {
	var document struct {
		Meta struct {
			Pagination struct {
				Total int `json:"total-count"`
			}
		}
	}
	_ = json.Unmarshal([]byte(body), &document)
	return document.Meta.Pagination.Total
}

// changing is what may be another in every answer: a tag that nobody else carries is made anew.
var changing = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]*Z|/_objects/[^"]*|tag-[A-Za-z0-9]{16}`)

// plain is an answer without what is another in every one.
func plain(body string) string {
	var v any
	if json.Unmarshal([]byte(body), &v) == nil {
		raw, _ := json.Marshal(v)
		body = string(raw)
	}
	return changing.ReplaceAllString(body, "")
}

func near(body, part string) string {
	at := strings.Index(body, part)
	return body[max(0, at-200):min(len(body), at+100)]
}

// TestTheNameOfADeletedWorkspaceIsFree: whoever brings it back has to find another place for
// the one that has its name by now.
func TestTheNameOfADeletedWorkspaceIsFree(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		w.do("PATCH", "/organizations/acme", `{"data":{"attributes":{"recoverable-items-enabled":true}}}`)
		named := `{"data":{"attributes":{"name":"network"}}}`
		var items []string
		for range 2 { // two of one name lie side by side
			id := w.make("/organizations/acme/workspaces", named)
			w.do("DELETE", "/organizations/acme/workspaces/network", "")
			items = append(items, w.itemOf(id))
		}
		w.expect("POST", "/recoverable-items/"+items[0]+"/actions/recover", 204)
		w.expect("POST", "/recoverable-items/"+items[0]+"/actions/recover", 404)
		w.expect("PUT", "/recoverable-items/"+items[1]+"/actions/recover", 409)
		w.do("PATCH", "/organizations/acme/workspaces/network", `{"data":{"attributes":{"name":"other"}}}`)
		w.expect("PUT", "/recoverable-items/"+items[1]+"/actions/recover", 204)
		w.do("POST", "/workspaces/"+w.get("/organizations/acme/workspaces/other", "data.id")+"/actions/safe-delete", "")
		id := w.get("/organizations/acme/workspaces/network", "data.id")
		w.do("POST", "/organizations/acme/workspaces/network/actions/safe-delete", "")
		w.expect("DELETE", "/recoverable-items/"+w.itemOf(id), 204)
		if list := w.items(); len(list) != 1 {
			t.Errorf("can be recovered: %v", list)
		}
		w.do("PATCH", "/organizations/acme", `{"data":{"attributes":{"recoverable-items-enabled":false}}}`)
		w.make("/organizations/acme/workspaces", named)
		w.do("DELETE", "/organizations/acme/workspaces/network", "")
		if list := w.items(); len(list) != 1 {
			t.Errorf("with the switch off, can be recovered: %v", list)
		}
	})
}

// items is what can be recovered, by the workspace.
func (w *world) items() map[string]string {
	w.t.Helper()
	var document struct {
		Data []struct {
			ID            string
			Relationships struct {
				Recoverable struct{ Data struct{ ID string } }
			}
		}
	}
	_, answer := w.send(http.MethodGet, "/api/v2/organizations/acme/recoverable-items", w.admin, "")
	if err := json.Unmarshal([]byte(answer), &document); err != nil {
		w.t.Fatal(err)
	}
	found := map[string]string{}
	for _, item := range document.Data {
		found[item.Relationships.Recoverable.Data.ID] = item.ID
	}
	return found
}

func (w *world) itemOf(workspaceID string) string {
	w.t.Helper()
	list := w.items()
	if list[workspaceID] == "" {
		w.t.Fatalf("%s can't be recovered, but %v", workspaceID, slices.Collect(maps.Keys(list)))
	}
	return list[workspaceID]
}

func (w *world) expect(method, path string, want int) {
	w.t.Helper()
	if status, answer := w.send(method, "/api/v2"+path, w.admin, ""); status != want {
		w.t.Errorf("%s %s: %s", method, path, fmt.Sprint(status, answer))
	}
}
