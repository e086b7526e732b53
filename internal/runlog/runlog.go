// Package runlog owns what engines print: the bytes that runners send are gathered in
// memory and written once a second, those of many logs in one transaction; they are read as
// clients read logs, framed by a first and a last byte; and in the end each log is poured
// into one sealed file.
//
// It never decides who may: a lease lets runners write, and a presigned URL lets people
// read. It never changes a byte that somebody may have read.
package runlog

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// What frames a log.
const (
	stx = 0x02 // its first byte
	etx = 0x03 // its last: nothing comes any more
)

const (
	// DefaultLimit is how many bytes of a log are kept, when nothing else is said.
	DefaultLimit = 64 << 20
	// DefaultShort is how many bytes of a log are not worth a file of their own.
	DefaultShort = 16 << 10

	flushEvery = time.Second
	// most is how many bytes of a log may wait to be written: what is more is not taken. From
	// half of it on they do not wait for the next second.
	most = 2 << 20
	// chunkSize is how many bytes one row holds at the most: readers open whole rows.
	chunkSize = 256 << 10
	// staleAfter is when bytes that could not be written are given up: the lease of whoever
	// sent them may have ended since, and the next one goes on from what was written.
	staleAfter = run.Lease

	// lookEvery is how often logs are looked for that ended elsewhere, and are not poured.
	lookEvery = time.Minute

	watchedFor  = 10 * time.Second
	oftenMillis = 300
	idleMillis  = 1500 // whoever begins to look waits no longer than that
)

// Room is the logs.
type Room struct {
	Config
	mu      sync.Mutex
	waiting map[string]*buffer   // what is not written yet, by log
	watched map[string]time.Time // until when a log is looked at here
	told    map[string]time.Time // what of that is known to the database
	ended   bool                 // a log ended here, and may be to be poured
	looked  time.Time            // when it was last looked for such
	flush   sync.Mutex           // one at a time, so that what was gathered is written in order
	hurry   chan struct{}        // holds one when much waits to be written
	files   parked
}

// Config is what it is built on.
type Config struct {
	DB      *store.DB
	Objects *object.Room
	Ring    *seal.Ring
	Log     *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // the clock; time.Now when nil
	Limit   int64            // bytes of one log; 0: DefaultLimit
	Short   int64            // a log of no more bytes stays in rows; 0: DefaultShort; less: none does
}

// New makes it.
func New(c Config) *Room {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Limit == 0 {
		c.Limit = DefaultLimit
	}
	if c.Short == 0 {
		c.Short = DefaultShort
	}
	return &Room{Config: c, waiting: map[string]*buffer{}, watched: map[string]time.Time{}, told: map[string]time.Time{}, hurry: make(chan struct{}, 1)}
}

// buffer is what came of a log and is not written yet. It stays for a while when it is
// empty, and then knows how far the log is.
type buffer struct {
	at      int64 // where it begins
	data    []byte
	writing int       // how many of its bytes are being written now
	since   time.Time // when its first byte came, or when it became empty
	first   time.Time // the first time that was noted here, and the last one
	noted   time.Time
}

func (b *buffer) end() int64 { return b.at + int64(len(b.data)) }

// of says whether the buffer goes on where a log is that has come to a size, which may have
// been read a moment ago.
func (b *buffer) of(size int64) bool { return b.at >= size || b.at+int64(b.writing) == size }

// Begin opens the log of a phase that a runner has begun.
func (r *Room) Begin(tx *store.Tx, of *run.Run, phaseID string) error {
	return tx.OpenLog(of.ID, phaseID)
}

// Size is how much of a log has come, and outlives a crash.
func (r *Room) Size(v *store.View, phaseID string) (int64, error) {
	l, err := v.RunLog(phaseID)
	if belay.KindOf(err) == belay.NotFound {
		return 0, nil
	}
	return l.Size, err
}

// preamble stands where a runner would have written what clients leave out: a log that only
// the server speaks in has it too.
const preamble = "Belay\non the server\nNothing was executed\n"

// End closes a log: nothing comes any more. rest is its last bytes, if some are yet to be written, and
// line is what the server has to say last. A log that never began is there from then on.
func (r *Room) End(tx *store.Tx, of *run.Run, phaseID string, rest *run.LogRest, line string) error {
	if rest != nil {
		if done, err := r.endWith(tx, of, phaseID, rest, line); err != nil || done {
			return err
		}
	}
	if line == "" {
		if ended, err := r.close(tx, of, phaseID); err != nil || ended {
			return err
		}
	}
	l, err := tx.RunLog(phaseID)
	if belay.KindOf(err) == belay.NotFound {
		l = run.Log{ID: phaseID, State: run.LogOpen}
		err = tx.OpenLog(of.ID, phaseID)
	}
	if err != nil || l.State != run.LogOpen {
		return err
	}
	if line != "" {
		text := line + "\n"
		if l.Size == 0 {
			text = preamble + text
		}
		if err := tx.AddLogChunk(l.ID, r.sealed(l.ID, l.Size, clean([]byte(text)))); err != nil {
			return err
		}
		if err := tx.LengthenLog(l.ID, l.Size+int64(len(text))); err != nil {
			return err
		}
	}
	_, err = r.close(tx, of, phaseID)
	return err
}

