package e2e_test

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestRunsAreIncludedElsewhere asks states and configuration versions for their runs.
func TestRunsAreIncludedElsewhere(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.runnable("network")
		run := s.do("POST", "/runs", s.Token, runOf(w, "")).want(t, 201)
		id, configuration := run.text("data.id"), run.text("data.relationships.configuration-version.data.id")
		s.do("POST", "/runs/"+id+"/actions/cancel", s.Token, "").want(t, 202)
		me := s.do("GET", "/account/details", s.Token, "").text("data.id")
		_, err := c.Workspaces.Lock(ctx, w, tfe.WorkspaceLockOptions{})
		must(t, err)
		raw := []byte(`{"version":4,"terraform_version":"1.9.0","serial":1,"lineage":"l","outputs":{"o":{"value":"v","type":"string"}},"resources":[]}`)
		state, err := c.StateVersions.Create(ctx, w, tfe.StateVersionCreateOptions{
			Serial: tfe.Int64(1), MD5: tfe.String(md5Of(raw)), Lineage: tfe.String("l"), State: tfe.String(base64.StdEncoding.EncodeToString(raw)), Run: &tfe.Run{ID: id},
		})
		must(t, err)
		s.unlock(w)
		list := "/state-versions?filter[organization][name]=acme&filter[workspace][name]=network&include="
		both := func(refs ...string) string {
			slices.Sort(refs)
			return strings.Join(refs, " ")
		}
		for path, want := range map[string]string{
			"/state-versions/" + state.ID + "?include=run": "runs/" + id,
			list + "run": "runs/" + id,
			"/state-versions/" + state.ID + "?include=created_by,run.created_by":                both("users/" + me),
			"/state-versions/" + state.ID + "?include=run,run.configuration_version":            both("runs/"+id, "configuration-versions/"+configuration),
			"/workspaces/" + w + "/current-state-version?include=run,run.created_by,created_by": both("runs/"+id, "users/"+me),
			"/configuration-versions/" + configuration + "?include=run,ingress_attributes":      "runs/" + id,
			"/workspaces/" + w + "/configuration-versions?include=run":                          "runs/" + id,
		} {
			if got := included(s.do("GET", path, s.Token, "").want(t, 200)); got != want {
				t.Errorf("%s includes %q, want %q", path, got, want)
			}
		}
		s.do("GET", "/configuration-versions/"+configuration+"?include=run.plan", s.Token, "").want(t, 400)

		archive := s.do("GET", "/runs/"+id+"/configuration-version/download", s.Token, "").want(t, 200) // the client follows
		if !strings.HasPrefix(archive.Body, "\x1f\x8b") {
			t.Errorf("the archive: %d bytes", len(archive.Body))
		}
		s.do("GET", "/runs/run-nothing/configuration-version/download", s.Token, "").want(t, 404)
	})
}
