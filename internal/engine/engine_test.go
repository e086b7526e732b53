package engine

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestAnEngineThatIsBusyIsAskedAgain: what was written just now may be open in a child that
// another goroutine starts, and is no less an engine for that.
func TestAnEngineThatIsBusyIsAskedAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "tofu", "1.12.6", "tofu")
	put(t, path, program("1.12.6"))
	open, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { _ = open.Close() })
	if found, err := New(Config{Dir: folder}).Find(t.Context(), "tofu", "1.12.6", nil); err != nil || found != path {
		t.Errorf("it is %q, %v", found, err)
	}
}

// TestAFailedProofIsNoLastWord: a binary that could not say its version for a reason that has
// passed is asked again, though the file is the same.
func TestAFailedProofIsNoLastWord(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "tofu", "1.12.6", "tofu")
	put(t, path, program("1.12.6"))
	f := New(Config{Dir: folder})
	if _, err := f.Find(t.Context(), "tofu", "1.12.6", nil); err != nil {
		t.Fatal(err)
	}
	failed := f.proved[path]
	failed.err, failed.asked = syscall.ETXTBSY, time.Now()
	f.proved[path] = failed
	if _, err := f.Find(t.Context(), "tofu", "1.12.6", nil); !errors.Is(err, ErrMissing) {
		t.Errorf("within a minute: %v", err)
	}
	failed.asked = time.Now().Add(-failedFor)
	f.proved[path] = failed
	if _, err := f.Find(t.Context(), "tofu", "1.12.6", nil); err != nil {
		t.Errorf("after a minute: %v", err)
	}
}
