package runlog

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }

// Run writes what comes, and pours what ended, until ctx ends; then it writes what is left.
func (r *Room) Run(ctx context.Context) {
	background.Run(ctx, background.Job{Every: flushEvery, Early: r.hurry, Do: func(ctx context.Context) {
		if err := r.Flush(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("logs not written", "error", err)
		}
		if err := r.Pour(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("logs not poured", "error", err)
		}
	}})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := r.Flush(ctx); err != nil {
		r.Log.Warn("logs not written at the end", "error", err)
	}
}

// piece is what is to be written of one log.
type piece struct {
	buffer *buffer
	at     int64
	data   []byte
	chunks []store.LogChunk // the data, sealed
	came   time.Time        // zero: it is not noted
	lost   bool             // the log ended, or has come further elsewhere
}

// flushAtOnce is how many logs one transaction writes: whoever else writes waits for no more of them.
const flushAtOnce = 12

// Flush writes what came of all logs, some of them in each transaction. One that fails leaves the others alone.
func (r *Room) Flush(ctx context.Context) error {
	r.flush.Lock()
	defer r.flush.Unlock()
	pieces, looked := r.gather()
	ids := slices.Sorted(maps.Keys(pieces)) // the same order everywhere: two replicas hold rows without blocking each other
	var all error
	for some := range slices.Chunk(ids, flushAtOnce) {
		for _, id := range some { // before anybody waits
			pieces[id].chunks = r.sealedChunks(id, pieces[id])
		}
		err := r.DB.Update(ctx, func(tx *store.Tx) error {
			for _, id := range some {
				if err := r.write(tx, id, pieces[id]); err != nil {
					return err
				}
			}
			return nil
		})
		r.mu.Lock()
		for _, id := range some {
			r.written(id, pieces[id], err)
		}
		r.mu.Unlock()
		all = errors.Join(all, err)
	}
	return errors.Join(all, r.tellLooked(ctx, looked))
}

// tellLooked lets everybody know which logs somebody looks at here.
func (r *Room) tellLooked(ctx context.Context, looked []string) error {
	if len(looked) == 0 {
		return nil
	}
	until := r.Now().Add(watchedFor)
	err := r.DB.Update(ctx, func(tx *store.Tx) error { return tx.WatchLogs(looked, until) })
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range looked {
		r.told[id] = until
	}
	return nil
}

// written moves a buffer on after its bytes were written, or were not.
func (r *Room) written(id string, p *piece, err error) {
	b := p.buffer
	if b.writing = 0; r.waiting[id] != b || err != nil {
		return // what could not be written is tried again, with what came meanwhile
	}
	if p.lost {
		delete(r.waiting, id)
		return
	}
	b.at, b.data, b.since = b.at+int64(len(p.data)), append([]byte(nil), b.data[len(p.data):]...), r.Now()
	if !p.came.IsZero() {
		b.noted = p.came
		if b.first.IsZero() {
			b.first = p.came
		}
	}
}

// notes is when the bytes came that wait, if that is to be noted: seldom in a log that goes on for
// long, whose times would take more room than they are worth.
func (b *buffer) notes() time.Time {
	if !b.noted.IsZero() && b.since.Sub(b.noted) < max(time.Second, b.noted.Sub(b.first)/300) {
		return time.Time{}
	}
	return b.since
}

// gather takes what is to be written, and which logs somebody looks at that nobody else
// knows of.
func (r *Room) gather() (pieces map[string]*piece, looked []string) {
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	pieces = map[string]*piece{}
	for id, b := range r.waiting {
		switch {
		case now.Sub(b.since) > staleAfter:
			delete(r.waiting, id)
		case len(b.data) > 0:
			b.writing = len(b.data)
			pieces[id] = &piece{buffer: b, at: b.at, data: b.data, came: b.notes()}
		}
	}
	for id, until := range r.watched {
		switch {
		case until.Before(now):
			delete(r.watched, id)
			delete(r.told, id)
		case r.told[id].Before(now.Add(watchedFor / 2)):
			looked = append(looked, id)
		}
	}
	slices.Sort(looked)
	return pieces, looked
}

