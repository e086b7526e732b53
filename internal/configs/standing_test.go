package configs_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// somebody is a user of a team that has access to the workspace, by a token that ends in two hours.
type somebody struct {
	belay.Principal
	given belay.TeamWorkspace
}

func (h *house) somebody() somebody {
	h.t.Helper()
	ctx, who := h.t.Context(), somebody{}
	u, err := h.verbs.CreateUser(ctx, h.admin, identity.NewUser{Username: "jane", Email: "jane@example.com"})
	h.must(err)
	_, err = h.verbs.Invite(ctx, h.admin, "acme", "jane@example.com", nil)
	h.must(err)
	team, err := h.verbs.CreateTeam(ctx, h.admin, "acme", belay.TeamPatch{Name: patch.Of("appliers")})
	h.must(err)
	h.must(h.verbs.AddTeamMembers(ctx, h.admin, team.ID, []string{u.ID}))
	who.given, err = h.verbs.GiveWorkspace(ctx, h.admin, team.ID, h.ws.ID, belay.TeamWorkspacePatch{Level: patch.Of("write")})
	h.must(err)
	end := time.UnixMilli(h.clock.Load()).Add(2 * time.Hour)
	_, value, err := h.verbs.CreateUserToken(ctx, h.admin, u.ID, identity.NewToken{ExpiredAt: patch.Of(end)})
	h.must(err)
	who.Principal, err = h.verbs.Authenticate(ctx, value)
	h.must(err)
	return who
}

// TestAnUploadGoesWithTheRightToIt announces a configuration version, and uploads it once its
// author could announce none.
func TestAnUploadGoesWithTheRightToIt(t *testing.T) {
	for name, lose := range map[string]func(*house, somebody) error{
		"suspended": func(h *house, who somebody) error {
			_, err := h.verbs.SuspendUser(h.t.Context(), h.admin, who.ID, true)
			return err
		},
		"token revoked": func(h *house, who somebody) error { return h.verbs.DeleteToken(h.t.Context(), h.admin, who.TokenID) },
		"token ended": func(h *house, _ somebody) error {
			h.clock.Add((2 * time.Hour).Milliseconds())
			return nil
		},
		"access taken": func(h *house, who somebody) error {
			return h.verbs.TakeTeamWorkspace(h.t.Context(), h.admin, who.given.ID)
		},
		"access lowered": func(h *house, who somebody) error {
			_, err := h.verbs.ChangeTeamWorkspace(h.t.Context(), h.admin, who.given.ID, belay.TeamWorkspacePatch{Level: patch.Of("read")})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house) {
				who := h.somebody()
				announce := func() (c run.ConfigurationVersion, upload func() error) {
					c, url, err := h.Create(t.Context(), who.Principal, h.ws, run.ConfigurationPatch{AutoQueueRuns: patch.Of(false)}, run.ConfigurationFromAPI)
					h.must(err)
					return c, func() error { return h.upload(url, archived(c.ID)) }
				}
				c, upload := announce()
				h.must(upload())
				pending, late := announce()
				h.must(lose(h, who))
				h.refused(upload(), belay.NotFound, "")
				h.refused(late(), belay.NotFound, "")
				if got := h.show(c.ID).Status; got != run.ConfigurationUploaded {
					t.Errorf("what came in time is %s", got)
				}
				if got := h.show(pending.ID).Status; got != run.ConfigurationPending {
					t.Errorf("what came too late is %s", got)
				}
			})
		})
	}
}

// TestAnUploadIsVettedByWhoMayApplyThen lowers the author's access to plans before the upload.
func TestAnUploadIsVettedByWhoMayApplyThen(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		who := h.somebody()
		c, url, err := h.Create(t.Context(), who.Principal, h.ws, run.ConfigurationPatch{AutoQueueRuns: patch.Of(false)}, run.ConfigurationFromAPI)
		h.must(err)
		_, err = h.verbs.ChangeTeamWorkspace(t.Context(), h.admin, who.given.ID, belay.TeamWorkspacePatch{Level: patch.Of("plan")})
		h.must(err)
		h.must(h.upload(url, archived("x")))
		if got := h.show(c.ID); got.Status != run.ConfigurationUploaded || got.Vetted {
			t.Errorf("it is %s and vetted is %t, want uploaded and not vetted", got.Status, got.Vetted)
		}
	})
}
