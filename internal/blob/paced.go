package blob

import (
	"io"
	"time"

	"github.com/belayhq/belay/internal/fair"
)

// writtenAtOnce is how many bytes of a file may wait for the disk. Whoever else syncs, such as a database on the same
// disk, waits for all that was written before: of a large file that is as long as no request may take. What is a
// megabyte goes there once, with its seals.
const writtenAtOnce = 5 << 18

// writtenBesideOthers is how many may while another tenant is there, who is to wait for little more than its own sync takes.
const writtenBesideOthers = 1 << 18

type syncing interface {
	io.Writer
	Sync() error
}

// paced writes a file that goes to the disk while it grows.
type paced struct {
	file  syncing
	work  *fair.Work
	waits int // bytes that were not synced
}

func (p *paced) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if p.waits += n; err == nil && (p.waits >= writtenAtOnce || p.waits >= writtenBesideOthers && p.work.Others()) {
		err = p.Sync()
	}
	return n, err
}

func (p *paced) Sync() error {
	began := time.Now()
	defer func() { p.work.Synced(time.Since(began)) }()
	p.waits = 0
	return p.file.Sync()
}
