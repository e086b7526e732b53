package api_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// making is how a token came to be.
type making struct {
	by   string    // the token that made it
	ends time.Time // when that one ends; zero: never
}

// furnish gives the organization a repository, agents, and workspaces that have them.
func (k *wanderer) furnish() {
	w, path := k.w, "/organizations/"+k.org
	client := w.make(path+"/oauth-clients", connection)
	k.add("connection", w.get("/oauth-clients/"+client+"/oauth-tokens", "data.0.id"))
	used := w.make(path+"/agent-pools", `{"data":{"attributes":{"name":"used"}}}`)
	k.add("pool", used)
	for i, attributes := range map[int]string{
		1: k.repository(), 2: k.repository(), 3: fmt.Sprintf(`"execution-mode":"agent","agent-pool-id":%q`, used),
	} {
		if status, answer := w.send("PATCH", "/api/v2/workspaces/"+k.about["workspace"][i], w.admin, `{"data":{"attributes":{`+attributes+`}}}`); status != 200 {
			w.t.Fatalf("%d %s", status, answer)
		}
	}
	for _, id := range k.about["workspace"] {
		k.steered[id], _ = k.workspace(id)
	}
}

func (k *wanderer) repository() string {
	return fmt.Sprintf(`"vcs-repo":{"identifier":"acme/app%d","oauth-token-id":%q}`, k.random.IntN(100), k.any("connection"))
}

func (k *wanderer) workspace(id string) (w belay.Workspace, err error) {
	err = k.db.View(k.w.t.Context(), func(v *store.View) error {
		w, err = v.Workspace(belay.WorkspaceRef{ID: id})
		return err
	})
	return w, err
}

// steer is a request that would have code of the walker's carried out.
func (k *wanderer) steer() attempt {
	settings := k.word(k.repository(), k.repository(), `"vcs-repo":{"branch":"mine"}`, `"auto-apply":true`, `"queue-all-runs":true`, `"auto-apply-run-trigger":true`,
		`"setting-overwrites":{"execution-mode":false,"agent-pool":false}`, fmt.Sprintf(`"execution-mode":"agent","agent-pool-id":%q`, k.any("pool")))
	project := k.any("project")
	switch body := `{"data":{"attributes":{` + settings + `}}}`; k.random.IntN(8) {
	case 0:
		return attempt{"PATCH", "/projects/" + project, fmt.Sprintf(`{"data":{"attributes":{"default-execution-mode":"agent","default-agent-pool-id":%q}}}`, k.any("pool")), nil}
	case 1:
		return attempt{"POST", "/workspaces/" + k.any("workspace") + "/actions/rotate-webhook-secret", "", nil}
	case 2:
		if len(k.homes) <= 12 {
			return attempt{"POST", "/organizations/" + k.org + "/workspaces", fmt.Sprintf(
				`{"data":{"attributes":{"name":"w%s",%s},"relationships":{"project":{"data":{"id":%q}}}}}`, belay.RandomText(12), settings, project),
				func(answer string) { k.settleIn(project, textAt(answer, "data.id")) }}
		}
		fallthrough
	default:
		return attempt{"PATCH", "/workspaces/" + k.any("workspace"), body, nil}
	}
}

// revoke is a request that ends tokens.
func (k *wanderer) revoke() attempt {
	if k.random.IntN(3) == 0 && k.role.code != "tt" { // whose own must live
		return attempt{"DELETE", "/teams/" + k.any("team") + "/authentication-token", "", nil}
	}
	if k.random.IntN(2) == 0 { // no token outlasts what made it, whatever is asked for
		return attempt{"PATCH", "/authentication-tokens/" + k.any("token"), `{"data":{"attributes":{"description":"` + belay.RandomText(6) + `","expired-at":null}}}`, nil}
	}
	return attempt{"DELETE", "/authentication-tokens/" + k.any("token"), "", nil}
}

// note remembers how a token was made, and lets a runner come with one of agents.
func (k *wanderer) note(value string) {
	maker, _, _ := k.rights(k.by)
	k.made[value] = making{k.by, maker.EndsAt}
	s, _, err := k.rights(value)
	if err != nil || s.Kind != belay.AgentPrincipal {
		return
	}
	answer, err := k.w.runs.Register(k.w.t.Context(), s.ID, s.TokenID, "127.0.0.1", run.Registration{Name: value[:10], BootID: value[:14], Slots: 1})
	if err == nil {
		k.agents[value], err = k.w.runs.Runner(k.w.t.Context(), answer.Token)
	}
	if err != nil {
		k.w.t.Fatal(err)
	}
}

// runsOwnCode is how the walker has code of its own carried out where it could not queue and
// apply runs when it set out.
func (k *wanderer) runsOwnCode() string {
	for id, home := range k.homes {
		if k.began.OnWorkspace(id, home).Has(belay.Steering) {
			continue
		}
		w, err := k.workspace(id)
		if err != nil {
			k.w.t.Fatal(err)
		}
		was := k.steered[id]
		follows := func(r *belay.VCSRepo) string {
			if r == nil {
				return ""
			}
			return r.Identifier + " " + r.Branch
		}
		switch now := follows(w.VCSRepo); {
		case now != "" && now != follows(was.VCSRepo):
			return fmt.Sprintf("code of %s in workspace %s", now, id)
		case now != "" && (w.AutoApply && !was.AutoApply || w.QueueAllRuns && !was.QueueAllRuns), w.AutoApplyRunTrigger && !was.AutoApplyRunTrigger:
			return "runs that go on by themselves in workspace " + id
		case w.PoolID() != "" && w.PoolID() != was.PoolID():
			return "agents for workspace " + id
		}
	}
	for _, token := range k.tokens {
		s, _, err := k.rights(token)
		if err != nil || s.Kind != belay.AgentPrincipal {
			continue
		}
		var used bool
		if err := k.db.View(k.w.t.Context(), func(v *store.View) (err error) {
			p, err := v.BareAgentPool(s.ID)
			if err == nil {
				used, err = v.PoolUsedBeyond(&p, k.began.Scope(belay.Steering))
			}
			return err
		}); err != nil {
			k.w.t.Fatal(err)
		}
		if used {
			return "the jobs of pool " + s.ID
		}
	}
	return ""
}

// outlives is a token that lasts longer than the one that made it, or goes on without it.
func (k *wanderer) outlives() string {
	for _, token := range slices.Clone(k.tokens) {
		s, _, err := k.rights(token)
		from, made := k.made[token]
		if err != nil || !made {
			continue
		}
		if !from.ends.IsZero() && (s.EndsAt.IsZero() || s.EndsAt.After(from.ends)) {
			return fmt.Sprintf("a token of %s that ends %s, after the one that made it", s.Kind, s.EndsAt)
		}
		if _, _, err := k.rights(from.by); s.Kind == belay.RunPrincipal && errors.Is(err, belay.ErrUnauthenticated) {
			return "a token of a run without the one that issued it"
		}
	}
	for token, r := range k.agents {
		if _, _, err := k.rights(token); !errors.Is(err, belay.ErrUnauthenticated) {
			continue
		}
		delete(k.agents, token)
		if _, err := k.w.runs.Claim(k.w.t.Context(), r, run.Claim{Slots: 1}); belay.KindOf(err) != belay.Ended {
			return fmt.Sprintf("jobs for a runner whose token was revoked: %v", err)
		}
	}
	return ""
}
