package states

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/site"
)

// stateDoc is a state version on its way into a document: its URLs are those of a request.
type stateDoc struct {
	state.View
	url func(upload bool, kind object.Kind, id string) string
}

// statePatch is what a client says of a state that it brings.
type statePatch struct {
	Serial       patch.Field[int64]
	MD5, Lineage patch.Field[string]
	Force        patch.Field[bool]
	Intermediate patch.Field[bool]
	RunID        string // relationships.run
}

// StateAttributes is every attribute of a state version. Its files are not among them:
// they travel beside the document.
var StateAttributes = doc.Attributes[stateDoc, statePatch]{
	{Name: "created-at", Show: doc.Value(func(s *stateDoc) time.Time { return s.CreatedAt })},
	{Name: "serial", Show: doc.Value(func(s *stateDoc) int64 { return s.Serial }), Write: doc.Lenient(func(p *statePatch) *patch.Field[int64] { return &p.Serial })},
	{Name: "md5", Show: doc.Value(func(s *stateDoc) string { return s.State.MD5 }), Write: doc.Lenient(func(p *statePatch) *patch.Field[string] { return &p.MD5 })},
	{Name: "lineage", Show: doc.Maybe(func(s *stateDoc) string { return s.Lineage }), Write: doc.Lenient(func(p *statePatch) *patch.Field[string] { return &p.Lineage })},
	{Name: "force", Write: doc.Lenient(func(p *statePatch) *patch.Field[bool] { return &p.Force })},
	{Name: "status", Show: doc.Value(func(s *stateDoc) string { return string(s.Status) })},
	{Name: "intermediate", Show: doc.Value(func(s *stateDoc) bool { return s.Intermediate }), Write: doc.Lenient(func(p *statePatch) *patch.Field[bool] { return &p.Intermediate })},
	{Name: "size", Show: sized},
	{Name: "hosted-state-download-url", Show: doc.Maybe(func(s *stateDoc) string { return s.download(object.State, s.State) })},
	{Name: "hosted-json-state-download-url", Show: doc.Maybe(func(s *stateDoc) string { return s.download(object.JSONState, s.JSON) })},
	{Name: "hosted-state-upload-url", Show: doc.Maybe(func(s *stateDoc) string { return s.upload(object.State, s.State) })},
	{Name: "hosted-json-state-upload-url", Show: doc.Maybe(func(s *stateDoc) string { return s.upload(object.JSONState, s.JSON) })},
	{Name: "sanitized-state-download-url", Show: doc.None[stateDoc, string]()},
	{Name: "sanitized-state-upload-url", Show: doc.None[stateDoc, string]()},
	{Name: "encrypted-state-download-url", Show: doc.None[stateDoc, string]()},
	{Name: "modules", Show: doc.Raw(func(s *stateDoc) json.RawMessage { return s.Contents.Modules })},
	{Name: "providers", Show: doc.Raw(func(s *stateDoc) json.RawMessage { return s.Contents.Providers })},
	{Name: "resources", Show: doc.Raw(func(s *stateDoc) json.RawMessage { return s.Contents.Resources })},
	{Name: "resources-processed", Show: doc.Value(func(s *stateDoc) bool { return s.Processed })},
	{Name: "billable-rum-count", Show: counted},
	{Name: "state-version", Show: doc.Maybe(func(s *stateDoc) int { return s.Contents.Format })},
	{Name: "terraform-version", Show: doc.Maybe(func(s *stateDoc) string { return s.Contents.EngineVersion })},
	{Name: "permissions", Show: doc.Permitted(workspaces.StatePermissions, func(s *stateDoc) belay.Permission { return s.Can })},
	{Name: "vcs-commit-sha", Show: doc.None[stateDoc, string]()},
	{Name: "vcs-commit-url", Show: doc.None[stateDoc, string]()},
}

// sized is null before there is a file; an empty file has a size.
var sized = doc.Unless(func(s *stateDoc) bool { return s.Status == belay.StatePending || s.Status == belay.StateDiscarded },
	func(s *stateDoc) int64 { return s.State.Size })

// counted is null while the state has not been read, or could not be.
var counted = doc.Unless(func(s *stateDoc) bool { return !s.Processed || s.Problem != "" },
	func(s *stateDoc) int { return s.Contents.BillableCount })

