package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// consumers is the names in a list of consumers, over all its pages.
func (s *server) consumers(workspace, token, query string) (names []string) {
	s.t.Helper()
	for page := 1; ; page++ {
		r := s.do("GET", fmt.Sprintf("/workspaces/%s/relationships/remote-state-consumers?page[size]=2&page[number]=%d&%s", workspace, page, query), token, "").want(s.t, 200)
		list, _ := r.at("data").([]any)
		for i := range list {
			names = append(names, r.text(fmt.Sprintf("data.%d.attributes.name", i)))
		}
		if r.at("meta.pagination.next-page") == nil {
			if total := r.at("meta.pagination.total-count"); total != float64(len(names)) {
				s.t.Errorf("total-count %v for %v", total, names)
			}
			return names
		}
	}
}

func refs(ids ...string) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf(`{"type":"workspaces","id":%q}`, id)
	}
	return `{"data":[` + strings.Join(list, ",") + `]}`
}

func TestRemoteStateConsumersThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		made := map[string]*tfe.Workspace{}
		for _, name := range []string{"network", "web", "Api", "db"} {
			w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String(name)})
			must(t, err)
			made[name] = w
		}
		network := made["network"].ID
		must(t, c.Workspaces.AddRemoteStateConsumers(ctx, network, tfe.WorkspaceAddRemoteStateConsumersOptions{
			Workspaces: []*tfe.Workspace{made["web"], made["Api"], made["web"]}, // whole workspaces, as the provider sends them
		}))
		must(t, c.Workspaces.AddRemoteStateConsumers(ctx, network, tfe.WorkspaceAddRemoteStateConsumersOptions{
			Workspaces: []*tfe.Workspace{made["db"], made["web"]},
		}))
		if got := s.consumers(network, s.Token, ""); !slices.Equal(got, []string{"Api", "db", "web"}) {
			t.Errorf("after adding: %v", got)
		}
		must(t, c.Workspaces.RemoveRemoteStateConsumers(ctx, network, tfe.WorkspaceRemoveRemoteStateConsumersOptions{
			Workspaces: []*tfe.Workspace{made["web"], {ID: network}},
		}))
		list, err := c.Workspaces.ListRemoteStateConsumers(ctx, network, &tfe.RemoteStateConsumersListOptions{})
		must(t, err)
		if len(list.Items) != 2 || list.Items[0].Name != "Api" || list.TotalCount != 2 {
			t.Errorf("after removing: %d of %d", len(list.Items), list.TotalCount)
		}
		must(t, c.Workspaces.UpdateRemoteStateConsumers(ctx, network, tfe.WorkspaceUpdateRemoteStateConsumersOptions{
			Workspaces: []*tfe.Workspace{made["web"]},
		}))
		if got := s.consumers(network, s.Token, ""); !slices.Equal(got, []string{"web"}) {
			t.Errorf("after replacing: %v", got)
		}
		must(t, c.Workspaces.DeleteByID(ctx, made["web"].ID))
		if got := s.consumers(network, s.Token, ""); got != nil {
			t.Errorf("after the consumer was deleted: %v", got)
		}
		err = c.Workspaces.UpdateRemoteStateConsumers(ctx, "ws-0000000000000000", tfe.WorkspaceUpdateRemoteStateConsumersOptions{Workspaces: []*tfe.Workspace{made["db"]}})
		if !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("consumers of nothing: %v", err)
		}
	})
}

func TestRemoteStateConsumersAreRefusedWhole(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("other")
		network, web, db := s.workspace("acme", "network"), s.workspace("acme", "web"), s.workspace("acme", "db")
		foreign := s.workspace("other", "foreign")
		path := "/workspaces/" + network + "/relationships/remote-state-consumers"
		for name, c := range map[string]struct{ body, pointer string }{
			"itself":            {refs(web, network), "/data/1/id"},
			"another's":         {refs(foreign), "/data/0/id"},
			"unknown":           {refs(web, db, "ws-0000000000000000"), "/data/2/id"},
			"no id":             {`{"data":[{"type":"workspaces"}]}`, "/data/0/id"},
			"id is no text":     {`{"data":[{"type":"workspaces","id":7}]}`, "/data/0/id"},
			"another type":      {`{"data":[{"type":"projects","id":"` + web + `"}]}`, "/data/0/type"},
			"no list":           {`{"data":{"type":"workspaces","id":"` + web + `"}}`, "/data"},
			"null":              {`{"data":null}`, "/data"},
			"no data":           {`{}`, "/data"},
			"text in the list":  {`{"data":["` + web + `"]}`, "/data/0"},
			"too many":          {refs(slices.Repeat([]string{web}, 1001)...), "/data"},
			"null in the list":  {`{"data":[null]}`, "/data/0"},
			"junk is passed by": {`{"data":[{"type":"workspaces","id":"` + foreign + `","attributes":7,"relationships":"x"}]}`, "/data/0/id"},
		} {
			for _, method := range []string{"POST", "PATCH", "DELETE"} {
				if method == "DELETE" && name == "itself" {
					continue
				}
				r := s.do(method, path, s.Token, c.body)
				if r.Status != 422 || r.text("errors.0.source.pointer") != c.pointer {
					t.Errorf("%s, %s: %d %s", method, name, r.Status, r.Body)
				}
			}
		}
		s.do("POST", path, s.Token, `{"data":[`).want(t, 400)
		s.do("POST", path, s.Token, "").want(t, 422)
		if got := s.consumers(network, s.Token, ""); got != nil {
			t.Errorf("after refusals: %v", got)
		}
		s.do("POST", path, s.Token, refs(slices.Repeat([]string{web}, 1000)...)).want(t, 204)
		s.do("PATCH", path, s.Token, refs(db)).want(t, 204)
		s.do("DELETE", path, s.Token, refs(web)).want(t, 204)
		if got := s.consumers(network, s.Token, ""); !slices.Equal(got, []string{"db"}) {
			t.Errorf("after replacing: %v", got)
		}
		s.do("PATCH", path, s.Token, refs()).want(t, 204)
		if got := s.consumers(network, s.Token, ""); got != nil {
			t.Errorf("after clearing: %v", got)
		}
	})
}

