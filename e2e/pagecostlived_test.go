package e2e_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// refusedCost is how many statements the page runs that a form is refused on.
func (s *server) refusedCost(b *browser, path, at string, fields ...string) int {
	s.t.Helper()
	form, least := b.get(path).want(s.t, 200).form(fields...), 1<<30
	for range 5 {
		before := s.statements()
		b.post(at, form).want(s.t, http.StatusUnprocessableEntity)
		least = min(least, s.statements()-before)
	}
	return least
}

// TestPagesOfAnOrganizationThatIsLivedInCostFewStatements pins what pages cost where there is something on all of
// them: a plan that waits, one that failed, an apply at work, states in several versions, locks, campaigns.
func TestPagesOfAnOrganizationThatIsLivedInCostFewStatements(t *testing.T) {
	slow(t)
	notifying(t, func(t *testing.T, s *server) {
		d := s.demonstrate()
		ann := s.signIn("ann")
		const acme, eks = "/app/acme", "/app/acme/workspaces/eks-prod"
		runs := map[string]string{}
		for _, name := range []string{"eks-prod", "kafka-staging", "ledger-prod"} {
			runs[name] = "/app/acme/workspaces/" + name + "/runs/" + s.do("GET", "/workspaces/"+d.workspaces[name]+"/runs", s.Token, "").text("data.0.id")
		}
		page := ann.get(runs["ledger-prod"]).want(t, 200)
		ann.post(runs["ledger-prod"]+"/apply", page.form("comment", "go")).want(t, 303)
		at := url.QueryEscape(`module.net.aws_subnet.main[3]`)
		for _, path := range []string{
			acme, acme + "?of=mine", acme + "/changes", acme + "/changes/" + d.campaign, acme + "/changes/" + d.campaign + "?show=archived", acme + "/changes?show=single", acme + "/runs",
			acme + "/workspaces", acme + "/workspaces?run=none&tags=env%3Dprod", acme + "/workspaces?run=confirm", acme + "/workspaces?lock=long", acme + "/workspaces?lock=unlocked", acme + "/workspaces?search=nothing&run=none&lock=locked", acme + "/explorer",
			acme + "/explorer?type=workspaces&group=workspace_terraform_version", acme + "/explorer?type=providers",
			acme + "/explorer?type=workspaces&filter[0][workspace_terraform_version][satisfies][0]=%3C+2", acme + "/workspaces?engine=%3C+2",
			acme + "/access", acme + "/access?rows=people", acme + "/access?rows=workspaces", acme + "/access?subject=bo&right=apply&on=eks-prod", acme + "/audit", acme + "/teams", acme + "/teams/" + d.teams["platform"], acme + "/projects", acme + "/projects/" + d.projects["network"], acme + "/members", acme + "/notifications",
			acme + "/variable-sets", acme + "/connections", acme + "/agents", acme + "/tokens",
			eks, eks + "/runs", eks + "/state", eks + "/state/3", eks + "/state/2?at=" + at, eks + "/state/3?from=2", eks + "/state/3?from=1&at=" + at, eks + "/state/2?at=" + at + "&view=history",
			eks + "/variables", eks + "/change-requests", eks + "/activity", eks + "/access", eks + "/settings", eks + "/health",
			runs["eks-prod"], runs["kafka-staging"], runs["ledger-prod"],
			"/app/~/search?q=eks", "/app/~/search?q=aws_subnet", "/app/~/search?q=eks&part=1&at=" + url.QueryEscape(eks),
			"/app/acme/workspaces/vault-prod", "/app/~/profile", "/app/~/profile/notifications", acme + "/audit?view=rope",
		} {
			if cost := s.pageCosts(ann, path, 8); cost > 8 {
				t.Errorf("%s costs %d statements", path, cost)
			}
		}
		// The matrix, and a question beside it: whom, where, what the caller and the one asked about have, the teams and all that they give.
		if why := acme + "/access?subject=bo&right=apply-runs&on=eks-prod"; !strings.Contains(ann.get(why).want(t, 200).Body, "Yes, in ") {
			t.Error("the question is not answered")
		} else if cost := s.pageCosts(ann, why, 8); cost > 12 {
			t.Errorf("%s costs %d statements", why, cost)
		}
		for _, refused := range [][]string{
			{acme + "/projects", acme + "/projects", "do", "new", "name", "", "description", "kept"},
			{eks + "/variables", eks + "/variables", "do", "new", "key", "", "value", "x"},
		} {
			if cost := s.refusedCost(ann, refused[0], refused[1], refused[2:]...); cost > 9 { // a page, and what was refused has looked at what it would change
				t.Errorf("a form refused at %s costs %d statements", refused[1], cost)
			}
		}
	})
}
