package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// runnable makes a workspace with a configuration that was uploaded, and gives its id.
func (s *server) runnable(name string) string {
	s.t.Helper()
	id := s.workspace("acme", name)
	made := s.do("POST", "/workspaces/"+id+"/configuration-versions", s.Token, `{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`).want(s.t, 201)
	upload, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, made.text("data.attributes.upload-url"), bytes.NewReader(archiveOf("main.tf", "# nothing\n")))
	must(s.t, err)
	s.send(upload).want(s.t, http.StatusOK)
	return id
}

// runOf is a body that asks for a run of a workspace.
func runOf(workspace, attributes string) string {
	return fmt.Sprintf(`{"data":{"type":"runs","attributes":{%s},"relationships":{"workspace":{"data":{"type":"workspaces","id":%q}}}}}`, attributes, workspace)
}

// TestRunsInTheirDocuments makes runs that nobody carries out: what waits, what is told of
// it, and what may be done with it.
func TestRunsInTheirDocuments(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		ws := s.runnable("network")
		first := s.do("POST", "/runs", s.Token, runOf(ws, `"message":"first","target-addrs":["a.b"],"variables":[{"key":"size","value":"3"}]`)).want(t, 201)
		second := s.do("POST", "/runs", s.Token, runOf(ws, `"is-destroy":true`)).want(t, 201)
		speculative := s.do("POST", "/runs", s.Token, runOf(ws, `"plan-only":true`)).want(t, 201)
		one, two, three := first.text("data.id"), second.text("data.id"), speculative.text("data.id")

		r := s.do("GET", "/runs/"+one+"?include=plan,apply,created_by,configuration-version,workspace,run_events,comments,task_stages", s.Token, "").want(t, 200)
		for path, want := range map[string]any{
			"data.attributes.status": "plan_queued", "data.attributes.message": "first", "data.attributes.target-addrs.0": "a.b",
			"data.attributes.variables.0.key": "size", "data.attributes.replace-addrs": nil, "data.attributes.source": "tfe-api",
			"data.attributes.actions.is-cancelable": true, "data.attributes.actions.is-confirmable": false,
			"data.attributes.permissions.can-apply": true, "data.attributes.has-changes": false,
			"data.relationships.workspace.data.id": ws, "data.links.self-html": "/app/acme/network/runs/" + one,
		} {
			if got := r.at(path); got != want {
				t.Errorf("%s is %v, want %v", path, got, want)
			}
		}
		for _, typ := range []string{"plans", "applies", "users", "configuration-versions", "workspaces", "run-events"} {
			if !strings.Contains(r.Body, `"type":"`+typ+`","attributes"`) && !strings.Contains(r.Body, `"type":"`+typ+`"`) {
				t.Errorf("%s are not included", typ)
			}
		}
		s.do("GET", "/runs/"+one+"?include=nonsense", s.Token, "").want(t, 400)
		if got := s.do("GET", "/runs/"+two, s.Token, "").text("data.attributes.status"); got != "pending" {
			t.Errorf("the second is %s", got)
		}
		s.runLists(t, ws, one, two, three)
		s.runLocks(t, ws, one)
		s.runActions(t, one, two)
		s.runLog(t, one)
	})
}

