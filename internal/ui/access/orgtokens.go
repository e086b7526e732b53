package access

import (
	"cmp"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/ui/frame"
)

// OrgTokenActs is what the forms of tokens do.
var OrgTokenActs = map[string]frame.Act{"replace": replaceOrgToken, "end": endOrgToken, "end-token": endTeamToken}

// OrgTokens is the page of an organization's own tokens, and those of its teams.
func OrgTokens(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return nil, belay.ErrNotFound
	}
	page := &frame.Sheet{Title: "Tokens", Sub: "For machines. People make their own under their profile."}
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.OrganizationTeamTokens(t.Context(), t.Principal, t.Org.Name, belay.TokenQuery{Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of team tokens", "For", "Team", "-Made", "-Used last", "Ends")
	teams, err := teamNames(t, list)
	if err != nil {
		return nil, err
	}
	for i, row := range TokenGrid(list, t.UI.Now()).Rows {
		c := row.Cells
		g.Row(row.Forms, c[0], frame.Link(teams[list[i].OwnerID], frame.OrganizationPath(t.Org.Name, "teams/")+list[i].OwnerID), c[1], c[2], c[3])
	}
	page.Main = []frame.Card{{
		ID: "teams", Title: "Tokens of teams", Note: frame.Many(total, "token", "tokens"), Grid: g, Turns: t.Turns(t.Path, at, total),
		Empty: "No team has a token. A team's page makes them.",
	}}
	if t.May(belay.ManageOrganizationTokens) {
		for _, kind := range []struct{ purpose, id, title, text string }{
			{"", "organization", "Token of the organization", "Manages teams, projects and workspaces. It has no runs and reads no state."},
			{belay.AuditTrails, "audit", "Token of the audit trail", "Reads the audit trail, and nothing else."},
		} {
			one, err := orgToken(t, kind.purpose, kind.id, kind.title, kind.text)
			if err != nil {
				return nil, err
			}
			page.Side = append(page.Side, one...)
		}
	}
	return t.Sheet(page)
}

// teamNames is what the teams are called that own tokens.
func teamNames(t *frame.OrgVisit, list []belay.Token) (map[string]string, error) {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].OwnerID)
	}
	teams, err := t.UI.App.TeamsSeen(t.Context(), t.Principal, ids)
	names := map[string]string{}
	for i := range teams {
		names[teams[i].ID] = teams[i].Name
	}
	return names, err
}

// orgToken is one of the organization's own tokens, and the ways to make it anew and to end it.
func orgToken(t *frame.OrgVisit, purpose, id, title, text string) ([]frame.Card, error) {
	hidden := []frame.Setting{{Name: "purpose", Value: purpose}}
	form := newTokenForm("replace", "Make it")
	form.Hidden, form.Fields = hidden, form.Fields[1:]
	c := frame.Card{ID: id, Title: title, Text: text, Form: form}
	token, err := t.UI.App.OrganizationToken(t.Context(), t.Principal, t.Org.Name, purpose)
	if belay.KindOf(err) == belay.NotFound {
		c.Note = "there is none"
		return []frame.Card{c}, nil
	}
	form.Submit, form.Note = "Replace it", "The old one stops at once."
	g := frame.NewGrid("Table of "+lower(title), "Value", "Used last", "Ends")
	value := frame.Words(cmp.Or(frame.Tail(&token), "hidden"))
	value.Sub = "made " + frame.Day(token.CreatedAt, "")
	g.Row(nil, value, usedLast(&token), frame.Ends(&token, t.UI.Now()))
	c.Grid = g
	return []frame.Card{c, {ID: id + "-end", Title: "End the " + lower(title), Form: &frame.FormPart{Do: "end", Submit: "End it", Risk: true, Hidden: hidden}}}, err
}

func lower(title string) string { return "t" + title[1:] }

func replaceOrgToken(t *frame.OrgVisit) (string, error) {
	if _, known := frame.Lives[t.PostFormValue("days")]; !known {
		return "", belay.Refuse(belay.Invalid, "Choose one of the lives offered.")
	}
	t.PostForm.Set("description", "organization")
	want, err := tokenAsked(t.Visit, t.UI.Now())
	if err != nil {
		return "", err
	}
	_, value, err := t.UI.App.ReplaceOrganizationToken(t.Context(), t.Principal, t.Org.Name, t.PostFormValue("purpose"), identity.NewToken{ExpiredAt: want.ExpiredAt})
	if err != nil {
		return "", err
	}
	return t.Fresh(frame.FreshValue{Title: "The new token", Value: value, Uses: tokenUse(t.Visit, value)})
}

func endOrgToken(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.DeleteOrganizationToken(t.Context(), t.Principal, t.Org.Name, t.PostFormValue("purpose"))
}

func endTeamToken(t *frame.OrgVisit) (string, error) { return EndToken(t) }
