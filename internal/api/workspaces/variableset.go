package workspaces

import (
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type setPatch = inputs.VariableSetPatch

// SetAttributes is every attribute of a set of variables.
var SetAttributes = doc.Attributes[inputs.VariableSet, setPatch]{
	{Name: "name", Show: doc.Value(func(s *inputs.VariableSet) string { return s.Name }), Write: doc.Lenient(func(p *setPatch) *patch.Field[string] { return &p.Name })},
	{Name: "description", Show: doc.Maybe(func(s *inputs.VariableSet) string { return s.Description }), Write: doc.Nullable(func(p *setPatch) *patch.Field[string] { return &p.Description })},
	{Name: "global", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Global }), Write: doc.Lenient(func(p *setPatch) *patch.Field[bool] { return &p.Global })},
	{Name: "priority", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Priority }), Write: doc.Lenient(func(p *setPatch) *patch.Field[bool] { return &p.Priority })},
	{Name: "created-at", Show: doc.Value(func(s *inputs.VariableSet) time.Time { return s.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(s *inputs.VariableSet) time.Time { return s.UpdatedAt })},
	{Name: "permissions", Show: doc.Parts(setCan)},
	{Name: "var-count", Show: doc.Value(func(s *inputs.VariableSet) int { return len(s.VariableIDs) })},
	{Name: "workspace-count", Show: doc.Value(func(s *inputs.VariableSet) int { return len(s.WorkspaceIDs) })},
	{Name: "project-count", Show: doc.Value(func(s *inputs.VariableSet) int { return len(s.ProjectIDs) })},
}

var variableSets = &doc.Noun[inputs.VariableSet, setPatch]{
	Type:       "varsets",
	Schema:     "VariableSet",
	ID:         func(s *inputs.VariableSet) string { return s.ID },
	Path:       func(s *inputs.VariableSet) string { return "/api/v2/varsets/" + s.ID },
	Attributes: SetAttributes,
	Relations: []doc.Relation[inputs.VariableSet, setPatch]{
		paths.OfOrganization[inputs.VariableSet, setPatch](func(s *inputs.VariableSet) string { return s.Organization.Name }),
		{Name: "parent", Is: doc.Linkage(doc.RefTo("organizations", "projects"), true), Show: setOwner, Takes: doc.BodyRef("organizations", "projects"), Take: takeParent},
		doc.ToMany[inputs.VariableSet, setPatch]("vars", "vars", "/relationships/vars", func(s *inputs.VariableSet) []string { return s.VariableIDs }).
			Taking(openapi.List(&openapi.Schema{Type: openapi.Types{"object"}}), takeVariables),
		doc.ToMany[inputs.VariableSet, setPatch]("workspaces", "workspaces", "", func(s *inputs.VariableSet) []string { return s.WorkspaceIDs }).
			Taking(openapi.List(doc.BodyRef("workspaces")), func(_ doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
				return doc.RelatedIDs(in, &p.Workspaces, "workspaces", "workspaces")
			}),
		doc.ToMany[inputs.VariableSet, setPatch]("projects", "projects", "", func(s *inputs.VariableSet) []string { return s.ProjectIDs }).
			Taking(openapi.List(doc.BodyRef("projects")), func(_ doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
				return doc.RelatedIDs(in, &p.Projects, "projects", "projects")
			}),
	},
}

// setOwner is the project or the organization that a set belongs to.
func setOwner(s *inputs.VariableSet, _ string) jsonapi.Relation {
	if s.ProjectID != "" {
		return doc.Linked("", "projects", s.ProjectID)
	}
	return jsonapi.Relation{Data: jsonapi.Ref{Type: "organizations", ID: s.Organization.Name}, Related: paths.OrganizationAt(s.Organization.Name)}
}

// takeParent reads which project owns a new set; an organization is the default.
func takeParent(_ doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
	parent, _, err := doc.RelatedRef(in, "parent", "organizations", "projects")
	if err == nil && parent.Type == "projects" {
		p.ParentProject = patch.Of(parent.ID)
	}
	return err
}

// takeVariables reads the first variables of a new set.
func takeVariables(how doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
	vars := doc.RelationOf(in, "vars")
	if !vars.Listed() {
		return nil
	}
	items, err := jsonapi.DecodeList(vars.Data, "/data/relationships/vars/data")
	if items == nil && err != nil {
		return doc.ShapeRefusal(err)
	}
	if err := belay.CheckListed(len(items), belay.RelatedList("vars")); err != nil {
		return err
	}
	var problems belay.Problems
	for i, item := range items {
		if item.Attributes == nil {
			continue // a reference to a variable that is there
		}
		v := inputs.SetVariablePatch{Nth: i}
		if err := problems.Add(belay.Under(v.At(), VariableAttributes.Decode(item, &v.VariablePatch, how.Edition))); err != nil {
			return err
		}
		p.Variables = append(p.Variables, v)
	}
	return doc.Together(doc.ShapeRefusal(err), problems.Err())
}

