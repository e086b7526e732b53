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
	{name: "name", read: func(k *belay.SSHKey) any { return k.Name }, write: lenient(func(p *sshKeyPatch) *patch.Field[string] { return &p.Name })},
	{name: "value", write: lenient(func(p *sshKeyPatch) *patch.Field[string] { return &p.Value })},
}

func (a *API) sshKey(k belay.SSHKey) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "ssh-keys", ID: k.ID,
		Attributes:    sshKeyAttributes.object(&k, a.App.Edition()),
		Relationships: []jsonapi.Relation{organizationLink(k.Organization.Name)},
		Links:         jsonapi.Object{{Name: "self", Value: "/api/v2/ssh-keys/" + k.ID}},
	}
}

func (r *request) sshKeyPatch() (p sshKeyPatch, err error) {
	in, err := r.resource("ssh-keys")
	if err != nil {
		return p, err
	}
	return p, sshKeyAttributes.decode(in, &p, r.api.App.Edition())
}

func (a *API) createSSHKey(r *request) (*jsonapi.Document, error) {
	p, err := r.sshKeyPatch()
	if err != nil {
		return nil, err
	}
	k, err := a.App.CreateSSHKey(r.Context(), r.subject, r.param("organization_name"), p)
	return a.sshKeyAnswer(k, err)
}

func (a *API) listSSHKeys(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.SSHKeys(r.Context(), r.subject, r.param("organization_name"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.sshKey), total), nil
}

func (a *API) showSSHKey(r *request) (*jsonapi.Document, error) {
	k, err := a.App.SSHKey(r.Context(), r.subject, r.param("ssh_key_id"))
	return a.sshKeyAnswer(k, err)
}

func (a *API) updateSSHKey(r *request) (*jsonapi.Document, error) {
	p, err := r.sshKeyPatch()
	if err != nil {
		return nil, err
	}
	k, err := a.App.UpdateSSHKey(r.Context(), r.subject, r.param("ssh_key_id"), p)
	return a.sshKeyAnswer(k, err)
}

func (a *API) deleteSSHKey(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteSSHKey(r.Context(), r.subject, r.param("ssh_key_id"))
}

func (a *API) sshKeyAnswer(k belay.SSHKey, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.sshKey(k)), nil
}

func (a *API) assignSSHKey(r *request) (*jsonapi.Document, error) {
	id, err := sshKeyID(r.body)
	if err != nil {
		return nil, err
	}
	w, err := a.App.AssignSSHKey(r.Context(), r.subject, r.workspaceRef(), id)
	return a.workspaceAnswer(w, err)
}

// sshKeyID reads which key a workspace is to use. Clients send the id as an attribute of
// a workspace, or as the linkage of a key; null in either place takes the key away.
func sshKeyID(body []byte) (string, error) {
	in, err := jsonapi.Decode(body)
	if err != nil {
		return "", shapeRefusal(err)
	}
	if in.Null {
		return "", nil
	}
	if err := checkType(in.Type, "/data/type", "workspaces", "ssh-keys"); err != nil {
		return "", err
	}
	var problems belay.Problems
	raw, ok := in.Attributes["id"]
	switch {
	case !ok && in.Type == "ssh-keys" && in.ID != "":
		return in.ID, nil
	case !ok:
		problems.Attribute("id", "Id of the SSH key must be given, or null to use none")
		return "", problems
	}
	var id patch.Field[string]
	if err := json.Unmarshal(raw, &id); err != nil {
		problems.Attribute("id", "id %s", jsonapi.Complaint(err))
		return "", problems
	}
	return id.Value, nil
}
