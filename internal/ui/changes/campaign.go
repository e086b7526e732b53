package changes

import (
	"context"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/markdown"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// campaignPage is one bulk action, and how far it is.
type campaignPage struct {
	Form, Here, By  string
	Subject         string
	At              time.Time
	Due             *frame.DueWord
	DueDay          string
	Reminded        time.Time
	MayFile         bool
	MayRemind       bool
	MayArchive      bool
	Message         template.HTML
	Asked           []string // what the workspaces had to fit, in words
	Question        string   // where it is asked again
	Archived, Total int
	Ready, ToDo     int
	Unfiled         int
	Share, Speed    string
	Bar, Burn       template.HTML
	Late            string // how late it will be at this pace
	Numbers         []frame.Setting
	Parts           []campaignPart
	PartsBy         frame.Segs // what they can be by; empty: no workspace says of which team it is
	PartName        string
	Views           frame.Segs
	ArchivedShown   bool
	Rows            []campaignRequest
	CSV             string
	Acts            []frame.HappenedRow
	Turns           frame.Turns
	New             bool   // it was filed just now
	Done            string // what was archived just now
	Notices         string // how many arrived; empty: none was sent, and no reminder should have been
}

// campaignPart is how far the workspaces of one project or team are.
type campaignPart struct {
	Name, Path  string
	Open, Total int
	Bar         template.HTML
}

type campaignRequest struct {
	ID, Path, Workspace, WorkspacePath, Team, By string // who archived it, or is on it
	At                                           time.Time
	Fits, Known                                  bool
	Has                                          string // of what the campaign asked for first
}

// campaignShows is what the list of a campaign may be narrowed to.
var campaignShows = []string{"all", "ready", "todo", "mine", "archived"}

// paceDays is how many days say how fast a campaign goes.
const paceDays = 14

// campaign is the page of one bulk action.
func campaign(t *frame.OrgVisit) (*frame.View, error) {
	c, err := t.UI.App.Campaign(t.Context(), t.Principal, t.Org.Name, t.ID)
	if err != nil {
		return nil, err
	}
	if t.Asked("as") == "csv" {
		campaignFile(t, &c)
		return nil, nil
	}
	ready := c.Ready()
	filed, done := justDone(t)
	page := &campaignPage{
		Form: t.FormSecret(), Here: t.URL.RequestURI(), By: c.CreatedByName, Subject: c.Subject, At: c.CreatedAt, Reminded: c.RemindedAt, Due: dueOf(&c.BulkAction, t.UI.Now()),
		MayFile: t.May(belay.CreateChangeRequests), MayRemind: c.MayRemind(t.UI.Now()), MayArchive: t.May(belay.ArchiveChangeRequests), Message: markdown.HTML(c.Message),
		Archived: c.ArchivedCount, Total: c.ArchivedCount + c.OpenCount, Ready: ready, ToDo: c.OpenCount - ready, Unfiled: c.Unfiled,
		Bar: progress(c.ArchivedCount, ready, c.OpenCount-ready), New: filed, Done: done,
	}
	page.Notices = noticesText(&c, t.UI.Now())
	page.Share = share(page.Archived, page.Total)
	if !c.DueAt.IsZero() {
		page.DueDay = c.DueAt.Format(time.DateOnly)
	}
	page.CSV = t.Here() + "?as=csv"
	campaignActs(page, &c)
	askedOf(t, page, &c)
	burn(t, page, &c)
	partsOf(t, page, &c)
	return &frame.View{Template: "campaign", Title: c.Subject, Body: page, Live: frame.Watching("campaign", c.ID, campaignRevision(&c.BulkAction))}, campaignList(t, page, &c)
}

// noticesWithin is how soon the notices of a reminder are there, if anybody is to be told.
const noticesWithin = time.Minute

// noticesText is what became of the notices of a campaign. Old ones are deleted: of an old reminder it can't be told
// whom it reached.
func noticesText(c *backlog.Campaign, now time.Time) string {
	switch ago := now.Sub(c.RemindedAt); {
	case c.Notices > 0:
		return frame.Count(c.Delivered) + " of " + frame.Many(c.Notices, "notice", "notices") + " delivered"
	case ago < noticesWithin:
		return "no notice yet"
	case ago < backlog.RemindEvery:
		return "nobody has asked to be told"
	default:
		return ""
	}
}

// partsOf adds how far the campaign is by team, or by project: where no workspace says of which team it is, by project.
func partsOf(t *frame.OrgVisit, page *campaignPage, c *backlog.Campaign) {
	all := frame.OrganizationPath(t.Org.Name, "workspaces")
	add := func(name, path string, open, total int) {
		page.Parts = append(page.Parts, campaignPart{name, path, open, total, draw.Bar("meter", "", total, draw.Part{Of: total - open, Fill: "p0"})})
	}
	tagged := slices.ContainsFunc(c.Teams, func(team backlog.CampaignTeam) bool { return team.Name != "" })
	if tagged {
		for _, by := range []string{"Team", "Project"} {
			page.PartsBy = append(page.PartsBy, frame.Seg{Name: by, Path: workspaces.Link(t.Visit, t.Here(), "by", strings.ToLower(by)) + "#parts", Here: (by == "Project") == (t.Asked("by") == "project")})
		}
	}
	if page.PartName = "Project"; tagged && t.Asked("by") != "project" {
		page.PartName = "Team"
		for _, team := range c.Teams {
			if team.Name == "" {
				add("no team", "", team.Open, team.Total)
			} else {
				add(team.Name, all+"?tags="+url.QueryEscape("team="+team.Name), team.Open, team.Total)
			}
		}
		return
	}
	for _, p := range c.Projects {
		add(p.Name, all+"?project="+url.QueryEscape(p.Name), p.Open, p.Total)
	}
}

// askedOf says which workspaces the campaign is for.
func askedOf(t *frame.OrgVisit, page *campaignPage, c *backlog.Campaign) {
	if !c.Asked {
		return
	}
	question, err := explorer.FromJSON([]byte(c.Query), "", "")
	if err != nil {
		return
	}
	page.Asked = questionText(question)
	if t.May(belay.ReadExplorer) {
		address := addressOfQuery(question)
		if slices.Equal(question.Fields, question.View.Fields()) { // nobody chose columns
			address.Del("fields")
		}
		page.Question = frame.OrganizationPath(t.Org.Name, "explorer") + "?" + address.Encode()
	}
}

// questionText is the conditions of a question in words.
func questionText(q explorer.Query) (list []string) {
	for _, f := range q.Filters {
		text := fieldName(f.Field.Name) + " " + operatorNames[f.Operator]
		for i, value := range f.Texts {
			if i > 0 {
				text += " or"
			}
			text += " " + value
		}
		list = append(list, frame.Cut(text, frame.LongestValue))
	}
	return list
}

// mostDays is how many days a burn-down draws one by one.
const mostDays = 400

// burn draws how the campaign went, and how it will go at its pace.
func burn(t *frame.OrgVisit, page *campaignPage, c *backlog.Campaign) {
	now := t.UI.Now()
	first := c.CreatedAt
	today := min(max(0, daysBetween(first, now)), mostDays)
	left := make([]int, today+1)
	for i := range left {
		left[i] = page.Total
	}
	for _, d := range c.Days {
		for i := max(0, min(daysBetween(first, d.Day), today)); i <= today; i++ {
			left[i] -= d.Archived
		}
	}
	if today == 0 { // a line needs two points
		left = []int{page.Total, left[0]}
	}
	burn := draw.Burn{Left: left, Due: -1, First: first.Format("2 Jan"), Now: "today", End: "today"}
	if !c.DueAt.IsZero() {
		burn.Due = min(daysBetween(first, c.DueAt), 2*mostDays)
		if burn.Due > today {
			burn.End = c.DueAt.Format("2 Jan")
		}
	}
	var speed []string
	if last := len(c.Days) - 1; last >= 0 && daysBetween(c.Days[last].Day, now) == 0 {
		speed = append(speed, frame.Count(c.Days[last].Archived)+" today")
	}
	pace, ok := c.Pace(paceDays, now)
	if ok && c.OpenCount > 0 {
		burn.Pace, speed = pace, append(speed, fmt.Sprintf("%.1f a day", pace))
		ends := now.AddDate(0, 0, int(float64(c.OpenCount)/pace)+1)
		switch late := daysBetween(c.DueAt, ends); {
		case c.DueAt.IsZero():
			page.Late, burn.End = "done on "+ends.Format("2 Jan")+" at this pace", ends.Format("2 Jan")
		case late > 0:
			page.Late = frame.Many(late, "day late", "days late") + " at this pace"
		default:
			page.Late = "in time at this pace"
		}
	}
	page.Speed = strings.Join(speed, ", ")
	burn.Label = fmt.Sprintf("Burn-down: %d of %d are open", c.OpenCount, page.Total)
	page.Burn = draw.BurnDown(burn)
	for _, d := range c.Days[max(0, len(c.Days)-mostNumbers):] {
		page.Numbers = append(page.Numbers, frame.Setting{Name: d.Day.Format(time.DateOnly), Value: frame.Count(d.Archived)})
	}
}

// mostNumbers is how many days stand in numbers below a burn-down.
const mostNumbers = 60

// campaignAsked is which of its change requests the address asks for, and the ways to the others.
func campaignAsked(t *frame.OrgVisit, page *campaignPage, c *backlog.Campaign) (want backlog.CampaignQuery) {
	show := t.Asked("show")
	counts := map[string]int{"all": c.OpenCount, "ready": page.Ready, "todo": page.ToDo, "mine": -1, "archived": c.ArchivedCount}
	if _, known := counts[show]; !known || !c.Asked && (show == "ready" || show == "todo") {
		show = "all"
	}
	names := map[string]string{"all": "Open", "ready": "Ready", "todo": "To do", "mine": "Mine", "archived": "Archived"}
	for _, each := range campaignShows {
		if !c.Asked && (each == "ready" || each == "todo") {
			continue
		}
		name := names[each]
		if counts[each] >= 0 { // how many somebody has taken is not counted
			name += " " + frame.Count(counts[each])
		}
		page.Views = append(page.Views, frame.Seg{Name: name, Path: t.Here() + "?show=" + each, Here: each == show})
	}
	want = backlog.CampaignQuery{Archived: show == "archived", Page: t.Page(frame.PageSize)}
	switch show {
	case "ready", "todo":
		matches := show == "todo"
		want.Matches = &matches
	case "mine":
		want.Assignee = t.Principal.ID
	}
	return want
}

// campaignList adds the change requests that the address asks for.
func campaignList(t *frame.OrgVisit, page *campaignPage, c *backlog.Campaign) error {
	want := campaignAsked(t, page, c)
	list, fits, total, err := t.UI.App.CampaignRequests(t.Context(), t.Principal, t.Org.Name, t.ID, want)
	page.ArchivedShown, page.Turns = want.Archived, t.Turns(t.Here(), want.Page, total)
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ArchivedBy
	}
	if err != nil {
		return err
	}
	people, err := t.Names(ids...)
	if err != nil {
		return err
	}
	teams, err := t.UI.App.TeamsOfRequests(t.Context(), list)
	for i := range list {
		r := &list[i]
		row := campaignRequest{
			ID: r.ID, Path: frame.OnePath(r.ID), Workspace: r.WorkspaceName, WorkspacePath: frame.WorkspacePath(t.Org.Name, r.WorkspaceName), At: r.CreatedAt,
			Known: c.Asked, Fits: fits[r.WorkspaceID].Still, Has: hasText(fits[r.WorkspaceID]), Team: teams[r.WorkspaceID], By: r.AssigneeName,
		}
		if want.Archived {
			row.At, row.By = r.ArchivedAt, people[r.ArchivedBy]
		}
		page.Rows = append(page.Rows, row)
	}
	return err
}

func campaignRevision(b *backlog.BulkAction) string {
	return fmt.Sprint(b.ArchivedCount, b.OpenCount, b.DueAt)
}

// WatchedCampaign looks at how far a campaign is.
func WatchedCampaign(v *frame.Visit, id string) frame.Look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		b, err := v.UI.App.BulkAction(ctx, s, "", id)
		return campaignRevision(&b), false, err
	}
}
