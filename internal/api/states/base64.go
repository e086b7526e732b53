package states

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/belayhq/belay"
)

// base64Room is how much base64 is read at once, whole groups of four, and bytesRoom how many bytes that are at most.
const (
	base64Room = 32 << 10
	bytesRoom  = base64Room / 4 * 3
)

// base64Text reads the bytes that a base64 text stands for, and turns what is none into a
// refusal. The lines of a text may be broken, as encoding/base64 allows; only for one that
// is broken are they looked for byte by byte.
type base64Text struct {
	from      io.Reader
	attribute string
	text      []byte // read and not decoded: less than a group of four after each Read
	bytes     []byte // decoded and not given
	room      []byte // what bytes is in; nil: nobody asked for less than a piece yet
	padded    bool   // the end of the text was seen
	err       error  // sticky
}

func (b *base64Text) Read(p []byte) (int, error) {
	for len(b.bytes) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.err = b.fill(); b.err != nil && !errors.Is(b.err, io.EOF) {
			continue
		}
		if len(p) >= bytesRoom {
			if n := b.decode(p); n > 0 {
				return n, nil
			}
			continue
		}
		if b.room == nil {
			b.room = make([]byte, bytesRoom)
		}
		b.bytes = b.room[:b.decode(b.room)]
	}
	n := copy(p, b.bytes)
	b.bytes = b.bytes[n:]
	return n, nil
}

// fill reads more of the text, without what breaks its lines.
func (b *base64Text) fill() error {
	if b.text == nil {
		b.text = make([]byte, 0, base64Room)
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

// decode decodes the whole groups of what was read, and gives how many bytes they are.
func (b *base64Text) decode(to []byte) int {
	whole := len(b.text) / 4 * 4
	n, err := decode64(to, b.text[:whole])
	if err != nil || whole > 0 && b.padded || errors.Is(b.err, io.EOF) && whole < len(b.text) {
		b.err = belay.Refuse(belay.Invalid, "%s is not valid base64", b.attribute)
		return 0
	}
	if whole > 0 {
		b.padded = b.text[whole-1] == '='
	}
	b.text = b.text[:copy(b.text, b.text[whole:])]
	return n
}

// noPair is what stands for two bytes that are no letters of base64: a pair of those is twelve bits.
const noPair = 0xffff

// allPairs is what two letters stand for, by the number that they are in memory. It is made by the first upload, and no start.
var allPairs = sync.OnceValue(func() *[1 << 16]uint16 {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	all := new([1 << 16]uint16)
	for i := range all {
		all[i] = noPair
	}
	for i := range len(letters) {
		for j := range len(letters) {
			all[uint16(letters[i])|uint16(letters[j])<<8] = uint16(i<<6 | j)
		}
	}
	return all
})

// decode64 decodes as encoding/base64 does, in a quarter of the time: what is no plain letter, and the end, it leaves
// to that.
func decode64(to, text []byte) (n int, err error) {
	pairs := allPairs()
	for len(text) >= 8 && len(to)-n >= 8 {
		eight := binary.LittleEndian.Uint64(text)
		a, b, c, d := pairs[uint16(eight)], pairs[uint16(eight>>16)], pairs[uint16(eight>>32)], pairs[eight>>48] //nolint:gosec // two bytes each
		if a|b|c|d == noPair {
			break
		}
		binary.BigEndian.PutUint64(to[n:], uint64(a)<<52|uint64(b)<<40|uint64(c)<<28|uint64(d)<<16)
		text, n = text[8:], n+6
	}
	rest, err := base64.StdEncoding.Decode(to[n:], text)
	return n + rest, err
}
