package api

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/state"
)

// stateDoc is a state version on its way into a document: its URLs are the request's.
type stateDoc struct {
	state.View
	r *request
}

// statePatch is what a client says of a state that it brings.
type statePatch struct {
	Serial       patch.Field[int64]
	MD5, Lineage patch.Field[string]
	Force        patch.Field[bool]
	Intermediate patch.Field[bool]
	RunID        string // relationships.run
}

// stateAttributes is every attribute of a state version. Its files are not among them:
// they travel beside the document.
var stateAttributes = attributes[stateDoc, statePatch]{
	{name: "created-at", show: value(func(s *stateDoc) time.Time { return s.CreatedAt })},
	{name: "serial", show: value(func(s *stateDoc) int64 { return s.Serial }), write: lenient(func(p *statePatch) *patch.Field[int64] { return &p.Serial })},
	{name: "md5", show: value(func(s *stateDoc) string { return s.State.MD5 }), write: lenient(func(p *statePatch) *patch.Field[string] { return &p.MD5 })},
	{name: "lineage", show: maybe(func(s *stateDoc) string { return s.Lineage }), write: lenient(func(p *statePatch) *patch.Field[string] { return &p.Lineage })},
	{name: "force", write: lenient(func(p *statePatch) *patch.Field[bool] { return &p.Force })},
	{name: "status", show: value(func(s *stateDoc) string { return string(s.Status) })},
	{name: "intermediate", show: value(func(s *stateDoc) bool { return s.Intermediate }), write: lenient(func(p *statePatch) *patch.Field[bool] { return &p.Intermediate })},
	{name: "size", show: sized},
	{name: "hosted-state-download-url", show: maybe(func(s *stateDoc) string { return s.download(object.State, s.State) })},
	{name: "hosted-json-state-download-url", show: maybe(func(s *stateDoc) string { return s.download(object.JSONState, s.JSON) })},
	{name: "hosted-state-upload-url", show: maybe(func(s *stateDoc) string { return s.upload(object.State, s.State) })},
	{name: "hosted-json-state-upload-url", show: maybe(func(s *stateDoc) string { return s.upload(object.JSONState, s.JSON) })},
	{name: "sanitized-state-download-url", show: none[stateDoc, string]()},
	{name: "sanitized-state-upload-url", show: none[stateDoc, string]()},
	{name: "encrypted-state-download-url", show: none[stateDoc, string]()},
	{name: "modules", show: raw(func(s *stateDoc) json.RawMessage { return s.Contents.Modules })},
	{name: "providers", show: raw(func(s *stateDoc) json.RawMessage { return s.Contents.Providers })},
	{name: "resources", show: raw(func(s *stateDoc) json.RawMessage { return s.Contents.Resources })},
	{name: "resources-processed", show: value(func(s *stateDoc) bool { return s.Processed })},
	{name: "billable-rum-count", show: counted},
	{name: "state-version", show: maybe(func(s *stateDoc) int { return s.Contents.Format })},
	{name: "terraform-version", show: maybe(func(s *stateDoc) string { return s.Contents.EngineVersion })},
	{name: "permissions", show: permitted(statePermissions, func(s *stateDoc) belay.Permission { return s.Can })},
	{name: "vcs-commit-sha", show: none[stateDoc, string]()},
	{name: "vcs-commit-url", show: none[stateDoc, string]()},
}

// sized is null before there is a file; an empty file has a size.
var sized = unless(func(s *stateDoc) bool { return s.Status == belay.StatePending || s.Status == belay.StateDiscarded },
	func(s *stateDoc) int64 { return s.State.Size })

// counted is null while the state has not been read, or could not be.
var counted = unless(func(s *stateDoc) bool { return !s.Processed || s.Problem != "" },
	func(s *stateDoc) int { return s.Contents.BillableCount })

// known shows what a state says, and null while that is not known.
func known(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}

// download is the URL of a file that is there.
func (s *stateDoc) download(kind object.Kind, file belay.StateFile) string {
	if s.Status != belay.StateFinalized || !file.There() || !s.Can.Has(belay.ReadState) {
		return ""
	}
	return s.r.presignedURL(s.r.api.App.PresignState(false, kind, s.ID))
}

// upload is the URL of a file that is still to come, for those who may bring it.
func (s *stateDoc) upload(kind object.Kind, file belay.StateFile) string {
	open := s.Status == belay.StatePending || s.Status == belay.StateFinalized && s.ByUpload && s.Intermediate
	if !open || file.There() || !s.Can.Has(belay.WriteState) {
		return ""
	}
	return s.r.presignedURL(s.r.api.App.PresignState(true, kind, s.ID))
}

