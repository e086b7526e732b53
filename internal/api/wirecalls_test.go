package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// wireCall is a call of a runner with the largest body that it takes.
type wireCall struct {
	method, path, token, body string
	names                     string // the call as the door names it; empty: as path
}

// wireCalls is every call of an agent with a body, and a runner that makes them.
func (w *world) wireCalls() []wireCall {
	token := w.value("/agent-pools/"+w.shared["agent_pool_id"]+"/authentication-tokens", `{"data":{"attributes":{"description":"wire"}}}`)
	engines := make([]run.EngineBinary, belay.MaxListed)
	for i := range engines {
		engines[i] = run.EngineBinary{Product: "tofu", Version: fmt.Sprint("1.0.", i)}
	}
	jobs := make([]run.BeatJob, belay.MaxListed)
	for i := range jobs {
		jobs[i] = run.BeatJob{ID: "job-x", Lease: fmt.Sprint("lease-", i), WorkspaceID: w.shared["workspace_id"]}
	}
	words := strings.Repeat("x", 1<<20-100)
	register := wireCall{method: "POST", path: "/register", token: token, body: inJSON(run.Registration{Name: "wire", BootID: "boot", Slots: 100, Engines: engines})}
	_, answer := w.callWire(register)
	me := textAt(answer, "token")
	return []wireCall{
		register,
		{method: "POST", path: "/claim", token: me, body: inJSON(run.Claim{Slots: 100, Engines: engines})},
		{method: "POST", path: "/heartbeat", token: me, body: inJSON(run.Beat{Jobs: jobs})},
		{method: "POST", path: "/fetches/claim", token: me, body: `{"wait":0,"more":"` + words + `"}`},
		{method: "POST", path: "/fetches/none/renew", names: "/fetches/{id}/renew", token: me, body: inJSON(run.FetchEnd{Claim: words})},
		{method: "POST", path: "/fetches/none/fail", names: "/fetches/{id}/fail", token: me, body: inJSON(run.FetchEnd{Claim: "none", Error: words})},
		{method: "PUT", path: "/fetches/none/archive", names: "/fetches/{id}/archive", token: me, body: words},
	}
}

func inJSON(value any) string {
	raw, _ := json.Marshal(value)
	return string(raw)
}

func (w *world) callWire(c wireCall) (int, string) {
	request := httptest.NewRequest(c.method, run.WirePath+c.path, strings.NewReader(c.body))
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set(run.ProtocolHeader, strconv.Itoa(run.Protocol))
	answer := httptest.NewRecorder()
	w.wire.ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

// Why a body that has no lists weighs on nobody.
const (
	aForm       = "a form of a few words, proved before anything is written"
	aSentence   = "of its body a sentence with an end is kept, if anything"
	nothingKept = "nothing of its body is kept"
)

// notWalked is the routes with a body that no neighbour is measured beside, and why.
var notWalked = map[string]string{
	"POST /oauth/token":                             aForm,
	"POST /oauth/back-channel-logout/{provider_id}": aForm,
	"POST /workload-identity/token":                 aForm,

	"POST /teams/{team_id}/authentication-token":                   aSentence,
	"POST /organizations/{organization_name}/authentication-token": aSentence,
	"POST /workspaces/{workspace_id}/actions/lock":                 aSentence,
	"POST /workspaces/{workspace_id}/actions/ask-holder":           aSentence,
	"POST /workspaces/{workspace_id}/actions/issue-run-token":      aSentence,
	"POST /runs/{run_id}/actions/apply":                            aSentence,
	"POST /runs/{run_id}/actions/discard":                          aSentence,
	"POST /runs/{run_id}/actions/cancel":                           aSentence,
	"POST /runs/{run_id}/actions/force-cancel":                     aSentence,
	"POST /runs/{run_id}/actions/force-execute":                    aSentence,
	"POST /admin/runs/{run_id}/actions/force-cancel":               aSentence,

	"POST /workspaces/change-requests/{change_request_id}":      nothingKept,
	"PATCH /workspaces/change-requests/{change_request_id}":     nothingKept,
	"POST /change-requests/{change_request_id}":                 nothingKept,
	"PATCH /change-requests/{change_request_id}":                nothingKept,
	"POST /change-requests/{change_request_id}/actions/archive": nothingKept,

	"wire POST /exit":                  "it reads no body",
	"wire POST /jobs/{id}/start":       "its body is one word, of a job that there is once",
	"wire POST /jobs/{id}/step":        "its body is one word, of a job that there is once",
	"wire POST /jobs/{id}/end":         "of its body a sentence and the counts are kept, of a job that there is once",
	"wire POST /jobs/{id}/finish":      "as the end, with the rest of a log and short files, each a row of few KiB",
	"wire PUT /jobs/{id}/files/{kind}": "a stream into the store of files; states: TestManyOutputsHoldNobodyUp",
	"wire PATCH /logs/{id}":            "pieces of logs are gathered and written together",
}

// TestEveryBodyIsMeasured holds that the table of neighbours has every route that reads a body.
func TestEveryBodyIsMeasured(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		many := newLargest(w)
		walked := map[string]bool{}
		for _, a := range areas() {
			for _, r := range a.rows {
				if r.body != "" {
					_, _, _, ok := many.request(r)
					walked[r.route] = walked[r.route] || ok
				}
			}
		}
		for _, r := range w.routes {
			route := r.Method + " " + strings.TrimPrefix(r.Path, "/api/v2")
			reads := r.Takes || r.Raw && r.Method != http.MethodGet
			if reads && !walked[route] && notWalked[route] == "" {
				t.Errorf("no neighbour is measured beside %s: give its row a body, or say in notWalked why not", route)
			}
			if walked[route] && notWalked[route] != "" {
				t.Errorf("%s is walked, and notWalked says why it is not", route)
			}
		}
		calls := w.wireCalls()
		for _, name := range w.wire.Calls() {
			method, path, _ := strings.Cut(name, " ")
			there := slices.ContainsFunc(calls, func(c wireCall) bool { return c.method == method && (c.names == path || c.path == path) })
			if method != http.MethodGet && !there && notWalked["wire "+name] == "" {
				t.Errorf("no neighbour is measured beside the runners' %s", name)
			}
		}
		for _, c := range calls {
			w.db.HeaviestWrite()
			status, answer := w.callWire(c)
			if rows := w.db.HeaviestWrite(); rows > mostRows || status >= 500 || status == http.StatusRequestEntityTooLarge {
				t.Errorf("%s %s: %d, %d rows: %.200s", c.method, c.path, status, rows, answer)
			}
			t.Logf("%s %s: %d", c.method, c.path, status)
		}
	})
}
