package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
)

// inlineState is the body that makes a state version, with the state inside.
func inlineState(serial int) string {
	state := fmt.Sprintf(`{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":"l","outputs":{"a":{"value":"b","type":"string"}},"resources":[]}`, serial)
	return fmt.Sprintf(`{"data":{"type":"state-versions","attributes":{"serial":%d,"lineage":"l","md5":%q,"state":%q}}}`,
		serial, md5Of(state), base64.StdEncoding.EncodeToString([]byte(state)))
}

var stateArea = area{"STATE", []row{
	{route: "POST /workspaces/{workspace_id}/state-versions", apart: true, uses: lockedWorkspace, body: inlineState(1)},
	{route: "PATCH /workspaces/{workspace_id}/state-versions", apart: true, uses: lockedStates,
		body: `{"data":{"type":"state-versions","relationships":{"rollback-state-version":{"data":{"type":"state-versions","id":"<state_version_id>"}}}}}`},
	{route: "GET /workspaces/{workspace_id}/current-state-version"},
	{route: "GET /workspaces/{workspace_id}/current-state-version-outputs"},
	{route: "GET /workspaces/{workspace_id}/resources"},
	{route: "GET /workspaces/{workspace_id}/state-reads"},
	{route: "GET /state-versions", query: "filter[workspace][name]=<name>&filter[organization][name]=acme"},
	{route: "GET /state-versions/{state_version_id}"},
	{route: "GET /state-versions/{state_version_id}/outputs"},
	{route: "GET /state-version-outputs/{output_id}"},
	{route: "POST /state-versions/{state_version_id}/actions/soft_delete_backing_data", uses: freshStates},
	{route: "POST /state-versions/{state_version_id}/actions/restore_backing_data", uses: asideState},
	{route: "POST /state-versions/{state_version_id}/actions/permanently_delete_backing_data", uses: asideState},
	{route: "PUT /_objects/{object}/{object_id}/{expires}/{signature}", open: true, also: []int{404}, body: "{}"},
	{route: "GET /_objects/{object}/{object_id}/{expires}/{signature}", open: true, also: []int{401, 404}},
}}

// freshStates is a workspace with two states; the older is the one that is named.
func freshStates(w *world, r *role) things {
	made := freshWorkspace(w, r)
	path := "/workspaces/" + made["workspace_id"]
	for _, serial := range []int{1, 2} { // under one lock only the last would stay
		w.do(http.MethodPost, path+"/actions/lock", "")
		if id := w.make(path+"/state-versions", inlineState(serial)); serial == 1 {
			made["state_version_id"] = id
		}
		w.do(http.MethodPost, path+"/actions/unlock", "")
	}
	made["output_id"] = w.get(path+"/current-state-version-outputs", "data.0.id")
	return made
}

// lockedStates is the same, locked by the role where it may.
func lockedStates(w *world, r *role) things {
	made := freshStates(w, r)
	w.lockAs(r, made)
	return made
}

func asideState(w *world, r *role) things {
	made := freshStates(w, r)
	w.do(http.MethodPost, "/state-versions/"+made["state_version_id"]+"/actions/soft_delete_backing_data", "")
	return made
}

const bindings = `{"data":[{"type":"tag-bindings","attributes":{"key":"team","value":"red"}}]}`

var bindingArea = area{"KEY-VALUE TAGS", []row{
	{route: "GET /workspaces/{workspace_id}/tag-bindings"},
	{route: "GET /workspaces/{workspace_id}/effective-tag-bindings"},
	{route: "PATCH /workspaces/{workspace_id}/tag-bindings", body: bindings},
	{route: "GET /workspaces/{workspace_id}/relationships/tag-bindings"},
	{route: "POST /workspaces/{workspace_id}/relationships/tag-bindings", body: bindings},
	{route: "PATCH /workspaces/{workspace_id}/relationships/tag-bindings", body: bindings},
	{route: "GET /projects/{project_id}/tag-bindings"},
	{route: "GET /projects/{project_id}/effective-tag-bindings"},
	{route: "PATCH /projects/{project_id}/tag-bindings", body: bindings},
	{route: "GET /projects/{project_id}/relationships/tag-bindings"},
	{route: "POST /projects/{project_id}/relationships/tag-bindings", body: bindings},
	{route: "PATCH /projects/{project_id}/relationships/tag-bindings", body: bindings},
	{route: "GET /organizations/{organization_name}/reserved-tag-keys"},
	{route: "POST /organizations/{organization_name}/reserved-tag-keys", body: `{"data":{"attributes":{"key":"<unique>"}}}`},
	{route: "GET /reserved-tag-keys/{key_id}"},
	{route: "GET /reserved-tags/{key_id}"},
	{route: "PATCH /reserved-tag-keys/{key_id}", body: `{"data":{"attributes":{"disable-overrides":false}}}`},
	{route: "PATCH /reserved-tags/{key_id}", body: `{"data":{"attributes":{"disable-overrides":false}}}`},
	{route: "DELETE /reserved-tag-keys/{key_id}", uses: freshReserved},
	{route: "DELETE /reserved-tags/{key_id}", uses: freshReserved},
}}

