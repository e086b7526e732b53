package api

import (
	"fmt"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type setPatch = belay.VariableSetPatch

var setAttributes = attributes[belay.VariableSet, setPatch]{
	{name: "name", read: func(s *belay.VariableSet) any { return s.Name }, write: lenient(func(p *setPatch) *patch.Field[string] { return &p.Name })},
	{name: "description", read: func(s *belay.VariableSet) any { return orNull(s.Description) }, write: nullable(func(p *setPatch) *patch.Field[string] { return &p.Description })},
	{name: "global", read: func(s *belay.VariableSet) any { return s.Global }, write: lenient(func(p *setPatch) *patch.Field[bool] { return &p.Global })},
	{name: "priority", read: func(s *belay.VariableSet) any { return s.Priority }, write: lenient(func(p *setPatch) *patch.Field[bool] { return &p.Priority })},
	{name: "created-at", read: func(s *belay.VariableSet) any { return s.CreatedAt }},
	{name: "updated-at", read: func(s *belay.VariableSet) any { return s.UpdatedAt }},
	{name: "var-count", read: func(s *belay.VariableSet) any { return len(s.VariableIDs) }},
	{name: "workspace-count", read: func(s *belay.VariableSet) any { return len(s.WorkspaceIDs) }},
	{name: "project-count", read: func(s *belay.VariableSet) any { return len(s.ProjectIDs) }},
}

func (a *API) variableSet(s belay.VariableSet) *jsonapi.Resource {
	self := "/api/v2/varsets/" + s.ID
	parent := organizationLink(s.Organization.Name)
	if s.ProjectID != "" {
		parent = linked("", "projects", s.ProjectID)
	}
	parent.Name = "parent"
	return &jsonapi.Resource{
		Type: "varsets", ID: s.ID,
		Attributes: setAttributes.object(&s, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			organizationLink(s.Organization.Name),
			parent,
			{Name: "vars", Data: jsonapi.Many("vars", s.VariableIDs), Related: self + "/relationships/vars"},
			{Name: "workspaces", Data: jsonapi.Many("workspaces", s.WorkspaceIDs)},
			{Name: "projects", Data: jsonapi.Many("projects", s.ProjectIDs)},
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

func (r *request) setPatch() (p setPatch, err error) {
	in, err := r.resource("varsets")
	if err != nil {
		return p, err
	}
	var problems belay.Problems
	for _, err := range []error{
		setAttributes.decode(in, &p, r.api.App.Edition()),
		relatedIDs(in, "workspaces", "workspaces", &p.Workspaces),
		relatedIDs(in, "projects", "projects", &p.Projects),
		r.setParent(in, &p),
		r.setVariables(in, &p),
	} {
		if err := problems.Add(err); err != nil {
			return p, err
		}
	}
	return p, problems.Err()
}

// setParent reads which project owns a new set; an organization is the default.
func (r *request) setParent(in *jsonapi.Incoming, p *setPatch) error {
	parent, _, err := relatedRef(in, "parent", "organizations", "projects")
	if err == nil && parent.Type == "projects" {
		p.ParentProject = patch.Of(parent.ID)
	}
	return err
}

// setVariables reads the first variables of a new set.
func (r *request) setVariables(in *jsonapi.Incoming, p *setPatch) error {
	vars, ok := in.Relationships["vars"]
	if !ok || !vars.Set {
		return nil
	}
	items, err := jsonapi.DecodeList(vars.Data, "/data/relationships/vars/data")
	if err != nil {
		return shapeRefusal(err)
	}
	for i, item := range items {
		if item.Attributes == nil {
			continue // a reference to a variable that is there
		}
		var v variablePatch
		if err := variableAttributes.decode(item, &v, r.api.App.Edition()); err != nil {
			var problems belay.Problems
			problems.At(fmt.Sprintf("/data/relationships/vars/data/%d", i), "%s", err)
			return problems
		}
		p.Variables = append(p.Variables, v)
	}
	return nil
}

func (r *request) setQuery() belay.VariableSetQuery {
	return belay.VariableSetQuery{Search: r.URL.Query().Get("q"), Page: r.page()}
}

func (a *API) createVariableSet(r *request) (*jsonapi.Document, error) {
	p, err := r.setPatch()
	if err != nil {
		return nil, err
	}
	s, err := a.App.CreateVariableSet(r.Context(), r.subject, r.param("organization_name"), p)
	return a.setAnswer(r, s, err)
}

func (a *API) listVariableSets(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.VariableSets(r.Context(), r.subject, r.param("organization_name"), r.setQuery())
	return a.setsAnswer(r, list, total, err)
}

func (a *API) listWorkspaceVariableSets(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.WorkspaceVariableSets(r.Context(), r.subject, r.workspaceRef(), r.setQuery())
	return a.setsAnswer(r, list, total, err)
}

func (a *API) listProjectVariableSets(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.ProjectVariableSets(r.Context(), r.subject, r.param("project_id"), r.setQuery())
	return a.setsAnswer(r, list, total, err)
}

func (a *API) setsAnswer(r *request, list []belay.VariableSet, total int, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return r.withSets(r.list(each(list, a.variableSet), total), list...)
}

func (a *API) showVariableSet(r *request) (*jsonapi.Document, error) {
	s, err := a.App.VariableSet(r.Context(), r.subject, r.param("varset_id"))
	return a.setAnswer(r, s, err)
}

func (a *API) updateVariableSet(r *request) (*jsonapi.Document, error) {
	p, err := r.setPatch()
	if err != nil {
		return nil, err
	}
	s, err := a.App.UpdateVariableSet(r.Context(), r.subject, r.param("varset_id"), p)
	return a.setAnswer(r, s, err)
}

func (a *API) deleteVariableSet(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteVariableSet(r.Context(), r.subject, r.param("varset_id"))
}

func (a *API) setAnswer(r *request, s belay.VariableSet, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return r.withSets(one(a.variableSet(s)), s)
}

func (a *API) applySetToWorkspaces(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("workspaces")
	if err != nil {
		return nil, err
	}
	return nil, a.App.ApplyVariableSet(r.Context(), r.subject, r.param("varset_id"), ids, nil)
}

func (a *API) withdrawSetFromWorkspaces(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("workspaces")
	if err != nil {
		return nil, err
	}
	return nil, a.App.WithdrawVariableSet(r.Context(), r.subject, r.param("varset_id"), ids, nil)
}

func (a *API) applySetToProjects(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("projects")
	if err != nil {
		return nil, err
	}
	return nil, a.App.ApplyVariableSet(r.Context(), r.subject, r.param("varset_id"), nil, ids)
}

func (a *API) withdrawSetFromProjects(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("projects")
	if err != nil {
		return nil, err
	}
	return nil, a.App.WithdrawVariableSet(r.Context(), r.subject, r.param("varset_id"), nil, ids)
}

func (a *API) listSetVariables(r *request) (*jsonapi.Document, error) {
	list, err := a.App.SetVariables(r.Context(), r.subject, r.param("varset_id"))
	return a.variablesAnswer(list, err)
}

func (a *API) createSetVariable(r *request) (*jsonapi.Document, error) {
	p, err := r.variablePatch()
	if err != nil {
		return nil, err
	}
	v, err := a.App.CreateSetVariable(r.Context(), r.subject, r.param("varset_id"), p)
	return a.variableAnswer(v, err)
}

func (a *API) showSetVariable(r *request) (*jsonapi.Document, error) {
	v, err := a.App.SetVariable(r.Context(), r.subject, r.param("varset_id"), r.param("variable_id"))
	return a.variableAnswer(v, err)
}

func (a *API) updateSetVariable(r *request) (*jsonapi.Document, error) {
	p, err := r.variablePatch()
	if err != nil {
		return nil, err
	}
	v, err := a.App.UpdateSetVariable(r.Context(), r.subject, r.param("varset_id"), r.param("variable_id"), p)
	return a.variableAnswer(v, err)
}

func (a *API) deleteSetVariable(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteSetVariable(r.Context(), r.subject, r.param("varset_id"), r.param("variable_id"))
}
