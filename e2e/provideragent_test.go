package e2e_test

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// agentResources are pools of agents, who may use them, and what says that runs go to them.
const agentResources = `
terraform {
  required_providers {
    tfe = { source = "hashicorp/tfe" }
  }
}
provider "tfe" {
  hostname     = "HOST"
  organization = "acme"
}
resource "tfe_project" "billing" {
  name = "billing"
}
resource "tfe_agent_pool" "west" {
  name                = "west"
  organization_scoped = false
}
resource "tfe_agent_token" "west" {
  agent_pool_id = tfe_agent_pool.west.id
  description   = "build-1"
}
resource "tfe_workspace" "runs" {
  for_each     = toset(["network", "asked", "forgotten"])
  name         = each.key
  project_id   = tfe_project.billing.id
  force_delete = each.key == "forgotten"
}
resource "tfe_agent_pool_allowed_workspaces" "west" {
  agent_pool_id         = tfe_agent_pool.west.id
  allowed_workspace_ids = [for w in tfe_workspace.runs : w.id]
}
resource "tfe_workspace_settings" "runs" {
  for_each       = tfe_workspace.runs
  workspace_id   = each.value.id
  execution_mode = "agent"
  agent_pool_id  = tfe_agent_pool_allowed_workspaces.west.agent_pool_id
}
resource "tfe_agent_pool" "billing" {
  name                = "billing"
  organization_scoped = false
}
resource "tfe_agent_pool_allowed_projects" "billing" {
  agent_pool_id       = tfe_agent_pool.billing.id
  allowed_project_ids = [tfe_project.billing.id]
}
resource "tfe_agent_pool" "all" {
  name = "all"
}
resource "tfe_workspace" "apart" {
  name = "apart"
}
resource "tfe_agent_pool_excluded_workspaces" "all" {
  agent_pool_id          = tfe_agent_pool.all.id
  excluded_workspace_ids = [tfe_workspace.apart.id]
}
resource "tfe_organization_default_settings" "acme" {
  default_execution_mode = "agent"
  default_agent_pool_id  = tfe_agent_pool_excluded_workspaces.all.agent_pool_id
}
resource "tfe_workspace_settings" "apart" {
  workspace_id   = tfe_workspace.apart.id
  execution_mode = "local"
}
resource "tfe_run_trigger" "network" {
  workspace_id  = tfe_workspace.apart.id
  sourceable_id = tfe_workspace.runs["network"].id
}
data "tfe_agent_pool" "west" {
  name       = "west"
  depends_on = [tfe_agent_pool.west]
}
output "pool" { value = data.tfe_agent_pool.west.id }
output "token" {
  value     = tfe_agent_token.west.token
  sensitive = true
}
`

// agentRuns are runs that are waited for, confirmed by somebody, and asked for and forgotten.
const agentRuns = `
resource "tfe_workspace_run" "network" {
  workspace_id = tfe_workspace.runs["network"].id
  depends_on   = [tfe_workspace_settings.runs, tfe_agent_token.west]
  apply {
    manual_confirm = false
    message        = "by the provider"
    retry          = false
  }
  destroy {
    manual_confirm = false
    retry          = false
  }
}
resource "tfe_workspace_run" "asked" {
  workspace_id = tfe_workspace.runs["asked"].id
  depends_on   = [tfe_workspace_run.network]
  apply {
    manual_confirm = true
    retry          = false
  }
  destroy {
    manual_confirm = false
    retry          = false
  }
}
resource "tfe_workspace_run" "forgotten" {
  workspace_id = tfe_workspace.runs["forgotten"].id
  depends_on   = [tfe_workspace_settings.runs, tfe_agent_token.west]
  apply {
    manual_confirm = false
    wait_for_run   = false
  }
}
data "tfe_outputs" "network" {
  workspace  = "network"
  depends_on = [tfe_workspace_run.network]
}
output "made" { value = data.tfe_outputs.network.nonsensitive_values.word }
`

