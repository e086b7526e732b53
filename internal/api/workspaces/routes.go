// Package workspaces is the API of projects and workspaces: settings, locks, tags, variables,
// retention. It knows no run and no state: what documents include of them is handed in.
package workspaces

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/site"
)

// Verbs is what is done with projects and workspaces, their tags, variables and retention.
type Verbs struct {
	App      *app.App
	Included *door.Inclusion[WorkspaceDoc] // what documents of workspaces include: nouns of other families
}

// Routes is the routes of workspaces and projects, with tags, variables and retention.
func (a *Verbs) Routes() []door.Route {
	return []door.Route{
		// Projects.
		{Method: http.MethodGet, Path: paths.Organization + "/projects", Status: http.StatusOK, Do: door.Listing(Projects, a.listProjects, a.withProjects()), Query: projectParameters, Filters: projectFilters, Does: "List the projects that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/projects", Status: http.StatusCreated, Do: door.Writing(Projects, a.createProject), Does: "Make a project"},
		{Method: http.MethodGet, Path: paths.Project, Status: http.StatusOK, Do: door.Showing(Projects, a.showProject, a.withProjects()), Does: "See the project"},
		{Method: http.MethodPatch, Path: paths.Project, Status: http.StatusOK, Do: door.Writing(Projects, a.updateProject), Does: "Change its settings"},
		{Method: http.MethodDelete, Path: paths.Project, Status: http.StatusNoContent, Do: door.Doing(a.deleteProject), Does: "Delete it, when it is empty"},
		{Method: http.MethodPost, Path: paths.Project + "/relationships/workspaces", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.moveWorkspaces), Refuses: []belay.Kind{belay.Forbidden}, Does: "Move workspaces to a project where one may do the same"},

		// Saved views of the list of workspaces.
		{Method: http.MethodGet, Path: paths.Organization + "/workspace-views", Status: http.StatusOK, Do: door.Listing(workspaceViews, a.listWorkspaceViews), Does: "List the saved views of the list of workspaces"},
		{Method: http.MethodPost, Path: paths.Organization + "/workspace-views", Status: http.StatusCreated, Do: door.Writing(workspaceViews, a.createWorkspaceView), Does: "Save a view of the list of workspaces"},
		{Method: http.MethodGet, Path: paths.WorkspaceView, Status: http.StatusOK, Do: door.Showing(workspaceViews, a.showWorkspaceView), Does: "See a saved view of the list of workspaces"},
		{Method: http.MethodPatch, Path: paths.WorkspaceView, Status: http.StatusOK, Do: door.Writing(workspaceViews, a.updateWorkspaceView), Does: "Change a saved view of the list of workspaces"},
		{Method: http.MethodDelete, Path: paths.WorkspaceView, Status: http.StatusNoContent, Do: door.Doing(a.deleteWorkspaceView), Does: "Delete a saved view of the list of workspaces"},

		// Variables and sets of them.
		{Method: http.MethodGet, Path: paths.Workspace + "/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listVariables), Does: "List the variables"},
		{Method: http.MethodPost, Path: paths.Workspace + "/vars", Status: http.StatusCreated, Do: door.Writing(Variables, a.createVariable), Does: "Set a new variable"},
		{Method: http.MethodGet, Path: paths.Workspace + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showVariable), Does: "See a variable"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Writing(Variables, a.updateVariable), Does: "Change a variable"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/vars/{variable_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteVariable), Does: "Delete a variable"},
		{Method: http.MethodGet, Path: paths.Workspace + "/all-vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listAllVariables), Does: "List the variables with those of its sets"},
		{Method: http.MethodGet, Path: paths.V2 + "/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listLooseVariables), Filters: NamedFilters, Does: "List the variables (older path)"},
		{Method: http.MethodPost, Path: paths.V2 + "/vars", Status: http.StatusCreated, Do: door.Writing(Variables, a.createLooseVariable), Does: "Set a new variable (older path)"},
		{Method: http.MethodGet, Path: paths.V2 + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showVariable), Does: "See a variable (older path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Writing(Variables, a.updateVariable), Does: "Change a variable (older path)"},
		{Method: http.MethodDelete, Path: paths.V2 + "/vars/{variable_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteVariable), Does: "Delete a variable (older path)"},
		{Method: http.MethodGet, Path: paths.Organization + "/varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listVariableSets, a.withSets()), Query: []string{"q"}, Does: "List the sets of the organization that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/varsets", Status: http.StatusCreated, Do: door.Writing(variableSets, a.createVariableSet, a.withSets()), Does: "Make a set"},
		{Method: http.MethodGet, Path: paths.Workspace + "/varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listWorkspaceVariableSets, a.withSets()), Query: []string{"q"}, Does: "List the sets that a workspace has"},
		{Method: http.MethodGet, Path: paths.Workspace + "/applicable-varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listApplicableVariableSets, a.withSets()), Query: []string{"q"}, Does: "List the sets that a workspace may be given"},
		{Method: http.MethodGet, Path: paths.Workspace + "/varsets/{varset_id}/relationships/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listWorkspaceSetVariables), Does: "List the variables of a set that a workspace has"},
		{Method: http.MethodGet, Path: paths.Workspace + "/varsets/{varset_id}/relationships/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showWorkspaceSetVariable), Does: "See a variable of a set that a workspace has"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.updateVariables).Reads(variablesBody), Does: "Set many variables of a workspace"},
		{Method: http.MethodGet, Path: paths.Project + "/varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listProjectVariableSets, a.withSets()), Query: []string{"q"}, Does: "List the sets that a project has"},
		{Method: http.MethodGet, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Showing(variableSets, a.showVariableSet, a.withSets()), Does: "See a set that the workspace and the project have"},
		{Method: http.MethodPatch, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Writing(variableSets, a.updateVariableSet, a.withSets()), Does: "Change a set"},
		{Method: http.MethodPost, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Writing(variableSets, a.updateVariableSet, a.withSets()), Does: "Change a set (published form)"},
		{Method: http.MethodPut, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Writing(variableSets, a.updateVariableSet, a.withSets()), Does: "Change a set (older form)"},
		{Method: http.MethodDelete, Path: paths.VariableSet, Status: http.StatusNoContent, Do: door.Doing(a.deleteVariableSet), Does: "Delete a set"},
		{Method: http.MethodPost, Path: paths.VariableSet + "/relationships/workspaces", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.applySetToWorkspaces), Does: "Give a set to a workspace"},
		{Method: http.MethodDelete, Path: paths.VariableSet + "/relationships/workspaces", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.withdrawSetFromWorkspaces), Does: "Take a set from a workspace"},
		{Method: http.MethodPost, Path: paths.VariableSet + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.applySetToProjects), Does: "Give a set to a project"},
		{Method: http.MethodDelete, Path: paths.VariableSet + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.withdrawSetFromProjects), Does: "Take a set from a project"},
		{Method: http.MethodGet, Path: paths.VariableSet + "/relationships/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listSetVariables), Does: "List the variables of a set"},
		{Method: http.MethodPost, Path: paths.VariableSet + "/relationships/vars", Status: http.StatusCreated, Do: door.Writing(Variables, a.createSetVariable), Does: "Set a new variable of a set"},
		{Method: http.MethodGet, Path: paths.VariableSet + "/relationships/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showSetVariable), Does: "See a variable of a set"},
		{Method: http.MethodPatch, Path: paths.VariableSet + "/relationships/vars/{variable_id}", Status: http.StatusOK, Do: door.Writing(Variables, a.updateSetVariable), Does: "Change a variable of a set"},
		{Method: http.MethodDelete, Path: paths.VariableSet + "/relationships/vars/{variable_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteSetVariable), Does: "Delete a variable of a set"},

		// Workspaces.
		{Method: http.MethodGet, Path: paths.Organization + "/workspaces", Status: http.StatusOK, Do: door.Listing(Workspaces, a.listWorkspaces, a.Included).Counting(), Runs: true, Query: workspaceParameters, Filters: workspaceFilters, Does: "List the workspaces that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/workspaces", Status: http.StatusCreated, Do: door.Writing(Workspaces, a.createWorkspace), Does: "Make a workspace in the project"},
		{Method: http.MethodGet, Path: paths.NamedWorkspace, Status: http.StatusOK, Do: door.Showing(Workspaces, a.showWorkspace, a.Included), Runs: true, Does: "See the workspace, by its name"},
		{Method: http.MethodGet, Path: paths.Workspace, Status: http.StatusOK, Do: door.Showing(Workspaces, a.showWorkspace, a.Included), Runs: true, Does: "See the workspace"},
		{Method: http.MethodPatch, Path: paths.NamedWorkspace, Status: http.StatusOK, Do: door.Writing(Workspaces, a.updateWorkspace), Does: "Change its settings, by its name"},
		{Method: http.MethodPatch, Path: paths.Workspace, Status: http.StatusOK, Do: door.Writing(Workspaces, a.updateWorkspace), Does: "Change its settings"},
		{Method: http.MethodDelete, Path: paths.NamedWorkspace, Status: http.StatusNoContent, Do: door.Doing(a.forceDeleteWorkspace), Does: "Delete it whatever it manages, by its name"},
		{Method: http.MethodDelete, Path: paths.Workspace, Status: http.StatusNoContent, Do: door.Doing(a.forceDeleteWorkspace), Does: "Delete it whatever it manages"},
		{Method: http.MethodPost, Path: paths.NamedWorkspace + "/actions/safe-delete", Status: http.StatusNoContent, Do: door.Doing(a.safeDeleteWorkspace), Refuses: []belay.Kind{belay.Conflict}, Does: "Delete it when it manages nothing, by its name"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/safe-delete", Status: http.StatusNoContent, Do: door.Doing(a.safeDeleteWorkspace), Refuses: []belay.Kind{belay.Conflict}, Does: "Delete it when it manages nothing"},
		{Method: http.MethodGet, Path: paths.Organization + "/recoverable-items", Status: http.StatusOK, Do: door.Listing(recoverableItems, a.listRecoverableItems), Does: "List the deleted workspaces that can be brought back"},
		{Method: http.MethodPost, Path: paths.RecoverableItem + "/actions/recover", Status: http.StatusNoContent, Do: door.Doing(a.recoverItem), Refuses: []belay.Kind{belay.Conflict}, Does: "Bring a deleted workspace back"},
		{Method: http.MethodPut, Path: paths.RecoverableItem + "/actions/recover", Status: http.StatusNoContent, Do: door.Doing(a.recoverItem), Refuses: []belay.Kind{belay.Conflict}, Does: "Bring a deleted workspace back (published form)"},
		{Method: http.MethodDelete, Path: paths.RecoverableItem, Status: http.StatusNoContent, Do: door.Doing(a.eraseItem), Does: "Erase a deleted workspace for good"},
		{Method: http.MethodPut, Path: paths.RecoverableItem + "/actions/permanently-delete", Status: http.StatusNoContent, Do: door.Doing(a.eraseItem), Does: "Erase a deleted workspace for good (published form)"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/lock", Status: http.StatusOK, Do: door.Showing(Workspaces, a.lockWorkspace).Reads(lockBody), Runs: true, Refuses: []belay.Kind{belay.Conflict}, Does: "Lock a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/unlock", Status: http.StatusOK, Do: door.Showing(Workspaces, a.unlockWorkspace), Runs: true, Refuses: []belay.Kind{belay.Conflict}, Does: "Give one's own lock back"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/force-unlock", Status: http.StatusOK, Do: door.Showing(Workspaces, a.forceUnlockWorkspace), Refuses: []belay.Kind{belay.Conflict}, Does: "Take anybody's lock away"},
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusOK, Do: door.Listing(Workspaces, a.listConsumers, a.Included), Query: []string{"show_only_configured"}, Filters: workspaceFilters, Does: "List the workspaces that read its state"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.addConsumers), Limit: maxReferences, Does: "Let one more workspace that one sees read its state"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.removeConsumers), Limit: maxReferences, Does: "Let a workspace that one sees no longer read its state"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.replaceConsumers), Limit: maxReferences, Does: "Replace the whole list"},

		// Flat tags.
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/tags", Status: http.StatusOK, Do: door.Listing(tags, a.listWorkspaceTags), Query: []string{"name"}, Does: "List the tags of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/tags", Status: http.StatusNoContent, Do: door.Doing(a.addTags).Reads(tagsBody), Does: "Tag a workspace"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/relationships/tags", Status: http.StatusNoContent, Do: door.Doing(a.removeTags).Reads(tagsBody), Does: "Take a tag off a workspace"},
		{Method: http.MethodGet, Path: paths.Organization + "/tags", Status: http.StatusOK, Do: door.Listing(tags, a.listTags), Query: []string{"q"}, Filters: tagFilterNames, Does: "List the tags of the organization"},
		{Method: http.MethodDelete, Path: paths.Organization + "/tags", Status: http.StatusNoContent, Do: door.Doing(a.deleteTags).Reads(door.ListOf("tags")), Does: "Delete a tag from all workspaces"},
		{Method: http.MethodPost, Path: paths.V2 + "/tags/{tag_id}/relationships/workspaces", Status: http.StatusNoContent, Do: door.Doing(a.tagWorkspaces).Reads(door.ListOf("workspaces")), Does: "Put a tag on a workspace"},

		// Tag bindings.
		{Method: http.MethodGet, Path: paths.Workspace + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listWorkspaceBindings), Does: "List the key-value tags of a workspace"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.addWorkspaceBindings).Reads(bindingsBody), Does: "Add or change key-value tags of a workspace"},
		{Method: http.MethodGet, Path: paths.Workspace + "/effective-tag-bindings", Status: http.StatusOK, Do: bindings(EffectiveTagBindings, a.listEffectiveBindings), Does: "List them with those of its project"},
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listWorkspaceBindings), Does: "List the key-value tags of a workspace (longer path)"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: bindings(tagBindings, a.addWorkspaceBindings).Reads(bindingsBody), Does: "Add key-value tags to a workspace"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: door.Doing(a.replaceWorkspaceBindings).Reads(bindingsBody), Does: "Replace the key-value tags of a workspace"},
		{Method: http.MethodGet, Path: paths.Project + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listProjectBindings), Does: "List the key-value tags of a project"},
		{Method: http.MethodPatch, Path: paths.Project + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.addProjectBindings).Reads(bindingsBody), Does: "Add or change key-value tags of a project"},
		{Method: http.MethodGet, Path: paths.Project + "/effective-tag-bindings", Status: http.StatusOK, Do: bindings(EffectiveTagBindings, a.listProjectEffectiveBindings), Does: "List them as its workspaces inherit them"},
		{Method: http.MethodGet, Path: paths.Project + "/relationships/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listProjectBindings), Does: "List the key-value tags of a project (longer path)"},
		{Method: http.MethodPost, Path: paths.Project + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: bindings(tagBindings, a.addProjectBindings).Reads(bindingsBody), Does: "Add key-value tags to a project"},
		{Method: http.MethodPatch, Path: paths.Project + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: door.Doing(a.replaceProjectBindings).Reads(bindingsBody), Does: "Replace the key-value tags of a project"},
		{Method: http.MethodGet, Path: paths.Organization + "/reserved-tag-keys", Status: http.StatusOK, Do: door.Listing(reservedKeys, a.listReservedKeys), Does: "List the reserved keys"},
		{Method: http.MethodPost, Path: paths.Organization + "/reserved-tag-keys", Status: http.StatusCreated, Do: door.Writing(reservedKeys, a.createReservedKey), Does: "Reserve a key"},
		{Method: http.MethodGet, Path: paths.V2 + "/reserved-tag-keys/{key_id}", Status: http.StatusOK, Do: door.Showing(reservedKeys, a.showReservedKey), Does: "See a reserved key"},
		{Method: http.MethodGet, Path: paths.V2 + "/reserved-tags/{key_id}", Status: http.StatusOK, Do: door.Showing(reservedKeys, a.showReservedKey), Does: "See a reserved key (other path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/reserved-tag-keys/{key_id}", Status: http.StatusOK, Do: door.Writing(reservedKeys, a.updateReservedKey), Does: "Change a reserved key"},
		{Method: http.MethodDelete, Path: paths.V2 + "/reserved-tag-keys/{key_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteReservedKey), Does: "Give a reserved key free"},
		{Method: http.MethodPatch, Path: paths.V2 + "/reserved-tags/{key_id}", Status: http.StatusOK, Do: door.Writing(reservedKeys, a.updateReservedKey), Does: "Change a reserved key (other path)"},
		{Method: http.MethodDelete, Path: paths.V2 + "/reserved-tags/{key_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteReservedKey), Does: "Give a reserved key free (other path)"},

		// Data retention policies.
		{Method: http.MethodGet, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusOK, Do: door.Showing(retentions, a.showRetention), Feature: site.DataRetention, Does: "See the policy of the site"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Does: "Set the policy of the site"},
		{Method: http.MethodPatch, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Does: "Set the policy of the site (other method)"},
		{Method: http.MethodDelete, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusNoContent, Do: door.Doing(a.dropRetention), Feature: site.DataRetention, Does: "Drop the policy of the site"},
		{Method: http.MethodGet, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Showing(retentions, a.showRetention), Feature: site.DataRetention, Does: "See the policy of the organization"},
		{Method: http.MethodPost, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Does: "Set the policy of the organization"},
		{Method: http.MethodPatch, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Does: "Set the policy of the organization (other method)"},
		{Method: http.MethodDelete, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusNoContent, Do: door.Doing(a.dropRetention), Feature: site.DataRetention, Does: "Drop the policy of the organization"},
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Showing(retentions, a.showRetention), Feature: site.DataRetention, Does: "See the policy of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Does: "Set the policy of a workspace"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Does: "Set the policy of a workspace (other method)"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusNoContent, Do: door.Doing(a.dropRetention), Feature: site.DataRetention, Does: "Drop the policy of a workspace"},
	}
}

// What lists are filtered by: what they read, and what published clients send to them.
var (
	projectFilters   = []string{"filter[names]", "filter[tagged][*][key]", "filter[tagged][*][value]", "filter[permissions][*]"}
	NamedFilters     = []string{"filter[organization][name]", "filter[workspace][name]", "filter[status]"}
	tagFilterNames   = []string{"filter[exclude][taggable][id]"}
	workspaceFilters = []string{
		"filter[project][id]", "filter[current-run][status]", "filter[current_run][status]", "filter[tagged][*][key]", "filter[tagged][*][value]",
		"filter[tag-union]", "filter[tag-value-default-null]",
	}
)

// The parameters of the larger lists, besides their filters. * stands for any text.
var (
	projectParameters   = []string{"q", "sort"}
	workspaceParameters = []string{"sort", "search[name]", "search[wildcard-name]", "search[tags]", "search[exclude-tags]"}
)