// download is the URL of a file that is there.
func (s *stateDoc) download(kind object.Kind, file belay.StateFile) string {
	if s.Status != belay.StateFinalized || !file.There() || !s.Can.Has(belay.ReadState) {
		return ""
	}
	return s.url(false, kind, s.ID)
}

// upload is the URL of a file that is still to come, for those who may bring it.
func (s *stateDoc) upload(kind object.Kind, file belay.StateFile) string {
	open := s.Status == belay.StatePending || s.Status == belay.StateFinalized && s.ByUpload && s.Intermediate
	if !open || file.There() || !s.Can.Has(belay.WriteState) {
		return ""
	}
	return s.url(true, kind, s.ID)
}

// StateVersions is states of workspaces.
var StateVersions = &doc.Noun[stateDoc, statePatch]{
	Type:       "state-versions",
	ID:         func(s *stateDoc) string { return s.ID },
	Path:       func(s *stateDoc) string { return "/api/v2/state-versions/" + s.ID },
	Attributes: StateAttributes,
	Relations: []doc.Relation[stateDoc, statePatch]{
		doc.To[stateDoc, statePatch]("run", "runs", func(s *stateDoc) string { return s.RunID }).
			Taking(doc.Ref("runs"), takeRun),
		doc.To[stateDoc, statePatch]("created-by", "users", func(s *stateDoc) string { return s.CreatedBy }),
		doc.To[stateDoc, statePatch]("workspace", "workspaces", func(s *stateDoc) string { return s.WorkspaceID }),
		doc.ToMany[stateDoc, statePatch]("outputs", "state-version-outputs", "/outputs", func(s *stateDoc) []string { return s.OutputIDs }).
			LinkedAlone("state-version-outputs", func(s *stateDoc) bool { return s.ManyOutputs }),
		doc.To[stateDoc, statePatch]("previous-state-version", "state-versions", func(s *stateDoc) string { return s.PreviousID }),
		doc.To[stateDoc, statePatch]("next-state-version", "state-versions", func(s *stateDoc) string { return s.NextID }),
		doc.To[stateDoc, statePatch]("rollback-state-version", "state-versions", func(s *stateDoc) string { return s.RollbackID }).
			Unless(func(s *stateDoc) bool { return s.RollbackID == "" }),
	},
}

func takeRun(_ doc.Reading, in *jsonapi.Incoming, p *statePatch) error {
	run, _, err := doc.RelatedRef(in, "run", "runs")
	p.RunID = run.ID
	return err
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPatch, Path: paths.Workspace + "/state-versions", Status: http.StatusCreated, Do: door.Showing(StateVersions, a.rollBackState, a.withStates()).Reads(rollbackBody), Refuses: []belay.Kind{belay.Conflict, belay.Precondition}, Needs: belay.WriteState, Does: "Go back to an older state, holding the lock"},
		{Method: http.MethodGet, Path: paths.Workspace + "/current-state-version", Status: http.StatusOK, Do: door.Showing(StateVersions, a.showCurrentStateVersion, a.withStates()), Runs: true, Needs: belay.ReadState, Does: "See the current state"},
		{Method: http.MethodGet, Path: paths.V2 + "/state-versions", Status: http.StatusOK, Do: door.Listing(StateVersions, a.listStateVersions, a.withStates()), Runs: true, Filters: workspaces.NamedFilters, Needs: belay.ReadState, Does: "List the states of a workspace"},
		{Method: http.MethodGet, Path: paths.StateVersion, Status: http.StatusOK, Do: door.Showing(StateVersions, a.showStateVersion, a.withStates()), Runs: true, Needs: belay.ReadState, Does: "See a state"},
		{Method: http.MethodPost, Path: paths.StateVersion + "/actions/soft_delete_backing_data", Status: http.StatusOK, Do: door.Showing(StateVersions, a.softDeleteState, a.withStates()), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Put the file of an older state aside"},
		{Method: http.MethodPost, Path: paths.StateVersion + "/actions/restore_backing_data", Status: http.StatusOK, Do: door.Showing(StateVersions, a.restoreState, a.withStates()), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Take the file of a state back"},
		{Method: http.MethodPost, Path: paths.StateVersion + "/actions/permanently_delete_backing_data", Status: http.StatusOK, Do: door.Showing(StateVersions, a.deleteStateForGood, a.withStates()), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Delete the file of a state for good"},
	}
})

