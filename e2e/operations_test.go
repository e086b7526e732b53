package e2e_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// TestOperationsAreThereWhereSomebodyCarriesRunsOut asks what command lines ask before they
// plan: on which machine.
func TestOperationsAreThereWhereSomebodyCarriesRunsOut(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("globex")
		offered := func(organization string) any {
			return s.do("GET", "/organizations/"+organization+"/entitlement-set", s.Token, "").want(t, 200).at("data.attributes.operations")
		}
		if offered("acme") != false {
			t.Error("a server without a runner offers operations")
		}
		pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`).want(t, 201).text("data.id")
		token := s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"build-1"}}}`).want(t, 201)
		if offered("acme") != true || offered("globex") != false {
			t.Errorf("with the token of a pool: acme %v, globex %v", offered("acme"), offered("globex"))
		}
		s.do("DELETE", "/authentication-tokens/"+token.text("data.id"), s.Token, "").want(t, 204)
		if offered("acme") != false {
			t.Error("nobody is left to carry runs out")
		}
		s.stop()
		s.args = append(s.args, "--runner-slots", "1", "--isolation", "none")
		s.run()
		if offered("acme") != true || offered("globex") != true {
			t.Error("a server with a runner offers no operations")
		}
	})
}

// TestRunnersAreAnswered asks the door for runners who it lets in.
func TestRunnersAreAnswered(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`).want(t, 201).text("data.id")
		token := s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"build-1"}}}`).want(t, 201).text("data.attributes.token")
		for bearer, want := range map[string]int{token: 201, s.Token: 401, "nonsense": 401} {
			if got := s.runnerCall(bearer, "register", `{"name":"r","boot_id":"b","slots":1}`); got.Status != want {
				t.Errorf("%d, want %d: %s", got.Status, want, got.Body)
			}
		}
	})
}

// runnerCall makes a call of the runner's wire.
func (s *server) runnerCall(token, call, body string) reply {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, s.URL+"/api/runner/v1/"+call, strings.NewReader(body))
	must(s.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Belay-Runner-Protocol", "1")
	return s.send(request)
}

// TestAnUploadQueuesARun announces configurations as scripts do, and leaves the run to them.
func TestAnUploadQueuesARun(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`).want(t, 201).text("data.id")
		s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"build-1"}}}`).want(t, 201)
		id := s.do("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"network","execution-mode":"agent","agent-pool-id":"`+pool+`"}}}`).want(t, 201).text("data.id")
		upload := func(attributes string) {
			t.Helper()
			c := s.do("POST", "/workspaces/"+id+"/configuration-versions", s.Token, `{"data":{"type":"configuration-versions","attributes":{`+attributes+`}}}`).want(t, 201)
			if status, body := putURL(t, c.text("data.attributes.upload-url"), bytes.NewReader(archiveOf("main.tf", ""))); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
		}
		upload(`"auto-queue-runs":false`)
		if got := s.runs("network"); len(got) != 0 {
			t.Errorf("runs: %v", got)
		}
		upload(`"auto-queue-runs":true`)
		upload(`"speculative":true`)
		request, err := http.NewRequest(http.MethodGet, s.URL+"/metrics", nil)
		must(t, err)
		for _, line := range []string{`belay_run_jobs{state="waiting"} 2`, `belay_run_jobs{state="taken"} 0`} {
			s.eventually(func() bool { return strings.Contains(s.send(request).Body, line) }, "/metrics says "+line)
		}
		for operation, want := range map[string]bool{"plan_and_apply": false, "plan_only": true} {
			list := s.do("GET", "/workspaces/"+id+"/runs?filter%5Boperation%5D="+operation, s.Token, "").want(t, 200)
			if list.at("data.0.attributes.plan-only") != want || list.text("data.0.attributes.status") != "plan_queued" || list.at("data.1") != nil {
				t.Errorf("%s: %s", operation, list.Body)
			}
		}
	})
}
