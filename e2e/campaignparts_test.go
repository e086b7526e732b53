package e2e_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestPartsOfCampaigns: how many are ready stands in the list, one of them is told by team and by project, and what is
// shown is archived by one tick.
func TestPartsOfCampaigns(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		for i, team := range []string{"platform", "platform", "edge", ""} {
			s.newWorkspace("acme", fmt.Sprintf("app-%d", i), func(w *tfe.WorkspaceCreateOptions) {
				w.TerraformVersion = tfe.String("1.9.8")
				if team != "" {
					w.TagBindings = []*tfe.TagBinding{{Key: "team", Value: team}}
				}
			})
		}
		id := s.do("POST", "/organizations/acme/explorer/bulk-actions", s.Token, `{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests",
			"action_inputs":{"subject":"=Upgrade","message":"m"},"query":{"type":"workspaces","filter":[{"field":"workspace_terraform_version","operator":"is","value":["1.9.8"]}]}}}}`).want(t, 201).text("data.id")
		const list = "/app/acme/changes"
		page := list + "/" + id
		const ready = `<td class="num opt-col">%s</td>`
		owner.get(list).want(t, 200).has(t, fmt.Sprintf(ready, `<span class="faint">0</span>`), `<td class="opt-col quiet nowrap">edge, platform</td>`).inert(t)
		owner.get(page).want(t, 200).has(t, `<td class="opt-col quiet">edge</td>`, `<td class="opt-col quiet">Default Project</td>`, `<span class="faint">nobody</span>`).inert(t)
		s.do("PATCH", "/workspaces/"+s.idOf("app-0"), s.Token, `{"data":{"type":"workspaces","attributes":{"terraform-version":"1.10.1"}}}`).want(t, 200)
		owner.get(list).want(t, 200).has(t, fmt.Sprintf(ready, "1"), "0 of 4 archived, 1 ready to archive").inert(t)
		owner.get(page).want(t, 200).has(t, "By team", ">platform</a>", "2 <span class=\"faint\">of 2</span>", ">edge</a>", "no team", "tags="+url.QueryEscape("team=platform")).hasNot(t, "By project").inert(t)
		owner.get(page+"?by=project").want(t, 200).has(t, "By project", "Default Project").hasNot(t, "no team").inert(t)
		progress := s.do("GET", "/organizations/acme/explorer/bulk-actions/"+id+"/progress", s.Token, "").want(t, 200)
		if got := fmt.Sprint(progress.at("data.attributes.teams.0")); got != "map[count:2 name:platform unarchived_count:2]" {
			t.Errorf("the API has %s", got)
		}
		file := owner.get(list+"?as=csv").want(t, 200)
		if lines := strings.Split(strings.TrimSpace(file.Body), "\n"); len(lines) != 2 || lines[0] != "subject,id,filed_by,filed,due,archived,open" || !strings.HasPrefix(lines[1], `"'=Upgrade","`+id+`"`) || !strings.HasSuffix(lines[1], `,"","0","4"`) {
			t.Errorf("the file is %q", file.Body)
		}
		if lines := strings.Count(owner.get(list+"?as=csv&show=done").want(t, 200).Body, "\n"); lines != 1 {
			t.Errorf("%d lines of what is done", lines)
		}
		if to := reader.get(list+"?as=csv").want(t, 303).Header.Get("Location"); to != "/app/acme/change-requests" {
			t.Errorf("a reader is led to %s", to)
		}
		// One tick is for all that the page shows, and for nothing else.
		shown := owner.get(page+"?show=ready").want(t, 200).has(t, `name="all" value="1"`)
		owner.post(page, shown.form("do", "archive", "all", "1")).want(t, 303)
		owner.get(page).want(t, 200).has(t, "of 4 archived, 25 %", ">edge</a>")
	})
}

// TestAnswersInParts: bars are split by a second field, and where nothing fits, the condition that keeps most out is named.
func TestAnswersInParts(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		for i, version := range []string{"1.9.8", "1.9.8", "1.10.1"} {
			s.newWorkspace("acme", fmt.Sprintf("app-%d", i), func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String(version) })
		}
		const asked = explorerPath + "?type=workspaces&filter[0][workspace_name][contains][0]=app"
		owner.get(asked).want(t, 200).has(t, "Bars split by", "stack=project_name").hasNot(t, `aria-label="2 Default Project"`)
		owner.get(asked+"&stack=project_name").want(t, 200).has(t, `aria-label="2 Default Project"`, `aria-label="1 Default Project"`, `name="stack" value="project_name"`, "others").inert(t)
		owner.get(asked+"&by=project_name&stack=workspace_terraform_version").want(t, 200).has(t, `aria-label="2 1.9.8, 1 1.10.1"`).inert(t)
		for _, vector := range append([]string{"workspace_terraform_version", "workspace_name"}, vectors...) {
			owner.get(asked+"&stack="+url.QueryEscape(vector)).want(t, 200).hasNot(t, `aria-label="2 `).inert(t)
		}
		none := owner.get(asked+"&filter[1][workspace_terraform_version][is][0]=1.9.8&filter[2][workspace_name][is][0]=app-2").want(t, 200)
		none.has(t, "Nothing fits.", "Leave out “Workspace is app-2”", "2 are found without.").inert(t)
		owner.get(explorerPath+"?type=workspaces&filter[0][workspace_name][is][0]="+url.QueryEscape(vectors[0])).want(t, 200).has(t, "Nothing fits.", "Leave out").inert(t)
	})
}
