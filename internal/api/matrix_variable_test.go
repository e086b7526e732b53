package api_test

const variable = `{"data":{"type":"vars","attributes":{"key":"<unique>","value":"v","category":"terraform"}}}`

var variableArea = area{"VARIABLES OF A WORKSPACE", []row{
	{route: "GET /workspaces/{workspace_id}/vars", does: "List the variables"},
	{route: "POST /workspaces/{workspace_id}/vars", does: "Set a new variable", body: variable},
	{route: "GET /workspaces/{workspace_id}/vars/{variable_id}", does: "See a variable"},
	{route: "PATCH /workspaces/{workspace_id}/vars/{variable_id}", does: "Change a variable", body: `{"data":{"attributes":{"value":"w"}}}`},
	{route: "DELETE /workspaces/{workspace_id}/vars/{variable_id}", does: "Delete a variable", uses: freshVariable},
	{route: "GET /workspaces/{workspace_id}/all-vars", does: "List the variables with those of its sets"},
	{route: "GET /vars", does: "List the variables (older path)", query: "filter[organization][name]=acme&filter[workspace][name]=<name>"},
	{route: "POST /vars", does: "Set a new variable (older path)",
		body: `{"data":{"type":"vars","attributes":{"key":"<unique>","value":"v","category":"terraform"},"relationships":{"workspace":{"data":{"type":"workspaces","id":"<workspace_id>"}}}}}`},
	{route: "GET /vars/{variable_id}", does: "See a variable (older path)"},
	{route: "PATCH /vars/{variable_id}", does: "Change a variable (older path)", body: `{"data":{"attributes":{"value":"w"}}}`},
	{route: "DELETE /vars/{variable_id}", does: "Delete a variable (older path)", uses: freshVariable},
}}

func freshVariable(w *world, _ *role) things {
	return things{"variable_id": w.make("/workspaces/"+w.shared["workspace_id"]+"/vars", things{}.with(nil).in(variable))}
}

const toWorkspace = `{"data":[{"type":"workspaces","id":"<workspace_id>"}]}`
const toProject = `{"data":[{"type":"projects","id":"<project_id>"}]}`

var variableSetArea = area{"VARIABLE SETS", []row{
	{route: "GET /organizations/{organization_name}/varsets", does: "List the sets of the organization that one sees"},
	{route: "POST /organizations/{organization_name}/varsets", does: "Make a set", body: `{"data":{"type":"varsets","attributes":{"name":"<unique>","global":false}}}`},
	{route: "GET /workspaces/{workspace_id}/varsets", does: "List the sets that a workspace has"},
	{route: "GET /projects/{project_id}/varsets", does: "List the sets that a project has"},
	{route: "GET /varsets/{varset_id}", does: "See a set that the workspace and the project have"},
	{route: "PATCH /varsets/{varset_id}", does: "Change a set", body: `{"data":{"type":"varsets","attributes":{"description":"d"}}}`},
	{route: "PUT /varsets/{varset_id}", does: "Change a set (older form)", body: `{"data":{"type":"varsets","attributes":{"description":"d"}}}`},
	{route: "DELETE /varsets/{varset_id}", does: "Delete a set", uses: freshSet},
	{route: "POST /varsets/{varset_id}/relationships/workspaces", does: "Give a set to a workspace", body: toWorkspace},
	{route: "DELETE /varsets/{varset_id}/relationships/workspaces", does: "Take a set from a workspace", uses: freshSet, body: toWorkspace},
	{route: "POST /varsets/{varset_id}/relationships/projects", does: "Give a set to a project", body: toProject},
	{route: "DELETE /varsets/{varset_id}/relationships/projects", does: "Take a set from a project", uses: freshSet, body: toProject},
	{route: "GET /varsets/{varset_id}/relationships/vars", does: "List the variables of a set"},
	{route: "POST /varsets/{varset_id}/relationships/vars", does: "Set a new variable of a set", body: variable},
	{route: "GET /varsets/{varset_id}/relationships/vars/{variable_id}", does: "See a variable of a set", uses: freshSet},
	{route: "PATCH /varsets/{varset_id}/relationships/vars/{variable_id}", does: "Change a variable of a set", uses: freshSet, body: `{"data":{"attributes":{"value":"w"}}}`},
	{route: "DELETE /varsets/{varset_id}/relationships/vars/{variable_id}", does: "Delete a variable of a set", uses: freshSet},
}}

// freshSet is a set with a variable, that the workspace and the project have.
func freshSet(w *world, _ *role) things {
	id := w.make("/organizations/acme/varsets", things{}.with(nil).in(`{"data":{"type":"varsets","attributes":{"name":"<unique>","global":false}}}`))
	w.do("POST", "/varsets/"+id+"/relationships/workspaces", w.shared.in(toWorkspace))
	w.do("POST", "/varsets/"+id+"/relationships/projects", w.shared.in(toProject))
	return things{"varset_id": id, "variable_id": w.make("/varsets/"+id+"/relationships/vars", things{}.with(nil).in(variable))}
}
