package blob

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/fair"
)

// slowDisk tells how much was written at most before it was synced.
type slowDisk struct {
	waits, most int
	fails       error
}

func (d *slowDisk) Write(b []byte) (int, error) {
	d.waits += len(b)
	d.most = max(d.most, d.waits)
	return len(b), nil
}

func (d *slowDisk) Sync() error {
	d.waits = 0
	return d.fails
}

// TestALargeFileGoesToTheDiskWhileItGrows: nobody who syncs beside it waits for more than a piece of it.
func TestALargeFileGoesToTheDiskWhileItGrows(t *testing.T) {
	t.Parallel()
	const piece = 64 << 10
	disk := &slowDisk{}
	from := bytes.NewReader(make([]byte, 5*writtenAtOnce+1))
	if _, err := io.CopyBuffer(&paced{file: disk}, io.LimitReader(from, 1<<30), make([]byte, piece)); err != nil {
		t.Fatal(err)
	}
	if disk.most > writtenAtOnce+piece || disk.waits != 1 {
		t.Errorf("%d bytes waited at most, and %d wait", disk.most, disk.waits)
	}
	if with := besideOthers(t, make([]byte, 5*writtenAtOnce+1)); with > writtenBesideOthers+piece {
		t.Errorf("%d bytes waited at most, though another tenant is there", with)
	}
	disk.fails = errors.New("no disk")
	if _, err := (&paced{file: disk}).Write(make([]byte, writtenAtOnce)); !errors.Is(err, disk.fails) {
		t.Errorf("a disk that fails says %v", err)
	}
}

// besideOthers is how much of a file of one tenant waits at the most while another is there.
func besideOthers(t *testing.T, file []byte) int {
	t.Helper()
	tenants := fair.New(time.Now)
	work := fair.WorkOf(tenants.As(t.Context(), "many"))
	tenants.As(t.Context(), "one")
	disk := &slowDisk{}
	if _, err := io.CopyBuffer(&paced{file: disk, work: work}, io.LimitReader(bytes.NewReader(file), 1<<30), make([]byte, 64<<10)); err != nil {
		t.Fatal(err)
	}
	return disk.most
}
