package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// usual are an advice before the plan, a check that lets nothing be deleted, and one that holds runs
// before their apply whose message says so.
var usual = [][4]string{
	{"advice", "pre_plan", "advisory", `grep -q '^# reviewed' "$CHECK_CONFIGURATION/main.tf" || { echo "nobody has reviewed it"; exit 1; }`},
	{"no-deletes", "post_plan", "mandatory", `! grep -q '"actions":\[[^]]*"delete"' || { echo "it deletes"; exit 1; }`},
	{"held", "pre_apply", "mandatory", `grep -q '"resource_changes"' && ! grep -q '"message":"hold' "$CHECK_CONTEXT"`},
}

// checked writes a file of checks, each a script: NAME STAGE ENFORCEMENT and its text.
func checked(t *testing.T, list [][4]string) (file string) {
	t.Helper()
	folder := t.TempDir()
	var entries []string
	for _, c := range list {
		program := filepath.Join(folder, c[0])
		must(t, os.WriteFile(program, []byte("#!/bin/sh\n"+c[3]+"\n"), 0o700))
		entries = append(entries, fmt.Sprintf(`{"name":%q,"stage":%q,"enforcement":%q,"command":[%q]}`, c[0], c[1], c[2], program))
	}
	file = filepath.Join(folder, "checks.json")
	must(t, os.WriteFile(file, []byte(`{"checks":[`+strings.Join(entries, ",")+`]}`), 0o600))
	return file
}

// TestChecksOfRuns has the server's own runner check runs of the real engine.
func TestChecksOfRuns(t *testing.T) {
	slow(t)
	t.Parallel()
	binary := tool(t, "BELAY_TOFU")
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, "--runner-slots", "1", "--engine-dir", engineDir(t, "tofu", binary), "--checks", checked(t, usual))
			s.people()
			id := s.workspace("acme", "checked")
			s.upload(id, "resource \"terraform_data\" \"one\" {\n  input = 1\n}\n")

			one := s.ends(id, `"auto-apply":true`, "applied")
			s.results(one, "advice failed, no-deletes passed, held passed")
			state := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200).text("data.relationships.current-state-version.data.id")

			two := s.ends(id, `"auto-apply":true,"is-destroy":true`, "errored")
			s.results(two, "advice failed, no-deletes failed")
			plan := s.do("GET", "/runs/"+two+"/plan", s.Token, "").want(t, 200)
			if plan.text("data.attributes.status") != "finished" || plan.at("data.attributes.resource-destructions") != 1.0 || plan.at("data.attributes.has-changes") != true {
				t.Errorf("the plan that was refused: %s", plan.Body)
			}
			if log := s.wholeLog("plans", plan.text("data.id")); !strings.Contains(log, "1 to destroy") || !strings.Contains(log, "belay: the mandatory check no-deletes failed with exit status 1:\nit deletes\n") {
				t.Errorf("its log: %s", log)
			}
			s.do("GET", "/runs/"+two+"/plan/json-output", s.Token, "").want(t, 200).has(t, `"delete"`)
			s.do("POST", "/runs/"+two+"/actions/apply", s.Token, "").want(t, 409)

			s.upload(id, "# reviewed\nresource \"terraform_data\" \"one\" {\n  input = 2\n}\n")
			three := s.ends(id, `"auto-apply":true,"message":"hold it"`, "errored")
			s.results(three, "advice passed, no-deletes passed, held failed")
			w := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
			if w.text("data.relationships.current-state-version.data.id") != state || w.at("data.attributes.locked") != false {
				t.Errorf("after what was refused the workspace is %s", w.Body)
			}
			page := "/app/acme/workspaces/checked/runs/"
			owner := s.signIn("olga")
			owner.get(page+two).want(t, 200).has(t, "no-deletes", "mandatory", "it deletes", "after the plan", "nobody has reviewed it", "the mandatory check no-deletes failed")
			owner.get(page+three).want(t, 200).has(t, "before the apply", "Passed", "Failed")
			s.signIn("stan").get(page+two).want(t, 404)
		})
	}
}

// ends makes a run and waits until it is over.
func (s *server) ends(workspace, attributes, want string) (id string) {
	s.t.Helper()
	id = s.do("POST", "/runs", s.Token, runOf(workspace, attributes)).want(s.t, 201).text("data.id")
	s.awaits(func() bool {
		return s.do("GET", "/runs/"+id, s.Token, "").want(s.t, 200).text("data.attributes.status") == want
	}, "the run is "+want)
	return id
}

// results demands what the checks of a run came to.
func (s *server) results(id, want string) {
	s.t.Helper()
	if got := s.checksOf(id); got != want {
		s.t.Errorf("the checks came to %s, want %s", got, want)
	}
}

// checksOf is what the checks of a run came to: each name with its status.
func (s *server) checksOf(id string) string {
	s.t.Helper()
	list := s.do("GET", "/runs/"+id+"/run-checks", s.Token, "").want(s.t, 200)
	names, statuses := strings.Fields(list.column("name")), strings.Fields(list.column("status"))
	for i := range names {
		names[i] += " " + statuses[i]
	}
	return strings.Join(names, ", ")
}
