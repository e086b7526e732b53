package runnerwire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// holding is the job of the path, for whoever has its lease.
func (d *Door) holding(c *call) (runs.Held, error) {
	h, err := d.Runs.Holding(c.Context(), c.token)
	if err == nil && h.Job.ID != c.PathValue("id") {
		err = belay.ErrNotFound
	}
	return h, err
}

// late is what is taken after the lease.
var late = map[run.FileKind]bool{run.StateFile: true, run.RescuedFile: true}

func (d *Door) putFile(c *call) error {
	h, err := d.holding(c)
	if err != nil {
		return err
	}
	kind := run.FileKind(c.PathValue("kind"))
	switch {
	case !h.Job.Kind.Brings(kind):
		return belay.Refuse(belay.Invalid, "a job of the kind %s brings no %s", h.Job.Kind, kind)
	case h.Late && !late[kind]:
		return runs.ErrLeaseLost()
	}
	answer, fresh, err := d.take(c, h, kind)
	switch {
	case err != nil:
		return err
	case fresh:
		return c.answer(http.StatusCreated, answer)
	default:
		return c.answer(http.StatusOK, answer)
	}
}

// take keeps a file. A state becomes the workspace's next one while its run has the lock;
// after that it is kept beside, for somebody to look at.
func (d *Door) take(c *call, h runs.Held, kind run.FileKind) (answer run.FileAnswer, fresh bool, err error) {
	sum := c.Header.Get(run.SHA256Header)
	if kind != run.StateFile {
		return d.Files.Put(c.Context(), &h.Run, kind, sum, c.Body)
	}
	if !h.Locks {
		answer, fresh, err = d.Files.Put(c.Context(), &h.Run, run.RescuedFile, sum, c.Body)
		answer.Kept = "rescued"
		return answer, fresh, err
	}
	proved := newProving(c)
	answer.StateVersionID, err = d.States.BringState(c.Context(), h.Subject(), proved)
	answer.Size, answer.SHA256, answer.Kept = proved.size, hex.EncodeToString(proved.sum.Sum(nil)), "intermediate"
	return answer, true, err
}

// proving reads bytes, and fails at their end unless they are those that were announced.
type proving struct {
	from io.Reader
	want string // empty: nothing was announced
	sum  hash.Hash
	size int64
}

func newProving(c *call) *proving {
	return &proving{from: c.Body, want: c.Header.Get(run.SHA256Header), sum: sha256.New()}
}

func (p *proving) Read(into []byte) (int, error) {
	n, err := p.from.Read(into)
	p.sum.Write(into[:n])
	p.size += int64(n)
	if errors.Is(err, io.EOF) && p.want != "" && hex.EncodeToString(p.sum.Sum(nil)) != p.want {
		return n, belay.Refuse(belay.Invalid, "the bytes are not those that %s announces", run.SHA256Header)
	}
	return n, err
}

// open opens what a job needs.
func (d *Door) open(c *call, h runs.Held, kind run.FileKind) (rc io.ReadCloser, size int64, sum string, err error) {
	switch kind {
	case run.ConfigurationFile:
		found, rc, err := d.Configurations.Open(c.Context(), h.Run.ConfigurationVersionID)
		return rc, found.Size, found.SHA256, err
	case run.StateFile:
		rc, found, err := d.States.OpenState(c.Context(), h.Run.InputStateVersionID)
		return rc, found.Size, "", err
	default:
		rc, found, err := d.Files.Open(c.Context(), &h.Run, kind)
		return rc, found.Size, found.SHA256, err
	}
}

func (d *Door) getFile(c *call) error {
	h, err := d.holding(c)
	if err != nil {
		return err
	}
	if h.Late {
		return runs.ErrLeaseLost()
	}
	rc, size, sum, err := d.open(c, h, run.FileKind(c.PathValue("kind")))
	if err != nil {
		return err
	}
	defer func() { _ = rc.Close() }()
	head := c.w.Header()
	head.Set("Content-Type", "application/octet-stream")
	if sum != "" {
		head.Set(run.SHA256Header, sum)
	}
	if size >= 0 {
		head.Set("Content-Length", strconv.FormatInt(size, 10))
	}
	c.status = http.StatusOK
	c.w.WriteHeader(c.status)
	_, err = io.Copy(c.w, rc)
	if errors.Is(c.Context().Err(), context.Canceled) {
		return nil // the runner went away
	}
	return err
}

func (d *Door) patchLog(c *call) error {
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.Body, maxLogPiece)) // first: what is known of the log is to be new
	large := err != nil
	log, err := d.Runs.Writing(c.Context(), c.token)
	if err != nil {
		return err
	}
	if log.Log.ID != c.PathValue("id") {
		return belay.ErrNotFound
	}
	if log.Late {
		return runs.ErrLeaseLost()
	}
	var from, to int64
	if n, err := fmt.Sscanf(c.Header.Get("Content-Range"), "bytes %d-%d/*", &from, &to); err != nil || n != 2 || from < 0 || to < from {
		return belay.Refuse(belay.Invalid, "Content-Range must be bytes FROM-TO/*")
	}
	if large {
		return belay.Refuse(belay.TooLarge, "at most %d bytes of a log can be sent at once", maxLogPiece)
	}
	if int64(len(data)) != to-from+1 {
		return belay.Refuse(belay.Invalid, "the body has %d bytes, Content-Range says %d", len(data), to-from+1)
	}
	answer, taken, err := d.Logs.Append(&log.Log, from, data)
	if err != nil {
		return err
	}
	answer.Order = log.Job.Cancel
	if !taken {
		return c.answer(http.StatusRequestedRangeNotSatisfiable, answer)
	}
	return c.answer(http.StatusAccepted, answer)
}
