package runlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// What a reader asks for.
const (
	DefaultPiece = 64 << 10
	MaxPiece     = 1 << 20
)

// ReadURL signs the permission to read a log.
func (r *Room) ReadURL(phaseID string) object.Presigned {
	return r.Objects.Presign(false, object.Log, phaseID, object.LongLife)
}

// Read is the bytes of a log from a place on, framed, as far as they have come. With a wait
// it comes back as soon as there are any, or the log has ended, or the wait is over.
func (r *Room) Read(ctx context.Context, p object.Presigned, offset, limit int64, wait time.Duration) ([]byte, error) {
	p.Upload = false // whatever its bearer says of it
	if err := r.Objects.Check(ctx, p); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = DefaultPiece
	}
	limit = min(limit, MaxPiece)
	told, stop := r.DB.Watch(store.LogWake(p.ID))
	defer stop()
	deadline := time.After(max(wait, 0))
	for {
		data, ended, err := r.Piece(ctx, p.ID, offset, limit)
		if err != nil || len(data) > 0 || ended || wait <= 0 {
			return data, err
		}
		select {
		case <-told:
		case <-time.After(flushEvery): // a word from another replica may be lost
		case <-deadline:
			return data, nil
		case <-ctx.Done():
			return data, nil
		}
	}
}

// errMoved says that what was to be read is in another place since.
var errMoved = errors.New("the bytes of the log are in another place now")

// Together reads what a page of a run asks for one by one, for the page's sitting: its logs, when their lines came, and
// the files that it shows. It gives what the plan began with.
func (r *Room) Together(ctx context.Context, of *run.Run, projectID string) (began store.RunInput, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		began, err = v.SeatRun(of, projectID, run.PlanLogFile, run.ApplyLogFile, runfile.RedactedFile)
		return err
	})
	return began, err
}

// Piece is the bytes of a log from a place on. ended says that nothing comes after them.
func (r *Room) Piece(ctx context.Context, phaseID string, offset, limit int64) (data []byte, ended bool, err error) {
	for range 3 {
		data, ended, err = r.piece(ctx, phaseID, offset, limit)
		if !errors.Is(err, errMoved) {
			break
		}
		store.Rise(ctx)
	}
	return data, ended, err
}

func (r *Room) piece(ctx context.Context, phaseID string, offset, limit int64) (data []byte, ended bool, err error) {
	l, err := r.row(ctx, phaseID)
	if err == nil && l.State == run.LogOpen {
		r.watch(l.ID)
	} else {
		if err != nil && belay.KindOf(err) != belay.NotFound {
			return nil, false, err
		}
		var of run.Run
		if of, err = r.of(ctx, phaseID); err != nil { // it went with its run
			return nil, false, err
		}
		switch backing := of.Phase(phaseID).Backing; {
		case backing == run.BackingAside:
			return said(putAside, offset, limit), true, nil
		case backing == run.BackingGone:
			return said(deleted, offset, limit), true, nil
		case l.ID == "": // it has not begun
			return nil, false, nil
		case l.State == run.LogSealed:
			return r.sealedPiece(ctx, &of, l, offset, limit)
		}
	}
	return r.laidOut(ctx, l, offset, limit)
}

// laidOut is bytes of a log that is in its chunks.
func (r *Room) laidOut(ctx context.Context, l run.Log, offset, limit int64) (data []byte, ended bool, err error) {
	t, err := r.layout(ctx, l)
	if err != nil {
		return nil, false, err
	}
	data, err = r.slice(ctx, t, offset, offset+limit)
	return data, t.ended && offset+int64(len(data)) >= t.size(), err
}

