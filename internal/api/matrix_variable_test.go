package api_test

const variable = `{"data":{"type":"vars","attributes":{"key":"<unique>","value":"v","category":"terraform"}}}`

var variableArea = area{"VARIABLES OF A WORKSPACE", []row{
	{route: "GET /workspaces/{workspace_id}/vars"},
	{route: "POST /workspaces/{workspace_id}/vars", body: variable},
	{route: "GET /workspaces/{workspace_id}/vars/{variable_id}"},
	{route: "PATCH /workspaces/{workspace_id}/vars/{variable_id}", body: `{"data":{"attributes":{"value":"w"}}}`},
	{route: "DELETE /workspaces/{workspace_id}/vars/{variable_id}", uses: freshVariable},
	{route: "GET /workspaces/{workspace_id}/all-vars"},
	{route: "GET /vars", query: "filter[organization][name]=acme&filter[workspace][name]=<name>"},
	{route: "POST /vars",
		body: `{"data":{"type":"vars","attributes":{"key":"<unique>","value":"v","category":"terraform"},"relationships":{"workspace":{"data":{"type":"workspaces","id":"<workspace_id>"}}}}}`},
	{route: "GET /vars/{variable_id}"},
	{route: "PATCH /vars/{variable_id}", body: `{"data":{"attributes":{"value":"w"}}}`},
	{route: "DELETE /vars/{variable_id}", uses: freshVariable},
}}

func freshVariable(w *world, _ *role) things {
	return things{"variable_id": w.make("/workspaces/"+w.shared["workspace_id"]+"/vars", things{}.with(nil).in(variable))}
}

const toWorkspace = `{"data":[{"type":"workspaces","id":"<workspace_id>"}]}`
const toProject = `{"data":[{"type":"projects","id":"<project_id>"}]}`

var variableSetArea = area{"VARIABLE SETS", []row{
	{route: "GET /organizations/{organization_name}/varsets"},
	{route: "POST /organizations/{organization_name}/varsets", body: `{"data":{"type":"varsets","attributes":{"name":"<unique>","global":false}}}`},
	{route: "GET /workspaces/{workspace_id}/varsets"},
	{route: "GET /workspaces/{workspace_id}/applicable-varsets"},
	{route: "GET /workspaces/{workspace_id}/varsets/{varset_id}/relationships/vars", uses: freshSet},
	{route: "GET /workspaces/{workspace_id}/varsets/{varset_id}/relationships/vars/{variable_id}", uses: freshSet},
	{route: "PATCH /workspaces/{workspace_id}/relationships/vars", body: `{"data":[{"type":"vars","attributes":{"key":"<unique>","category":"env","value":"v"}}]}`},
	{route: "GET /projects/{project_id}/varsets"},
	{route: "GET /varsets/{varset_id}"},
	{route: "PATCH /varsets/{varset_id}", body: `{"data":{"type":"varsets","attributes":{"description":"d"}}}`},
	{route: "POST /varsets/{varset_id}", body: `{"data":{"type":"varsets","attributes":{"description":"d"}}}`},
	{route: "PUT /varsets/{varset_id}", body: `{"data":{"type":"varsets","attributes":{"description":"d"}}}`},
	{route: "DELETE /varsets/{varset_id}", uses: freshSet},
	{route: "POST /varsets/{varset_id}/relationships/workspaces", body: toWorkspace},
	{route: "DELETE /varsets/{varset_id}/relationships/workspaces", uses: freshSet, body: toWorkspace},
	{route: "POST /varsets/{varset_id}/relationships/projects", body: toProject},
	{route: "DELETE /varsets/{varset_id}/relationships/projects", uses: freshSet, body: toProject},
	{route: "GET /varsets/{varset_id}/relationships/vars"},
	{route: "POST /varsets/{varset_id}/relationships/vars", body: variable},
	{route: "GET /varsets/{varset_id}/relationships/vars/{variable_id}", uses: freshSet},
	{route: "PATCH /varsets/{varset_id}/relationships/vars/{variable_id}", uses: freshSet, body: `{"data":{"attributes":{"value":"w"}}}`},
	{route: "DELETE /varsets/{varset_id}/relationships/vars/{variable_id}", uses: freshSet},
}}

// freshSet is a set with a variable, that the workspace and the project have.
func freshSet(w *world, _ *role) things {
	id := w.make("/organizations/acme/varsets", things{}.with(nil).in(`{"data":{"type":"varsets","attributes":{"name":"<unique>","global":false}}}`))
	w.do("POST", "/varsets/"+id+"/relationships/workspaces", w.shared.in(toWorkspace))
	w.do("POST", "/varsets/"+id+"/relationships/projects", w.shared.in(toProject))
	return things{"varset_id": id, "variable_id": w.make("/varsets/"+id+"/relationships/vars", things{}.with(nil).in(variable))}
}
