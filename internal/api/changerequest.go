package api

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/openapi"
)

type changeRequestDoc = belay.ChangeRequest

// changeRequestAttributes is every attribute of a change request ("Change request" in the spec).
var changeRequestAttributes = attributes[changeRequestDoc, struct{}]{
	{name: "subject", show: value(func(c *changeRequestDoc) string { return c.Subject })},
	{name: "message", show: value(func(c *changeRequestDoc) string { return c.Message })},
	{name: "archived-by", show: maybe(func(c *changeRequestDoc) string { return c.ArchivedBy })},
	{name: "archived-at", show: maybe(func(c *changeRequestDoc) time.Time { return c.ArchivedAt })},
	{name: "assigned-at", show: maybe(func(c *changeRequestDoc) time.Time { return c.AssignedAt })},
	{name: "created-at", show: value(func(c *changeRequestDoc) time.Time { return c.CreatedAt })},
	{name: "updated-at", show: value(func(c *changeRequestDoc) time.Time { return c.UpdatedAt })},
}

var changeRequests = &noun[changeRequestDoc, struct{}]{
	typ:        "workspace_change_requests",
	schema:     "ChangeRequest",
	id:         func(c *changeRequestDoc) string { return c.ID },
	path:       func(c *changeRequestDoc) string { return "/api/v2/workspaces/change-requests/" + c.ID },
	attributes: changeRequestAttributes,
	relations: []relation[changeRequestDoc, struct{}]{
		to[changeRequestDoc, struct{}]("workspace", "workspaces", func(c *changeRequestDoc) string { return c.WorkspaceID }),
		bare[changeRequestDoc, struct{}]("created-by", "users", func(c *changeRequestDoc) string { return c.CreatedBy }),
		bare[changeRequestDoc, struct{}]("archived-by-user", "users", func(c *changeRequestDoc) string { return c.ArchivedBy }),
		bare[changeRequestDoc, struct{}]("assignee", "users", func(c *changeRequestDoc) string { return c.AssigneeID }),
		to[changeRequestDoc, struct{}]("applied-run", "runs", func(c *changeRequestDoc) string { return c.RunID }),
	},
}

// listWorkspaceRequests is the backlog of a workspace, named by its id, by its name, or by
// its name in an organization.
func (a *API) listWorkspaceRequests(r *request) ([]changeRequestDoc, int, error) {
	want, err := r.changeRequestQuery()
	if err != nil {
		return nil, 0, err
	}
	ref := r.workspaceRef()
	if ref == (belay.WorkspaceRef{}) {
		ref.ID = "change-requests" // the workspace of that name: its path is made of fixed parts
	}
	return a.App.WorkspaceChangeRequests(r.Context(), r.subject, ref, want)
}

// listChangeRequests is the backlog of a whole organization.
func (a *API) listChangeRequests(r *request) ([]changeRequestDoc, int, error) {
	want, err := r.changeRequestQuery()
	if err != nil {
		return nil, 0, err
	}
	return a.App.ChangeRequests(r.Context(), r.subject, r.param("organization_name"), want)
}

func (a *API) showChangeRequest(r *request) (changeRequestDoc, error) {
	return a.App.ChangeRequest(r.Context(), r.subject, r.param("change_request_id"))
}

// archiveForm is what a body may say that asks for an archive.
var archiveForm = []string{"archive", "archived", "archived_at", "archived_by"}

// archiveBody is the schema of a body that asks for an archive. It may be missing.
func archiveBody(*describer) *openapi.Schema { return &openapi.Schema{Type: openapi.Types{"object"}} }

// checkArchive refuses a body that asks for more than to archive: a change request that was
// meant to be mended must not be archived for good.
func (r *request) checkArchive() error {
	if len(r.body) == 0 {
		return nil
	}
	in, err := r.resource(requestTypes...)
	if err != nil {
		return err
	}
	members := membersOf(in)
	problems := members.twice
	for _, name := range slices.Sorted(maps.Keys(members.given)) {
		given := strings.TrimSpace(string(members.given[name]))
		if !slices.Contains(archiveForm, name) || strings.HasPrefix(name, "archive") && (given == "false" || given == "null") {
			problems.At(members.places.Moved[name], "Change requests can't be changed")
		}
	}
	return problems.Err()
}

func (a *API) archiveChangeRequest(r *request) (none changeRequestDoc, err error) {
	if err := r.later(r.checkArchive()); err != nil {
		return none, err
	}
	return a.App.ArchiveChangeRequest(r.Context(), r.subject, r.param("change_request_id"))
}

func (a *API) takeChangeRequest(r *request) (none changeRequestDoc, err error) {
	if err := r.checkNothing(requestTypes...); err != nil {
		return none, err
	}
	return a.App.TakeChangeRequest(r.Context(), r.subject, r.param("change_request_id"))
}

func (a *API) releaseChangeRequest(r *request) (none changeRequestDoc, err error) {
	if err := r.checkNothing(requestTypes...); err != nil {
		return none, err
	}
	return a.App.ReleaseChangeRequest(r.Context(), r.subject, r.param("change_request_id"))
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
func (r *request) changeRequestQuery() (want belay.ChangeRequestQuery, err error) {
	q := r.URL.Query() // all of them: one that is not known is refused
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if strings.HasPrefix(name, "filter") && !slices.Contains(changeRequestFilters, name) {
			return want, belay.Refuse(belay.BadRequest, "%s is no filter of change requests", name)
		}
	}
	want = belay.ChangeRequestQuery{
		Page:           r.page(),
		WorkspaceIDs:   commas(q["filter[workspace][id]"]...),
		WorkspaceNames: commas(q["filter[workspace][name]"]...),
		Projects:       commas(append(q["filter[project][id]"], q["filter[project]"]...)...),
		Creators:       commas(append(q["filter[creator]"], q["filter[created-by]"]...)...),
		ActionIDs:      commas(q["filter[bulk-action]"]...),
		Assignees:      commas(q["filter[assignee]"]...),
	}
	ids, names := workspacesByEither(commas(q["filter[workspace]"]...))
	want.WorkspaceIDs, want.WorkspaceNames = append(want.WorkspaceIDs, ids...), append(want.WorkspaceNames, names...)
	if want.Archived, err = truthFilter(q, "filter[archived]", "archive"); err != nil {
		return want, err
	}
	if want.CreatedAfter, err = momentFilter(q, "filter[created-after]"); err != nil {
		return want, err
	}
	if want.CreatedBefore, err = momentFilter(q, "filter[created-before]"); err != nil {
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

// momentFilter reads a moment: a timestamp, or a day, which begins at midnight UTC.
func momentFilter(q url.Values, name string) (time.Time, error) {
	text := q.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, belay.Refuse(belay.BadRequest, "%s must be a timestamp such as 2026-01-02T15:04:05Z", name)
}
