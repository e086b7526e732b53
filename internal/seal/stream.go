package seal

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A sealed stream is a header and chunks:
//
//	magic "blys", version 1 | id of the key, 4 bytes | salt, 32 bytes
//	chunk 0, chunk 1, … : up to 64 KiB of plain bytes and a tag of 16
//
// The salt gives every stream a key of its own, so the nonce can be a counter:
// 11 bytes that number the chunk and one that is 1 in the last chunk only. A chunk
// moved, lost or cut therefore does not open, nor does one under another header or
// context, which are authenticated with each.
const (
	magic      = "blys\x01"
	saltSize   = 32
	headerSize = len(magic) + idSize + saltSize
	chunkSize  = 64 << 10
	tagSize    = 16
	streamUse  = "belay stream v1"
)

// chunks numbers and authenticates the chunks of one stream, for either direction.
type chunks struct {
	aead    cipher.AEAD
	context []byte
	next    uint64
}

func (k *key) chunks(header []byte, context string) (*chunks, error) {
	block, err := k.block(header[headerSize-saltSize:], streamUse)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &chunks{aead: aead, context: append(bytes.Clone(header), context...)}, nil
}

func (c *chunks) nonce(last bool) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[3:], c.next)
	c.next++
	if last {
		nonce[11] = 1
	}
	return nonce
}

// Writer encrypts what is written to it into w. The stream is complete only once
// Close succeeded; Close does not close w. The context must be given again to read.
func (r *Ring) Writer(w io.Writer, context string) (io.WriteCloser, error) {
	k := r.keys[0]
	header := make([]byte, headerSize)
	copy(header, magic)
	copy(header[len(magic):], k.id[:])
	rand.Read(header[len(magic)+idSize:]) // never returns an error
	c, err := k.chunks(header, context)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(header); err != nil {
		return nil, err
	}
	return &writer{to: w, chunks: c, buf: make([]byte, 0, chunkSize+tagSize)}, nil
}

type writer struct {
	to     io.Writer
	chunks *chunks
	buf    []byte // plain bytes of the chunk at hand, with room for its tag
	err    error
}

var errClosed = errors.New("sealed stream is already closed")

func (w *writer) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 && w.err == nil {
		// A full chunk waits for one more byte: only then is it not the last.
		if len(w.buf) == chunkSize {
			w.flush(false)
			continue
		}
		n := min(len(p), chunkSize-len(w.buf))
		w.buf = append(w.buf, p[:n]...)
		p, written = p[n:], written+n
	}
	return written, w.err
}

func (w *writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.flush(true)
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

func (w *writer) flush(last bool) {
	sealed := w.chunks.aead.Seal(w.buf[:0], w.chunks.nonce(last), w.buf, w.chunks.context)
	_, w.err = w.to.Write(sealed)
	w.buf = w.buf[:0]
}

// Reader decrypts a stream that Writer made, with any key of the ring. It gives
// only bytes that are authentic; a stream that was cut ends in ErrDamaged, never
// in a silent io.EOF.
func (r *Ring) Reader(from io.Reader, context string) (io.Reader, error) {
	in := bufio.NewReaderSize(from, chunkSize+tagSize+1)
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(in, header); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("no complete header: %w", ErrDamaged)
	} else if err != nil {
		return nil, err
	}
	if string(header[:len(magic)]) != magic {
		return nil, fmt.Errorf("not a sealed stream: %w", ErrDamaged)
	}
	id := [idSize]byte(header[len(magic):])
	k := r.find(func(k *key) bool { return k.id == id })
	if k == nil {
		return nil, fmt.Errorf("key %x: %w", id, ErrUnknownKey)
	}
	c, err := k.chunks(header, context)
	if err != nil {
		return nil, err
	}
	return &reader{in: in, chunks: c, buf: make([]byte, 0, chunkSize)}, nil
}

type reader struct {
	in     *bufio.Reader
	chunks *chunks
	buf    []byte // holds one opened chunk
	rest   []byte // the part of it not yet handed out
	err    error  // what comes after rest; sticky
}

func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// fill opens the next chunk. One byte beyond it tells whether it must be the last.
func (r *reader) fill() {
	sealed, err := r.in.Peek(chunkSize + tagSize + 1)
	last := errors.Is(err, io.EOF)
	if err != nil && !last {
		r.err = err
		return
	}
	if !last {
		sealed = sealed[:chunkSize+tagSize]
	}
	r.rest, err = r.chunks.aead.Open(r.buf[:0], r.chunks.nonce(last), sealed, r.chunks.context)
	if err != nil {
		r.rest, r.err = nil, ErrDamaged
		return
	}
	if last {
		r.err = io.EOF
		return
	}
	_, r.err = r.in.Discard(chunkSize + tagSize)
}

// StreamKey is the id of the key that a stream was sealed with, by its first bytes.
func StreamKey(sealed io.Reader) (string, error) {
	head := make([]byte, len(magic)+idSize)
	if _, err := io.ReadFull(sealed, head); err != nil || string(head[:len(magic)]) != magic {
		return "", errors.Join(ErrDamaged, err)
	}
	return hex.EncodeToString(head[len(magic):]), nil
}

// ValueKey is the id of the key that a value was sealed with.
func ValueKey(sealed string) (string, error) {
	version, rest, _ := strings.Cut(sealed, ".")
	id, _, ok := strings.Cut(rest, ".")
	if version != valueVersion || !ok {
		return "", ErrDamaged
	}
	return id, nil
}
