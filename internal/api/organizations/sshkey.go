package organizations

import (
	"encoding/json"
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type sshKeyPatch = inputs.SSHKeyPatch

// SSHKeyAttributes is the attributes of an SSH key. The key itself is never shown.
var SSHKeyAttributes = doc.Attributes[inputs.SSHKey, sshKeyPatch]{
	{Name: "name", Show: doc.Value(func(k *inputs.SSHKey) string { return k.Name }), Write: doc.Lenient(func(p *sshKeyPatch) *patch.Field[string] { return &p.Name })},
	{Name: "fingerprint", Show: doc.Maybe(func(k *inputs.SSHKey) string { return k.Fingerprint })},
	{Name: "value", Write: doc.Lenient(func(p *sshKeyPatch) *patch.Field[string] { return &p.Value })},
}

var sshKeys = &doc.Noun[inputs.SSHKey, sshKeyPatch]{
	Type:       "ssh-keys",
	ID:         func(k *inputs.SSHKey) string { return k.ID },
	Path:       func(k *inputs.SSHKey) string { return "/api/v2/ssh-keys/" + k.ID },
	Attributes: SSHKeyAttributes,
	Relations:  []doc.Relation[inputs.SSHKey, sshKeyPatch]{paths.OfOrganization[inputs.SSHKey, sshKeyPatch](func(k *inputs.SSHKey) string { return k.Organization.Name })},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/ssh-keys", Status: http.StatusOK, Do: door.Listing(sshKeys, a.listSSHKeys), Needs: belay.Traverse, By: door.UsersAndTeams, Does: "List the names of the SSH keys"},
		{Method: http.MethodPost, Path: paths.Organization + "/ssh-keys", Status: http.StatusCreated, Do: door.Writing(sshKeys, a.createSSHKey), Needs: belay.ManageSSHKeys, Does: "Keep an SSH key"},
		{Method: http.MethodGet, Path: paths.SSHKey, Status: http.StatusOK, Do: door.Showing(sshKeys, a.showSSHKey), Needs: belay.Traverse, By: door.UsersAndTeams, Does: "See the name of an SSH key"},
		{Method: http.MethodPatch, Path: paths.SSHKey, Status: http.StatusOK, Do: door.Writing(sshKeys, a.updateSSHKey), Needs: belay.ManageSSHKeys, Does: "Rename an SSH key"},
		{Method: http.MethodDelete, Path: paths.SSHKey, Status: http.StatusNoContent, Do: door.Doing(a.deleteSSHKey), Needs: belay.ManageSSHKeys, Does: "Delete an SSH key"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/ssh-key", Status: http.StatusOK, Do: door.Showing(workspaces.Workspaces, a.assignSSHKey).Reads(sshKeyChoice), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "Give a workspace an SSH key"},
	}
})

func (a *Verbs) createSSHKey(r *door.Request, p sshKeyPatch) (inputs.SSHKey, error) {
	return a.App.CreateSSHKey(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) listSSHKeys(r *door.Request) ([]inputs.SSHKey, int, error) {
	return a.App.SSHKeys(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) showSSHKey(r *door.Request) (inputs.SSHKey, error) {
	return a.App.SSHKey(r.Context(), r.Principal, r.Param("ssh_key_id"))
}

func (a *Verbs) updateSSHKey(r *door.Request, p sshKeyPatch) (inputs.SSHKey, error) {
	return a.App.UpdateSSHKey(r.Context(), r.Principal, r.Param("ssh_key_id"), p)
}

func (a *Verbs) deleteSSHKey(r *door.Request) error {
	return a.App.DeleteSSHKey(r.Context(), r.Principal, r.Param("ssh_key_id"))
}

func (a *Verbs) assignSSHKey(r *door.Request) (workspaces.WorkspaceDoc, error) {
	id, err := sshKeyID(r)
	if err := r.Later(err); err != nil {
		return workspaces.WorkspaceDoc{}, err
	}
	return a.App.AssignSSHKey(r.Context(), r.Principal, paths.WorkspaceRef(r), id)
}

// sshKeyID reads which key a workspace is to use. Clients send the id as an attribute of
// a workspace, or as the linkage of a key; null in either place takes the key away.
func sshKeyID(r *door.Request) (string, error) {
	in, err := jsonapi.Decode(r.Document)
	if err := r.Later(doc.ShapeRefusal(err)); err != nil {
		return "", err
	}
	if in.Null {
		return "", nil
	}
	var problems belay.Problems
	if err := problems.Add(doc.CheckType(&in.Type, "/data/type", "workspaces", "ssh-keys")); err != nil {
		return "", err
	}
	raw, ok := in.Attributes["id"]
	switch {
	case !ok && in.Type == "ssh-keys" && in.ID != "":
		return in.ID, problems.Err()
	case !ok:
		problems.Attribute("id", "Id of the SSH key must be given, or null to use none")
		return "", problems
	}
	var id patch.Field[string]
	if err := json.Unmarshal(raw, &id); err != nil {
		problems.Attribute("id", "id %s", jsonapi.Complaint(err))
	} else if id.Given() && id.Value == "" { // only null takes the key away: an empty text is a variable left unset
		problems.Attribute("id", "Id of the SSH key can't be blank: null takes the key away")
	}
	return id.Value, problems.Err()
}

// sshKeyChoice is the schema of a body that says which key a workspace uses.
func sshKeyChoice(*doc.Describer) *openapi.Schema {
	attributes := (&openapi.Schema{Type: openapi.Types{"object"}}).Add("id", openapi.Of[string]().OrNull(), false)
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("type", openapi.Of[string]().One("workspaces", "ssh-keys"), false).Add("id", openapi.Of[string](), false)
	return doc.Document(is.Add("attributes", attributes, false).OrNull())
}
