package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestRunTriggerLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		app, network := s.workspace("acme", "app"), s.workspace("acme", "network")
		made, err := c.RunTriggers.Create(ctx, app, tfe.RunTriggerCreateOptions{Sourceable: &tfe.Workspace{ID: network}})
		must(t, err)
		if made.WorkspaceName != "app" || made.SourceableName != "network" || made.Workspace.ID != app || made.Sourceable.ID != network || made.CreatedAt.IsZero() {
			t.Errorf("created: %+v", made)
		}
		for _, c2 := range []struct {
			workspace string
			direction tfe.RunTriggerFilterOp
			want      int
		}{{app, tfe.RunTriggerInbound, 1}, {app, tfe.RunTriggerOutbound, 0}, {network, tfe.RunTriggerOutbound, 1}, {network, tfe.RunTriggerInbound, 0}} {
			list, err := c.RunTriggers.List(ctx, c2.workspace, &tfe.RunTriggerListOptions{RunTriggerType: c2.direction})
			must(t, err)
			if len(list.Items) != c2.want || list.TotalCount != c2.want {
				t.Errorf("%s: %d, want %d", c2.direction, len(list.Items), c2.want)
			}
		}
		read, err := c.RunTriggers.Read(ctx, made.ID)
		must(t, err)
		if read.ID != made.ID {
			t.Errorf("read: %+v", read)
		}
		must(t, c.RunTriggers.Delete(ctx, made.ID))
		if _, err := c.RunTriggers.Read(ctx, made.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("after delete: %v", err)
		}
	})
}

func TestRunTriggerRules(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("other")
		app := s.workspace("acme", "app")
		create := func(source string, status int) {
			t.Helper()
			s.do("POST", "/workspaces/"+app+"/run-triggers", s.Token, `{"data":{"type":"run-triggers","relationships":{"sourceable":{"data":{"type":"workspaces","id":"`+source+`"}}}}}`).want(t, status)
		}
		create(app, 422)
		create("ws-0000000000000000", 404)
		create(s.workspace("other", "network"), 404)
		s.do("POST", "/workspaces/"+app+"/run-triggers", s.Token, `{"data":{"type":"run-triggers"}}`).want(t, 422)
		s.do("GET", "/workspaces/"+app+"/run-triggers", s.Token, "").want(t, 400)
		s.do("GET", "/workspaces/"+app+"/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=sideways", s.Token, "").want(t, 400)
		var first string
		for i := range 20 {
			source := s.workspace("acme", fmt.Sprintf("source-%d", i))
			if create(source, 201); i == 0 {
				first = source
				create(source, 422)
			}
		}
		create(s.workspace("acme", "one-too-many"), 422)
		s.do("DELETE", "/workspaces/"+first, s.Token, "").want(t, 204)
		if list := s.do("GET", "/workspaces/"+app+"/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound", s.Token, "").want(t, 200); fmt.Sprint(list.at("meta.pagination.total-count")) != "19" {
			t.Errorf("a trigger outlives its source: %v", list.at("meta.pagination"))
		}
	})
}
