package blob

import "io"

// writtenAtOnce is how many bytes of a file may wait for the disk. Whoever else syncs, such as a database on the same
// disk, waits for all that was written before: of a large file that is as long as no request may take. What is a
// megabyte goes there once, with its seals.
const writtenAtOnce = 5 << 18

type syncing interface {
	io.Writer
	Sync() error
}

// paced writes a file that goes to the disk while it grows.
type paced struct {
	file  syncing
	waits int // bytes that were not synced
}

func (p *paced) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if p.waits += n; err == nil && p.waits >= writtenAtOnce {
		p.waits, err = 0, p.file.Sync()
	}
	return n, err
}