// carried is what those workspaces apply; it takes longer than the provider waits between two
// looks, for it must see that an apply which somebody confirmed is under way.
const carried = `
resource "terraform_data" "slow" {
  provisioner "local-exec" { command = "sleep 8" }
}
output "word" { value = "made" }
`

// TestProviderOfAgents makes pools, tokens and workspaces with the provider, has a real runner
// carry out the runs that it asks for, imports what can be imported, and destroys all of it.
func TestProviderOfAgents(t *testing.T) {
	provider := providerFolder(t)
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		ctx := context.Background()
		c.override(provider)
		c.env = append(c.env, "TFE_TOKEN="+s.Token)
		c.write(agentResources)
		c.run("apply", "-auto-approve", "-input=false")
		c.says(c.run("plan", "-input=false"), "No changes")
		agent := s.agent(t, strings.TrimSpace(c.run("output", "-raw", "token")), s.engines)
		s.awaits(func() bool { return strings.Contains(s.logs.String(), "the runner takes jobs") }, "the agent is there")
		for _, name := range []string{"network", "asked", "forgotten"} {
			s.configure(t, name, carried)
		}

		c.write(agentResources + agentRuns)
		go s.confirmWhenAsked("asked")
		if out, err := c.try("apply", "-auto-approve", "-input=false"); err != nil {
			t.Fatalf("%v\n%s\n%s", err, lastLines(out, 12), s.planLog("network"))
		}
		c.says(c.run("output"), `made = "made"`)
		c.says(c.run("plan", "-input=false"), "No changes")
		for _, name := range []string{"network", "asked", "forgotten"} {
			s.lastRun(name, "applied")
		}
		s.byAgent(t, "network", "by the provider")

		c.importAll(s)
		c.says(c.run("plan", "-input=false"), "No changes")
		w, err := s.admin().Workspaces.Read(ctx, "acme", "network")
		must(t, err)
		if w.ExecutionMode != "agent" || w.AgentPool.ID != strings.TrimSpace(c.run("output", "-raw", "pool")) {
			t.Errorf("imported: %+v", w)
		}
		c.run("destroy", "-auto-approve", "-input=false")
		s.endsRevoked(t, agent)
		list, err := s.admin().Workspaces.List(ctx, "acme", nil)
		must(t, err)
		pools, err := s.admin().AgentPools.List(ctx, "acme", nil)
		must(t, err)
		if len(list.Items) != 0 || len(pools.Items) != 0 {
			t.Errorf("after destroy: %d workspaces, %d pools", len(list.Items), len(pools.Items))
		}
		// The workspaces that may not be deleted with something in them are gone: both runs destroyed.
	}, "--runner-slots", "0")
}

// endsRevoked ends a runner whose token was destroyed: it stops by itself when it hears of
// that, and says why, or cleanly when it is told to first.
func (s *server) endsRevoked(t *testing.T, agent *exec.Cmd) {
	t.Helper()
	_ = agent.Process.Signal(syscall.SIGTERM)
	if err := agent.Wait(); err != nil && !strings.Contains(s.logs.String(), "registered with is not in force any more") {
		t.Errorf("the runner did not stop cleanly: %v", err)
	}
}

// configure uploads a configuration that begins no run.
func (s *server) configure(t *testing.T, workspace, configuration string) {
	t.Helper()
	id := s.do("GET", "/organizations/acme/workspaces/"+workspace, s.Token, "").want(t, 200).text("data.id")
	made := s.do("POST", "/workspaces/"+id+"/configuration-versions", s.Token, `{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`).want(t, 201)
	upload, err := http.NewRequestWithContext(t.Context(), http.MethodPut, made.text("data.attributes.upload-url"), bytes.NewReader(archiveOf("main.tf", configuration)))
	must(t, err)
	s.send(upload).want(t, http.StatusOK)
}

