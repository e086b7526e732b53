package app_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestReplicasThatStartTogetherBothComeUp starts two replicas on an empty database.
func TestReplicasThatStartTogetherBothComeUp(t *testing.T) {
	t.Parallel()
	key := seal.GenerateKey()
	for round := range min(storetest.Rounds(4), 20) { // each brings up an empty database
		t.Run(fmt.Sprint(round), func(t *testing.T) { // each with a database that is gone afterwards
			url := storetest.EmptyPostgres(t)
			var both sync.WaitGroup
			var tokens [2]string
			var failed [2]error
			for i := range tokens {
				both.Go(func() { tokens[i], failed[i] = startReplica(t, url, key) })
			}
			both.Wait()
			if err := errors.Join(failed[:]...); err != nil {
				t.Fatal(err)
			}
			if (tokens[0] == "") == (tokens[1] == "") {
				t.Fatalf("the tokens %q were issued, not one", tokens)
			}
		})
	}
}

// startReplica is what serve does with a database.
func startReplica(t *testing.T, url, key string) (token string, err error) {
	t.Helper()
	ring, err := seal.Parse(key)
	if err != nil {
		return "", err
	}
	db, err := store.Open(t.Context(), store.Options{URL: url})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	a := app.New(app.Config{DB: db, Ring: ring})
	if err := a.TakeKeys(t.Context()); err != nil {
		return "", err
	}
	return a.FirstStart(t.Context(), "")
}

// TestReplicasWithKeysOfTheirOwn is how replicas start that were given no key together.
func TestReplicasWithKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	url := storetest.EmptyPostgres(t)
	var both sync.WaitGroup
	var failed [2]error
	for i := range failed {
		both.Go(func() { _, failed[i] = startReplica(t, url, seal.GenerateKey()) })
	}
	both.Wait()
	if errors.Is(failed[0], seal.ErrNoKey) == errors.Is(failed[1], seal.ErrNoKey) {
		t.Errorf("not one of two replicas with different keys was refused: %v", failed)
	}
}

func TestKeysThatDataIsSealedWith(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		blobs := "file://" + t.TempDir()
		a, b := seal.GenerateKey(), seal.GenerateKey()
		take := func(keys string) (*app.App, error) {
			ring, err := seal.Parse(keys)
			if err != nil {
				t.Fatal(err)
			}
			files, err := blob.Open(t.Context(), blobs, ring)
			if err != nil {
				t.Fatal(err)
			}
			verbs := app.New(app.Config{DB: db, Ring: ring, Blobs: files})
			return verbs, verbs.TakeKeys(t.Context())
		}
		accepted := func(keys, why string) *app.App {
			t.Helper()
			verbs, err := take(keys)
			if err != nil {
				t.Errorf("%s: %v", why, err)
			}
			return verbs
		}
		refused := func(keys, why string) {
			t.Helper()
			if _, err := take(keys); !errors.Is(err, seal.ErrNoKey) {
				t.Errorf("%s: %v", why, err)
			}
		}
		fresh := func(want bool) {
			t.Helper()
			if got, err := app.Fresh(t.Context(), db); err != nil || got != want {
				t.Errorf("fresh: %v %v", got, err)
			}
		}
		fresh(true)
		accepted(a, "the first key")
		fresh(false)
		refused(b, "another key, while nothing is sealed")
		accepted(b+","+a, "a new key before the old one")
		refused(a, "the old key alone")
		accepted(b, "the new key alone, while nothing is sealed with the old one")
		verbs := accepted(a+","+b, "the first key again")
		sealSomething(t, verbs)
		accepted(b+","+a, "a new key, and the one of the data")
		refused(b, "without the key of the data")
		forgetKeys(t, db) // as before there were fingerprints
		fresh(false)
		refused(b, "another key than the data's, of a database without fingerprints")
		accepted(a, "the key of the data")
	})
}

// sealSomething makes an organization with an SSH key.
func sealSomething(t *testing.T, a *app.App) {
	t.Helper()
	if _, err := a.FirstStart(t.Context(), "token"); err != nil {
		t.Fatal(err)
	}
	admin, err := a.Authenticate(t.Context(), "token")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.CreateOrganization(t.Context(), admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")}); err != nil {
		t.Fatal(err)
	}
	if _, err = a.CreateSSHKey(t.Context(), admin, "acme", inputs.SSHKeyPatch{Name: patch.Of("deploy"), Value: patch.Of(sshKey(t))}); err != nil {
		t.Fatal(err)
	}
}

// sshKey is a private key as people upload them.
func sshKey(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: block}))
}

func forgetKeys(t *testing.T, db *store.DB) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx *store.Tx) error { return tx.ReplaceEncryptionKeys(nil) }); err != nil {
		t.Fatal(err)
	}
}
