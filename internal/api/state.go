package api

import (
	"encoding/json"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

// stateDoc is a state version on its way into a document: its URLs are the request's.
type stateDoc struct {
	app.StateView
	r *request
}

// statePatch is what a client says of a state that it brings.
type statePatch struct {
	Serial       patch.Field[int64]
	MD5, Lineage patch.Field[string]
	Force        patch.Field[bool]
}

// stateAttributes is every attribute of a state version. Its files are not among them:
// they travel beside the document.
var stateAttributes = attributes[stateDoc, statePatch]{
	{name: "created-at", read: func(s *stateDoc) any { return s.CreatedAt }},
	{name: "serial", read: func(s *stateDoc) any { return s.Serial }, write: lenient(func(p *statePatch) *patch.Field[int64] { return &p.Serial })},
	{name: "md5", read: func(s *stateDoc) any { return s.State.MD5 }, write: lenient(func(p *statePatch) *patch.Field[string] { return &p.MD5 })},
	{name: "lineage", read: func(s *stateDoc) any { return orNull(s.Lineage) }, write: lenient(func(p *statePatch) *patch.Field[string] { return &p.Lineage })},
	{name: "force", write: lenient(func(p *statePatch) *patch.Field[bool] { return &p.Force })},
	{name: "status", read: func(s *stateDoc) any { return string(s.Status) }},
	{name: "intermediate", read: func(s *stateDoc) any { return s.Intermediate }},
	{name: "size", read: stateSize},
	{name: "hosted-state-download-url", read: func(s *stateDoc) any { return s.download(app.StateObject, s.State) }},
	{name: "hosted-json-state-download-url", read: func(s *stateDoc) any { return s.download(app.JSONObject, s.JSON) }},
	{name: "hosted-state-upload-url", read: func(s *stateDoc) any { return s.upload(app.StateObject, s.State) }},
	{name: "hosted-json-state-upload-url", read: func(s *stateDoc) any { return s.upload(app.JSONObject, s.JSON) }},
	{name: "sanitized-state-download-url", read: func(*stateDoc) any { return nil }},
	{name: "sanitized-state-upload-url", read: func(*stateDoc) any { return nil }},
	{name: "encrypted-state-download-url", read: func(*stateDoc) any { return nil }},
	{name: "modules", read: func(s *stateDoc) any { return known(s.Contents.Modules) }},
	{name: "providers", read: func(s *stateDoc) any { return known(s.Contents.Providers) }},
	{name: "resources", read: func(s *stateDoc) any { return known(s.Contents.Resources) }},
	{name: "resources-processed", read: func(s *stateDoc) any { return s.Processed }},
	{name: "billable-rum-count", read: billableCount},
	{name: "state-version", read: stateFormat},
	{name: "terraform-version", read: func(s *stateDoc) any { return orNull(s.Contents.EngineVersion) }},
	{name: "vcs-commit-sha", read: func(*stateDoc) any { return nil }},
	{name: "vcs-commit-url", read: func(*stateDoc) any { return nil }},
}

func stateSize(s *stateDoc) any {
	if s.Status == belay.StatePending || s.Status == belay.StateDiscarded {
		return nil
	}
	return s.State.Size
}

func stateFormat(s *stateDoc) any {
	if s.Contents.Format == 0 {
		return nil
	}
	return s.Contents.Format
}

func billableCount(s *stateDoc) any {
	if !s.Processed || s.Problem != "" {
		return nil
	}
	return s.Contents.BillableCount
}

// known shows what a state says, and null while that is not known.
func known(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}

// download is the URL of a file that is there.
func (s *stateDoc) download(object string, file belay.StateFile) any {
	if s.Status != belay.StateFinalized || !file.There() || !s.Can.Has(belay.ReadState) {
		return nil
	}
	return s.r.ticketURL(s.r.api.App.Ticket(false, s.ID, object))
}

// upload is the URL of a file that is still to come, for those who may bring it.
func (s *stateDoc) upload(object string, file belay.StateFile) any {
	open := s.Status == belay.StatePending || s.Status == belay.StateFinalized && s.ByUpload && s.Intermediate
	if !open || file.There() || !s.Can.Has(belay.WriteState) {
		return nil
	}
	return s.r.ticketURL(s.r.api.App.Ticket(true, s.ID, object))
}

// stateVersion is the resource of a state version.
func (r *request) stateVersion(v app.StateView) *jsonapi.Resource {
	self := "/api/v2/state-versions/" + v.ID
	doc := stateDoc{v, r}
	resource := &jsonapi.Resource{
		Type: "state-versions", ID: v.ID, Attributes: stateAttributes.object(&doc, r.api.App.Edition()),
		Relationships: []jsonapi.Relation{
			linked("run", "runs", v.RunID),
			linked("created-by", "users", v.CreatedBy),
			{Name: "workspace", Data: jsonapi.Ref{Type: "workspaces", ID: v.WorkspaceID}, Related: "/api/v2/workspaces/" + v.WorkspaceID},
			{Name: "outputs", Data: jsonapi.Many("state-version-outputs", v.OutputIDs), Related: self + "/outputs"},
			linked("previous-state-version", "state-versions", v.PreviousID),
			linked("next-state-version", "state-versions", v.NextID),
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
	if v.RollbackID != "" {
		resource.Relationships = append(resource.Relationships, linked("rollback-state-version", "state-versions", v.RollbackID))
	}
	return resource
}

func (r *request) stateAnswer(v app.StateView, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	document := one(r.stateVersion(v))
	return document, r.includeWithStates(document, []app.StateView{v})
}

func (a *API) showStateVersion(r *request) (*jsonapi.Document, error) {
	v, err := a.App.StateVersion(r.Context(), r.subject, r.param("state_version_id"))
	return r.stateAnswer(v, err)
}

// offerSnapshots tells the command lines, which ask by these requests, how many seconds to
// wait between the states that they bring while an apply goes on. Without it they bring
// only the last one.
func (r *request) offerSnapshots() {
	if every := r.api.Snapshots; every > 0 {
		r.w.Header().Set("X-Terraform-Snapshot-Interval", strconv.Itoa(int(every.Seconds())))
	}
}

func (a *API) showCurrentStateVersion(r *request) (*jsonapi.Document, error) {
	r.offerSnapshots()
	v, err := a.App.CurrentStateVersion(r.Context(), r.subject, r.workspaceRef())
	return r.stateAnswer(v, err)
}

func (a *API) listStateVersions(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	ref := belay.WorkspaceRef{Organization: q.Get("filter[organization][name]"), Name: q.Get("filter[workspace][name]")}
	if ref.Organization == "" || ref.Name == "" {
		return nil, belay.Refuse(belay.BadRequest, "filter[organization][name] and filter[workspace][name] are both required")
	}
	list, total, err := a.App.StateVersions(r.Context(), r.subject, ref, commas(q["filter[status]"]...), r.page())
	if err != nil {
		return nil, err
	}
	document := r.list(each(list, r.stateVersion), total)
	return document, r.includeWithStates(document, list)
}

func (a *API) rollBackState(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("state-versions")
	if err != nil {
		return nil, err
	}
	const name = "rollback-state-version"
	ref, given, err := relatedRef(in, name, "state-versions")
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, shapeRefusal(&jsonapi.ShapeError{Pointer: "/data/relationships/" + name, Detail: "param is missing or the value is empty: " + name})
	}
	v, err := a.App.RollBack(r.Context(), r.subject, r.workspaceRef(), ref.ID)
	return r.stateAnswer(v, err)
}

func (a *API) softDeleteState(r *request) (*jsonapi.Document, error) {
	v, err := a.App.SoftDeleteState(r.Context(), r.subject, r.param("state_version_id"))
	return r.stateAnswer(v, err)
}

func (a *API) restoreState(r *request) (*jsonapi.Document, error) {
	v, err := a.App.RestoreState(r.Context(), r.subject, r.param("state_version_id"))
	return r.stateAnswer(v, err)
}

func (a *API) deleteStateForGood(r *request) (*jsonapi.Document, error) {
	v, err := a.App.DeleteStateForGood(r.Context(), r.subject, r.param("state_version_id"))
	return r.stateAnswer(v, err)
}
