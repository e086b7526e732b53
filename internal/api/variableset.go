package api

import (
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type setPatch = belay.VariableSetPatch

var setAttributes = attributes[belay.VariableSet, setPatch]{
	{name: "name", show: value(func(s *belay.VariableSet) string { return s.Name }), write: lenient(func(p *setPatch) *patch.Field[string] { return &p.Name })},
	{name: "description", show: maybe(func(s *belay.VariableSet) string { return s.Description }), write: nullable(func(p *setPatch) *patch.Field[string] { return &p.Description })},
	{name: "global", show: value(func(s *belay.VariableSet) bool { return s.Global }), write: lenient(func(p *setPatch) *patch.Field[bool] { return &p.Global })},
	{name: "priority", show: value(func(s *belay.VariableSet) bool { return s.Priority }), write: lenient(func(p *setPatch) *patch.Field[bool] { return &p.Priority })},
	{name: "created-at", show: value(func(s *belay.VariableSet) time.Time { return s.CreatedAt })},
	{name: "updated-at", show: value(func(s *belay.VariableSet) time.Time { return s.UpdatedAt })},
	{name: "permissions", show: parts(setCan)},
	{name: "var-count", show: value(func(s *belay.VariableSet) int { return len(s.VariableIDs) })},
	{name: "workspace-count", show: value(func(s *belay.VariableSet) int { return len(s.WorkspaceIDs) })},
	{name: "project-count", show: value(func(s *belay.VariableSet) int { return len(s.ProjectIDs) })},
}

var variableSets = &noun[belay.VariableSet, setPatch]{
	typ:        "varsets",
	schema:     "VariableSet",
	id:         func(s *belay.VariableSet) string { return s.ID },
	path:       func(s *belay.VariableSet) string { return "/api/v2/varsets/" + s.ID },
	attributes: setAttributes,
	relations: []relation[belay.VariableSet, setPatch]{
		ofOrganization[belay.VariableSet, setPatch](func(s *belay.VariableSet) string { return s.Organization.Name }),
		{name: "parent", is: linkage(refTo("organizations", "projects"), true), show: setOwner, takes: bodyRef("organizations", "projects"), take: takeParent},
		toMany[belay.VariableSet, setPatch]("vars", "vars", "/relationships/vars", func(s *belay.VariableSet) []string { return s.VariableIDs }).
			taking(openapi.List(&openapi.Schema{Type: openapi.Types{"object"}}), takeVariables),
		toMany[belay.VariableSet, setPatch]("workspaces", "workspaces", "", func(s *belay.VariableSet) []string { return s.WorkspaceIDs }).
			taking(openapi.List(bodyRef("workspaces")), func(_ *request, in *jsonapi.Incoming, p *setPatch) error {
				return relatedIDs(in, &p.Workspaces, "workspaces", "workspaces")
			}),
		toMany[belay.VariableSet, setPatch]("projects", "projects", "", func(s *belay.VariableSet) []string { return s.ProjectIDs }).
			taking(openapi.List(bodyRef("projects")), func(_ *request, in *jsonapi.Incoming, p *setPatch) error {
				return relatedIDs(in, &p.Projects, "projects", "projects")
			}),
	},
}

// setOwner is the project or the organization that a set belongs to.
func setOwner(s *belay.VariableSet, _ string) jsonapi.Relation {
	if s.ProjectID != "" {
		return linked("", "projects", s.ProjectID)
	}
	return jsonapi.Relation{Data: jsonapi.Ref{Type: "organizations", ID: s.Organization.Name}, Related: organizationPath(s.Organization.Name)}
}

// takeParent reads which project owns a new set; an organization is the default.
func takeParent(_ *request, in *jsonapi.Incoming, p *setPatch) error {
	parent, _, err := relatedRef(in, "parent", "organizations", "projects")
	if err == nil && parent.Type == "projects" {
		p.ParentProject = patch.Of(parent.ID)
	}
	return err
}

// takeVariables reads the first variables of a new set.
func takeVariables(r *request, in *jsonapi.Incoming, p *setPatch) error {
	vars := relationOf(in, "vars")
	if !vars.Listed() {
		return nil
	}
	items, err := jsonapi.DecodeList(vars.Data, "/data/relationships/vars/data")
	if items == nil && err != nil {
		return shapeRefusal(err)
	}
	if err := belay.CheckListed(len(items), belay.RelatedList("vars")); err != nil {
		return err
	}
	var problems belay.Problems
	for i, item := range items {
		if item.Attributes == nil {
			continue // a reference to a variable that is there
		}
		v := belay.SetVariablePatch{Nth: i}
		if err := problems.Add(belay.Under(v.At(), variableAttributes.decode(item, &v.VariablePatch, r.api.App.Edition()))); err != nil {
			return err
		}
		p.Variables = append(p.Variables, v)
	}
	return together(shapeRefusal(err), problems.Err())
}

var setCan = attributes[belay.VariableSet, setPatch]{
	{name: "can-update", show: value(func(s *belay.VariableSet) bool { return s.Manageable })},
	{name: "can-destroy", show: value(func(s *belay.VariableSet) bool { return s.Manageable })},
}

func (r *request) setQuery() belay.VariableSetQuery {
	return belay.VariableSetQuery{Search: r.query().Get("q"), Page: r.page()}
}

func (a *API) createVariableSet(r *request, p setPatch) (belay.VariableSet, error) {
	return a.App.CreateVariableSet(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) listVariableSets(r *request) ([]belay.VariableSet, int, error) {
	return a.App.VariableSets(r.Context(), r.subject, r.param("organization_name"), r.setQuery())
}

func (a *API) listWorkspaceVariableSets(r *request) ([]belay.VariableSet, int, error) {
	return a.App.WorkspaceVariableSets(r.Context(), r.subject, r.workspaceRef(), r.setQuery())
}

// listApplicableVariableSets is every set that the workspace may be given, or has.
func (a *API) listApplicableVariableSets(r *request) ([]belay.VariableSet, int, error) {
	return a.App.ApplicableVariableSets(r.Context(), r.subject, r.workspaceRef(), r.setQuery())
}

func (a *API) listWorkspaceSetVariables(r *request) ([]belay.Variable, error) {
	return a.App.WorkspaceSetVariables(r.Context(), r.subject, r.workspaceRef(), r.param("varset_id"))
}

func (a *API) showWorkspaceSetVariable(r *request) (belay.Variable, error) {
	list, err := a.listWorkspaceSetVariables(r)
	if err != nil {
		return belay.Variable{}, err
	}
	at := slices.IndexFunc(list, func(v belay.Variable) bool { return v.ID == r.param("variable_id") })
	if at < 0 {
		return belay.Variable{}, belay.ErrNotFound
	}
	return list[at], nil
}

func (a *API) listProjectVariableSets(r *request) ([]belay.VariableSet, int, error) {
	return a.App.ProjectVariableSets(r.Context(), r.subject, r.param("project_id"), r.setQuery())
}

func (a *API) showVariableSet(r *request) (belay.VariableSet, error) {
	return a.App.VariableSet(r.Context(), r.subject, r.param("varset_id"))
}

func (a *API) updateVariableSet(r *request, p setPatch) (belay.VariableSet, error) {
	return a.App.UpdateVariableSet(r.Context(), r.subject, r.param("varset_id"), p)
}

func (a *API) deleteVariableSet(r *request) error {
	return a.App.DeleteVariableSet(r.Context(), r.subject, r.param("varset_id"))
}

func (a *API) applySetToWorkspaces(r *request, ids []string) error {
	return a.App.ApplyVariableSet(r.Context(), r.subject, r.param("varset_id"), ids, nil)
}

func (a *API) withdrawSetFromWorkspaces(r *request, ids []string) error {
	return a.App.WithdrawVariableSet(r.Context(), r.subject, r.param("varset_id"), ids, nil)
}

func (a *API) applySetToProjects(r *request, ids []string) error {
	return a.App.ApplyVariableSet(r.Context(), r.subject, r.param("varset_id"), nil, ids)
}

func (a *API) withdrawSetFromProjects(r *request, ids []string) error {
	return a.App.WithdrawVariableSet(r.Context(), r.subject, r.param("varset_id"), nil, ids)
}

func (a *API) listSetVariables(r *request) ([]belay.Variable, error) {
	return a.App.SetVariables(r.Context(), r.subject, r.param("varset_id"))
}

func (a *API) createSetVariable(r *request, p variablePatch) (belay.Variable, error) {
	return a.App.CreateSetVariable(r.Context(), r.subject, r.param("varset_id"), p)
}

func (a *API) showSetVariable(r *request) (belay.Variable, error) {
	return a.App.SetVariable(r.Context(), r.subject, r.param("varset_id"), r.param("variable_id"))
}

func (a *API) updateSetVariable(r *request, p variablePatch) (belay.Variable, error) {
	return a.App.UpdateSetVariable(r.Context(), r.subject, r.param("varset_id"), r.param("variable_id"), p)
}

func (a *API) deleteSetVariable(r *request) error {
	return a.App.DeleteSetVariable(r.Context(), r.subject, r.param("varset_id"), r.param("variable_id"))
}
