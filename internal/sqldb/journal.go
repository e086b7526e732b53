package sqldb

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"github.com/belayhq/belay/internal/fair"
)

// copiedAt is how many pages of the journal wait before they are copied into the file: SQLite's own measure.
const copiedAt = 1000

// copiedBesideOthers is how many wait while several tenants are there: who writes beside the copying waits for the same disk, so it is
// done seldom, and a page that changed often is copied once.
const copiedBesideOthers = 16 * copiedAt

// begunAnew is how many pages the journal has, 40 MB, when the writer copies what came while the others were copied, which is little, so
// that it begins anew: beside a writer who never rests whoever copies is never quite at the end.
const begunAnew = 10 * copiedAt

// copiedByWriter has a commit of the writer copy all of it where nobody else did.
const copiedByWriter = "wal_autocheckpoint = 40000"

const copyJournal = "PRAGMA wal_checkpoint(PASSIVE)"

// journal copies what the writer appended to the journal into the file, beside him. As a part of a commit that takes 5 to 20 ms,
// and whoever writes waits for it.
type journal struct {
	conn  *sqliteConn
	who   *fair.Tenants
	index *os.File
	more  chan struct{}
	done  chan struct{}
	ends  atomic.Bool // little of it is left to copy, and it is long
}

func openJournal(path string, who *fair.Tenants) (*journal, error) {
	conn, err := connectFile(path, sqlite.OpenReadWrite, "journal_mode = WAL", "synchronous = FULL", "cache_size = -64")
	if err != nil {
		return nil, err
	}
	index, err := os.Open(path + "-shm")
	if err != nil {
		return nil, errors.Join(err, conn.close())
	}
	j := &journal{conn: conn, who: who, index: index, more: make(chan struct{}, 1), done: make(chan struct{})}
	go j.run()
	return j, nil
}

// grew is called after a commit.
func (j *journal) grew() {
	select {
	case j.more <- struct{}{}:
	default:
	}
}

// end has the writer copy the little that is left of a long journal, so that it begins anew.
func (j *journal) end(writer *sqliteConn) {
	if j.ends.Swap(false) {
		_, _ = writer.exec(context.Background(), copyJournal, nil) // or another time
	}
}

func (j *journal) run() {
	defer close(j.done)
	for range j.more {
		if has, copied := j.pages(); has-copied >= j.copiedAt() {
			_, _ = j.conn.exec(context.Background(), copyJournal, nil) // or the writer does
			j.ends.Store(has >= begunAnew)
		}
	}
}

func (j *journal) copiedAt() int {
	if j.who.Several() {
		return copiedBesideOthers
	}
	return copiedAt
}

// pages is how many there are and how many of them were copied, by the journal's index: bytes 16 to 19 and 96 to 99
// (https://sqlite.org/walformat.html).
func (j *journal) pages() (has, copied int) {
	var head [100]byte
	if _, err := j.index.ReadAt(head[:], 0); err != nil {
		return 0, 0
	}
	return int(binary.NativeEndian.Uint32(head[16:])), int(binary.NativeEndian.Uint32(head[96:]))
}

// stop ends the copying, after the last commit.
func (j *journal) stop() error {
	close(j.more)
	<-j.done
	return j.conn.close()
}

// close is called when every connection is closed: with a file go the locks that its process has on it, SQLite's own, too.
func (j *journal) close() error { return j.index.Close() }
