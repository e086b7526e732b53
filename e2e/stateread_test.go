package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestWhoReadTheStateOfAWorkspace(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		network := s.idOf("network")
		web := s.workspace("acme", "web")
		s.hasState(web)
		s.setWorkspace(web, `{"global-remote-state":true}`)
		secret, ann := s.team("acme", "ann", nil)
		s.grant(secret, web, tfe.AccessRead)
		_, run := s.runToken(network, s.Token)
		_, own := s.runToken(web, s.Token)
		admins, adam := s.team("acme", "adam", nil)
		s.grant(admins, web, tfe.AccessAdmin)
		ofSecret := s.do("POST", "/teams/"+secret.ID+"/authentication-token", s.Token, "").want(t, 201).text("data.attributes.token")

		reads := "/workspaces/" + web + "/state-reads"
		list := func(token string) (rows []string) {
			t.Helper()
			r := s.do("GET", reads, token, "").want(t, 200)
			for i := range int(r.at("meta.pagination.total-count").(float64)) {
				at := fmt.Sprintf("data.%d.", i)
				name, _ := r.at(at + "attributes.reader-name").(string)
				id, _ := r.at(at + "relationships.reader.data.id").(string)
				id, _, _ = strings.Cut(id, "-")
				rows = append(rows, strings.Join([]string{r.text(at + "attributes.reader-kind"), name, id, r.text(at + "attributes.part")}, " "))
			}
			slices.Sort(rows)
			return rows
		}
		s.do("GET", "/workspaces/"+web+"/current-state-version", ann, "").want(t, 200)
		s.do("GET", "/workspaces/"+web+"/current-state-version-outputs", run, "").want(t, 200)
		s.do("GET", "/workspaces/"+web+"/current-state-version-outputs", ofSecret, "").want(t, 200)
		s.do("GET", "/workspaces/"+web+"/current-state-version", own, "").want(t, 200) // its own runs are not told of
		s.do("GET", "/workspaces/"+web+"?include=outputs", adam, "").want(t, 200)
		for _, path := range []string{"/current-state-version", "/current-state-version-outputs"} {
			s.do("GET", "/workspaces/"+network+path, ann, "").want(t, 404) // what was refused is no read
		}
		waitFor(t, "the readers to be written down", func() bool { return s.do("GET", reads, s.Token, "").at("meta.pagination.total-count").(float64) >= 5 })
		// The admin is who gave it the state, and looked whether it is there.
		all := []string{"run network ws outputs", "team ann team outputs", "user adam user outputs", "user admin user state", "user ann user state"}
		if got := list(s.Token); !slices.Equal(got, all) {
			t.Errorf("an owner is told %q", got)
		}
		// Who may not see the workspace or the secret team is told of somebody.
		if got, want := list(adam), []string{"run   outputs", "team   outputs", "user adam user outputs", "user admin user state", "user ann user state"}; !slices.Equal(got, want) {
			t.Errorf("an admin of the workspace is told %q", got)
		}
		s.do("GET", reads, ann, "").want(t, 404)
		s.do("GET", reads, run, "").want(t, 404)

		owner := s.signIn("olga")
		owner.get("/app/acme/workspaces/web/state").want(t, 200).has(t, "Who reads it", "runs of</span> <a href=\"/app/acme/workspaces/network\">network</a>", "its outputs", "1 day").inert(t)
		s.do("DELETE", "/workspaces/"+network, s.Token, "").want(t, 204)
		s.do("GET", reads, s.Token, "").want(t, 200)
		s.do("DELETE", "/workspaces/"+web, s.Token, "").want(t, 204)
	})
}
