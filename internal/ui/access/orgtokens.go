package access

import (
	"cmp"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/ui/frame"
)

// OrgTokenActs is what the forms of tokens do.
var OrgTokenActs = map[string]frame.Act{"replace": replaceOrgToken, "end-token": LookAtEnd, "agree-end": EndToken}

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
	own := map[string]belay.Token{}
	if t.May(belay.ManageOrganizationTokens) {
		if own, err = t.UI.App.OrganizationTokens(t.Context(), t.Principal, t.Org.Name); err != nil {
			return nil, err
		}
	}
	teams, makers, err := tokenNames(t, list, own)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of team tokens", "For", "Team", "-Made", "-Used last", "Ends")
	for i, row := range TokenGrid(list, makers, t.UI.Now()).Rows {
		c := row.Cells
		g.Row(row.Forms, c[0], frame.Link(teams[list[i].OwnerID], frame.OrganizationPath(t.Org.Name, "teams/")+list[i].OwnerID), c[1], c[2], c[3])
	}
	page.Main = []frame.Card{{
		ID: "teams", Title: "Tokens of teams", Note: frame.Many(total, "token", "tokens"), Grid: g, Turns: t.Turns(t.Path, at, total),
		Empty: "No team whose tokens you may see has one. A team's page makes them.",
	}}
	if page.Alerts, err = EndAlert(t); err != nil {
		return nil, err
	}
	if t.May(belay.ManageOrganizationTokens) {
		for _, kind := range []struct{ purpose, id, title, text string }{
			{"", "organization", "Token of the organization", "Manages teams, projects and workspaces. It has no runs and reads no state."},
			{belay.AuditTrails, "audit", "Token of the audit trail", "Reads the audit trail, and nothing else."},
		} {
			var token *belay.Token
			if has, ok := own[kind.purpose]; ok {
				token = &has
			}
			page.Side = append(page.Side, orgToken(t, token, makers, kind.purpose, kind.id, kind.title, kind.text)...)
		}
	}
	return t.Sheet(page)
}

// tokenNames is what the teams are called that own tokens, and who made tokens.
func tokenNames(t *frame.OrgVisit, list []belay.Token, own map[string]belay.Token) (teams, makers map[string]string, err error) {
	var owners, people []string
	for i := range list {
		owners, people = append(owners, list[i].OwnerID), append(people, list[i].CreatedBy)
	}
	for _, token := range own {
		people = append(people, token.CreatedBy)
	}
	if teams, err = t.UI.App.TeamNamesSeen(t.Context(), t.Principal, owners); err == nil {
		makers, err = t.Names(people...)
	}
	return teams, makers, err
}

// orgToken is one of the organization's own tokens, and the ways to make it anew and to end it.
func orgToken(t *frame.OrgVisit, token *belay.Token, makers map[string]string, purpose, id, title, text string) []frame.Card {
	hidden := []frame.Setting{{Name: "purpose", Value: purpose}}
	form := newTokenForm("replace", "Make it")
	form.Hidden, form.Fields = hidden, form.Fields[1:]
	c := frame.Card{ID: id, Title: title, Text: text, Form: form}
	if token == nil {
		c.Note = "there is none"
		return []frame.Card{c}
	}
	form.Submit, form.Note = "Replace it", "The old one stops at once."
	g := frame.NewGrid("Table of "+lower(title), "Value", "Used last", "Ends")
	value := frame.Words(cmp.Or(frame.Tail(token), "hidden"))
	value.Sub = "made " + frame.Day(token.CreatedAt, "") + byWhom(makers[token.CreatedBy])
	g.Row(nil, value, frame.UsedLast(token), frame.Ends(token, t.UI.Now()))
	c.Grid = g
	return []frame.Card{c, {ID: id + "-end", Title: "End the " + lower(title), Form: &frame.FormPart{Do: "end-token", Submit: "End it…", Risk: true, Hidden: []frame.Setting{{Name: "token", Value: token.ID}}}}}
}

// byWhom is who made something, where somebody is known.
func byWhom(name string) string {
	if name == "" {
		return ""
	}
	return " by " + name
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
	return t.Fresh(frame.FreshValue{Title: "The new token", Value: value, Uses: t.TokenUses(value)})
}
