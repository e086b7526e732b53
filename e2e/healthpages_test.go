package e2e_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// carry carries the next job of a pool out as a runner does that made nothing but these
// files, and ends it with these words. What is called log is what it said.
func (s *server) carry(runner, kind string, files map[string]string, end string) {
	s.t.Helper()
	lease, at, log := s.begins(runner, kind)
	if kind == "apply" {
		s.runnerCall(lease, at+"/step", `{"step":"apply"}`).want(s.t, 204)
	}
	said := files["log"]
	send := func(from, to int) reply { return s.says(lease, log, said[from:to], from) }
	for from := 0; from < len(said); from += 1 << 19 {
		send(from, min(from+1<<19, len(said))).wantAny(s.t, 200, 202)
	}
	// As runners do it: what is not safe yet is kept, and the job ends after it.
	s.eventually(func() bool {
		return said == "" || send(len(said)-1, len(said)).want(s.t, 416).at("safe") == float64(len(said))
	}, "the log is safe")
	for name, text := range files {
		if name == "log" {
			continue
		}
		request, err := http.NewRequest(http.MethodPut, s.URL+"/api/runner/v1/"+at+"/files/"+name, strings.NewReader(text))
		must(s.t, err)
		sum := sha256.Sum256([]byte(text))
		request.Header.Set("Authorization", "Bearer "+lease)
		request.Header.Set("Belay-Runner-Protocol", "1")
		request.Header.Set("Belay-Sha256", hex.EncodeToString(sum[:]))
		s.send(request).want(s.t, 201)
	}
	s.runnerCall(lease, at+"/end", end).want(s.t, 200)
}

// begins takes the next job of a kind, as a runner does: its lease, where it is, and its log.
func (s *server) begins(runner, kind string) (lease, at, log string) {
	s.t.Helper()
	var job reply
	s.eventually(func() bool {
		job = s.runnerCall(runner, "claim", `{"slots":1,"wait":1,"nonce":"`+rand.Text()+`"}`)
		return job.text("jobs.0.kind") == kind
	}, "there is a job of the kind "+kind)
	lease, at = job.text("jobs.0.lease"), "jobs/"+job.text("jobs.0.id")
	return lease, at, s.runnerCall(lease, at+"/start", `{}`).want(s.t, 200).text("log_id")
}

// says brings a part of a log, as a runner does, which begins so many bytes after its beginning.
func (s *server) says(lease, log, part string, from int) reply {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPatch, s.URL+"/api/runner/v1/logs/"+log, strings.NewReader(part))
	must(s.t, err)
	request.Header.Set("Authorization", "Bearer "+lease)
	request.Header.Set("Belay-Runner-Protocol", "1")
	request.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", from, from+len(part)-1))
	return s.send(request)
}

// TestHealthOfAWorkspaceOnItsPage shows what assessments found, and offers one to whoever may
// ask for it.
func TestHealthOfAWorkspaceOnItsPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		const page, offer = networkPage + "/health", "Assess now"
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		owner.get(page).want(t, 200).has(t, "The health of this workspace is not assessed.", "There is none yet.").hasNot(t, offer)

		pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`).want(t, 201).text("data.id")
		token := s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"build-1"}}}`).want(t, 201).text("data.attributes.token")
		runner := s.runnerCall(token, "register", `{"name":"build-1","boot_id":"b","slots":1,"engines":[{"product":"tofu","version":"1.12.6"}]}`).want(t, 201).text("token")
		s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"execution-mode":"agent","agent-pool-id":"`+pool+`","terraform-version":"1.12.6","engine":"tofu","assessments-enabled":true}}}`).want(t, 200)
		s.upload(id, "")
		s.do("POST", "/runs", s.Token, runOf(id, `"auto-apply":true`)).want(t, 201)
		const plan = `{"format_version":"1.2","resource_changes":[]}`
		s.carry(runner, "plan", map[string]string{"plan-json": plan, "plan": "planned"}, `{"outcome":"succeeded","has_changes":true}`)
		s.carry(runner, "apply", map[string]string{"state": string(stateHolding(1, instances("random_pet", 2), ""))}, `{"outcome":"succeeded","state_home":true}`)
		s.eventually(func() bool { // the state is read beside the run
			return s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes.resource-count") == 2.0
		}, "the resources are counted")
		owner.get(page).want(t, 200).has(t, "There is none yet.", offer).hasNot(t, "is not assessed").inert(t)
		reader.get(page).want(t, 200).hasNot(t, offer)
		stranger.get(page).want(t, 404)

		ask := func() {
			t.Helper()
			owner.post(page, owner.get(page).form()).want(t, 303)
			owner.get(page).want(t, 200).has(t, "An assessment is in progress.").hasNot(t, offer)
		}
		ask()
		s.carry(runner, "assessment", map[string]string{"plan-json": plan}, `{"outcome":"succeeded","has_changes":false}`)
		owner.get(page).want(t, 200).has(t, "healthy", `<span class="v">0</span>`).hasNot(t, "</svg>drifted</span>")
		ask()
		s.carry(runner, "assessment", nil, `{"outcome":"errored","exit_code":1,"error":"no <engine> could be had"}`)
		shown := reader.get(page).want(t, 200).has(t, "failed", "healthy", "no &lt;engine&gt; could be had").inert(t)
		if n := strings.Count(shown.Body, `<tr><th scope="row"`); n != 2 {
			t.Errorf("%d results are shown: %s", n, shown.Body)
		}
	})
}
