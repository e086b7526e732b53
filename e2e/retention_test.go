package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// retentions is what go-tfe does with policies: the same for workspaces and organizations.
type retentions interface {
	ReadDataRetentionPolicyChoice(context.Context, string) (*tfe.DataRetentionPolicyChoice, error)
	SetDataRetentionPolicy(context.Context, string, tfe.DataRetentionPolicySetOptions) (*tfe.DataRetentionPolicy, error) //nolint:staticcheck // older clients send it
	SetDataRetentionPolicyDeleteOlder(context.Context, string, tfe.DataRetentionPolicyDeleteOlderSetOptions) (*tfe.DataRetentionPolicyDeleteOlder, error)
	SetDataRetentionPolicyDontDelete(context.Context, string, tfe.DataRetentionPolicyDontDeleteSetOptions) (*tfe.DataRetentionPolicyDontDelete, error)
	DeleteDataRetentionPolicy(context.Context, string) error
}

func TestRetentionPoliciesThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		c := s.admin()
		s.organization("acme")
		retentionLife(t, "organization", c.Organizations, "acme")
		retentionLife(t, "workspace", c.Workspaces, s.workspace("acme", "network"))
	})
}

func retentionLife(t *testing.T, kind string, c retentions, id string) {
	t.Helper()
	ctx := context.Background()
	choice := func(step string, wantDays int, wantKeep bool) {
		t.Helper()
		got, err := c.ReadDataRetentionPolicyChoice(ctx, id)
		must(t, err)
		switch {
		case wantDays == 0 && !wantKeep && got != nil && got.IsPopulated():
			t.Errorf("%s, %s: a policy is there: %+v", kind, step, got)
		case wantDays > 0 && (got == nil || got.DataRetentionPolicyDeleteOlder == nil || got.DataRetentionPolicyDeleteOlder.DeleteOlderThanNDays != wantDays):
			t.Errorf("%s, %s: %+v, want %d days", kind, step, got, wantDays)
		case wantKeep && (got == nil || got.DataRetentionPolicyDontDelete == nil):
			t.Errorf("%s, %s: %+v, want none deleted", kind, step, got)
		}
	}
	choice("before", 0, false)
	if err := c.DeleteDataRetentionPolicy(ctx, id); !errors.Is(err, tfe.ErrResourceNotFound) {
		t.Errorf("%s: deleting none: %v", kind, err)
	}
	older, err := c.SetDataRetentionPolicyDeleteOlder(ctx, id, tfe.DataRetentionPolicyDeleteOlderSetOptions{DeleteOlderThanNDays: 33})
	must(t, err)
	if older.DeleteOlderThanNDays != 33 {
		t.Errorf("%s: set %d days", kind, older.DeleteOlderThanNDays)
	}
	choice("set", 33, false)
	again, err := c.SetDataRetentionPolicyDeleteOlder(ctx, id, tfe.DataRetentionPolicyDeleteOlderSetOptions{DeleteOlderThanNDays: 1})
	must(t, err)
	if again.ID != older.ID {
		t.Errorf("%s: a change of days made another policy", kind)
	}
	legacy, err := c.SetDataRetentionPolicy(ctx, id, tfe.DataRetentionPolicySetOptions{DeleteOlderThanNDays: 12}) //nolint:staticcheck // as above
	must(t, err)
	if legacy.DeleteOlderThanNDays != 12 || legacy.ID != older.ID {
		t.Errorf("%s: the legacy type: %+v", kind, legacy)
	}
	choice("legacy", 12, false)
	keep, err := c.SetDataRetentionPolicyDontDelete(ctx, id, tfe.DataRetentionPolicyDontDeleteSetOptions{})
	must(t, err)
	if keep.ID == older.ID {
		t.Errorf("%s: another kind kept the id", kind)
	}
	choice("kept", 0, true)
	must(t, c.DeleteDataRetentionPolicy(ctx, id))
	choice("after", 0, false)
}