// Times is when which byte of a log came, counted as Piece does. Of what follows a middle that was
// left out nothing is known: its time is zero.
func (r *Room) Times(ctx context.Context, phaseID string) (list []run.LogTime, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		l, err := v.RunLog(phaseID)
		if err != nil {
			return err
		}
		times, err := v.LogTimes(phaseID)
		for _, t := range times {
			if l.TruncatedAt > 0 && t.At >= l.TruncatedAt {
				list = append(list, run.LogTime{At: l.TruncatedAt + 1})
				break
			}
			t.At++ // a byte frames the log
			list = append(list, t)
		}
		return err
	})
	if belay.KindOf(err) == belay.NotFound {
		return nil, nil
	}
	return list, err
}

// watch notes that somebody looks at a log: then its runner sends more often.
func (r *Room) watch(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watched[id] = r.Now().Add(watchedFor)
}

// text is how a log is laid out: its first byte, its beginning, what is said where the
// middle was dropped, its last bytes, and its last byte once it has ended.
type text struct {
	id     string
	head   int64 // bytes of the beginning
	notice string
	tail   int64 // where the last bytes begin among those that came
	came   int64
	ended  bool
}

// layout is how a log is laid out now. While it is open and longer than half the limit no
// more is shown: which bytes are dropped is known only in the end.
func (r *Room) layout(ctx context.Context, l run.Log) (text, error) {
	t := text{id: l.ID, head: l.Size, tail: l.Size, came: l.Size, ended: l.State != run.LogOpen}
	half := r.Limit / 2
	switch {
	case l.TruncatedAt > 0:
		t.head = l.TruncatedAt
	case !t.ended && l.Size > half:
		t.head = half
	}
	if !t.ended {
		t.tail, t.came = t.head, t.head
		return t, nil
	}
	if l.TruncatedAt == 0 {
		return t, nil
	}
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		t.tail, err = v.FirstLogChunk(l.ID, l.TruncatedAt)
		return err
	})
	t.notice = fmt.Sprintf("\nbelay: the log is larger than %d bytes: %d bytes were left out here\n", r.Limit, t.tail-t.head)
	return t, err
}

// size is how many bytes the text has, framed.
func (t text) size() int64 {
	n := 1 + t.head + int64(len(t.notice)) + t.came - t.tail
	if t.ended {
		n++
	}
	return n
}

// slice is the bytes of a text from one place to another.
func (r *Room) slice(ctx context.Context, t text, from, to int64) ([]byte, error) {
	if from < 0 || from >= min(to, t.size()) {
		return nil, nil
	}
	var out []byte
	at := int64(0)
	add := func(length int64, part func(from, to int64) ([]byte, error)) error {
		begin, end := max(from, at), min(to, at+length)
		start := at
		at += length
		if begin >= end {
			return nil
		}
		data, err := part(begin-start, end-start)
		out = append(out, data...)
		return err
	}
	words := func(what string) func(from, to int64) ([]byte, error) {
		return func(from, to int64) ([]byte, error) { return []byte(what[from:to]), nil }
	}
	chunks := func(base int64) func(from, to int64) ([]byte, error) {
		return func(from, to int64) ([]byte, error) { return r.raw(ctx, t.id, base+from, base+to) }
	}
	end := ""
	if t.ended {
		end = string(rune(etx))
	}
	return out, errors.Join(
		add(1, words(string(rune(stx)))), add(t.head, chunks(0)), add(int64(len(t.notice)), words(t.notice)),
		add(t.came-t.tail, chunks(t.tail)), add(int64(len(end)), words(end)),
	)
}

// raw is bytes of a log as they came.
func (r *Room) raw(ctx context.Context, id string, from, to int64) (out []byte, err error) {
	for from < to {
		var list []store.LogChunk
		err := r.DB.View(ctx, func(v *store.View) error {
			list, err = v.LogChunks(id, from, to, 16)
			return err
		})
		if err != nil {
			return nil, err
		}
		before := from
		for _, c := range list {
			data, err := r.Ring.Unseal(string(c.Data), sealContext(id, c.At))
			if err != nil {
				return nil, err
			}
			if skip := from - c.At; skip >= 0 && skip < int64(len(data)) {
				data = data[skip:min(int64(len(data)), to-c.At)]
				out, from = append(out, data...), from+int64(len(data))
			}
		}
		if from == before {
			return nil, fmt.Errorf("log %s at %d: %w", id, from, errMoved) // it was poured meanwhile
		}
	}
	return out, nil
}

