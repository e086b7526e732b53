package api_test

import (
	"testing"

	"github.com/belayhq/belay/internal/api"
)

// related is every field of a patch that no row of an attribute table writes to, with what does.
var related = map[string]string{
	"agent-pools AllowedProjects":         "a relationship",
	"agent-pools AllowedWorkspaces":       "a relationship",
	"agent-pools ExcludedWorkspaces":      "a relationship",
	"notification-configurations UserIDs": "the relationship users",
	"oauth-clients AgentPoolID":           "the relationship agent-pool",
	"oauth-clients Projects":              "the relationship projects",
	"organization-memberships Teams":      "the relationship teams",
	"projects OverwritesMode":             "setting-overwrites",
	"projects OverwritesPool":             "setting-overwrites",
	"projects TagBindings":                "the relationship tag-bindings",
	"retention Kind":                      "the type of the document",
	"state-versions RunID":                "the relationship run",
	"tag-bindings CreatedAt":              "the noun is its own patch",
	"tag-bindings ID":                     "the noun is its own patch",
	"team-projects Project":               "project-access, of which a body gives members",
	"team-projects Workspaces":            "workspace-access, of which a body gives members",
	"teams Access":                        "organization-access, which takes the names of switches alone",
	"varsets ParentProject":               "the relationship parent",
	"varsets Projects":                    "the relationship projects",
	"varsets Variables":                   "the relationship vars",
	"varsets Workspaces":                  "the relationship workspaces",
	"workspaces EngineHint":               "what the client that asks is",
	"workspaces ProjectID":                "the relationship project",
	"workspaces TagBindings":              "the relationship tag-bindings",
	"workspaces Tags":                     "the relationship tags",
}

// TestEveryFieldOfAPatchHasARow finds the attribute that its noun has and no body can change.
func TestEveryFieldOfAPatchHasARow(t *testing.T) {
	t.Parallel()
	for noun, rows := range api.Tables {
		reached := map[string]bool{}
		for _, row := range rows {
			for _, field := range row.Reaches {
				reached[field] = true
			}
		}
		for i := range rows[0].Patch.NumField() {
			field := rows[0].Patch.Field(i).Name
			switch how := related[noun+" "+field]; {
			case !reached[field] && how == "":
				t.Errorf("the attribute %s of %s can't be written: add its row to the table in internal/api, or say in related what writes it", field, noun)
			case reached[field] && how != "":
				t.Errorf("a row writes %s of %s: take it out of related", field, noun)
			}
		}
	}
}
