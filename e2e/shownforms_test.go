package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestWhatIsShownIsNotRefused has people of several levels go from link to link: every page and every file that they are
// led to answers, and no form that they are shown is refused as something that they may not do. What is wrong with a
// form that is sent as it stands is said, and what is not so any more is a conflict.
func TestWhatIsShownIsNotRefused(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.everywhere()
		network, project := s.idOf("network"), s.do("GET", "/organizations/acme/projects?q=data", s.Token, "").text("data.0.id")
		for name, level := range map[string]tfe.AccessType{"paula": tfe.AccessPlan, "will": tfe.AccessWrite, "ada": tfe.AccessAdmin} {
			team, _ := s.team("acme", name, nil)
			s.grant(team, network, level)
		}
		for name, level := range map[string]string{"mia": "maintain", "pam": "admin", "rob": "read"} {
			team, _ := s.team("acme", name, nil)
			s.do("POST", "/team-projects", s.Token, fmt.Sprintf(`{"data":{"type":"team-projects","attributes":{"access":%q},"relationships":{"project":{"data":{"type":"projects","id":%q}},"team":{"data":{"type":"teams","id":%q}}}}}`, level, project, team.ID)).want(t, 201)
		}
		s.team("acme", "tess", &tfe.OrganizationAccessOptions{ManageTeams: tfe.Bool(true)})
		s.team("acme", "mona", &tfe.OrganizationAccessOptions{ManageMembership: tfe.Bool(true)})
		s.team("acme", "vera", &tfe.OrganizationAccessOptions{ManageVCSSettings: tfe.Bool(true), ReadWorkspaces: tfe.Bool(true)})
		s.team("acme", "wanda", &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
		for _, name := range []string{"stan", "rita", "rob", "paula", "will", "mia", "vera", "mona", "tess", "pam", "wanda", "ada", "olga"} {
			t.Run(name, func(t *testing.T) { s.signIn(name).isRefusedNothing(t, name) })
		}
	})
}

// offer is a form on a page.
type offer struct{ page, kind string }

// isRefusedNothing sends every form that is shown on the pages that somebody is led to, one of each kind.
func (b *browser) isRefusedNothing(t *testing.T, name string) {
	t.Helper()
	sheets := b.crawl(t, visitor{starts: []string{"/app/", "/app/acme", "/app/acme/more", networkPage}, within: "/app/"})
	b.isLedNowhereElse(t, name, sheets)
	offers := offersOf(sheets)
	sent := 0
	for _, o := range offers {
		for _, form := range readSheet(t, o.page, b.get(o.page)).forms { // as it is now
			if kindOfForm(form) != o.kind {
				continue
			}
			sent++
			if r := b.post(form.action, form.fields); r.Status == 403 || r.Status == 404 || r.Status >= 500 {
				t.Errorf("%s shows %s a form to %s, and it answers %d: %v", o.page, name, form.action, r.Status, form.fields)
			}
			break
		}
	}
	t.Logf("%s: %d pages, %d forms of %d", name, len(sheets), sent, len(offers))
}

// isLedNowhereElse demands that what pages lead to and offer to keep is there.
func (b *browser) isLedNowhereElse(t *testing.T, name string, sheets []sheet) {
	t.Helper()
	known := map[string]bool{}
	for _, sheet := range sheets {
		for _, address := range slices.Concat(sheet.files, sheet.links) {
			kind := kindOf(address)
			if known[kind] || !strings.HasPrefix(address, "/app/") {
				continue
			}
			known[kind] = true
			if status := b.statusOf(address); status >= 400 {
				t.Errorf("%s leads %s to %s, and it answers %d", sheet.address, name, address, status)
			}
		}
	}
}

// offersOf is the forms of pages, one of each kind. What takes something away comes last: others would not find it.
func offersOf(sheets []sheet) (offers []offer) {
	known := map[string]bool{}
	for _, sheet := range sheets {
		for _, form := range sheet.forms {
			if kind := kindOfForm(form); !known[kind] && !strings.HasSuffix(form.action, "/sign-out") {
				known[kind] = true
				offers = append(offers, offer{sheet.address, kind})
			}
		}
	}
	slices.SortStableFunc(offers, func(a, b offer) int { return takesAway(a.kind) - takesAway(b.kind) })
	return offers
}

// kindOfForm is what two forms share that do the same to different things.
func kindOfForm(form filled) string {
	return "form " + anID.ReplaceAllString(strings.SplitN(form.action, "?", 2)[0], "$1$2*") + " " + form.fields.Get("do")
}

// takesAway orders forms: those that may take away what others are about are higher.
func takesAway(kind string) int {
	for i, word := range []string{"end", "remove", "take", "drop", "forget", "discard", "delete"} {
		if strings.Contains(kind, word) {
			return i + 1
		}
	}
	return 0
}