// write adds bytes to a log, unless it has ended or come further elsewhere.
func (r *Room) write(tx *store.Tx, id string, p *piece) error {
	taken, err := tx.ExtendLog(id, p.at, int64(len(p.data)), p.came)
	if p.lost = !taken; err != nil || p.lost {
		return err
	}
	for _, c := range p.chunks {
		if err := tx.AddLogChunk(id, c); err != nil {
			return err
		}
	}
	if size := p.at + int64(len(p.data)); size > r.Limit {
		return tx.DropLogMiddle(id, r.Limit/2, size-r.Limit/2)
	}
	return nil
}

// sealedChunks is the bytes of a piece as rows hold them.
func (r *Room) sealedChunks(id string, p *piece) (list []store.LogChunk) {
	at := p.at
	for part := range slices.Chunk(p.data, chunkSize) {
		list = append(list, r.sealed(id, at, part))
		at += int64(len(part))
	}
	return list
}

// Pour makes one sealed file of each log that ended, and forgets its chunks in the
// transaction that names the file. Twice is harmless, and on two replicas too.
func (r *Room) Pour(ctx context.Context) error {
	if !r.mayPour() {
		return nil
	}
	var list []run.Log
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		list, err = v.EndedLogs(50)
		return err
	})
	for _, l := range list {
		err = errors.Join(err, r.pour(ctx, l))
	}
	if err != nil || len(list) > 0 { // there may be more
		r.noteEnded()
	}
	return err
}

// mayPour says whether a log may have ended that is to be poured: one ended here, or it is time
// to look for what others have left.
func (r *Room) mayPour() bool {
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended && now.Sub(r.looked).Abs() < lookEvery {
		return false
	}
	r.ended, r.looked = false, now
	return true
}

func (r *Room) noteEnded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

func (r *Room) pour(ctx context.Context, l run.Log) error {
	t, err := r.layout(ctx, l)
	if err != nil {
		return err
	}
	from := object.From(&reading{room: r, ctx: ctx, text: t})
	file, err := r.Objects.Put(ctx, object.NewKey(object.Log, l.RunID, l.ID), from)
	if errors.Is(err, errMoved) { // another was faster
		return nil
	}
	if err != nil {
		return err
	}
	gone := ""
	err = r.DB.Update(ctx, func(tx *store.Tx) error {
		gone = file.Key
		of, now, err := tx.RunWithLog(l.ID)
		if err != nil || now.State != run.LogEnded { // another was faster
			return err
		}
		if of.Phase(l.ID).Backing == run.BackingGone { // nobody is to read it any more
			return tx.SealLog(l.ID, 0)
		}
		gone = ""
		if err := tx.SaveRunFile(&store.RunFile{RunID: l.RunID, Kind: fileOf(&of, l.ID), Key: file.Key, Size: file.Size, SHA256: file.SHA256}); err != nil {
			return err
		}
		return tx.SealLog(l.ID, file.Size)
	})
	if err != nil {
		r.Objects.ForgetAfter(ctx, err, file.Key)
		return err
	}
	r.Objects.Forget(ctx, gone)
	return nil
}

// fileOf is what the file of a log is called.
func fileOf(of *run.Run, phaseID string) run.FileKind {
	if of.Apply.ID == phaseID {
		return run.ApplyLogFile
	}
	return run.PlanLogFile
}

// reading reads a whole text, in large pieces.
type reading struct {
	room *Room
	ctx  context.Context //nolint:containedctx // lives as long as one pouring
	text text
	at   int64
	left []byte
}

func (r *reading) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		var err error
		if r.left, err = r.room.slice(r.ctx, r.text, r.at, r.at+MaxPiece); err != nil {
			return 0, err
		}
		if r.at += int64(len(r.left)); len(r.left) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
