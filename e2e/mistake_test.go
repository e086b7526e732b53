package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
	"github.com/hashicorp/jsonapi"
)

func TestAutoDestroyAtNullClears(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{
			Name: tfe.String("brief"), AutoDestroyAt: tfe.NullableTime(time.Date(2035, 1, 1, 0, 0, 0, 0, time.UTC)),
		})
		must(t, err)
		if at, err := w.AutoDestroyAt.Get(); err != nil || at.Year() != 2035 || w.InheritsProjectAutoDestroy {
			t.Fatalf("set: %v %v", w.AutoDestroyAt, err)
		}
		w, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{Description: tfe.String("x")})
		must(t, err)
		if !w.AutoDestroyAt.IsSpecified() {
			t.Error("an omitted moment was cleared")
		}
		w, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{AutoDestroyAt: tfe.NullTime()})
		must(t, err)
		if w.AutoDestroyAt.IsSpecified() || !w.InheritsProjectAutoDestroy {
			t.Errorf("cleared: %v", w.AutoDestroyAt)
		}
	})
}

func TestAutoDestroyIsInheritedFromTheProject(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		brief, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "brief", AutoDestroyActivityDuration: jsonapi.NewNullableAttrWithValue("3d")})
		must(t, err)
		long, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "long", AutoDestroyActivityDuration: jsonapi.NewNullableAttrWithValue("9999h")})
		must(t, err)
		inheriting, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("inheriting"), Project: brief})
		must(t, err)
		own, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("own"), Project: brief, AutoDestroyActivityDuration: jsonapi.NewNullableAttrWithValue("1h")})
		must(t, err)
		for _, w := range []*tfe.Workspace{inheriting, own} {
			_, err := c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{Project: long})
			must(t, err)
		}
		for id, want := range map[string]string{inheriting.ID: "9999h", own.ID: "1h"} {
			w, err := c.Workspaces.ReadByID(ctx, id)
			must(t, err)
			if got, _ := w.AutoDestroyActivityDuration.Get(); got != want || w.InheritsProjectAutoDestroy != (want == "9999h") || !w.AutoDestroyAt.IsSpecified() {
				t.Errorf("%s after the move: %q, want %q", w.Name, got, want)
			}
		}
		for duration, status := range map[string]int{"0d": 422, "9999h": 200, "10000h": 422, "20m": 422} {
			s.do("PATCH", "/workspaces/"+own.ID, s.Token, `{"data":{"type":"workspaces","attributes":{"auto-destroy-activity-duration":"`+duration+`"}}}`).want(t, status)
			s.do("PATCH", "/projects/"+long.ID, s.Token, `{"data":{"type":"projects","attributes":{"auto-destroy-activity-duration":"`+duration+`"}}}`).want(t, status)
		}
	})
}

func TestOmittedWorkingDirectoryKeepsItsValue(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network"), WorkingDirectory: tfe.String("/infra")})
		must(t, err)
		w, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{AutoApply: tfe.Bool(true)})
		must(t, err)
		if w.WorkingDirectory != "/infra" || !w.AutoApply {
			t.Errorf("working directory %q", w.WorkingDirectory)
		}
	})
}

func TestEmptyStringsAndListsClear(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		path := "/workspaces/" + id
		full := `"description":"d","working-directory":"a","trigger-prefixes":["a"],"auto-destroy-activity-duration":"1d"`
		for _, empty := range []string{
			`"description":"","working-directory":"","trigger-prefixes":[],"auto-destroy-activity-duration":""`,
			`"description":null,"working-directory":null,"trigger-prefixes":null,"auto-destroy-activity-duration":null`,
		} {
			s.do("PATCH", path, s.Token, `{"data":{"type":"workspaces","attributes":{`+full+`}}}`).want(t, 200)
			cleared := s.do("PATCH", path, s.Token, `{"data":{"type":"workspaces","attributes":{`+empty+`}}}`).want(t, 200)
			for _, name := range []string{"description", "working-directory", "auto-destroy-activity-duration", "auto-destroy-at"} {
				if got := cleared.at("data.attributes." + name); got != nil {
					t.Errorf("%s is %v after %s", name, got, empty)
				}
			}
			if got := fmt.Sprint(cleared.at("data.attributes.trigger-prefixes")); got != "[]" {
				t.Errorf("trigger-prefixes are %s after %s", got, empty)
			}
		}
	})
}

func TestPermissionsAreTheCallersOwn(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx := context.Background()
		s.organization("acme")
		id := s.workspace("acme", "network")
		readers, reader := s.team("acme", "readers", nil)
		writers, writer := s.team("acme", "writers", nil)
		s.grant(readers, id, tfe.AccessRead)
		s.grant(writers, id, tfe.AccessWrite)
		for token, want := range map[string][4]bool{s.Token: {true, true, true, true}, writer: {false, true, true, false}, reader: {false, false, false, false}} {
			w, err := s.client(token).Workspaces.ReadByID(ctx, id)
			must(t, err)
			if got := [4]bool{w.Permissions.CanUpdate, w.Permissions.CanLock, w.Permissions.CanUpdateVariable, w.Permissions.CanForceUnlock}; got != want {
				t.Errorf("update, lock, variables, force-unlock: %v, want %v", got, want)
			}
		}
	})
}

func TestDataOnlyStateIsDeletable(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "lookup")
		s.lock(id)
		s.give(id, stateWith(1, 0), 1)
		s.unlock(id)
		if n := s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes.resource-count"); n != float64(0) {
			t.Errorf("resource-count %v of a state with data sources only", n)
		}
		must(t, s.admin().Workspaces.SafeDeleteByID(context.Background(), id))
	})
}
