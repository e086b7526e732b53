package ui

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
)

var orgTokenActs = map[string]act{"replace": (*orgVisit).replaceOrgToken, "end": (*orgVisit).endOrgToken, "end-token": (*orgVisit).endTeamToken}

// orgTokens is the page of an organization's own tokens, and those of its teams.
func (t *orgVisit) orgTokens() (*view, error) {
	if t.id != "" {
		return nil, belay.ErrNotFound
	}
	page := &sheet{Title: "Tokens", Sub: "For machines. People make their own under their profile."}
	at := t.page(pageSize)
	list, total, err := t.ui.App.OrganizationTeamTokens(t.Context(), t.s, t.o.Name, belay.TokenQuery{Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of team tokens", "For", "Team", "-Made", "Used last", "-Ends")
	teams, err := t.teamNames(list)
	if err != nil {
		return nil, err
	}
	for i, row := range tokenGrid(list, t.ui.Now()).Rows {
		c := row.Cells
		g.row(row.Forms, c[0], link(teams[list[i].OwnerID], organizationPath(t.o.Name, "teams/")+list[i].OwnerID), c[1], c[2], c[3])
	}
	page.Main = []card{{
		ID: "teams", Title: "Tokens of teams", Note: many(total, "token", "tokens"), Grid: g, Turns: t.turns(t.path, at, total),
		Empty: "No team has a token. A team's page makes them.",
	}}
	if t.may(belay.ManageOrganizationTokens) {
		for _, kind := range []struct{ purpose, id, title, text string }{
			{"", "organization", "Token of the organization", "Manages teams, projects and workspaces. It has no runs and reads no state."},
			{belay.AuditTrails, "audit", "Token of the audit trail", "Reads the audit trail, and nothing else."},
		} {
			one, err := t.orgToken(kind.purpose, kind.id, kind.title, kind.text)
			if err != nil {
				return nil, err
			}
			page.Side = append(page.Side, one...)
		}
	}
	return t.sheet(page)
}

// teamNames is what the teams are called that own tokens.
func (t *orgVisit) teamNames(list []belay.Token) (map[string]string, error) {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].OwnerID)
	}
	teams, err := t.ui.App.TeamsSeen(t.Context(), t.s, ids)
	names := map[string]string{}
	for i := range teams {
		names[teams[i].ID] = teams[i].Name
	}
	return names, err
}

// orgToken is one of the organization's own tokens, and the ways to make it anew and to end it.
func (t *orgVisit) orgToken(purpose, id, title, text string) ([]card, error) {
	hidden := []setting{{"purpose", purpose}}
	form := newTokenForm("replace", "Make it")
	form.Hidden, form.Fields = hidden, form.Fields[1:]
	c := card{ID: id, Title: title, Text: text, Form: form}
	token, err := t.ui.App.OrganizationToken(t.Context(), t.s, t.o.Name, purpose)
	if belay.KindOf(err) == belay.NotFound {
		c.Note = "there is none"
		return []card{c}, nil
	}
	form.Submit, form.Note = "Replace it", "The old one stops at once."
	c.Facts = []setting{{"Made", day(token.CreatedAt, "")}, {"Used last", day(token.LastUsedAt, "never")}, {"Ends", day(token.ExpiredAt, "never")}}
	return []card{c, {ID: id + "-end", Title: "End the " + lower(title), Form: &formPart{Do: "end", Submit: "End it", Risk: true, Hidden: hidden}}}, err
}

func lower(title string) string { return "t" + title[1:] }

func (t *orgVisit) replaceOrgToken() (string, error) {
	if _, known := lives[t.PostFormValue("days")]; !known {
		return "", belay.Refuse(belay.Invalid, "Choose one of the lives offered.")
	}
	t.PostForm.Set("description", "organization")
	want, err := t.tokenAsked(t.ui.Now())
	if err != nil {
		return "", err
	}
	_, value, err := t.ui.App.ReplaceOrganizationToken(t.Context(), t.s, t.o.Name, t.PostFormValue("purpose"), identity.NewToken{ExpiredAt: want.ExpiredAt})
	if err != nil {
		return "", err
	}
	return t.fresh(freshValue{"The new token", value, t.tokenUse()})
}

func (t *orgVisit) endOrgToken() (string, error) {
	return t.path, t.ui.App.DeleteOrganizationToken(t.Context(), t.s, t.o.Name, t.PostFormValue("purpose"))
}

func (t *orgVisit) endTeamToken() (string, error) { return t.endToken() }
