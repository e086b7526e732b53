package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/belayhq/belay/run"
)

const (
	defaultLogLimit = 64 << 20
	logPiece        = 512 << 10 // sent at once
	logAhead        = 8 << 20   // read before what was sent is safe
	logEvery        = time.Second
	logFirst        = 300 * time.Millisecond // until its first piece is sent
)

// logSender sends a log by ranges while it grows. The file is the truth: what the server
// has is a beginning of it, redacted, and is told by the server alone.
type logSender struct {
	wire  *wire
	id    string
	lease string
	path  string
	base  int64 // where in the whole log this file begins
	limit int64
	holds int64 // of its rest at the most, which comes with the end of the job; 0: all is sent
	make  func() *redactor
	order func(run.Order)
	ours  func(context.Context) bool // whether the lease still holds
	ended chan struct{}              // closed when nothing more will be written
	size  atomic.Int64               // of the whole log, as far as it is known
	safe  atomic.Int64               // of it, at the server

	red   *redactor
	file  *os.File
	read  int64  // bytes of the file that went through the redactor
	start int64  // place in the whole log of the first byte in out
	out   []byte // what is not safe yet
	cut   bool   // the middle was left out
	drop  int    // bytes that the redactor holds and that are not to be sent
	done  bool   // out holds all that there will be
}

// run sends until the log has ended and is safe at the server, or but for a short rest. It gives the
// size of the whole log, and that rest.
func (l *logSender) run(ctx context.Context) (int64, *run.LogRest, error) {
	defer l.close()
	if err := l.rewind(); err != nil {
		return 0, nil, err
	}
	if l.holds > 0 { // what is over so soon need not be sent before it
		_ = l.wait(ctx, logFirst, false)
	}
	s := sending{have: l.base, every: logEvery, pause: firstPause}
	for {
		ended := l.hasEnded()
		if err := l.fill(ended); err != nil {
			return 0, nil, err
		}
		end := l.start + int64(len(l.out))
		l.size.Store(end)
		switch {
		case l.done && s.have >= end && l.start >= end:
			return end, nil, nil
		case l.done && end-l.start <= l.holds:
			return end, &run.LogRest{From: l.start, Data: l.out}, nil
		}
		heard, err := l.exchange(ctx, &s)
		if err != nil {
			return 0, nil, err
		}
		if heard && s.have < l.start+int64(len(l.out)) {
			continue // there is more at once
		}
		if err := l.wait(ctx, s.next(heard, ended), ended); err != nil {
			return 0, nil, err
		}
	}
}

// sending is how far the server has the log, and when it is told more.
type sending struct {
	have         int64
	every, pause time.Duration // after what it heard, and after what it did not
}

// next is after how long the server is told more.
func (s *sending) next(heard, ended bool) time.Duration {
	switch {
	case !heard:
		wait := s.pause
		s.pause = min(2*s.pause, longPause)
		return wait
	case ended:
		return 100 * time.Millisecond // until it is safe
	default:
		return s.every
	}
}

// exchange sends the next piece, if there is one, and takes in what the server has of the log. heard is false when the
// server did not answer, or not for good; an error ends the log.
func (l *logSender) exchange(ctx context.Context, s *sending) (heard bool, err error) {
	end := l.start + int64(len(l.out))
	answer := run.LogAnswer{Have: s.have, Safe: s.have}
	if silent := s.have == end && l.start == end; !silent {
		answer, err = l.send(ctx, max(s.have, l.start))
	}
	switch {
	case err == nil && (answer.Have < l.start || answer.Have > end && l.done):
		s.have = answer.Have
		return true, l.rewind() // the server lost what it had said was safe
	case err == nil:
		s.have, s.pause = answer.Have, firstPause
		l.forget(answer.Safe)
		if answer.IntervalMillis > 0 {
			s.every = time.Duration(answer.IntervalMillis) * time.Millisecond
		}
		l.order(answer.Order)
		return true, nil
	case passing(err) || refused(err, http.StatusConflict) && l.ours(ctx):
		return false, nil
	default:
		return false, err
	}
}

