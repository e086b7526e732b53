package changes

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/site"
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

var campaignTeams = doc.Attributes[backlog.CampaignTeam, struct{}]{
	{Name: "name", Show: doc.Value(func(t *backlog.CampaignTeam) string { return t.Name })},
	{Name: "count", Show: doc.Value(func(t *backlog.CampaignTeam) int { return t.Total })},
	{Name: "unarchived_count", Show: doc.Value(func(t *backlog.CampaignTeam) int { return t.Open })},
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
		{Name: "notification_count", Show: doc.Value(func(c *backlog.Campaign) int { return c.Notices })},
		{Name: "delivered_notification_count", Show: doc.Value(func(c *backlog.Campaign) int { return c.Delivered })},
		{Name: "days", Show: doc.Listed(campaignDays, func(c *backlog.Campaign) []backlog.CampaignDay { return c.Days })},
		{Name: "projects", Show: doc.Listed(campaignProjects, func(c *backlog.Campaign) []backlog.CampaignProject { return c.Projects })},
		{Name: "teams", Show: doc.Listed(campaignTeams, func(c *backlog.Campaign) []backlog.CampaignTeam { return c.Teams })},
	},
}

// notAsked says that no question chose the workspaces, or none that can be asked again.
func notAsked(c *backlog.Campaign) bool { return !c.Asked }

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Explorer + "/bulk-actions", Status: http.StatusOK, Do: door.Listing(bulkActions, a.listBulkActions), Feature: site.ChangeRequests, Needs: belay.ReadExplorer, Does: "List the bulk actions, the newest first"},
		{Method: http.MethodPatch, Path: paths.BulkAction, Status: http.StatusOK, Do: door.Writing(bulkActions, a.updateBulkAction), Feature: site.ChangeRequests, Needs: belay.CreateChangeRequests, Does: "Say until when a bulk action is to be done"},
		{Method: http.MethodGet, Path: paths.BulkAction + "/progress", Status: http.StatusOK, Do: door.Showing(campaigns, a.showCampaign), Feature: site.ChangeRequests, Needs: belay.ReadExplorer, Does: "See how far a bulk action is"},
		{Method: http.MethodPost, Path: paths.BulkAction + "/actions/archive-ready", Status: http.StatusOK, Do: acting(a.archiveReady), Feature: site.ChangeRequests, Needs: belay.ReadExplorer, Does: "Archive those whose workspace no longer fits the question"},
		{Method: http.MethodPost, Path: paths.BulkAction + "/actions/file-again", Status: http.StatusOK, Do: acting(a.fileAgain), Feature: site.ChangeRequests, Needs: belay.CreateChangeRequests, Does: "File on the workspaces that fit the question by now"},
		{Method: http.MethodPost, Path: paths.BulkAction + "/actions/remind", Status: http.StatusOK, Do: acting(a.remindOfBulkAction), Feature: site.ChangeRequests, Refuses: []belay.Kind{belay.Conflict}, Needs: belay.CreateChangeRequests, Does: "Tell again of those that are still open"},
	}
})

func (a *Verbs) listBulkActions(r *door.Request) ([]backlog.BulkAction, int, error) {
	return a.App.BulkActions(r.Context(), r.Principal, r.Param("organization_name"), nil, r.Page())
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
