package inputs

import (
	"encoding/pem"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// SSHKey is a private key of an organization, with which modules are fetched. Its name
// is known to every member; the key itself leaves the server for nobody.
type SSHKey struct {
	ID             string
	OrganizationID string
	Name           string
	Sealed         string // the private key, sealed with the id of the row
	Fingerprint    string // of its public part; empty: not known
	CreatedAt      time.Time

	Organization belay.Organization // read with the row: its name
}

// KeyUse is a workspace whose runs fetch modules with a key.
type KeyUse struct{ KeyID, WorkspaceID, Workspace, ProjectID string }

// SSHKeyPatch is a change of an SSH key; create is a patch of an empty one.
type SSHKeyPatch struct{ Name, Value patch.Field[string] }

// Apply changes the key, or says all that is wrong with the patch. A value is sealed by
// whoever holds the seals; a key that has none yet must be given one.
func (k *SSHKey) Apply(p SSHKeyPatch) error {
	var problems belay.Problems
	p.Name.Into(&k.Name)
	belay.CheckLabel(&problems, "name", "Name", k.Name)
	if blank := strings.TrimSpace(p.Value.Value) == ""; blank && (p.Value.Set || k.Sealed == "") {
		problems.Attribute("value", "Value can't be blank")
	}
	belay.CheckLength(&problems, "value", "Value", p.Value.Value, belay.MaxSecret)
	if strings.Contains(p.Value.Value, "-----BEGIN") { // clients make keys of any text: only what claims to be one is read
		checkPrivateKey(&problems, "value", p.Value.Value)
	}
	return problems.Err()
}

// CheckCloneKey is the rule of the key that repositories are cloned with.
func CheckCloneKey(key string) error {
	var problems belay.Problems
	belay.CheckLength(&problems, "ssh-key", "Ssh key", key, belay.MaxSecret)
	if key != "" {
		checkPrivateKey(&problems, "ssh-key", key)
	}
	return problems.Err()
}

// checkPrivateKey refuses what is no private key. It looks at the wrapping only: a key may
// be of a kind, or under a passphrase, that is not read here.
func checkPrivateKey(problems *belay.Problems, attribute, key string) {
	block, _ := pem.Decode([]byte(strings.TrimSpace(key)))
	if block == nil || !strings.HasSuffix(block.Type, "PRIVATE KEY") || len(block.Bytes) == 0 {
		problems.Attribute(attribute, "Ssh key is invalid")
	}
}
