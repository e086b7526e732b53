package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/run"
)

// realEngines are the command lines that the environment names.
func realEngines(t *testing.T, test func(t *testing.T, b engine.Binary)) {
	t.Helper()
	t.Parallel()
	if os.Getenv("BELAY_SLOW") == "" {
		t.Skip("slow: run make check-all")
	}
	for product, variable := range map[string]string{engine.Tofu: "BELAY_TOFU", engine.Terraform: "BELAY_TERRAFORM"} {
		t.Run(product, func(t *testing.T) {
			path := os.Getenv(variable)
			if path == "" {
				t.Skip(variable + " names no command line")
			}
			for _, b := range engine.New(engine.Config{Path: filepath.Dir(path)}).List(t.Context()) {
				if b.Product == product {
					test(t, b)
					return
				}
			}
			t.Fatalf("%s is no %s", path, product)
		})
	}
}

const realConfiguration = `
terraform {
  cloud {
    organization = "acme"
    workspaces { name = "prod" }
  }
}
variable "secret" {
  type      = string
  sensitive = true
}
variable "shape" {
  type = object({ size = number })
}
resource "terraform_data" "one" {
  input = [var.secret, var.shape.size, terraform.workspace]
}
module "below" {
  source = "./below"
}
output "workspace" {
  value = terraform.workspace
}
output "secret" {
  value     = var.secret
  sensitive = true
}
`

func TestRealEngine(t *testing.T) {
	realEngines(t, func(t *testing.T, b engine.Binary) {
		s := newFakeServer(t)
		s.files[run.ConfigurationFile] = archive(t, map[string]string{
			"main.tf": realConfiguration, "below/main.tf": `resource "terraform_data" "two" { input = path.cwd }`,
			"zzzzz_override.tf": "terraform {\n  backend \"s3\" {}\n}\n", "terraform.tfstate": "{}",
		})
		s.starts(t.TempDir(), "", func(c *Config) { c.Engines, c.Read = engine.New(engine.Config{Path: filepath.Dir(b.Path)}), nil })
		of := func(s *run.JobSpec) {
			s.Engine = run.JobEngine{Product: b.Product, Version: b.Version}
			s.Variables = []run.JobVariable{
				{Key: "secret", Value: "very ${secret} \"thing\"", Category: "terraform", Sensitive: true},
				{Key: "shape", Value: "{ size = 3 }", Category: "terraform", HCL: true},
			}
		}
		s.give(run.PlanJob, of)
		if end := s.ended(); end.Outcome != run.Succeeded || !*end.HasChanges {
			t.Fatalf("the plan ended as %+v: %s", end, s.said())
		}
		if !strings.Contains(s.said(), "2 to add, 0 to change, 0 to destroy") || strings.Contains(s.said(), "very") {
			t.Errorf("the log of the plan is %s", s.said())
		}
		var plan struct {
			PlannedValues struct {
				Outputs map[string]struct{ Value any }
			} `json:"planned_values"`
		}
		if err := json.Unmarshal(s.kept(run.PlanJSONFile), &plan); err != nil || plan.PlannedValues.Outputs["workspace"].Value != "prod" {
			t.Errorf("the plan says %+v, %v", plan, err)
		}
		s.give(run.ApplyJob, of)
		end := s.ended()
		if end.Outcome != run.Succeeded || !end.StateHome || *end.Counts != (run.Counts{Additions: 2}) {
			t.Fatalf("the apply ended as %+v: %s", end, s.said())
		}
		if !strings.Contains(s.said(), "2 added, 0 changed, 0 destroyed") || strings.Contains(s.said(), "very") {
			t.Errorf("the log of the apply is %s", s.said())
		}
		if state := string(s.kept(run.StateFile)); !strings.Contains(state, `"very ${secret} \"thing\""`) || !strings.Contains(state, `"prod"`) {
			t.Errorf("the state is %s", state)
		}
		s.give(run.PlanJob, of)
		if end := s.ended(); end.Outcome != run.Succeeded || *end.HasChanges {
			t.Errorf("the second plan ended as %+v: %s", end, s.said())
		}
		s.give(run.PlanJob, func(s *run.JobSpec) { of(s); s.Plan.Destroy = true })
		if end := s.ended(); end.Outcome != run.Succeeded || !strings.Contains(s.said(), "2 to destroy") {
			t.Errorf("the destroy plan ended as %+v: %s", end, s.said())
		}
	})
}
