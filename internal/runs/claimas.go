package runs

import (
	"context"
	"slices"
	"sync"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// met is the runners that this replica has met, by their tokens: whoever is not among them is looked for
// before anything is held for it. Nothing is decided by it.
type met struct {
	mu     sync.Mutex
	hashes map[string]bool
}

// mostMet is how many are remembered at once.
const mostMet = 10_000

func (m *met) note(hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hashes == nil || len(m.hashes) >= mostMet {
		m.hashes = map[string]bool{}
	}
	m.hashes[hash] = true
}

func (m *met) forget(hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.hashes, hash)
}

func (m *met) has(hash string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hashes[hash]
}

// ClaimAtOnce is a claim of one job that waits, which begins with it: the runner is read with the job. taken
// is false where it is to be made as any other, whatever the reason.
func (m *Room) ClaimAtOnce(ctx context.Context, token string, c run.Claim) (got run.Claimed, taken bool) {
	hash := belay.HashToken(token)
	if !c.Start || c.Slots < 1 || c.Slots > maxSlots || !m.met.has(hash) {
		return got, false
	}
	err := m.DB.Update(ctx, func(tx *store.Tx) (err error) {
		got, err = m.claimAtOnce(tx, hash, c)
		return err
	})
	return got, err == nil && len(got.Jobs) > 0
}

func (m *Room) claimAtOnce(tx *store.Tx, hash string, c run.Claim) (got run.Claimed, err error) {
	r, l, err := tx.ClaimStartAs(hash, store.Claim{Nonce: c.Nonce, Kinds: kindsOf(&c)})
	switch {
	case err != nil || l == nil || l.Run.Status.Final() || r.ForJob != "":
		return got, err
	case c.Engines != nil && !slices.Equal(c.Engines, r.Engines):
		return got, nil // they are learned first
	}
	if may, err := tx.MayClaim(&r, tx.Now); err != nil || !may {
		return got, err
	}
	return m.startTaken(tx, l, &claimant{runner: r, claim: c})
}