func TestGlobalRemoteStateHidesTheListAndKeepsIt(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		network, web := s.workspace("acme", "network"), s.workspace("acme", "web")
		s.workspace("acme", "db")
		path := "/workspaces/" + network + "/relationships/remote-state-consumers"
		s.do("POST", path, s.Token, refs(web)).want(t, 204)
		share := func(on bool) {
			s.do("PATCH", "/workspaces/"+network, s.Token, fmt.Sprintf(
				`{"data":{"type":"workspaces","attributes":{"global-remote-state":%v}}}`, on)).want(t, 200)
		}
		share(true)
		if got := s.consumers(network, s.Token, ""); !slices.Equal(got, []string{"db", "web"}) {
			t.Errorf("global: %v", got)
		}
		if got := s.consumers(network, s.Token, "show_only_configured=true"); !slices.Equal(got, []string{"web"}) {
			t.Errorf("configured: %v", got)
		}
		for _, method := range []string{"POST", "PATCH", "DELETE"} {
			s.do(method, path, s.Token, refs(web)).want(t, 422)
		}
		share(false)
		if got := s.consumers(network, s.Token, ""); !slices.Equal(got, []string{"web"}) {
			t.Errorf("off again: %v", got)
		}
	})
}

func TestProjectRemoteStateListsTheProject(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		network, web := s.workspace("acme", "network"), s.workspace("acme", "web")
		s.workspace("acme", "db")
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"apart"}}}`).want(t, 201).text("data.id")
		s.do("PATCH", "/workspaces/"+web, s.Token, `{"data":{"type":"workspaces","relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}}}}}`).want(t, 200)
		s.do("POST", "/workspaces/"+network+"/relationships/remote-state-consumers", s.Token, refs(web)).want(t, 204)
		s.setWorkspace(network, `{"project-remote-state":true}`)
		if got := s.consumers(network, s.Token, ""); !slices.Equal(got, []string{"db"}) {
			t.Errorf("of the project: %v", got)
		}
		if got := s.consumers(network, s.Token, "show_only_configured=true"); !slices.Equal(got, []string{"web"}) {
			t.Errorf("configured: %v", got)
		}
		s.setWorkspace(network, `{"project-remote-state":false}`)
		if got := s.consumers(network, s.Token, ""); !slices.Equal(got, []string{"web"}) {
			t.Errorf("off again: %v", got)
		}
	})
}

// TestConsumersCostTheSameStatements pins what a page of consumers costs: as many
// statements with 1 row as with 100, however the list comes about.
func TestConsumersCostTheSameStatements(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		network := s.workspace("acme", "network")
		path := "/workspaces/" + network + "/relationships/remote-state-consumers"
		list := path + "?page%5Bsize%5D=100"
		ids := []string{s.workspace("acme", "w000"), s.workspace("acme", "w001")}
		s.do("POST", path, s.Token, refs(ids...)).want(t, 204)
		one := s.cost("GET", path+"?page%5Bsize%5D=1", s.Token)
		for i := range 100 {
			ids = append(ids, s.workspace("acme", fmt.Sprintf("w%03d", i+2)))
		}
		s.do("POST", path, s.Token, refs(ids...)).want(t, 204)
		if hundred := s.cost("GET", list, s.Token); hundred != one || hundred > 8 {
			t.Errorf("a page of 100 consumers costs %d statements, of one %d", hundred, one)
		}
		s.setWorkspace(network, `{"global-remote-state":true}`)
		if global := s.cost("GET", list, s.Token); global > 8 {
			t.Errorf("a page of all workspaces costs %d statements", global)
		}
	})
}

func TestConsumersChangeWhileWorkspacesGo(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		network := s.workspace("acme", "network")
		path := "/workspaces/" + network + "/relationships/remote-state-consumers"
		var ids []string
		for i := range 12 {
			ids = append(ids, s.workspace("acme", fmt.Sprintf("w%02d", i)))
		}
		calls := []func(i int) (reply, error){
			func(i int) (reply, error) { return s.try("POST", path, s.Token, refs(ids[i%12])) },
			func(i int) (reply, error) { return s.try("PATCH", path, s.Token, refs(ids[i%12])) },
			func(i int) (reply, error) { return s.try("DELETE", path, s.Token, refs(ids[i%12])) },
			func(i int) (reply, error) { return s.try("DELETE", "/workspaces/"+ids[i%6], s.Token, "") },
		}
		counts := together(96, func(i int) int {
			r, err := calls[i%4](i / 4)
			if err != nil {
				return 0
			}
			return r.Status
		})
		if counts[204]+counts[404]+counts[422] != 96 {
			t.Errorf("statuses %v", counts)
		}
		for _, name := range s.consumers(network, s.Token, "") {
			s.do("GET", "/organizations/acme/workspaces/"+name, s.Token, "").want(t, 200)
		}
	})
}
