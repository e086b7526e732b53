// Package runfile owns the files of runs that outlive their jobs: the plan, what is told
// of it, and what else runners bring. Each is written whole and sealed before its row says
// that it is there.
//
// It never decides who may, but for presigned URLs, which say so themselves.
package runfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

const (
	// MaxSize is the most bytes of one file.
	MaxSize = 1 << 30
	// DefaultShort is how many bytes of a file are not worth an object of their own.
	DefaultShort = 16 << 10
)

// RedactedFile is the kind of file that the server makes of a plan that a runner brought.
const RedactedFile run.FileKind = "plan-redacted"

// Room is where the files are.
type Room struct{ Config }

// Config is what it is built on.
type Config struct {
	DB      *store.DB
	Objects *object.Room
	// Secrets is what a run was given and nobody may read in its plan; nil: nothing.
	Secrets func(context.Context, *run.Run) ([]string, error)
	Log     *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // the clock; time.Now when nil
	Short   int64            // a file of no more bytes is kept in its row; 0: DefaultShort; less: none is
	Edition site.Edition     // says whether retention policies are carried out
}

// New makes it.
func New(c Config) *Room {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Short == 0 {
		c.Short = DefaultShort
	}
	return &Room{c}
}

// Of is the files of a run that its runners brought.
func (r *Room) Of(v *store.View, of *run.Run) ([]run.JobFile, error) {
	rows, err := v.RunFiles(of.ID)
	return r.Among(of, rows), err
}

// Among is those of a run's files that its runners brought.
func (r *Room) Among(_ *run.Run, rows []store.RunFile) (list []run.JobFile) {
	for _, f := range rows {
		switch f.Kind {
		case RedactedFile, run.PlanLogFile, run.ApplyLogFile:
		default:
			list = append(list, run.JobFile{Kind: f.Kind, Size: f.Size, SHA256: f.SHA256})
		}
	}
	return list
}

// Put takes a file of a run. fresh is false when the very same bytes were there. The row
// comes last: an object without one is swept.
func (r *Room) Put(ctx context.Context, of *run.Run, kind run.FileKind, sha256 string, from io.Reader) (answer run.FileAnswer, fresh bool, err error) {
	f, err := r.take(ctx, of, kind, from)
	if err != nil {
		return answer, false, err
	}
	answer = run.FileAnswer{Size: f.Size, SHA256: f.SHA256}
	if sha256 != "" && sha256 != f.SHA256 {
		r.Objects.Forget(ctx, f.Key)
		return answer, false, belay.Refuse(belay.Invalid, "the bytes are not those that %s announces", run.SHA256Header)
	}
	if kind == run.RescuedFile && r.overtaken(ctx, &f) {
		r.Objects.Forget(ctx, f.Key)
		return answer, false, nil
	}
	gone, fresh, err := r.name(ctx, &f)
	if err != nil {
		r.Objects.ForgetAfter(ctx, err, f.Key)
		return answer, false, err
	}
	r.Objects.Forget(ctx, gone)
	return answer, fresh, nil
}

// take reads a file to its end, and keeps it: few bytes sealed for its row, more as an object.
func (r *Room) take(ctx context.Context, of *run.Run, kind run.FileKind, from io.Reader) (f store.RunFile, err error) {
	f = store.RunFile{RunID: of.ID, Kind: kind}
	sent := object.From(&limited{from, MaxSize})
	head, err := io.ReadAll(io.LimitReader(sent, r.Short+1))
	switch {
	case err != nil:
		return f, sent.Refusal()
	case int64(len(head)) <= r.Short:
		f.Size, f.SHA256 = int64(len(head)), sent.SHA256()
		f.Sealed = r.Objects.Seal(head, f.SealContext())
		return f, nil
	}
	file, err := r.Objects.PutRest(ctx, object.NewKey(object.RunFile, of.ID, string(kind)), head, sent)
	f.Key, f.Size, f.SHA256 = file.Key, file.Size, file.SHA256
	return f, err
}

// Keep keeps short files that came with the end of a job, in their rows. An object that one of them
// takes the place of has no row from then on, and is swept.
func (r *Room) Keep(tx *store.Tx, of *run.Run, files []run.ShortFile) error {
	for i := range files {
		f := &files[i]
		sum := sha256.Sum256(f.Data)
		kept := store.RunFile{RunID: of.ID, Kind: f.Kind, Size: int64(len(f.Data)), SHA256: hex.EncodeToString(sum[:])}
		if kept.SHA256 != f.SHA256 {
			return belay.Refuse(belay.Invalid, "the bytes of the %s are not those that its checksum is of", f.Kind)
		}
		kept.Sealed = r.Objects.Seal(f.Data, kept.SealContext())
		if err := tx.SaveRunFile(&kept); err != nil {
			return err
		}
	}
	return nil
}

// name writes the row of a file, and says which object nobody needs any more: that of the file
// before it, or its own when the very same was there.
func (r *Room) name(ctx context.Context, f *store.RunFile) (gone string, fresh bool, err error) {
	err = r.DB.Update(ctx, func(tx *store.Tx) error {
		gone, fresh = "", true
		if first, err := tx.AddRunFile(f); err != nil || first {
			return err
		}
		if _, err := tx.Run(f.RunID); err != nil { // held: two at once take turns
			return err
		}
		before, err := tx.RunFile(f.RunID, f.Kind)
		switch {
		case errors.Is(err, belay.ErrNotFound):
		case err != nil:
			return err
		case before.SHA256 == f.SHA256:
			gone, fresh = f.Key, false
			return nil
		}
		gone = before.Key
		return tx.SaveRunFile(f)
	})
	return gone, fresh, err
}

// Open opens a file of a run; belay.ErrNotFound when it is not there.
func (r *Room) Open(ctx context.Context, of *run.Run, kind run.FileKind) (io.ReadCloser, run.JobFile, error) {
	var f store.RunFile
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		f, err = v.RunFile(of.ID, kind)
		return err
	})
	if err != nil {
		return nil, run.JobFile{}, err
	}
	rc, err := r.Objects.OpenKept(ctx, object.Kept{Key: f.Key, Sealed: f.Sealed, Context: f.SealContext(), SHA256: f.SHA256, Size: f.Size})
	return rc, run.JobFile{Kind: kind, Size: f.Size, SHA256: f.SHA256}, err
}

// limited reads no more than a number of bytes, and then refuses.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, belay.Refuse(belay.TooLarge, "a file of a run has at most %d bytes", MaxSize)
	}
	return n, err
}