// endWith ends a log with its last bytes. One that is short, and came with the end from its first byte
// on, is sealed in the row of its file; else they are written behind the others, and done is false.
func (r *Room) endWith(tx *store.Tx, of *run.Run, phaseID string, rest *run.LogRest, line string) (done bool, err error) {
	if text := spoken(rest, line); rest.From == 0 && int64(len(text)) <= r.Short && of.Phase(phaseID).Backing != run.BackingGone {
		switch ended, err := tx.EndWholeLog(phaseID, int64(len(rest.Data)), int64(len(text)), r.Now()); {
		case err != nil:
			return false, err
		case !ended:
			return false, errElsewhere
		}
		f := &store.RunFile{RunID: of.ID, Kind: fileOf(of, phaseID), Size: int64(len(text)) + run.LogFrame}
		f.Sealed = r.Ring.Seal(text, f.SealContext())
		return true, tx.SaveRunFile(f)
	}
	l, err := tx.RunLog(phaseID)
	if err != nil {
		return false, err
	}
	if l.State != run.LogOpen || l.Size < rest.From || l.Size > rest.End() {
		return false, errElsewhere
	}
	p := &piece{at: l.Size, data: clean(rest.Data[l.Size-rest.From:]), came: r.Now()}
	if len(p.data) == 0 {
		return false, nil
	}
	p.chunks = r.sealedChunks(phaseID, p)
	if err := r.write(tx, phaseID, p); err != nil {
		return false, err
	}
	if p.lost {
		return false, errElsewhere
	}
	return false, nil
}

// errElsewhere is the answer to the rest of a log that does not go on where the log is.
var errElsewhere = belay.Refuse(belay.Conflict, "the log is at another place: send its rest by itself")

// spoken is a whole log, with what the server has to say last.
func spoken(rest *run.LogRest, line string) []byte {
	text := clean(rest.Data)
	if line == "" {
		return text
	}
	if len(text) == 0 {
		line = preamble + line
	}
	return append(text, line+"\n"...)
}

// close ends a log that is open. A short one is where it stays, and is found like a file.
func (r *Room) close(tx *store.Tx, of *run.Run, phaseID string) (ended bool, err error) {
	short := r.Short
	if of.Phase(phaseID).Backing == run.BackingGone { // nobody is to read it any more
		short = -1
	}
	l, ended, err := tx.EndOpenLog(phaseID, short)
	switch {
	case err != nil || !ended:
		return ended, err
	case l.State == run.LogEnded:
		r.noteEnded()
		return true, nil
	default:
		return true, tx.SaveRunFile(&store.RunFile{RunID: of.ID, Kind: fileOf(of, phaseID), Size: l.SealedSize})
	}
}

// clean replaces what frames logs by as many other bytes.
func clean(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte{stx}, []byte{'?'})
	return bytes.ReplaceAll(data, []byte{etx}, []byte{'?'})
}

func sealContext(id string, at int64) string { return "log " + id + " " + formatInt(at) }

func (r *Room) sealed(id string, at int64, data []byte) store.LogChunk {
	return store.LogChunk{At: at, Data: []byte(r.Ring.Seal(data, sealContext(id, at)))}
}

// Append takes bytes of a log, as it was read a moment ago, from a place on. taken is false when
// that is not where the log ends: the answer says where it does. With no bytes it only answers.
func (r *Room) Append(l *run.Log, from int64, data []byte) (answer run.LogAnswer, taken bool, err error) {
	switch l.State {
	case run.LogOpen:
	case "":
		return answer, false, belay.ErrNotFound
	default:
		return answer, false, belay.Refuse(belay.Conflict, "the log has ended")
	}
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.waiting[l.ID]
	if b == nil || !b.of(l.Size) { // another replica wrote meanwhile: what is here is not the log's
		b = &buffer{at: l.Size, since: now}
		r.waiting[l.ID] = b
	}
	answer = run.LogAnswer{Have: b.end(), Safe: max(l.Size, b.at), IntervalMillis: idleMillis}
	if r.watched[l.ID].After(now) || l.Watched.After(now) {
		answer.IntervalMillis = oftenMillis
	}
	if from != b.end() {
		return answer, len(data) == 0, nil
	}
	data = data[:min(len(data), max(0, most-len(b.data)))] // the rest is sent again, from Have on
	if len(data) > 0 && len(b.data) == 0 {
		b.since = now
	}
	b.data = append(b.data, clean(data)...)
	if len(b.data) > most/2 {
		select {
		case r.hurry <- struct{}{}:
		default:
		}
	}
	answer.Have = b.end()
	return answer, true, nil
}

func (r *Room) row(ctx context.Context, id string) (l run.Log, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		l, err = v.RunLog(id)
		return err
	})
	return l, err
}