// runLists looks for runs in every list.
func (s *server) runLists(t *testing.T, ws, one, two, three string) {
	t.Helper()
	for query, want := range map[string]string{
		"":                                   two + " " + one,
		"?filter[operation]=plan_only":       three,
		"?filter[operation]=destroy,":        two,
		"?filter[status]=pending":            two,
		"?filter[status]=nonsense":           "",
		"?filter[status_group]=non_final":    two + " " + one,
		"?filter[status_group]=final":        "",
		"?search[basic]=first":               one,
		"?search[user]=ADMIN":                two + " " + one,
		"?search[commit]=abc":                "",
		"?filter[source]=tfe-ui":             "",
		"?filter[agent_pool_names]=nonsense": "",
		"?page[number]=9":                    "",
	} {
		if got := s.do("GET", "/workspaces/"+ws+"/runs"+query, s.Token, "").want(t, 200).ids(); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	s.do("GET", "/workspaces/"+ws+"/runs?filter[timeframe]=soon", s.Token, "").want(t, 400)
	all := s.do("GET", "/organizations/acme/runs?page[size]=2", s.Token, "").want(t, 200)
	if all.ids() != three+" "+two || all.at("meta.pagination.next-page") != 2.0 || all.at("meta.pagination.total-count") != nil {
		t.Errorf("the organization's: %s", all.Body)
	}
	if got := s.do("GET", "/organizations/acme/runs?filter[workspace_names]=network,other", s.Token, "").want(t, 200).ids(); got != three+" "+two+" "+one {
		t.Errorf("by workspace: %s", got)
	}
	queue := s.do("GET", "/organizations/acme/runs/queue", s.Token, "").want(t, 200)
	if queue.ids() != one+" "+three+" "+two || queue.column("position-in-queue") != "1 2 0" {
		t.Errorf("the queue is %s at %s", queue.ids(), queue.column("position-in-queue"))
	}
	if c := s.do("GET", "/organizations/acme/capacity", s.Token, "").want(t, 200); c.at("data.attributes.pending") != 3.0 || c.at("data.attributes.running") != 0.0 {
		t.Errorf("capacity: %s", c.Body)
	}
	if got := s.do("GET", "/admin/runs?q=acme&filter[status]=pending", s.Token, "").want(t, 200).ids(); got != two {
		t.Errorf("site admins find %s", got)
	}
}

// runLocks demands that a run holds its workspace.
func (s *server) runLocks(t *testing.T, ws, one string) {
	t.Helper()
	w := s.do("GET", "/workspaces/"+ws+"?include=locked_by,current_run.plan", s.Token, "").want(t, 200)
	if w.at("data.attributes.locked") != true || w.text("data.relationships.locked-by.data.id") != one || w.text("data.relationships.current-run.data.id") != one {
		t.Errorf("the workspace: %s", w.Body)
	}
	s.do("POST", "/workspaces/"+ws+"/actions/unlock", s.Token, "").want(t, 409)
	s.do("POST", "/workspaces/"+ws+"/actions/safe-delete", s.Token, "").want(t, 409)
}

// runActions comments on runs and ends them.
func (s *server) runActions(t *testing.T, one, two string) {
	t.Helper()
	s.do("POST", "/runs/"+one+"/actions/apply", s.Token, "").want(t, 409)
	s.do("POST", "/runs/"+one+"/actions/discard", s.Token, "{}").want(t, 409)
	s.do("POST", "/runs/"+one+"/actions/force-cancel", s.Token, "").want(t, 409)
	s.do("POST", "/runs/"+one+"/comments", s.Token, `{"data":{"type":"comments","attributes":{"body":" "}}}`).want(t, 422)
	made := s.do("POST", "/runs/"+one+"/comments", s.Token, `{"data":{"type":"comments","attributes":{"body":" fine "}}}`).want(t, 201)
	s.do("GET", "/comments/"+made.text("data.id"), s.Token, "").want(t, 200)
	s.do("POST", "/runs/"+one+"/actions/cancel", s.Token, `{"comment":7}`).want(t, 422)
	s.do("POST", "/runs/"+one+"/actions/cancel", s.Token, `{"data":{"type":"","attributes":{"comment":"not this one"}}}`).want(t, 202)
	s.do("POST", "/runs/"+one+"/actions/cancel", s.Token, "").want(t, 409)
	if got := s.do("GET", "/runs/"+one+"/comments", s.Token, "").want(t, 200).column("body"); got != "fine not this one" {
		t.Errorf("the comments: %s", got)
	}
	events := s.do("GET", "/runs/"+one+"/run-events?include=actor,comment", s.Token, "").want(t, 200)
	if got := events.column("action"); got != "queued commented commented canceled" {
		t.Errorf("what happened: %s", got)
	}
	if got := s.do("GET", "/runs/"+two, s.Token, "").text("data.attributes.status"); got != "plan_queued" {
		t.Errorf("the second one's turn: %s", got)
	}
	s.do("POST", "/runs/"+two+"/actions/force-execute", s.Token, "").want(t, 403)
}

// runLog reads the log of a plan that never began.
func (s *server) runLog(t *testing.T, one string) {
	t.Helper()
	plan := s.do("GET", "/runs/"+one+"/plan", s.Token, "").want(t, 200)
	apply := s.do("GET", "/applies/"+s.do("GET", "/runs/"+one+"/apply", s.Token, "").want(t, 200).text("data.id"), s.Token, "").want(t, 200)
	if plan.text("data.attributes.status") != "unreachable" || apply.text("data.attributes.status") != "unreachable" {
		t.Errorf("plan %s, apply %s", plan.Body, apply.Body)
	}
	s.do("GET", "/plans/"+plan.text("data.id")+"/json-output", s.Token, "").want(t, 404)
	s.do("GET", "/applies/"+apply.text("data.id")+"/errored-state", s.Token, "").want(t, 404)
	url := plan.text("data.attributes.log-read-url")
	for query, want := range map[string]string{"": "\x02\x03", "?offset=1": "\x03", "?offset=2": "", "?offset=99&limit=5": "", "?limit=nonsense": "\x02\x03"} {
		if status, body := getURL(t, url+query); status != http.StatusOK || body != want {
			t.Errorf("%s: %d %q", query, status, body)
		}
	}
	for query, want := range map[string]int{"?offset=-1": 400, "?offset=x": 400} {
		if status, _ := getURL(t, url+query); status != want {
			t.Errorf("%s: %d", query, status)
		}
	}
	if status, _ := getURL(t, url[:len(url)-1]); status != http.StatusNotFound {
		t.Errorf("a cut address: %d", status)
	}
}

// getURL reads a presigned URL, without a token.
func getURL(t *testing.T, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer.StatusCode, string(raw)
}

// TestRunsThatCantBe asks for runs that break a rule, and tells all that is wrong at once.
func TestRunsThatCantBe(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		ws, bare := s.runnable("network"), s.workspace("acme", "bare")
		for attributes, pointer := range map[string]string{
			`"refresh-only":true,"is-destroy":true`:   "/data/attributes/refresh-only",
			`"save-plan":true,"plan-only":true`:       "/data/attributes/plan-only",
			`"terraform-version":"1.12.6"`:            "/data/attributes/terraform-version",
			`"target-addrs":["a\nb"]`:                 "/data/attributes/target-addrs",
			`"target-addrs":"a"`:                      "/data/attributes/target-addrs",
			`"variables":[{"key":"1 2","value":"x"}]`: "/data/attributes/variables/0/key",
			`"variables":[{"key":"a"}]`:               "/data/attributes/variables/0/value",
			`"auto-apply":"yes"`:                      "/data/attributes/auto-apply",
			`"message":7,"refresh":"no"`:              "/data/attributes/message",
		} {
			r := s.do("POST", "/runs", s.Token, runOf(ws, attributes)).want(t, 422)
			if !strings.Contains(r.Body, `"`+pointer+`"`) {
				t.Errorf("%s: %s", attributes, r.Body)
			}
		}
		s.do("POST", "/runs", s.Token, runOf(bare, "")).want(t, 422)
		s.do("POST", "/runs", s.Token, runOf("ws-nowhere", "")).want(t, 404)
		s.do("POST", "/runs", s.Token, `{"data":{"type":"runs"}}`).want(t, 422)
		s.do("POST", "/runs", s.Token, `{"data":{"type":"runs","attributes":{"message":7}}}`).want(t, 422)
		s.do("GET", "/runs/run-nowhere", s.Token, "").want(t, 404)
		s.do("GET", "/plans/run-nowhere", s.Token, "").want(t, 404)
		s.do("PATCH", "/workspaces/"+ws, s.Token, `{"data":{"attributes":{"execution-mode":"local"}}}`).want(t, 200)
		s.do("POST", "/runs", s.Token, runOf(ws, "")).want(t, 422)
		if n := s.count("SELECT count(*) FROM runs"); n != 0 {
			t.Errorf("%d runs were made", n)
		}
	})
}

// ids is the ids of a list, in its order.
func (r reply) ids() string {
	rows, _ := r.at("data").([]any)
	found := make([]string, len(rows))
	for i := range rows {
		found[i] = r.text(fmt.Sprintf("data.%d.id", i))
	}
	return strings.Join(found, " ")
}
