package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoder walks a JSON document token by token and keeps nothing of what it
// skips: its memory is bounded by the largest single value skipped, which is
// the attributes of one instance and at most maxValue.
type decoder struct {
	scanner
	src   *source
	names map[string]word // one copy of strings that come again and again, as they are written
	last  [4]word         // some of them, which mostly are the next ones, too
	turn  int             // which of those is replaced next
	room  []byte          // of the text that is at hand, where it had escapes
}

func newDecoder(r io.Reader) *decoder {
	d := &decoder{src: &source{r: r}, names: map[string]word{}}
	d.from, d.src.consumed = d.src, d.offset
	return d
}

// failure makes an error of the scanner a SyntaxError, unless it is the reader's own.
func (d *decoder) failure(err error) error {
	if own := d.src.failed(); own != nil {
		return own
	}
	if errors.Is(d.src.err, errTooLarge) {
		return &TooLargeError{Detail: tooLargeValue}
	}
	detail, offset := d.detail(err)
	return &SyntaxError{Offset: offset, Detail: detail}
}

// object walks an object and calls field for each of the known keys; all
// others are skipped. null is an absent object. Keys match without regard to
// case, as they do in the command lines, and none may come twice: a file that
// says two things must not mean one to the client and another to the server.
func (d *decoder) object(known []string, field func(key string) error) error {
	open, err := d.open('{', "must be an object")
	if !open {
		return err
	}
	var seen uint
	for d.more() {
		key, err := d.key()
		if err != nil {
			return err
		}
		i := indexFold(known, key)
		if i < 0 {
			if err := d.skip(); err != nil {
				return err
			}
			continue
		}
		if seen&(1<<i) != 0 {
			return &FormatError{Path: known[i], Detail: "appears twice"}
		}
		seen |= 1 << i
		if err := field(known[i]); err != nil {
			return within(known[i], err)
		}
	}
	return d.close()
}

// list walks an array; null is an empty one.
func (d *decoder) list(item func() error) error {
	open, err := d.open('[', "must be a list")
	if !open {
		return err
	}
	for i := 0; d.more(); i++ {
		if err := item(); err != nil {
			return within(at(i), err)
		}
	}
	return d.close()
}

// open reads the opening bracket, or a null, which opens nothing.
func (d *decoder) open(bracket byte, otherwise string) (bool, error) {
	kind, _, err := d.token()
	switch {
	case err != nil:
		return false, d.failure(err)
	case kind != bracket && kind != 'n':
		return false, &FormatError{Detail: otherwise}
	}
	return kind == bracket, nil
}

// close reads the closing bracket.
func (d *decoder) close() error {
	if _, _, err := d.token(); err != nil {
		return d.failure(err)
	}
	return nil
}

// key reads a name: its text until more is read.
func (d *decoder) key() ([]byte, error) {
	if name, passed := d.quickName(); passed {
		return name, nil
	}
	_, raw, err := d.token()
	if err != nil {
		return nil, d.failure(err)
	}
	return d.unquoted(raw), nil
}

// raw passes over one value of any kind, and gives its text until more is read. The value
// is held in one piece. What is nested more than 10000 deep is refused.
func (d *decoder) raw() ([]byte, error) {
	raw, err := d.value()
	if err != nil {
		return nil, d.failure(err)
	}
	return raw, nil
}

// skip passes over one value of any kind.
func (d *decoder) skip() error {
	_, err := d.raw()
	return err
}

// unquoted is what a string of JSON says, until more is read.
func (d *decoder) unquoted(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	at := bytes.IndexByte(inner, '\\')
	if at < 0 {
		return inner
	}
	d.room = append(d.room[:0], inner[:at]...)
	for ; at < len(inner); at++ {
		c := inner[at]
		if c == '\\' {
			at++
			if c = plainEscape(inner[at]); c == 0 {
				return anyUnquoted(raw)
			}
		}
		d.room = append(d.room, c)
	}
	return d.room
}

// plainEscape is what a byte behind a backslash means; 0 where more than it says so.
func plainEscape(c byte) byte {
	switch c {
	case '"', '\\', '/':
		return c
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// anyUnquoted is what a string of JSON says, whatever escapes it has.
func anyUnquoted(raw []byte) []byte {
	var s string
	_ = json.Unmarshal(raw, &s) // it is a string
	return []byte(s)
}

// text reads a string into out; null leaves it.
func (d *decoder) text(out *string) error {
	return d.string(func(raw []byte) { *out = string(d.unquoted(raw)) })
}

// word is a string as it is written, and what it says.
type word struct{ raw, text string }

// name is text for words that come again and again: one copy is kept, found as it was written.
func (d *decoder) name(out *string) error {
	return d.string(func(raw []byte) {
		for i := range d.last {
			if d.last[i].raw == string(raw) {
				*out = d.last[i].text
				return
			}
		}
		known, ok := d.names[string(raw)]
		if !ok {
			known = word{string(raw), string(d.unquoted(raw))}
			d.names[known.raw] = known
		}
		d.last[d.turn%len(d.last)] = known
		d.turn++
		*out = known.text
	})
}

// string hands a string over as it is written, which may be kept no longer; null is none.
func (d *decoder) string(take func(raw []byte)) error {
	if raw, passed := d.quickText(); passed {
		take(raw)
		return nil
	}
	kind, raw, err := d.token()
	switch {
	case err != nil:
		return d.failure(err)
	case kind == '"':
		take(raw)
	case kind != 'n':
		return &FormatError{Detail: "must be a string"}
	}
	return nil
}

// whole reads a number that is neither negative nor broken and fits an int64.
func (d *decoder) whole(out *int64) error {
	kind, raw, err := d.token()
	switch {
	case err != nil:
		return d.failure(err)
	case kind == 'n':
		return nil
	case !isNumber(kind):
		return &FormatError{Detail: "must be a whole number"}
	}
	v, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || v < 0 {
		return &FormatError{Detail: "must be a whole number between 0 and " + strconv.FormatInt(math.MaxInt64, 10)}
	}
	*out = v
	return nil
}

// isNumber says whether a token that begins with a byte is a number.
func isNumber(kind byte) bool { return kind == '-' || '0' <= kind && kind <= '9' }

// end makes sure that nothing follows the document.
func (d *decoder) end() error {
	if _, err := d.space(0); errors.Is(err, io.EOF) {
		return nil
	}
	if _, _, err := d.token(); err != nil {
		return d.failure(err)
	}
	return &SyntaxError{Offset: d.offset(), Detail: "something follows the end of the document"}
}

// indexFold finds a name among lower-case ones without regard to case; -1: it is none of them.
func indexFold(known []string, key []byte) int {
	if len(key) == 0 {
		return -1
	}
	first := key[0] | 0x20
	for i, k := range known {
		if first == k[0] && string(key) == k || (first == k[0] || key[0] >= utf8.RuneSelf) && strings.EqualFold(k, string(key)) {
			return i
		}
	}
	return -1
}
