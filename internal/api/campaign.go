package api

import (
	"time"

	"github.com/belayhq/belay"
)

var campaignDays = attributes[belay.CampaignDay, struct{}]{
	{name: "day", show: value(func(d *belay.CampaignDay) string { return d.Day.Format(time.DateOnly) })},
	{name: "archived_count", show: value(func(d *belay.CampaignDay) int { return d.Archived })},
}

var campaignProjects = attributes[belay.CampaignProject, struct{}]{
	{name: "id", show: value(func(p *belay.CampaignProject) string { return p.ID })},
	{name: "name", show: value(func(p *belay.CampaignProject) string { return p.Name })},
	{name: "count", show: value(func(p *belay.CampaignProject) int { return p.Total })},
	{name: "unarchived_count", show: value(func(p *belay.CampaignProject) int { return p.Open })},
}

// campaigns is how far bulk actions are (our own). What asks the question again is null where
// ids named the workspaces.
var campaigns = &noun[belay.Campaign, struct{}]{
	typ: "explorer_bulk_action_progress",
	id:  func(c *belay.Campaign) string { return c.ID },
	attributes: attributes[belay.Campaign, struct{}]{
		{name: "archived_count", show: value(func(c *belay.Campaign) int { return c.ArchivedCount })},
		{name: "unarchived_count", show: value(func(c *belay.Campaign) int { return c.OpenCount })},
		{name: "matching_count", show: unless(notAsked, func(c *belay.Campaign) int { return c.Matching })},
		{name: "ready_count", show: unless(notAsked, (*belay.Campaign).Ready)},
		{name: "unfiled_count", show: unless(notAsked, func(c *belay.Campaign) int { return c.Unfiled })},
		{name: "days", show: listed(campaignDays, func(c *belay.Campaign) []belay.CampaignDay { return c.Days })},
		{name: "projects", show: listed(campaignProjects, func(c *belay.Campaign) []belay.CampaignProject { return c.Projects })},
	},
}

// notAsked says that no question chose the workspaces, or none that can be asked again.
func notAsked(c *belay.Campaign) bool { return !c.Asked }

func (a *API) listBulkActions(r *request) ([]belay.BulkAction, int, error) {
	return a.App.BulkActions(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) updateBulkAction(r *request, p bulkActionPatch) (belay.BulkAction, error) {
	return a.App.UpdateBulkAction(r.Context(), r.subject, r.param("organization_name"), r.param("bulk_action_id"), p)
}

func (a *API) showCampaign(r *request) (belay.Campaign, error) {
	return a.App.Campaign(r.Context(), r.subject, r.param("organization_name"), r.param("bulk_action_id"))
}

func (a *API) archiveReady(r *request) (belay.BulkAction, error) {
	_, err := a.App.ArchiveInCampaign(r.Context(), r.subject, r.param("organization_name"), r.param("bulk_action_id"), nil)
	return a.afterwards(r, err)
}

func (a *API) fileAgain(r *request) (belay.BulkAction, error) {
	_, err := a.App.FileAgain(r.Context(), r.subject, r.param("organization_name"), r.param("bulk_action_id"))
	return a.afterwards(r, err)
}

// afterwards is the bulk action as it is when something was done with its change requests.
func (a *API) afterwards(r *request, err error) (belay.BulkAction, error) {
	if err != nil {
		return belay.BulkAction{}, err
	}
	return a.showBulkAction(r)
}

func (a *API) remindOfBulkAction(r *request) (belay.BulkAction, error) {
	return a.App.RemindOfBulkAction(r.Context(), r.subject, r.param("organization_name"), r.param("bulk_action_id"))
}