// What is read of a log whose file is not there any more.
const (
	retained = string(rune(stx)) + "belay: the log was deleted by a retention policy\n" + string(rune(etx))
	putAside = string(rune(stx)) + "belay: the log was put aside by an owner, who can take it back\n" + string(rune(etx))
	deleted  = string(rune(stx)) + "belay: the log was deleted by an owner\n" + string(rune(etx))
)

// said is a piece of such a text.
func said(text string, offset, limit int64) []byte {
	size := int64(len(text))
	return []byte(text[min(offset, size):min(offset+limit, size)])
}

// of is the run that a log is of.
func (r *Room) of(ctx context.Context, phaseID string) (of run.Run, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		of, err = v.RunOfPhase(phaseID)
		return err
	})
	return of, err
}

// sealedPiece is bytes of a log that is in a file. Readers that go on where they were find
// their file open.
func (r *Room) sealedPiece(ctx context.Context, of *run.Run, l run.Log, offset, limit int64) (data []byte, ended bool, err error) {
	var f store.RunFile
	err = r.DB.View(ctx, func(v *store.View) error {
		f, err = v.RunFile(l.RunID, fileOf(of, l.ID))
		return err
	})
	if belay.KindOf(err) == belay.NotFound {
		return said(retained, offset, limit), true, nil
	}
	if err != nil || offset >= f.Size {
		return nil, true, err
	}
	switch {
	case f.Sealed != "": // it came whole, with the end of its job
		text, err := r.Ring.Unseal(f.Sealed, f.SealContext())
		if err != nil {
			return nil, false, err
		}
		return said(string(rune(stx))+string(text)+string(rune(etx)), offset, limit), offset+limit >= f.Size, nil
	case f.Key == "": // it is short
		return r.laidOut(ctx, l, offset, limit)
	}
	rc := r.files.take(f.Key, offset)
	if rc == nil {
		if rc, err = r.Objects.Open(context.WithoutCancel(ctx), f.Key, f.SHA256, f.Size); err != nil {
			return nil, false, err
		}
		if _, err = io.CopyN(io.Discard, rc, offset); err != nil {
			return nil, false, errors.Join(err, rc.Close())
		}
	}
	data = make([]byte, min(limit, f.Size-offset))
	if _, err = io.ReadFull(rc, data); err != nil {
		return nil, false, errors.Join(err, rc.Close())
	}
	end := offset + int64(len(data))
	if end == f.Size {
		return data, true, rc.Close()
	}
	r.files.park(f.Key, end, rc)
	return data, false, nil
}

// parked is files that are open at a place, for whoever reads on. It has room for a few.
type parked struct {
	mu   sync.Mutex
	list []parkedFile
}

type parkedFile struct {
	key string
	at  int64
	rc  io.ReadCloser
}

const parkedFiles = 32

func (p *parked) take(key string, at int64) io.ReadCloser {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range p.list {
		if f.key == key && f.at == at {
			p.list = append(p.list[:i], p.list[i+1:]...)
			return f.rc
		}
	}
	return nil
}

func (p *parked) park(key string, at int64, rc io.ReadCloser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, parkedFile{key, at, rc})
	if len(p.list) > parkedFiles {
		_ = p.list[0].rc.Close()
		p.list = p.list[1:]
	}
}

// URLs is the addresses that the logs of a run are read at.
func (r *Room) URLs(of *run.Run) (plan, apply object.Presigned) {
	return r.ReadURL(of.Plan.ID), r.ReadURL(of.Apply.ID)
}