var setCan = doc.Attributes[inputs.VariableSet, setPatch]{
	{Name: "can-update", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Manageable })},
	{Name: "can-destroy", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Manageable })},
}

func setQuery(r *door.Request) inputs.VariableSetQuery {
	return inputs.VariableSetQuery{Search: r.Query().Get("q"), Page: r.Page()}
}

func (a *Verbs) createVariableSet(r *door.Request, p setPatch) (inputs.VariableSet, error) {
	return a.App.CreateVariableSet(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) listVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.VariableSets(r.Context(), r.Principal, r.Param("organization_name"), setQuery(r))
}

func (a *Verbs) listWorkspaceVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.WorkspaceVariableSets(r.Context(), r.Principal, paths.WorkspaceRef(r), setQuery(r))
}

// listApplicableVariableSets is every set that the workspace may be given, or has.
func (a *Verbs) listApplicableVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.ApplicableVariableSets(r.Context(), r.Principal, paths.WorkspaceRef(r), setQuery(r))
}

func (a *Verbs) listWorkspaceSetVariables(r *door.Request) ([]inputs.Variable, error) {
	return a.App.WorkspaceSetVariables(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Param("varset_id"))
}

func (a *Verbs) showWorkspaceSetVariable(r *door.Request) (inputs.Variable, error) {
	list, err := a.listWorkspaceSetVariables(r)
	if err != nil {
		return inputs.Variable{}, err
	}
	at := slices.IndexFunc(list, func(v inputs.Variable) bool { return v.ID == r.Param("variable_id") })
	if at < 0 {
		return inputs.Variable{}, belay.ErrNotFound
	}
	return list[at], nil
}

func (a *Verbs) listProjectVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.ProjectVariableSets(r.Context(), r.Principal, r.Param("project_id"), setQuery(r))
}

func (a *Verbs) showVariableSet(r *door.Request) (inputs.VariableSet, error) {
	return a.App.VariableSet(r.Context(), r.Principal, r.Param("varset_id"))
}

func (a *Verbs) updateVariableSet(r *door.Request, p setPatch) (inputs.VariableSet, error) {
	return a.App.UpdateVariableSet(r.Context(), r.Principal, r.Param("varset_id"), p)
}

func (a *Verbs) deleteVariableSet(r *door.Request) error {
	return a.App.DeleteVariableSet(r.Context(), r.Principal, r.Param("varset_id"))
}

func (a *Verbs) applySetToWorkspaces(r *door.Request, ids []string) error {
	return a.App.ApplyVariableSet(r.Context(), r.Principal, r.Param("varset_id"), ids, nil)
}

func (a *Verbs) withdrawSetFromWorkspaces(r *door.Request, ids []string) error {
	return a.App.WithdrawVariableSet(r.Context(), r.Principal, r.Param("varset_id"), ids, nil)
}

func (a *Verbs) applySetToProjects(r *door.Request, ids []string) error {
	return a.App.ApplyVariableSet(r.Context(), r.Principal, r.Param("varset_id"), nil, ids)
}

func (a *Verbs) withdrawSetFromProjects(r *door.Request, ids []string) error {
	return a.App.WithdrawVariableSet(r.Context(), r.Principal, r.Param("varset_id"), nil, ids)
}

func (a *Verbs) listSetVariables(r *door.Request) ([]inputs.Variable, error) {
	return a.App.SetVariables(r.Context(), r.Principal, r.Param("varset_id"))
}

func (a *Verbs) createSetVariable(r *door.Request, p variablePatch) (inputs.Variable, error) {
	return a.App.CreateSetVariable(r.Context(), r.Principal, r.Param("varset_id"), p)
}

func (a *Verbs) showSetVariable(r *door.Request) (inputs.Variable, error) {
	return a.App.SetVariable(r.Context(), r.Principal, r.Param("varset_id"), r.Param("variable_id"))
}

func (a *Verbs) updateSetVariable(r *door.Request, p variablePatch) (inputs.Variable, error) {
	return a.App.UpdateSetVariable(r.Context(), r.Principal, r.Param("varset_id"), r.Param("variable_id"), p)
}

func (a *Verbs) deleteSetVariable(r *door.Request) error {
	return a.App.DeleteSetVariable(r.Context(), r.Principal, r.Param("varset_id"), r.Param("variable_id"))
}

func (a *Verbs) withSets() *door.Inclusion[inputs.VariableSet] {
	return WithNouns(a.App, []string{"workspaces", "projects", "vars", "stacks"}, func(d *inputs.VariableSet, has func(string) bool, ids *app.NounIDs) {
		if has("workspaces") {
			ids.Workspaces = append(ids.Workspaces, d.WorkspaceIDs...)
		}
		if has("projects") {
			ids.Projects = append(ids.Projects, d.ProjectIDs...)
		}
		if has("vars") {
			ids.VariableSets = append(ids.VariableSets, d.ID)
		}
	})
}
