package organizations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// AgentActs is what the forms of agents do.
var AgentActs = map[string]frame.Act{
	"new": newPool, "save": savePool, "delete": frame.AskFirst, "agree-delete": deletePool, "token": newAgentToken, "end-token": access.LookAtEnd, "agree-end": access.EndToken,
}

// Agents is the page of an organization's agent pools, or of one of them.
func Agents(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return pool(t)
	}
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.AgentPools(t.Context(), t.Principal, t.Org.Name, run.AgentPoolQuery{Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of agent pools", "Pool", "Agents", "-Slots taken", "+-Jobs that wait", "+Workspaces", "-Serves", "-Since")
	for i := range list {
		p := &list[i]
		serves := "what it names"
		if p.OrganizationScoped {
			serves = "all workspaces"
		}
		g.Row(nil, frame.Link(p.Name, t.One(p.ID)), standingCell(&p.Load), slotsCell(p.Load.Running, p.Load.Slots), frame.Amount(p.Load.Waiting), frame.Amount(len(p.Workspaces)), frame.Words(serves), frame.Moment(p.CreatedAt))
	}
	return t.Sheet(&frame.Sheet{Title: "Agents", Sub: "Machines of your own that carry out runs.", Main: []frame.Card{{
		ID: "pools", Title: "Pools", Note: frame.Many(total, "pool", "pools"), Grid: g, Empty: "There is no pool. Agents join one with a token of it.", Turns: t.Turns(t.Path, at, total), Closed: true,
		Form: &frame.FormPart{Do: "new", Submit: "New pool", Fields: []frame.FormField{
			{Kind: "text", Name: "name", Label: "Name", Max: 255, Required: true}, {Kind: "check", Name: "scoped", Label: "It serves all workspaces", On: true},
		}},
	}}})
}

func pool(t *frame.OrgVisit) (*frame.View, error) {
	p, err := t.UI.App.AgentPool(t.Context(), t.Principal, t.ID)
	if err := access.Ours(t, p.OrganizationID, err); err != nil {
		return nil, err
	}
	tokens, total, err := t.UI.App.AgentTokens(t.Context(), t.Principal, p.ID, belay.Page{Number: 1, Size: frame.MostTokens})
	if err != nil {
		return nil, err
	}
	heard, err := heardOf(t.Context(), t.UI, t.Principal, p.ID)
	if err != nil {
		return nil, err
	}
	agents := frame.NewGrid("Table of agents", "Agent", "Now", "-Runs", "-Version", "-Address", "-Slots", "Heard last")
	join := frame.Card{ID: "join", Title: "Begin an agent", Text: "With a token of the pool in the file TOKEN.", Copy: "belay runner \\\n  --address " + t.Scheme() + t.HostName() + " \\\n  --token-file TOKEN"}
	for i := range heard {
		a := &heard[i]
		class := map[string]string{"idle": "ok", "busy": "run"}[string(a.Standing)]
		if class == "" {
			class = "wait"
		}
		agents.Row(nil, frame.Words(strings.Join(append([]string{a.Name}, a.Labels...), " · ")), frame.Pill(string(a.Standing), class), heldRuns(t, a.Runs), frame.Words(a.Version), frame.Words(a.IP), slotsCell(a.Jobs, a.Slots), frame.Moment(a.LastSeenAt))
	}
	page := &frame.Sheet{
		Title: p.Name, Sub: frame.Many(p.Load.AgentCount(), "agent is", "agents are") + " heard",
		Main: []frame.Card{
			{ID: "agents", Title: "Agents", Grid: agents},
			{
				ID: "tokens", Title: "Tokens", Note: frame.Many(total, "token", "tokens"), Grid: access.TokenGrid(tokens, nil, t.UI.Now()), Empty: "It has no token: no agent can join.",
				Form: &frame.FormPart{Do: "token", Submit: "New token", Fields: []frame.FormField{{Kind: "text", Name: "description", Label: "What it is for", Max: 255, Required: true}}},
			},
		},
		Side: []frame.Card{
			join,
			{ID: "settings", Title: "Settings", Form: &frame.FormPart{Do: "save", Submit: "Save", Changes: true, Fields: poolFields(p.Name, p.OrganizationScoped)}},
			{ID: "delete", Title: "Delete", Text: "A pool that workspaces use stays.", Form: &frame.FormPart{Do: "delete", Submit: "Delete " + p.Name, Risk: true, Asks: "Lost with " + p.Name + ": its tokens. Its agents can't come back."}},
		},
	}
	if len(heard) == 0 { // how to begin comes first
		page.Main[0].Waits, page.Main[0].Text, page.Main[0].Copy = "Waiting for the first agent.", join.Text, join.Copy
		page.Side = page.Side[1:]
	}
	if page.Alerts, err = access.EndAlert(t); err != nil {
		return nil, err
	}
	view, err := t.Sheet(page)
	if err == nil {
		view.Live = frame.Watching("pool", p.ID, poolRevision(heard))
	}
	return view, err
}

// heardOf is the agents of a pool that its page shows, the newest heard first.
func heardOf(ctx context.Context, u *frame.UI, s belay.Principal, id string) ([]runs.AgentView, error) {
	list, _, err := u.Runs.Agents(ctx, s, id, runs.AgentQuery{Sort: "-last-ping-at", Page: belay.Page{Number: 1, Size: frame.PageSize}})
	return list, err
}

// poolRevision changes with who is in a pool and what they do, and not with each time that they are heard.
func poolRevision(heard []runs.AgentView) string {
	all := make([]string, len(heard))
	for i := range heard {
		a := &heard[i]
		all[i] = fmt.Sprint(a.ID, " ", a.Standing, " ", a.Jobs, " ", a.Slots, " ", a.Runs)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// WatchedPool looks at who is in a pool.
func WatchedPool(v *frame.Visit, id string) frame.Look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		heard, err := heardOf(ctx, v.UI, s, id)
		return poolRevision(heard), false, err
	}
}

func poolFields(name string, scoped bool) []frame.FormField {
	return []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Value: name, Max: 255, Required: true}, {Kind: "check", Name: "scoped", Label: "It serves all workspaces", On: scoped},
	}
}

