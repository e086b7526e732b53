package identity

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/belayhq/belay"
)

func TestTriesRunOutAndComeBack(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	counted := newTries()
	for i := range pairAllowance.burst {
		if err := counted.take("ann", "10.0.0.1", now); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if err := counted.take("ann", "10.0.0.1", now); belay.KindOf(err) != belay.TooMany {
		t.Errorf("one try too many: %v", err)
	}
	if err := counted.take("ann", "10.0.0.2", now); err != nil {
		t.Errorf("the same user from elsewhere: %v", err)
	}
	if err := counted.take("bob", "10.0.0.1", now); err != nil {
		t.Errorf("another user from the same address: %v", err)
	}
	if err := counted.take("ann", "10.0.0.1", now.Add(pairAllowance.every)); err != nil {
		t.Errorf("after a while: %v", err)
	}
	counted.forgive("ann", "10.0.0.1")
	for i := range pairAllowance.burst {
		if err := counted.take("ann", "10.0.0.1", now); err != nil {
			t.Errorf("try %d after getting in: %v", i, err)
		}
	}
}

func TestTriesFromEverywhereRunOutToo(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	counted := newTries()
	for i := range nameAllowance.burst {
		if err := counted.take("ann", fmt.Sprintf("10.0.1.%d", i), now); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if counted.take("ann", "10.0.2.1", now) == nil {
		t.Error("one user was tried from anywhere without end")
	}
	counted = newTries()
	for i := range addressAllowance.burst {
		if err := counted.take(fmt.Sprintf("user%d", i), "10.0.0.1", now); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if counted.take("ann", "10.0.0.1", now) == nil {
		t.Error("one address tried everybody without end")
	}
}

func TestUnknownUsersCostTheSameWork(t *testing.T) {
	hash, err := hashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	known, err := bcrypt.Cost([]byte(hash))
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := bcrypt.Cost(nobodysHash())
	if err != nil || known != unknown {
		t.Errorf("cost %d for a user, %d for nobody: %v", known, unknown, err)
	}
}

func TestNoPasswordIsEverRight(t *testing.T) {
	hash, err := hashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !samePassword(hash, "correct horse") || samePassword(hash, "correct horsf") || samePassword(hash, "") {
		t.Error("the one password is not told from others")
	}
	if samePassword("", "") || samePassword("", "anything") {
		t.Error("a user without a password was let in")
	}
	for password, good := range map[string]bool{"123456789": false, "1234567890": true, fmt.Sprintf("%072d", 1): true, fmt.Sprintf("%073d", 1): false} {
		if _, err := hashPassword(password); (err == nil) != good {
			t.Errorf("%d characters: %v", len(password), err)
		}
	}
}