func TestRetentionPolicyFallsBack(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		w := "/workspaces/" + id + "/relationships/data-retention-policy"
		o := "/organizations/acme/relationships/data-retention-policy"
		const site = "/admin/data-retention-policy-settings"
		older := func(days int) string {
			return fmt.Sprintf(`{"data":{"type":"data-retention-policy-delete-olders","attributes":{"deleteOlderThanNDays":%d}}}`, days)
		}
		shows := func(step, path string, days any, target string) {
			t.Helper()
			r := s.do("GET", path, s.Token, "").want(t, 200)
			if r.at("data.attributes.delete-older-than-n-days") != days || r.at("data.attributes.deleteOlderThanNDays") != days || r.text("data.relationships.target.data.id") != target {
				t.Errorf("%s: %s", step, r.Body)
			}
		}
		for _, path := range []string{w, o, site} {
			s.do("GET", path, s.Token, "").want(t, 404)
			s.do("DELETE", path, s.Token, "").want(t, 404)
		}
		s.do("POST", site, s.Token, older(90)).want(t, 200)
		shows("the site's", site, float64(90), "")
		shows("the site's, of the organization", o, float64(90), "")
		shows("the site's, of the workspace", w, float64(90), "")
		s.do("PATCH", o, s.Token, older(60)).want(t, 200)
		shows("the organization's", o, float64(60), "acme")
		shows("the organization's, of the workspace", w, float64(60), "acme")
		s.do("DELETE", w, s.Token, "").want(t, 404)
		s.do("POST", w, s.Token, `{"data":{"type":"data-retention-policy-dont-deletes"}}`).want(t, 200)
		shows("its own", w, nil, id)
		if got := s.do("GET", "/workspaces/"+id, s.Token, "").text("data.relationships.data-retention-policy.data.type"); got != "data-retention-policy-dont-deletes" {
			t.Errorf("the workspace's relationship: %q", got)
		}
		s.do("DELETE", w, s.Token, "").want(t, 204)
		shows("after its own", w, float64(60), "acme")
		s.do("DELETE", o, s.Token, "").want(t, 204)
		shows("after the organization's", w, float64(90), "")
		s.do("DELETE", site, s.Token, "").want(t, 204)
		s.do("GET", w, s.Token, "").want(t, 404)
	})
}

func TestRetentionPolicyIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		_, stranger := s.user("stranger")
		older := `{"data":{"type":"data-retention-policy-delete-olders","attributes":{"delete-older-than-n-days":%s}}}`
		for _, path := range []string{
			"/workspaces/" + id + "/relationships/data-retention-policy",
			"/organizations/acme/relationships/data-retention-policy", "/admin/data-retention-policy-settings",
		} {
			for _, days := range []string{"0", "-3", "1.5", `"30"`, "null", "true", "36501", "99999999999999999999"} {
				r := s.do("POST", path, s.Token, fmt.Sprintf(older, days)).want(t, 422)
				if r.text("errors.0.source.pointer") != "/data/attributes/delete-older-than-n-days" {
					t.Errorf("%s days: %s", days, r.Body)
				}
			}
			s.do("POST", path, s.Token, `{"data":{"type":"workspaces","attributes":{"delete-older-than-n-days":3}}}`).want(t, 422)
			s.do("POST", path, s.Token, `{"data":{"attributes":{"delete-older-than-n-days":3}}}`).want(t, 422)
			s.do("POST", path, s.Token, `{"data":null}`).want(t, 422)
			s.do("POST", path, s.Token, `{`).want(t, 400)
			for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
				body := ""
				if method == "POST" || method == "PATCH" {
					body = fmt.Sprintf(older, "5")
				}
				s.do(method, path, stranger, body).want(t, 404)
				s.do(method, path, "", body).want(t, 401)
			}
			s.do("GET", path, s.Token, "").want(t, 404)
		}
		s.do("POST", "/workspaces/ws-0000000000000000/relationships/data-retention-policy", s.Token, fmt.Sprintf(older, "5")).want(t, 404)
	})
}

func TestRetentionPoliciesAreNotOfTheHostedEdition(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", "--edition", "hosted")
	s.organization("acme")
	s.do("GET", "/organizations/acme/relationships/data-retention-policy", s.Token, "").want(t, 404)
	s.do("POST", "/admin/data-retention-policy-settings", s.Token,
		`{"data":{"type":"data-retention-policy-dont-deletes"}}`).want(t, 404)
}
