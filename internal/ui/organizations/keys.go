package organizations

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// KeyActs is what the forms of keys do.
var KeyActs = map[string]frame.Act{"new": newKey, "delete": deleteKey}

// Keys is the page of the SSH keys that modules are fetched with.
func Keys(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return nil, belay.ErrNotFound
	}
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.SSHKeys(t.Context(), t.Principal, t.Org.Name, at)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of keys", "Name", "Used by", "-Fingerprint", "-Id", "Since")
	uses, more, err := keyUses(t, list)
	if err != nil {
		return nil, err
	}
	for i := range list {
		k := &list[i]
		g.Row([]frame.RowForm{{Do: "delete", Text: "Delete", Of: k.Name, Risk: true, Hidden: []frame.Setting{{Name: "key", Value: k.ID}}}}, frame.Words(k.Name), workspaceLinks(t, uses[k.ID], "", more), frame.Cell{Text: k.Fingerprint, Code: true}, frame.Cell{Text: k.ID, Code: true}, frame.Moment(k.CreatedAt))
	}
	return t.Sheet(&frame.Sheet{Title: "SSH keys", Sub: "Runs fetch private modules with them. Nobody reads a key again.", Main: []frame.Card{{
		ID: "keys", Title: "Keys", Note: frame.Many(total, "key", "keys"), Grid: g, Empty: "There is no key.", Turns: t.Turns(t.Path, at, total), Closed: true,
		Form: &frame.FormPart{Do: "new", Submit: "New key", Fields: []frame.FormField{
			{Kind: "text", Name: "name", Label: "Name", Max: 255, Required: true}, {Kind: "area", Name: "secret", Label: "Private key", Hint: "without a passphrase", Required: true, Code: true},
		}},
	}}})
}

// keyUses is which workspaces use each of some keys, and whether there may be more.
func keyUses(t *frame.OrgVisit, list []inputs.SSHKey) (of map[string][]string, more bool, err error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	uses, more, err := t.UI.App.KeyUses(t.Context(), t.Principal, t.Org.Name, ids)
	of = map[string][]string{}
	for _, u := range uses {
		of[u.KeyID] = append(of[u.KeyID], u.Workspace)
	}
	return of, more, err
}

func newKey(t *frame.OrgVisit) (string, error) {
	t.Calls(map[string]string{"Value": "Private key", "Ssh key": "Private key"})
	_, err := t.UI.App.CreateSSHKey(t.Context(), t.Principal, t.Org.Name, inputs.SSHKeyPatch{Name: patch.Of(t.Given("name")), Value: patch.Of(t.Typed("secret"))})
	return t.Path, err
}

func deleteKey(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.DeleteSSHKey(t.Context(), t.Principal, t.PostFormValue("key"))
}
