package door

import (
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"
)

// whose is which tenant's something secret is: a token, when it last opened something, or the signature of an address, when it was given.
// It says whose turn a request is, and never what it may: two secrets may even be taken for one.
type whose struct {
	seed    maphash.Seed
	tenants *lru.Cache[uint64, string]
}

// How many of them are remembered. A list gives hundreds of addresses at once, which push out no tokens; they are followed soon.
const (
	mostTokens    = 65536
	mostAddresses = 8192
)

func newWhose(most int) whose {
	tenants, _ := lru.New[uint64, string](most) // fails only for a size below one
	return whose{maphash.MakeSeed(), tenants}
}

// of is empty for a secret that is not known.
func (w *whose) of(secret string) string {
	tenant, _ := w.tenants.Get(maphash.String(w.seed, secret))
	return tenant
}

func (w *whose) note(secret, tenant string) { w.tenants.Add(maphash.String(w.seed, secret), tenant) }

func (w *whose) forget(secret string) { w.tenants.Remove(maphash.String(w.seed, secret)) }
