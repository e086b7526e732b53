package states

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"

	"github.com/belayhq/belay"
)

// base64Room is how much base64 is read at once: whole groups of four.
const base64Room = 32 << 10

// base64Text reads the bytes that a base64 text stands for, and turns what is none into a
// refusal. The lines of a text may be broken, as encoding/base64 allows; only for one that
// is broken are they looked for byte by byte.
type base64Text struct {
	from      io.Reader
	attribute string
	text      []byte // read and not decoded: less than a group of four after each Read
	bytes     []byte // decoded and not given
	room      []byte // what bytes is in
	padded    bool   // the end of the text was seen
	err       error  // sticky
}

func (b *base64Text) Read(p []byte) (int, error) {
	for len(b.bytes) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.err = b.fill(); b.err == nil || errors.Is(b.err, io.EOF) {
			b.decode()
		}
	}
	n := copy(p, b.bytes)
	b.bytes = b.bytes[n:]
	return n, nil
}

// fill reads more of the text, without what breaks its lines.
func (b *base64Text) fill() error {
	if b.text == nil {
		b.text, b.room = make([]byte, 0, base64Room), make([]byte, base64Room/4*3)
	}
	had := len(b.text)
	n, err := b.from.Read(b.text[had:cap(b.text)])
	b.text = b.text[:had+n]
	if part := b.text[had:]; bytes.IndexByte(part, '\n') >= 0 || bytes.IndexByte(part, '\r') >= 0 {
		kept := b.text[:had]
		for _, c := range part {
			if c != '\n' && c != '\r' {
				kept = append(kept, c)
			}
		}
		b.text = kept
	}
	return err
}

// decode decodes the whole groups of what was read.
func (b *base64Text) decode() {
	whole := len(b.text) / 4 * 4
	n, err := base64.StdEncoding.Decode(b.room, b.text[:whole])
	if err != nil || whole > 0 && b.padded || errors.Is(b.err, io.EOF) && whole < len(b.text) {
		b.err = belay.Refuse(belay.Invalid, "%s is not valid base64", b.attribute)
		return
	}
	if whole > 0 {
		b.padded = b.text[whole-1] == '='
	}
	b.bytes, b.text = b.room[:n], b.text[:copy(b.text, b.text[whole:])]
}
