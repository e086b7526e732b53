package belay

import (
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// SSHKey is a private key of an organization, with which modules are fetched. Its name
// is known to every member; the key itself leaves the server for nobody.
type SSHKey struct {
	ID             string
	OrganizationID string
	Name           string
	Sealed         string // the private key, sealed with the id of the row
	CreatedAt      time.Time

	Organization Organization // read with the row: its name
}

// SSHKeyPatch is a change of an SSH key; create is a patch of an empty one.
type SSHKeyPatch struct{ Name, Value patch.Field[string] }

// Apply changes the key, or says all that is wrong with the patch. A value is sealed by
// whoever holds the seals; a key that has none yet must be given one.
func (k *SSHKey) Apply(p SSHKeyPatch) error {
	var problems Problems
	p.Name.Into(&k.Name)
	checkLabel(&problems, "name", "Name", k.Name)
	if blank := strings.TrimSpace(p.Value.Value) == ""; blank && (p.Value.Set || k.Sealed == "") {
		problems.Attribute("value", "Value can't be blank")
	}
	checkLength(&problems, "value", "Value", p.Value.Value, maxSecret)
	return problems.Err()
}
