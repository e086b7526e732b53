package changes

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/site"
)

type changeRequestDoc = backlog.ChangeRequest

// changeRequestAttributes is every attribute of a change request.
var changeRequestAttributes = doc.Attributes[changeRequestDoc, struct{}]{
	{Name: "subject", Show: doc.Value(func(c *changeRequestDoc) string { return c.Subject })},
	{Name: "message", Show: doc.Value(func(c *changeRequestDoc) string { return c.Message })},
	{Name: "archived-by", Show: doc.Maybe(func(c *changeRequestDoc) string { return c.ArchivedBy })},
	{Name: "archived-at", Show: doc.Maybe(func(c *changeRequestDoc) time.Time { return c.ArchivedAt })},
	{Name: "assigned-at", Show: doc.Maybe(func(c *changeRequestDoc) time.Time { return c.AssignedAt })},
	{Name: "created-at", Show: doc.Value(func(c *changeRequestDoc) time.Time { return c.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(c *changeRequestDoc) time.Time { return c.UpdatedAt })},
}

var changeRequests = &doc.Noun[changeRequestDoc, struct{}]{
	Type:       "workspace_change_requests",
	Schema:     "ChangeRequest",
	ID:         func(c *changeRequestDoc) string { return c.ID },
	Path:       func(c *changeRequestDoc) string { return "/api/v2/workspaces/change-requests/" + c.ID },
	Attributes: changeRequestAttributes,
	Relations: []doc.Relation[changeRequestDoc, struct{}]{
		doc.To[changeRequestDoc, struct{}]("workspace", "workspaces", func(c *changeRequestDoc) string { return c.WorkspaceID }),
		doc.Bare[changeRequestDoc, struct{}]("created-by", "users", func(c *changeRequestDoc) string { return c.CreatedBy }),
		doc.Bare[changeRequestDoc, struct{}]("archived-by-user", "users", func(c *changeRequestDoc) string { return c.ArchivedBy }),
		doc.Bare[changeRequestDoc, struct{}]("assignee", "users", func(c *changeRequestDoc) string { return c.AssigneeID }),
		doc.To[changeRequestDoc, struct{}]("applied-run", "runs", func(c *changeRequestDoc) string { return c.RunID }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/workspaces/{workspace_id}/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listWorkspaceRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Needs: belay.ReadChangeRequests, Does: "List the change requests of a workspace"},
		{Method: http.MethodGet, Path: paths.V2 + "/workspaces/change-requests/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listWorkspaceRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Needs: belay.ReadChangeRequests, Does: "List those of the workspace called change-requests"},
		{Method: http.MethodGet, Path: paths.NamedWorkspace + "/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listWorkspaceRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Needs: belay.ReadChangeRequests, Does: "List the change requests of a workspace, by its name"},
		{Method: http.MethodGet, Path: paths.Organization + "/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listChangeRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Needs: belay.Traverse, Does: "List the change requests of the workspaces that one sees"},
		{Method: http.MethodGet, Path: paths.V2 + "/workspaces/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.showChangeRequest), Feature: site.ChangeRequests, Needs: belay.ReadChangeRequests, Does: "See a change request (longer path)"},
		{Method: http.MethodGet, Path: paths.V2 + "/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.showChangeRequest), Feature: site.ChangeRequests, Needs: belay.ReadChangeRequests, Does: "See a change request"},
		{Method: http.MethodPost, Path: paths.V2 + "/workspaces/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Needs: belay.ArchiveChangeRequests, Does: "Archive a change request (longer path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/workspaces/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Needs: belay.ArchiveChangeRequests, Does: "Archive a change request (longer path, other method)"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Needs: belay.ArchiveChangeRequests, Does: "Archive a change request (shorter path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Needs: belay.ArchiveChangeRequests, Does: "Archive a change request (other method)"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}/actions/archive", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Needs: belay.ArchiveChangeRequests, Does: "Archive a change request"},
		{Method: http.MethodGet, Path: paths.V2 + "/change-requests/{change_request_id}/actions/archive", Status: http.StatusOK, Do: door.Showing(changeRequests, a.showChangeRequest), Feature: site.ChangeRequests, Needs: belay.ReadChangeRequests, Does: "See a change request (odd path)"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}/actions/take", Status: http.StatusOK, Do: door.Showing(changeRequests, a.takeChangeRequest), Feature: site.ChangeRequests, Refuses: []belay.Kind{belay.Forbidden, belay.Conflict}, Needs: belay.ArchiveChangeRequests, By: door.People, Does: "Take a change request: one is on it"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}/actions/release", Status: http.StatusOK, Do: door.Showing(changeRequests, a.releaseChangeRequest), Feature: site.ChangeRequests, Needs: belay.ArchiveChangeRequests, Does: "Leave a change request to others"},
	}
})

// listWorkspaceRequests is the backlog of a workspace, named by its id, by its name, or by
// its name in an organization.
func (a *Verbs) listWorkspaceRequests(r *door.Request) ([]changeRequestDoc, int, error) {
	want, err := changeRequestQuery(r)
	if err != nil {
		return nil, 0, err
	}
	ref := paths.WorkspaceRef(r)
	if ref == (belay.WorkspaceRef{}) {
		ref.ID = "change-requests" // the workspace of that name: its path is made of fixed parts
	}
	return a.App.WorkspaceChangeRequests(r.Context(), r.Principal, ref, want)
}

// listChangeRequests is the backlog of a whole organization.
func (a *Verbs) listChangeRequests(r *door.Request) ([]changeRequestDoc, int, error) {
	want, err := changeRequestQuery(r)
	if err != nil {
		return nil, 0, err
	}
	return a.App.ChangeRequests(r.Context(), r.Principal, r.Param("organization_name"), want)
}

func (a *Verbs) showChangeRequest(r *door.Request) (changeRequestDoc, error) {
	return a.App.ChangeRequest(r.Context(), r.Principal, r.Param("change_request_id"))
}

// archiveForm is what a body may say that asks for an archive.
var archiveForm = []string{"archive", "archived", "archived_at", "archived_by"}

// archiveBody is the schema of a body that asks for an archive. It may be missing.
func archiveBody(*doc.Describer) *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"object"}}
}

// checkArchive refuses a body that asks for more than to archive: a change request that was
// meant to be mended must not be archived for good.
func checkArchive(r *door.Request) error {
	if len(r.Document) == 0 {
		return nil
	}
	in, err := r.Resource(runs.RequestTypes...)
	if err != nil {
		return err
	}
	members := doc.MembersOf(in)
	problems := members.Twice
	for _, name := range slices.Sorted(maps.Keys(members.Given)) {
		given := strings.TrimSpace(string(members.Given[name]))
		if !slices.Contains(archiveForm, name) || strings.HasPrefix(name, "archive") && (given == "false" || given == "null") {
			problems.At(members.Places.Moved[name], "Change requests can't be changed")
		}
	}
	return problems.Err()
}

func (a *Verbs) archiveChangeRequest(r *door.Request) (none changeRequestDoc, err error) {
	if err := r.Later(checkArchive(r)); err != nil {
		return none, err
	}
	return a.App.ArchiveChangeRequest(r.Context(), r.Principal, r.Param("change_request_id"))
}

func (a *Verbs) takeChangeRequest(r *door.Request) (none changeRequestDoc, err error) {
	if err := r.CheckNothing(runs.RequestTypes...); err != nil {
		return none, err
	}
	return a.App.TakeChangeRequest(r.Context(), r.Principal, r.Param("change_request_id"))
}

func (a *Verbs) releaseChangeRequest(r *door.Request) (none changeRequestDoc, err error) {
	if err := r.CheckNothing(runs.RequestTypes...); err != nil {
		return none, err
	}
	return a.App.ReleaseChangeRequest(r.Context(), r.Principal, r.Param("change_request_id"))
}

// changeRequestFilters and changeRequestSorts are what lists of change requests may be asked.
var (
	changeRequestFilters = []string{
		"filter[archived]", "filter[workspace]", "filter[workspace][id]", "filter[workspace][name]", "filter[project]",
		"filter[project][id]", "filter[creator]", "filter[created-by]", "filter[bulk-action]", "filter[assignee]", "filter[created-after]", "filter[created-before]",
	}
	changeRequestSorts = []string{"", "created-at", "archived-at", "subject"}
)

// changeRequestQuery reads the filters and the order of a list of change requests. One
// that is not known is refused, as in the explorer: without it the list would show too much.
func changeRequestQuery(r *door.Request) (want backlog.ChangeRequestQuery, err error) {
	q := r.URL.Query() // all of them: one that is not known is refused
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if strings.HasPrefix(name, "filter") && !slices.Contains(changeRequestFilters, name) {
			return want, belay.Refuse(belay.BadRequest, "%s is no filter of change requests", name)
		}
	}
	want = backlog.ChangeRequestQuery{
		Page:           r.Page(),
		WorkspaceIDs:   door.Commas(q["filter[workspace][id]"]...),
		WorkspaceNames: door.Commas(q["filter[workspace][name]"]...),
		Projects:       door.Commas(append(q["filter[project][id]"], q["filter[project]"]...)...),
		Creators:       door.Commas(append(q["filter[creator]"], q["filter[created-by]"]...)...),
		ActionIDs:      door.Commas(q["filter[bulk-action]"]...),
		Assignees:      door.Commas(q["filter[assignee]"]...),
	}
	ids, names := workspacesByEither(door.Commas(q["filter[workspace]"]...))
	want.WorkspaceIDs, want.WorkspaceNames = append(want.WorkspaceIDs, ids...), append(want.WorkspaceNames, names...)
	if want.Archived, err = door.TruthFilter(q, "filter[archived]", "archive"); err != nil {
		return want, err
	}
	if want.CreatedAfter, err = door.MomentFilter(q, "filter[created-after]"); err != nil {
		return want, err
	}
	if want.CreatedBefore, err = door.MomentFilter(q, "filter[created-before]"); err != nil {
		return want, err
	}
	key, descending := strings.CutPrefix(q.Get("sort"), "-")
	want.Sort, want.Descending = strings.ReplaceAll(key, "_", "-"), descending
	if !slices.Contains(changeRequestSorts, want.Sort) {
		return want, belay.Refuse(belay.BadRequest, "sort: %q is none of created-at, archived-at and subject", key)
	}
	return want, nil
}

// workspacesByEither parts ids from names.
func workspacesByEither(either []string) (ids, names []string) {
	for _, one := range either {
		if strings.HasPrefix(one, "ws-") {
			ids = append(ids, one)
		} else {
			names = append(names, one)
		}
	}
	return ids, names
}

var changeRequestParameters = append([]string{"sort", "archive"}, changeRequestFilters...)