var stateVersions = &noun[stateDoc, statePatch]{
	typ:        "state-versions",
	id:         func(s *stateDoc) string { return s.ID },
	path:       func(s *stateDoc) string { return "/api/v2/state-versions/" + s.ID },
	attributes: stateAttributes,
	relations: []relation[stateDoc, statePatch]{
		to[stateDoc, statePatch]("run", "runs", func(s *stateDoc) string { return s.RunID }).
			taking(ref("runs"), takeRun),
		to[stateDoc, statePatch]("created-by", "users", func(s *stateDoc) string { return s.CreatedBy }),
		to[stateDoc, statePatch]("workspace", "workspaces", func(s *stateDoc) string { return s.WorkspaceID }),
		toMany[stateDoc, statePatch]("outputs", "state-version-outputs", "/outputs", func(s *stateDoc) []string { return s.OutputIDs }).
			linkedAlone("state-version-outputs", func(s *stateDoc) bool { return s.ManyOutputs }),
		to[stateDoc, statePatch]("previous-state-version", "state-versions", func(s *stateDoc) string { return s.PreviousID }),
		to[stateDoc, statePatch]("next-state-version", "state-versions", func(s *stateDoc) string { return s.NextID }),
		to[stateDoc, statePatch]("rollback-state-version", "state-versions", func(s *stateDoc) string { return s.RollbackID }).
			unless(func(s *stateDoc) bool { return s.RollbackID == "" }),
	},
}

func takeRun(_ *request, in *jsonapi.Incoming, p *statePatch) error {
	run, _, err := relatedRef(in, "run", "runs")
	p.RunID = run.ID
	return err
}

// stateVersion is the resource of a state version.
func (r *request) stateVersion(v state.View) *jsonapi.Resource {
	return stateVersions.resource(r, stateDoc{v, r})
}

// state is a state version on its way into a document of this request.
func (r *request) state(v state.View, err error) (stateDoc, error) { return stateDoc{v, r}, err }

func (a *API) showStateVersion(r *request) (stateDoc, error) {
	return r.state(a.App.StateVersion(r.Context(), r.subject, r.param("state_version_id")))
}

// offerSnapshots tells the command lines, which ask by these requests, how many seconds to
// wait between the states that they bring while an apply goes on. Without it they bring
// only the last one.
func (r *request) offerSnapshots() {
	if every := r.api.Snapshots; every > 0 {
		r.w.Header().Set("X-Terraform-Snapshot-Interval", strconv.Itoa(int(every.Seconds())))
	}
}

func (a *API) showCurrentStateVersion(r *request) (stateDoc, error) {
	r.offerSnapshots()
	return r.state(a.App.CurrentStateVersion(r.Context(), r.subject, r.workspaceRef()))
}

func (a *API) listStateVersions(r *request) ([]stateDoc, int, error) {
	q := r.query()
	ref := belay.WorkspaceRef{Organization: q.Get("filter[organization][name]"), Name: q.Get("filter[workspace][name]")}
	if ref.Organization == "" || ref.Name == "" {
		return nil, 0, belay.Refuse(belay.BadRequest, "filter[organization][name] and filter[workspace][name] are both required")
	}
	list, total, err := a.App.StateVersions(r.Context(), r.subject, ref, commas(q["filter[status]"]...), r.page())
	docs := make([]stateDoc, len(list))
	for i, v := range list {
		docs[i] = stateDoc{v, r}
	}
	return docs, total, err
}

// rollbackBody is the schema of a body that names the state to go back to.
func rollbackBody(*describer) *openapi.Schema {
	relations := &openapi.Schema{Type: openapi.Types{"object"}}
	relations.Add("rollback-state-version", document(bodyRef("state-versions")), true)
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	return document(is.Add("type", openapi.Of[string]().One("state-versions"), false).Add("relationships", relations, true))
}

func (a *API) rollBackState(r *request) (none stateDoc, err error) {
	in, err := r.resource("state-versions")
	if err != nil {
		return none, err
	}
	const name = "rollback-state-version"
	ref, given, err := relatedRef(in, name, "state-versions")
	if err != nil {
		return none, err
	}
	if !given {
		return none, shapeRefusal(&jsonapi.ShapeError{Pointer: "/data/relationships/" + name, Detail: "param is missing or the value is empty: " + name})
	}
	return r.state(a.App.RollBack(r.Context(), r.subject, r.workspaceRef(), ref.ID))
}

func (a *API) softDeleteState(r *request) (stateDoc, error) {
	return r.state(a.App.SoftDeleteState(r.Context(), r.subject, r.param("state_version_id")))
}

func (a *API) restoreState(r *request) (stateDoc, error) {
	return r.state(a.App.RestoreState(r.Context(), r.subject, r.param("state_version_id")))
}

func (a *API) deleteStateForGood(r *request) (stateDoc, error) {
	return r.state(a.App.DeleteStateForGood(r.Context(), r.subject, r.param("state_version_id")))
}
