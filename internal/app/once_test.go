package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/changes"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/once"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// told is the letters that are sent, by the addresses.
type told chan string

func (t told) Mails() bool { return true }

func (t told) Write(_ context.Context, to string, _ signin.Letter) error {
	t <- to
	return nil
}

// TestWhatIsKeptOfARequestIsSealed looks at what a database has of a request with a key: a
// short secret in its body must not be guessed from it.
func TestWhatIsKeptOfARequestIsSealed(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		sum := sha256.Sum256([]byte("POST /organizations/acme/ssh-keys 1234"))
		mark := hex.EncodeToString(sum[:])
		ctx, keyed := a.Once(t.Context(), a.admin, "k")
		_, err := a.CreateSSHKey(ctx, a.admin, "acme", inputs.SSHKeyPatch{Name: patch.Of("key"), Value: patch.Of("1234")})
		a.must(err)
		if taken, err := keyed.Keep(ctx, mark, 201, []byte("{}\nmore")); taken || err != nil {
			t.Fatal(taken, err)
		}
		a.must(a.db.View(t.Context(), func(v *store.View) error {
			kept, found, err := v.KeptAnswer(a.admin.KeyHolder(), "k", a.now().Add(-once.AnswersFor))
			if !found || !strings.HasPrefix(kept.Sealed, "v1."+a.ring.ID()) || strings.Contains(kept.Sealed, mark) {
				t.Errorf("what is kept is %q", kept.Sealed)
			}
			return err
		}))
		_, again := a.Once(t.Context(), a.admin, "k")
		if got, status, body, found, err := again.Answer(t.Context()); got != mark || status != 201 || string(body) != "{}\nmore" || !found || err != nil {
			t.Errorf("the answer is %q %d %q %v %v", got, status, body, found, err)
		}
		// Without the key that it was sealed with nothing is known but that the request was made.
		other, err := seal.Parse(seal.GenerateKey())
		a.must(err)
		_, again = once.New(a.db, other, a.log, a.now).Once(t.Context(), a.admin, "k")
		if got, status, body, found, err := again.Answer(t.Context()); got != "" || status != 0 || body != nil || !found || err != nil {
			t.Errorf("without the key the answer is %q %d %q %v %v", got, status, body, found, err)
		}
	})
}

// TestALetterWaitsForWhatItTellsOf invites somebody in a request with a key: nothing is mailed
// before the invitation is kept, and nothing of one that is not.
func TestALetterWaitsForWhatItTellsOf(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		letters := make(told, 10)
		a.App = New(Config{DB: a.db, Ring: a.ring, Blobs: a.blobs, Now: a.now, Letters: letters})
		for email, status := range map[string]int{"kept@example.com": 201, "dropped@example.com": 0} {
			ctx, keyed := a.Once(t.Context(), a.admin, email)
			_, err := a.Invite(ctx, a.admin, "acme", email, nil)
			a.must(err)
			if a.Written(); len(letters) > 0 {
				t.Errorf("%s has a letter before there is an invitation", <-letters)
			}
			if status == 0 {
				keyed.Abandon(ctx, identity.ErrLink)
			} else if _, err := keyed.Keep(ctx, "print", status, nil); err != nil {
				t.Error(err)
			}
			if a.Written(); len(letters) != status/201 {
				t.Errorf("%s has %d letters", email, len(letters))
			}
			for len(letters) > 0 {
				<-letters
			}
		}
	})
}

// TestAKeyOfABulkActionIsItsHoldersOwn orders the same with one key by two callers.
func TestAKeyOfABulkActionIsItsHoldersOwn(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		a.workspace("network", 0)
		other := a.admin
		other.TokenID = "at-another"
		made := map[string]bool{}
		for _, s := range []belay.Principal{a.admin, other} {
			first, again, err := a.CreateBulkAction(t.Context(), s, "acme", orderOnAll("k"))
			if err != nil || again {
				t.Errorf("the first with the key of a token: %v %v", again, err)
			}
			second, again, err := a.CreateBulkAction(t.Context(), s, "acme", orderOnAll("k"))
			if err != nil || !again || second.ID != first.ID {
				t.Errorf("the same again is %s, after %s: %v %v", second.ID, first.ID, again, err)
			}
			made[first.ID] = true
		}
		if len(made) != 2 {
			t.Errorf("%d bulk actions by two tokens", len(made))
		}
	})
}

// TestWhatABulkActionWasOrderedWithIsSealed: from a bare hash of an order, its words could be guessed.
func TestWhatABulkActionWasOrderedWithIsSealed(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		a.workspace("network", 0)
		kept := func(key string) (sealed string) {
			b, _, err := a.CreateBulkAction(t.Context(), a.admin, "acme", orderOnAll(key))
			a.must(err)
			a.must(a.db.View(t.Context(), func(v *store.View) error {
				b, err = v.BulkAction(b.ID)
				sealed = b.SealedRequest
				return err
			}))
			return sealed
		}
		if got := kept("k"); !strings.HasPrefix(got, "v1."+a.ring.ID()) || strings.Contains(got, "same") {
			t.Errorf("what is kept of an order is %q", got)
		}
		if got := kept(""); got != "" {
			t.Errorf("of an order without a key, %q is kept", got)
		}
		other := orderOnAll("k")
		other.RequestHash = "other"
		_, _, err := a.CreateBulkAction(t.Context(), a.admin, "acme", other)
		a.refused(err, belay.Invalid, "another request")
		// Without the key that it was sealed with nothing is known but that the request was made.
		ring, err := seal.Parse(seal.GenerateKey())
		a.must(err)
		_, _, err = changes.New(a.db, ring, a.log, a.now).CreateBulkAction(t.Context(), a.admin, "acme", orderOnAll("k"))
		a.refused(err, belay.Conflict, "not known any more")
	})
}

// orderOnAll is an order for a change request on every workspace.
func orderOnAll(key string) changes.BulkOrder {
	kind := "change_requests"
	query := explorer.Query{View: explorer.Workspaces}
	return changes.BulkOrder{
		ActionType: &kind, Subject: "Upgrade", Message: "Soon.", IdempotencyKey: key, RequestHash: "same",
		Query: &query, Places: belay.Places{Members: "/data/attributes"},
	}
}
