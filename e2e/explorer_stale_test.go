package e2e_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	tfe "github.com/hashicorp/go-tfe"
)

// TestExplorerHearsOfConnectionsAndNames asks a question before and after what it asks of
// is changed from elsewhere.
func TestExplorerHearsOfConnectionsAndNames(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		client, token := s.connect("acme", tfe.ServiceProviderGithub)
		id := s.workspace("acme", "network")
		s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"identifier":"acme/network","oauth-token-id":"`+token+`"}}}}`).want(t, 200)
		asked := func(organization, filter string, want int) {
			t.Helper()
			r := s.do("GET", "/organizations/"+organization+"/explorer?type=workspaces&filter[0]"+filter, s.Token, "").want(t, 200)
			if n := r.at("meta.pagination.total-count"); n != float64(want) {
				t.Errorf("%s finds %v, want %d", filter, n, want)
			}
		}
		asked("acme", "[vcs_repo_identifier][contains][0]=ACME", 1)
		s.do("DELETE", "/oauth-clients/"+client, s.Token, "").want(t, 204)
		asked("acme", "[vcs_repo_identifier][contains][0]=ACME", 0)
		asked("acme", "[vcs_repo_identifier][is_empty][0]=", 1)
		asked("acme", "[organization_name][is][0]=acme", 1)
		s.do("PATCH", "/organizations/acme", s.Token, `{"data":{"type":"organizations","attributes":{"name":"umbrella"}}}`).want(t, 200)
		asked("umbrella", "[organization_name][is][0]=acme", 0)
		asked("umbrella", "[organization_name][is][0]=umbrella", 1)
	})
}

// TestExplorerFindsLettersBeyondASCII looks for them as they are written.
func TestExplorerFindsLettersBeyondASCII(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.workspace("acme", "network")
		s.use("modules", "root.Éclair", "Éclair", "1 = 1")
		for value, want := range map[string]float64{"Éclair": 1, "ROOT.Éc": 1, "ECLAIR": 0} {
			r := s.do("GET", "/organizations/acme/explorer?type=workspaces&filter[0][modules][contains][0]="+value, s.Token, "").want(t, 200)
			if n := r.at("meta.pagination.total-count"); n != want {
				t.Errorf("modules contains %s: %v, want %v", value, n, want)
			}
		}
	})
}

// TestATagDeletedWhileItIsGiven ends with documents, lists and the explorer of one mind.
func TestATagDeletedWhileItIsGiven(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		holder, victim := s.workspace("acme", "holder"), s.workspace("acme", "victim")
		const tag = `{"data":[{"type":"tags","attributes":{"name":"r"}}]}`
		var done atomic.Bool
		var adders sync.WaitGroup
		for range 2 {
			adders.Go(func() {
				for !done.Load() {
					s.do("POST", "/workspaces/"+victim+"/relationships/tags", s.Token, tag)
				}
			})
		}
		for range 60 {
			s.do("POST", "/workspaces/"+holder+"/relationships/tags", s.Token, tag).want(t, 204)
			if id, ok := s.do("GET", "/organizations/acme/tags", s.Token, "").at("data.0.id").(string); ok {
				s.do("DELETE", "/organizations/acme/tags", s.Token, `{"data":[{"type":"tags","id":"`+id+`"}]}`)
			}
		}
		done.Store(true)
		adders.Wait()
		for _, id := range []string{holder, victim} {
			names := fmt.Sprint(s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes.tag-names"))
			listed := s.do("GET", "/workspaces/"+id+"/relationships/tags", s.Token, "").at("meta.pagination.total-count")
			if (names == "[r]") != (listed == 1.0) {
				t.Errorf("the document of %s says %s, its list has %v tags", id, names, listed)
			}
		}
	})
}
