package api

import (
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type sshKeyPatch = belay.SSHKeyPatch

// sshKeyAttributes is the attributes of an SSH key. The key itself is never shown.
var sshKeyAttributes = attributes[belay.SSHKey, sshKeyPatch]{
	{name: "name", show: value(func(k *belay.SSHKey) string { return k.Name }), write: lenient(func(p *sshKeyPatch) *patch.Field[string] { return &p.Name })},
	{name: "value", write: lenient(func(p *sshKeyPatch) *patch.Field[string] { return &p.Value })},
}

var sshKeys = &noun[belay.SSHKey, sshKeyPatch]{
	typ:        "ssh-keys",
	id:         func(k *belay.SSHKey) string { return k.ID },
	path:       func(k *belay.SSHKey) string { return "/api/v2/ssh-keys/" + k.ID },
	attributes: sshKeyAttributes,
	relations:  []relation[belay.SSHKey, sshKeyPatch]{ofOrganization[belay.SSHKey, sshKeyPatch](func(k *belay.SSHKey) string { return k.Organization.Name })},
}

func (a *API) createSSHKey(r *request, p sshKeyPatch) (belay.SSHKey, error) {
	return a.App.CreateSSHKey(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) listSSHKeys(r *request) ([]belay.SSHKey, int, error) {
	return a.App.SSHKeys(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) showSSHKey(r *request) (belay.SSHKey, error) {
	return a.App.SSHKey(r.Context(), r.subject, r.param("ssh_key_id"))
}

func (a *API) updateSSHKey(r *request, p sshKeyPatch) (belay.SSHKey, error) {
	return a.App.UpdateSSHKey(r.Context(), r.subject, r.param("ssh_key_id"), p)
}

func (a *API) deleteSSHKey(r *request) error {
	return a.App.DeleteSSHKey(r.Context(), r.subject, r.param("ssh_key_id"))
}

func (a *API) assignSSHKey(r *request) (workspaceDoc, error) {
	id, err := r.sshKeyID()
	if err := r.later(err); err != nil {
		return workspaceDoc{}, err
	}
	return a.App.AssignSSHKey(r.Context(), r.subject, r.workspaceRef(), id)
}

// sshKeyID reads which key a workspace is to use. Clients send the id as an attribute of
// a workspace, or as the linkage of a key; null in either place takes the key away.
func (r *request) sshKeyID() (string, error) {
	in, err := jsonapi.Decode(r.body)
	if err := r.later(shapeRefusal(err)); err != nil {
		return "", err
	}
	if in.Null {
		return "", nil
	}
	var problems belay.Problems
	if err := problems.Add(checkType(&in.Type, "/data/type", "workspaces", "ssh-keys")); err != nil {
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
