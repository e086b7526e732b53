package identity

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/belayhq/belay"
)

// tries holds back who guesses passwords: on one user from one address, on one user
// from anywhere, and from one address on anyone. Each replica counts for itself.
type tries struct {
	pairs, names, addresses *lru.Cache[string, *rate.Limiter]
}

// allowance is how many tries may come at once, and how long one takes to come back.
type allowance struct {
	burst int
	every time.Duration
}

// The narrower the key, the tighter: a stranger must not lock a user out everywhere, and
// a company behind one address must get in on Monday morning.
var (
	pairAllowance    = allowance{5, 12 * time.Second}
	nameAllowance    = allowance{50, 6 * time.Second}
	addressAllowance = allowance{100, time.Second}
)

func newTries() *tries {
	cache := func() *lru.Cache[string, *rate.Limiter] {
		c, _ := lru.New[string, *rate.Limiter](16384) // fails only for a size below one
		return c
	}
	return &tries{cache(), cache(), cache()}
}

// take counts one try, or refuses it unseen.
func (t *tries) take(name, address string, now time.Time) error {
	// The hash keeps a name of any length to one size.
	name = belay.HashToken(name)
	wait := hold(t.pairs, name+address, pairAllowance, now)
	if wait == 0 {
		wait = hold(t.names, name, nameAllowance, now)
	}
	if wait == 0 && address != "" {
		wait = hold(t.addresses, address, addressAllowance, now)
	}
	if wait > 0 {
		return belay.HoldBack(wait, "Too many tries.")
	}
	return nil
}

// forgive forgets the tries of one that got in.
func (t *tries) forgive(name, address string) { t.pairs.Remove(belay.HashToken(name) + address) }

// hold counts one try of a key: 0 lets it through, else it is how long until the next one is.
func hold(counted *lru.Cache[string, *rate.Limiter], key string, a allowance, now time.Time) time.Duration {
	limiter, ok := counted.Get(key)
	if !ok {
		limiter = rate.NewLimiter(rate.Every(a.every), a.burst)
		if other, there, _ := counted.PeekOrAdd(key, limiter); there {
			limiter = other
		}
	}
	if limiter.AllowN(now, 1) {
		return 0
	}
	missing := 1 - limiter.TokensAt(now)
	return max(time.Millisecond, time.Duration(missing*float64(a.every)))
}