// wait passes the time until more is sent. The end of the log ends it early, once.
func (l *logSender) wait(ctx context.Context, pause time.Duration, ended bool) error {
	ends := l.ended
	if ended {
		ends = nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-ends:
	case <-time.After(pause):
	}
	return nil
}

func (l *logSender) hasEnded() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// rewind begins again at the first byte.
func (l *logSender) rewind() error {
	l.close()
	l.red, l.read, l.start, l.out, l.cut, l.drop, l.done = l.make(), 0, l.base, nil, false, 0, false
	l.safe.Store(l.base)
	file, err := os.Open(l.path)
	l.file = file
	return err
}

func (l *logSender) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// fill reads on. What is more than the limit is left out in the middle, for an error is
// at the end: until the log has ended only the first half is sent.
func (l *logSender) fill(ended bool) error {
	if l.done {
		return nil
	}
	half := l.limit / 2
	for len(l.out) < logAhead {
		room := int64(logPiece)
		if !l.cut && !ended {
			room = min(room, half-l.read)
		}
		if room <= 0 {
			return nil
		}
		if ended && !l.cut && l.read >= half {
			if err := l.skip(half); err != nil {
				return err
			}
		}
		piece := make([]byte, room)
		n, err := l.file.ReadAt(piece, l.read)
		l.read += int64(n)
		l.take(l.red.feed(piece[:n]))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err == nil {
			continue
		}
		if ended {
			l.take(l.red.rest())
			l.done = true
		}
		return nil
	}
	return nil
}

// take adds to what is sent, but for what was read only to find secrets in it.
func (l *logSender) take(certain []byte) {
	n := min(l.drop, len(certain))
	l.drop -= n
	l.out = append(l.out, certain[n:]...)
}

// skip goes to the last half of a log that is too long. A secret that begins before it is
// looked for as well.
func (l *logSender) skip(half int64) error {
	info, err := l.file.Stat()
	if err != nil || info.Size() <= l.limit {
		l.cut = err == nil // there is nothing to leave out
		return err
	}
	l.out = append(l.out, l.red.rest()...)
	from := info.Size() - half
	before := make([]byte, min(longestNeedle, from-l.read))
	if _, err := l.file.ReadAt(before, from-int64(len(before))); err != nil {
		return err
	}
	l.out = fmt.Appendf(l.out, "\nbelay: %d bytes of this log were left out: it is longer than %d\n", from-l.read, l.limit)
	l.red = l.make()
	l.red.feed(before)
	l.drop = len(l.red.pending)
	l.read, l.cut = from, true
	return nil
}

// send sends what the server does not have. With nothing to send it sends the last byte
// again, which is refused with how much of the log is safe.
func (l *logSender) send(ctx context.Context, from int64) (run.LogAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	piece := l.out[min(int64(len(l.out)), from-l.start):]
	if len(piece) > logPiece {
		piece = piece[:logPiece]
	}
	if len(piece) == 0 {
		piece = l.out[len(l.out)-1:]
		from = l.start + int64(len(l.out)) - 1
	}
	request, err := l.wire.request(ctx, http.MethodPatch, "logs/"+l.id, l.lease, bytes.NewReader(piece))
	if err != nil {
		return run.LogAnswer{}, err
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", from, from+int64(len(piece))-1))
	answer, err := l.wire.http.Do(request)
	if err != nil {
		return run.LogAnswer{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		if err := refuse(answer); err != nil {
			return run.LogAnswer{}, err
		}
	}
	var said run.LogAnswer
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return run.LogAnswer{}, fmt.Errorf("read how far the log is: %w", err)
	}
	return said, nil
}

// forget drops what outlives a crash of the server.
func (l *logSender) forget(safe int64) {
	if n := min(safe-l.start, int64(len(l.out))); n > 0 {
		l.out = append([]byte(nil), l.out[n:]...)
		l.start += n
		l.safe.Store(l.start)
	}
}

// say writes a line of the runner's own into the log.
func (j *job) say(format string, args ...any) {
	file, err := os.OpenFile(j.folder.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(file, format+"\n", args...)
	_ = file.Close()
}