func newPool(t *frame.OrgVisit) (string, error) {
	p, err := t.UI.App.CreateAgentPool(t.Context(), t.Principal, t.Org.Name, run.AgentPoolPatch{Name: patch.Of(t.Given("name")), OrganizationScoped: t.Ticked("scoped")})
	return t.One(p.ID), err
}

func savePool(t *frame.OrgVisit) (string, error) {
	p, err := t.UI.App.AgentPool(t.Context(), t.Principal, t.ID)
	if err == nil {
		err = t.Overtaken(poolFields(p.Name, p.OrganizationScoped))
	}
	if err != nil {
		return "", err
	}
	_, err = t.UI.App.UpdateAgentPool(t.Context(), t.Principal, t.ID, run.AgentPoolPatch{Name: t.Edited("name"), OrganizationScoped: t.Ticked("scoped")})
	return t.Here(), err
}

func deletePool(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.DeleteAgentPool(t.Context(), t.Principal, t.ID)
}

func newAgentToken(t *frame.OrgVisit) (string, error) {
	_, value, err := t.UI.App.CreateAgentToken(t.Context(), t.Principal, t.ID, identity.NewToken{Description: t.Given("description")})
	if err != nil {
		return "", err
	}
	return t.Fresh(frame.FreshValue{Title: "The new token", Value: value, Uses: []frame.Setting{{Name: "On the machine that is to carry out runs, with the token in the file TOKEN", Value: "belay runner --address " + t.Scheme() + t.HostName() + " --token-file TOKEN"}}})
}

// standingCell is how the agents of a pool stand. One that has work and nobody to do it stands out.
func standingCell(l *run.PoolLoad) frame.Cell {
	var words []string
	class := ""
	for _, of := range []struct {
		n           int
		word, class string
	}{{l.Busy, "busy", "run"}, {l.Idle, "idle", "ok"}, {l.Unknown, "unknown", "wait"}} {
		if of.n > 0 {
			words, class = append(words, frame.Count(of.n)+" "+of.word), cmp.Or(class, of.class)
		}
	}
	if len(words) == 0 && l.Waiting > 0 {
		class = "wait"
	}
	return frame.Pill(cmp.Or(strings.Join(words, ", "), "none"), class)
}

// slotsOnALine is of how many slots the number stands beside them; of more it stands below.
const slotsOnALine = 8

// slotsCell is how many slots there are, and how many of them are taken.
func slotsCell(taken, all int) frame.Cell {
	if all == 0 {
		return frame.Cell{}
	}
	said := frame.Count(taken) + " of " + frame.Count(all)
	cell := frame.Cell{HTML: draw.Squares(said+" taken", taken, all), Sub: said}
	if all <= slotsOnALine {
		cell.Text, cell.Sub = said, ""
	}
	return cell
}

// heldRuns is the runs that an agent has in hand, as links to them.
func heldRuns(t *frame.OrgVisit, list []run.HeldJob) (c frame.Cell) {
	for _, j := range list {
		c.Links = append(c.Links, frame.Crumb{Name: j.Workspace, Path: workspaces.RunPath(t.Org.Name, j.Workspace, j.RunID)})
	}
	return c
}