func freshReserved(w *world, _ *role) things {
	return things{"key_id": w.make("/organizations/acme/reserved-tag-keys", things{}.with(nil).in(`{"data":{"attributes":{"key":"<unique>"}}}`))}
}

const retention = `{"data":{"type":"data-retention-policy-delete-olders","attributes":{"delete-older-than-n-days":30}}}`

var retentionArea = area{"HOW LONG DATA IS KEPT", []row{
	{route: "GET /workspaces/{workspace_id}/relationships/data-retention-policy", uses: keptWorkspace},
	{route: "POST /workspaces/{workspace_id}/relationships/data-retention-policy", body: retention},
	{route: "PATCH /workspaces/{workspace_id}/relationships/data-retention-policy", body: retention},
	{route: "DELETE /workspaces/{workspace_id}/relationships/data-retention-policy", uses: keptWorkspace},
	{route: "GET /organizations/{organization_name}/relationships/data-retention-policy", uses: keptOrganization},
	{route: "POST /organizations/{organization_name}/relationships/data-retention-policy", body: retention},
	{route: "PATCH /organizations/{organization_name}/relationships/data-retention-policy", body: retention},
	{route: "DELETE /organizations/{organization_name}/relationships/data-retention-policy", uses: keptOrganization},
	{route: "GET /admin/data-retention-policy-settings", uses: keptSite},
	{route: "POST /admin/data-retention-policy-settings", body: retention},
	{route: "PATCH /admin/data-retention-policy-settings", body: retention},
	{route: "DELETE /admin/data-retention-policy-settings", uses: keptSite},
}}

func keptWorkspace(w *world, r *role) things {
	made := freshWorkspace(w, r)
	w.do(http.MethodPost, "/workspaces/"+made["workspace_id"]+"/relationships/data-retention-policy", retention)
	return made
}

func keptOrganization(w *world, _ *role) things {
	w.do(http.MethodPost, "/organizations/acme/relationships/data-retention-policy", retention)
	return things{}
}

func keptSite(w *world, _ *role) things {
	w.do(http.MethodPost, "/admin/data-retention-policy-settings", retention)
	return things{}
}

const savedView = `{"data":{"type":"explorer-saved-queries","attributes":{"name":"<unique>","query-type":"workspaces","query":{"type":"workspaces"}}}}`

var explorerArea = area{"THE EXPLORER", []row{
	{route: "GET /organizations/{organization_name}/explorer", query: "type=workspaces"},
	{route: "GET /organizations/{organization_name}/explorer/export/csv", query: "type=workspaces"},
	{route: "GET /organizations/{organization_name}/explorer/views"},
	{route: "POST /organizations/{organization_name}/explorer/views", body: savedView},
	{route: "GET /organizations/{organization_name}/explorer/views/{view_id}"},
	{route: "PATCH /organizations/{organization_name}/explorer/views/{view_id}", body: savedView},
	{route: "DELETE /organizations/{organization_name}/explorer/views/{view_id}", uses: freshView},
	{route: "GET /organizations/{organization_name}/explorer/views/{view_id}/results"},
	{route: "GET /organizations/{organization_name}/explorer/views/{view_id}/csv"},
}}

func freshView(w *world, _ *role) things {
	return things{"view_id": w.make("/organizations/acme/explorer/views", things{}.with(nil).in(savedView))}
}
