package changes

import (
	"time"

	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
)

var campaignDays = doc.Attributes[backlog.CampaignDay, struct{}]{
	{Name: "day", Show: doc.Value(func(d *backlog.CampaignDay) string { return d.Day.Format(time.DateOnly) })},
	{Name: "archived_count", Show: doc.Value(func(d *backlog.CampaignDay) int { return d.Archived })},
}

var campaignProjects = doc.Attributes[backlog.CampaignProject, struct{}]{
	{Name: "id", Show: doc.Value(func(p *backlog.CampaignProject) string { return p.ID })},
	{Name: "name", Show: doc.Value(func(p *backlog.CampaignProject) string { return p.Name })},
	{Name: "count", Show: doc.Value(func(p *backlog.CampaignProject) int { return p.Total })},
	{Name: "unarchived_count", Show: doc.Value(func(p *backlog.CampaignProject) int { return p.Open })},
}

// campaigns is how far bulk actions are (our own). What asks the question again is null where
// ids named the workspaces.
var campaigns = &doc.Noun[backlog.Campaign, struct{}]{
	Type: "explorer_bulk_action_progress",
	ID:   func(c *backlog.Campaign) string { return c.ID },
	Attributes: doc.Attributes[backlog.Campaign, struct{}]{
		{Name: "archived_count", Show: doc.Value(func(c *backlog.Campaign) int { return c.ArchivedCount })},
		{Name: "unarchived_count", Show: doc.Value(func(c *backlog.Campaign) int { return c.OpenCount })},
		{Name: "matching_count", Show: doc.Unless(notAsked, func(c *backlog.Campaign) int { return c.Matching })},
		{Name: "ready_count", Show: doc.Unless(notAsked, (*backlog.Campaign).Ready)},
		{Name: "unfiled_count", Show: doc.Unless(notAsked, func(c *backlog.Campaign) int { return c.Unfiled })},
		{Name: "days", Show: doc.Listed(campaignDays, func(c *backlog.Campaign) []backlog.CampaignDay { return c.Days })},
		{Name: "projects", Show: doc.Listed(campaignProjects, func(c *backlog.Campaign) []backlog.CampaignProject { return c.Projects })},
	},
}

// notAsked says that no question chose the workspaces, or none that can be asked again.
func notAsked(c *backlog.Campaign) bool { return !c.Asked }

func (a *Verbs) listBulkActions(r *door.Request) ([]backlog.BulkAction, int, error) {
	return a.App.BulkActions(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) updateBulkAction(r *door.Request, p bulkActionPatch) (backlog.BulkAction, error) {
	return a.App.UpdateBulkAction(r.Context(), r.Principal, r.Param("organization_name"), r.Param("bulk_action_id"), p)
}

func (a *Verbs) showCampaign(r *door.Request) (backlog.Campaign, error) {
	return a.App.Campaign(r.Context(), r.Principal, r.Param("organization_name"), r.Param("bulk_action_id"))
}

func (a *Verbs) archiveReady(r *door.Request) (backlog.BulkAction, error) {
	_, err := a.App.ArchiveInCampaign(r.Context(), r.Principal, r.Param("organization_name"), r.Param("bulk_action_id"), nil)
	return a.afterwards(r, err)
}

func (a *Verbs) fileAgain(r *door.Request) (backlog.BulkAction, error) {
	_, err := a.App.FileAgain(r.Context(), r.Principal, r.Param("organization_name"), r.Param("bulk_action_id"))
	return a.afterwards(r, err)
}

// afterwards is the bulk action as it is when something was done with its change requests.
func (a *Verbs) afterwards(r *door.Request, err error) (backlog.BulkAction, error) {
	if err != nil {
		return backlog.BulkAction{}, err
	}
	return a.showBulkAction(r)
}

func (a *Verbs) remindOfBulkAction(r *door.Request) (backlog.BulkAction, error) {
	return a.App.RemindOfBulkAction(r.Context(), r.Principal, r.Param("organization_name"), r.Param("bulk_action_id"))
}