// StateVersion makes the resources of state versions in a request.
func (a *Verbs) StateVersion(r *door.Request) func(state.View) *jsonapi.Resource {
	urls := a.urls(r)
	return func(v state.View) *jsonapi.Resource { return StateVersions.Resource(r.Edition, stateDoc{v, urls}) }
}

// state is a state version on its way into a document of a request.
func (a *Verbs) state(r *door.Request) func(state.View, error) (stateDoc, error) {
	return func(v state.View, err error) (stateDoc, error) { return stateDoc{v, a.urls(r)}, err }
}

// urls is where the files of states are read and brought.
func (a *Verbs) urls(r *door.Request) func(upload bool, kind object.Kind, id string) string {
	return func(upload bool, kind object.Kind, id string) string {
		return r.PresignedURL(a.App.PresignState(upload, kind, id))
	}
}

func (a *Verbs) showStateVersion(r *door.Request) (stateDoc, error) {
	return a.state(r)(a.App.StateVersion(r.Context(), r.Principal, r.Param("state_version_id")))
}

// offerSnapshots tells the command lines, which ask by these requests, how many seconds to
// wait between the states that they bring while an apply goes on. Without it they bring
// only the last one.
func (a *Verbs) offerSnapshots(r *door.Request) {
	if every := a.Snapshots; every > 0 {
		r.Writer.Header().Set("X-Terraform-Snapshot-Interval", strconv.Itoa(int(every.Seconds())))
	}
}

func (a *Verbs) showCurrentStateVersion(r *door.Request) (stateDoc, error) {
	a.offerSnapshots(r)
	return a.state(r)(a.App.CurrentStateVersion(r.Context(), r.Principal, paths.WorkspaceRef(r)))
}

func (a *Verbs) listStateVersions(r *door.Request) ([]stateDoc, int, error) {
	q := r.Query()
	ref := belay.WorkspaceRef{Organization: q.Get("filter[organization][name]"), Name: q.Get("filter[workspace][name]")}
	if ref.Organization == "" || ref.Name == "" {
		return nil, 0, belay.Refuse(belay.BadRequest, "filter[organization][name] and filter[workspace][name] are both required")
	}
	list, total, err := a.App.StateVersions(r.Context(), r.Principal, ref, door.Commas(q["filter[status]"]...), r.Page())
	docs, urls := make([]stateDoc, len(list)), a.urls(r)
	for i, v := range list {
		docs[i] = stateDoc{v, urls}
	}
	return docs, total, err
}

// rollbackBody is the schema of a body that names the state to go back to.
func rollbackBody(*doc.Describer) *openapi.Schema {
	relations := &openapi.Schema{Type: openapi.Types{"object"}}
	relations.Add("rollback-state-version", doc.Document(doc.BodyRef("state-versions")), true)
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	return doc.Document(is.Add("type", openapi.Of[string]().One("state-versions"), false).Add("relationships", relations, true))
}

func (a *Verbs) rollBackState(r *door.Request) (none stateDoc, err error) {
	in, err := r.Resource("state-versions")
	if err != nil {
		return none, err
	}
	const name = "rollback-state-version"
	ref, given, err := doc.RelatedRef(in, name, "state-versions")
	if err != nil {
		return none, err
	}
	if !given {
		return none, doc.ShapeRefusal(&jsonapi.ShapeError{Pointer: "/data/relationships/" + name, Detail: "param is missing or the value is empty: " + name})
	}
	return a.state(r)(a.App.RollBack(r.Context(), r.Principal, paths.WorkspaceRef(r), ref.ID))
}

func (a *Verbs) softDeleteState(r *door.Request) (stateDoc, error) {
	return a.state(r)(a.App.SoftDeleteState(r.Context(), r.Principal, r.Param("state_version_id")))
}

func (a *Verbs) restoreState(r *door.Request) (stateDoc, error) {
	return a.state(r)(a.App.RestoreState(r.Context(), r.Principal, r.Param("state_version_id")))
}

func (a *Verbs) deleteStateForGood(r *door.Request) (stateDoc, error) {
	return a.state(r)(a.App.DeleteStateForGood(r.Context(), r.Principal, r.Param("state_version_id")))
}
