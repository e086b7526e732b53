package api

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

type changeRequestDoc = belay.ChangeRequest

// changeRequestAttributes is every attribute of a change request ("Change request" in the spec).
var changeRequestAttributes = attributes[changeRequestDoc, struct{}]{
	{name: "subject", read: func(c *changeRequestDoc) any { return c.Subject }},
	{name: "message", read: func(c *changeRequestDoc) any { return c.Message }},
	{name: "archived-by", read: func(c *changeRequestDoc) any { return orNull(c.ArchivedBy) }},
	{name: "archived-at", read: func(c *changeRequestDoc) any { return c.ArchivedAt }},
	{name: "created-at", read: func(c *changeRequestDoc) any { return c.CreatedAt }},
	{name: "updated-at", read: func(c *changeRequestDoc) any { return c.UpdatedAt }},
}

func (a *API) changeRequest(c changeRequestDoc) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "workspace_change_requests", ID: c.ID,
		Attributes: changeRequestAttributes.object(&c, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			{Name: "workspace", Data: jsonapi.Ref{Type: "workspaces", ID: c.WorkspaceID}, Related: "/api/v2/workspaces/" + c.WorkspaceID},
			{Name: "created-by", Data: jsonapi.One("users", c.CreatedBy)},
			{Name: "archived-by-user", Data: jsonapi.One("users", c.ArchivedBy)},
		},
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/workspaces/change-requests/" + c.ID}},
	}
}

// listWorkspaceRequests is the backlog of a workspace, named by its id, by its name, or by
// its name in an organization.
func (a *API) listWorkspaceRequests(r *request) (*jsonapi.Document, error) {
	want, err := r.changeRequestQuery()
	if err != nil {
		return nil, err
	}
	ref := r.workspaceRef()
	if ref == (belay.WorkspaceRef{}) {
		ref.ID = "change-requests" // the workspace of that name: its path is made of fixed parts
	}
	list, total, err := a.App.WorkspaceChangeRequests(r.Context(), r.subject, ref, want)
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.changeRequest), total), nil
}

// listChangeRequests is the backlog of a whole organization.
func (a *API) listChangeRequests(r *request) (*jsonapi.Document, error) {
	want, err := r.changeRequestQuery()
	if err != nil {
		return nil, err
	}
	list, total, err := a.App.ChangeRequests(r.Context(), r.subject, r.param("organization_name"), want)
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.changeRequest), total), nil
}

func (a *API) showChangeRequest(r *request) (*jsonapi.Document, error) {
	c, err := a.App.ChangeRequest(r.Context(), r.subject, r.param("change_request_id"))
	return a.changeRequestAnswer(c, err)
}

func (a *API) archiveChangeRequest(r *request) (*jsonapi.Document, error) {
	c, err := a.App.ArchiveChangeRequest(r.Context(), r.subject, r.param("change_request_id"))
	return a.changeRequestAnswer(c, err)
}

func (a *API) changeRequestAnswer(c changeRequestDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.changeRequest(c)), nil
}

// changeRequestFilters and changeRequestSorts are what lists of change requests may be asked.
var (
	changeRequestFilters = []string{
		"filter[archived]", "filter[workspace]", "filter[workspace][id]", "filter[workspace][name]", "filter[project]",
		"filter[project][id]", "filter[creator]", "filter[created-by]", "filter[bulk-action]", "filter[created-after]", "filter[created-before]",
	}
	changeRequestSorts = []string{"", "created-at", "archived-at", "subject"}
)

// changeRequestQuery reads the filters and the order of a list of change requests. One
// that is not known is refused, as in the explorer: without it the list would show too much.
func (r *request) changeRequestQuery() (want belay.ChangeRequestQuery, err error) {
	q := r.URL.Query()
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
