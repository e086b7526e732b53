package door

import (
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"
)

// whose is which tenant's a token was when it last opened something, or the signature of an address when it was given. It says whose
// turn a request is, and never what it may: two tokens may even be taken for one.
type whose struct {
	seed    maphash.Seed
	tenants *lru.Cache[uint64, string]
}

// mostWhose is how many of them are remembered.
const mostWhose = 65536

func newWhose() whose {
	tenants, _ := lru.New[uint64, string](mostWhose) // fails only for a size below one
	return whose{maphash.MakeSeed(), tenants}
}

// of is empty for a token that is not known.
func (w *whose) of(token string) string {
	tenant, _ := w.tenants.Get(maphash.String(w.seed, token))
	return tenant
}

func (w *whose) note(token, tenant string) { w.tenants.Add(maphash.String(w.seed, token), tenant) }

func (w *whose) forget(token string) { w.tenants.Remove(maphash.String(w.seed, token)) }
