package jsonapi

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// ErrTooLarge says that a document is over its limit, what was lifted out of it not counted.
var ErrTooLarge = errors.New("the document is too large")

// Lift reads a document and gives it back without the long texts that stand in it: the
// text at a path, such as "data.attributes.state", goes to its sink as a stream, and an
// empty text stays in its place. So a document of any size takes little memory. What is
// malformed comes back malformed; Decode finds it.
//
// A sink that does not read its text to the end is fine; its error ends the reading.
func Lift(r io.Reader, limit int, sinks map[string]func(io.Reader) error) ([]byte, error) {
	l := &lifter{from: bufio.NewReaderSize(r, 64<<10), limit: limit, sinks: sinks}
	err := l.run()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return l.rest.Bytes(), err
}

type lifter struct {
	from  *bufio.Reader
	rest  bytes.Buffer
	limit int
	sinks map[string]func(io.Reader) error
	path  []step
}

// step is one level of nesting on the way to where the lifter stands.
type step struct {
	object bool
	name   string // of the member at hand
	value  bool   // the name has been read: a value comes next
}

func (l *lifter) put(b byte) error {
	if l.rest.Len() >= l.limit {
		return ErrTooLarge
	}
	l.rest.WriteByte(b)
	return nil
}

// run copies byte by byte; only the nesting and the texts matter to it.
func (l *lifter) run() error {
	for {
		b, err := l.from.ReadByte()
		if err != nil {
			return err
		}
		if err := l.put(b); err != nil {
			return err
		}
		if b == '"' {
			err = l.text()
		} else {
			l.move(b)
		}
		if err != nil {
			return err
		}
	}
}

func (l *lifter) move(b byte) {
	top := len(l.path) - 1
	switch {
	case b == '{' || b == '[':
		l.path = append(l.path, step{object: b == '{'})
	case top < 0:
	case b == '}' || b == ']':
		l.path = l.path[:top]
	case b == ':':
		l.path[top].value = true
	case b == ',':
		l.path[top].value = false
	}
}

// text handles a text whose opening quote has been copied.
func (l *lifter) text() error {
	top := len(l.path) - 1
	if top >= 0 && l.path[top].value {
		if sink := l.sinks[l.where()]; sink != nil {
			return l.lift(sink)
		}
	}
	start := l.rest.Len()
	if err := l.copyText(); err != nil {
		return err
	}
	if top >= 0 && l.path[top].object && !l.path[top].value {
		l.path[top].name = string(l.rest.Bytes()[start : l.rest.Len()-1])
	}
	return nil
}

// where is the path of the value that comes next; empty inside a list.
func (l *lifter) where() string {
	path := ""
	for i, s := range l.path {
		if !s.object {
			return ""
		}
		if i > 0 {
			path += "."
		}
		path += s.name
	}
	return path
}

func (l *lifter) copyText() error {
	for escaped := false; ; {
		b, err := l.from.ReadByte()
		if err != nil {
			return err
		}
		if err := l.put(b); err != nil {
			return err
		}
		switch {
		case escaped:
			escaped = false
		case b == '\\':
			escaped = true
		case b == '"':
			return nil
		}
	}
}

func (l *lifter) lift(sink func(io.Reader) error) error {
	text := &liftedText{from: l.from}
	if err := sink(text); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, text); err != nil {
		return err
	}
	return l.put('"')
}

// liftedText reads a text up to its closing quote, its escapes undone.
type liftedText struct {
	from *bufio.Reader
	err  error // sticky; io.EOF after the closing quote
}

func (t *liftedText) Read(p []byte) (int, error) {
	if t.err != nil || len(p) == 0 {
		return 0, t.err
	}
	n := 0
	for n < len(p) && t.err == nil {
		if n > 0 && t.from.Buffered() == 0 {
			break
		}
		if run := t.plain(p[n:]); run > 0 {
			n += run
			continue
		}
		n += t.special(p[n:])
	}
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// plain copies what is at hand up to the next byte that means something.
func (t *liftedText) plain(p []byte) int {
	ready, _ := t.from.Peek(min(max(t.from.Buffered(), 1), len(p)))
	for _, special := range []byte(`"\`) { // one by one, which is sooner than both at once
		if i := bytes.IndexByte(ready, special); i >= 0 {
			ready = ready[:i]
		}
	}
	n := copy(p, ready)
	_, _ = t.from.Discard(n)
	return n
}

// special reads the closing quote or an escape.
func (t *liftedText) special(p []byte) int {
	b, err := t.from.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		t.err = io.ErrUnexpectedEOF
	case err != nil:
		t.err = err
	case b == '"':
		t.err = io.EOF
	default: // only \ is left
		if p[0], t.err = t.escape(); t.err == nil {
			return 1
		}
	}
	return 0
}

// plainEscapes is what may stand after a \, and what it means.
var plainEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (t *liftedText) escape() (byte, error) {
	b, err := t.from.ReadByte()
	if err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	if plain, ok := plainEscapes[b]; ok {
		return plain, nil
	}
	if b != 'u' {
		return 0, &SyntaxError{"the body is not valid JSON"}
	}
	var digits [4]byte
	if _, err := io.ReadFull(t.from, digits[:]); err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	code, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return 0, &SyntaxError{"the body is not valid JSON"}
	}
	if code > 127 {
		return '?', nil // as little base64 as it: whoever decodes the text says so
	}
	return byte(code), nil
}
