package blob_test

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// The kernel refuses to let any file grow beyond 1 MiB, as it does on a full disk.
func TestFullDisk(t *testing.T) { // not parallel: the limit is the whole process's
	p := directory(t.TempDir())
	store := p.open(t, newRing(t))
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := syscall.Rlimit{Cur: mib, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	_, err := store.Put(t.Context(), key, bytesOf(1, 2*mib))
	if restored := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); restored != nil {
		t.Fatal(restored)
	}
	var path *os.PathError
	if !errors.Is(err, syscall.EFBIG) || !errors.As(err, &path) || !strings.Contains(err.Error(), key) {
		t.Errorf("Put says %v", err)
	}
	wantNothingLeft(t, p, store)
	put(t, store, key, bytesOf(1, 2*mib))
}
