package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// providerResources is one of each of the provider's resources that hang together.
const providerResources = `
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
resource "tfe_ssh_key" "deploy" {
  name = "deploy"
  key  = "a key of the test"
}
resource "tfe_agent_pool" "builders" {
  name                = "builders"
  organization_scoped = true
}
resource "tfe_workspace" "network" {
  name        = "network"
  description = DESCRIPTION
  project_id  = tfe_project.billing.id
  tag_names   = ["env-prod"]
  ssh_key_id  = tfe_ssh_key.deploy.id
}
resource "tfe_workspace_settings" "network" {
  workspace_id   = tfe_workspace.network.id
  execution_mode = "agent"
  agent_pool_id  = tfe_agent_pool.builders.id
}
resource "tfe_variable" "region" {
  key          = "region"
  value        = "eu"
  category     = "terraform"
  workspace_id = tfe_workspace.network.id
}
resource "tfe_variable" "token" {
  key          = "TOKEN"
  value        = "s3cret"
  category     = "env"
  sensitive    = true
  workspace_id = tfe_workspace.network.id
}
resource "tfe_team" "ops" {
  name = "ops"
}
resource "tfe_team_access" "ops" {
  access       = "write"
  team_id      = tfe_team.ops.id
  workspace_id = tfe_workspace.network.id
}
`

// TestProviderThroughTofu applies, changes and destroys the provider's resources with the
// real command line. It needs a binary of the provider: BELAY_TFE_PROVIDER names it.
func TestProviderThroughTofu(t *testing.T) {
	provider := providerFolder(t)
	eachTofu(t, func(t *testing.T, s *server) {
		c := s.tofu(t, s.Token, configured("before"))
		c.override(provider)
		c.env = append(c.env, "TFE_TOKEN="+s.Token)
		c.run("apply", "-auto-approve", "-input=false")
		c.says(c.run("plan", "-input=false"), "No changes")
		c.write(configured("after"))
		c.run("apply", "-auto-approve", "-input=false")
		w, err := s.admin().Workspaces.Read(context.Background(), "acme", "network")
		must(t, err)
		if w.Description != "after" || w.ExecutionMode != "agent" || w.SSHKey == nil || len(w.TagNames) != 1 || len(w.Variables) != 2 {
			t.Errorf("applied: %+v", w)
		}
		c.run("destroy", "-auto-approve", "-input=false")
		if _, err := s.admin().Workspaces.Read(context.Background(), "acme", "network"); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("after destroy: %v", err)
		}
	})
}

// providerFolder is a folder that has the provider's binary, under the name that is looked for.
func providerFolder(t *testing.T) string {
	t.Helper()
	absolute, err := filepath.Abs(tool(t, "BELAY_TFE_PROVIDER"))
	must(t, err)
	folder := t.TempDir()
	must(t, os.Symlink(absolute, filepath.Join(folder, "terraform-provider-tfe")))
	return folder
}

func configured(description string) string {
	return strings.ReplaceAll(providerResources, "DESCRIPTION", fmt.Sprintf("%q", description))
}

// override lets the command line take the provider from a folder, without a registry.
// The two command lines look for it under addresses of their own.
func (c *tofu) override(folder string) {
	c.t.Helper()
	path := filepath.Join(c.folder, "cli.tfrc")
	raw, err := os.ReadFile(path)
	must(c.t, err)
	raw = fmt.Appendf(raw, `
provider_installation {
  dev_overrides {
    "registry.opentofu.org/hashicorp/tfe"  = %q
    "registry.terraform.io/hashicorp/tfe" = %q
  }
}
`, folder, folder)
	must(c.t, os.WriteFile(path, raw, 0o600))
}