// confirmWhenAsked is the person that a manual confirmation waits for. Persons are slow, and the
// provider, which looks every three seconds, wants to have seen what they confirm.
func (s *server) confirmWhenAsked(workspace string) {
	ctx, c := s.t.Context(), s.admin()
	s.eventually(func() bool {
		w, err := c.Workspaces.Read(ctx, "acme", workspace)
		if err != nil || w.CurrentRun == nil {
			return ctx.Err() != nil
		}
		r, err := c.Runs.Read(ctx, w.CurrentRun.ID)
		if err != nil || !r.Actions.IsConfirmable {
			return false
		}
		time.Sleep(8 * time.Second)
		return c.Runs.Apply(ctx, r.ID, tfe.RunApplyOptions{}) == nil
	}, "the run of "+workspace+" was confirmed")
}

// planLog is what the plan of a workspace's newest run said.
func (s *server) planLog(workspace string) string {
	s.t.Helper()
	ctx, c := s.t.Context(), s.admin()
	w, err := c.Workspaces.Read(ctx, "acme", workspace)
	must(s.t, err)
	list, err := c.Runs.List(ctx, w.ID, &tfe.RunListOptions{})
	must(s.t, err)
	if len(list.Items) == 0 {
		return "no run"
	}
	return s.wholeLog("plans", list.Items[0].Plan.ID)
}

// byAgent demands that the newest run of a workspace was carried out by an agent.
func (s *server) byAgent(t *testing.T, workspace, message string) {
	t.Helper()
	ctx, c := t.Context(), s.admin()
	w, err := c.Workspaces.Read(ctx, "acme", workspace)
	must(t, err)
	list, err := c.Runs.List(ctx, w.ID, &tfe.RunListOptions{})
	must(t, err)
	r := list.Items[0]
	raw := s.do("GET", "/applies/"+r.Apply.ID, s.Token, "").want(t, 200)
	if r.Message != message || raw.text("data.attributes.execution-details.mode") != "agent" || raw.text("data.attributes.execution-details.agent-name") != "build-1" {
		t.Errorf("the run says %q, its apply %s", r.Message, raw.Body)
	}
}

// importAll forgets what can be imported, and imports it.
func (c *tofu) importAll(s *server) {
	c.t.Helper()
	ctx, admin := c.t.Context(), s.admin()
	pools := map[string]string{}
	list, err := admin.AgentPools.List(ctx, "acme", nil)
	must(c.t, err)
	for _, p := range list.Items {
		pools[p.Name] = p.ID
	}
	apart, err := admin.Workspaces.Read(ctx, "acme", "apart")
	must(c.t, err)
	network, err := admin.Workspaces.Read(ctx, "acme", "network")
	must(c.t, err)
	triggers, err := admin.RunTriggers.List(ctx, apart.ID, &tfe.RunTriggerListOptions{RunTriggerType: tfe.RunTriggerInbound})
	must(c.t, err)
	imports := [][2]string{ // what is for each of something comes after it
		{"tfe_project.billing", network.Project.ID},
		{"tfe_agent_pool.west", "acme/west"},
		{"tfe_agent_pool.all", pools["all"]},
		{"tfe_agent_pool_allowed_workspaces.west", pools["west"]},
		{"tfe_agent_pool_allowed_projects.billing", pools["billing"]},
		{"tfe_agent_pool_excluded_workspaces.all", pools["all"]},
		{"tfe_workspace.apart", "acme/apart"},
		{`tfe_workspace.runs["network"]`, network.ID},
		{`tfe_workspace_settings.runs["network"]`, "acme/network"},
		{"tfe_workspace_settings.apart", apart.ID},
		{"tfe_organization_default_settings.acme", "acme"},
		{"tfe_run_trigger.network", triggers.Items[0].ID},
	}
	rm := []string{"state", "rm"}
	for _, i := range imports {
		rm = append(rm, i[0])
	}
	c.run(rm...)
	for _, i := range imports {
		c.run("import", "-input=false", i[0], i[1])
	}
	if out := c.run("state", "list"); strings.Count(out, "\n") < len(imports) {
		c.t.Errorf("of %d imports this is there:\n%s", len(imports), out)
	}
}
