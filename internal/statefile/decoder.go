package statefile

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// decoder walks a JSON document token by token and keeps nothing of what it
// skips: its memory is bounded by the largest single value skipped, which is
// the attributes of one instance and at most maxValue.
type decoder struct {
	src   *source
	dec   *json.Decoder
	names map[string]string // one copy of strings that come again and again
}

func newDecoder(r io.Reader) *decoder {
	src := &source{r: bufio.NewReaderSize(r, 64<<10)}
	dec := json.NewDecoder(src)
	src.consumed = dec.InputOffset
	dec.UseNumber()
	return &decoder{src: src, dec: dec, names: map[string]string{}}
}

// token is the next token; a failure is a SyntaxError or the reader's own.
func (d *decoder) token() (json.Token, error) {
	t, err := d.dec.Token()
	if err != nil {
		return nil, d.failure(err)
	}
	return t, nil
}

func (d *decoder) failure(err error) error {
	if own := d.src.failed(); own != nil {
		return own
	}
	if errors.Is(d.src.err, errTooLarge) {
		return &TooLargeError{Detail: tooLargeValue}
	}
	e := &SyntaxError{Offset: d.dec.InputOffset()}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Detail = "unexpected end"
	case errors.Is(err, errUTF8):
		e.Detail = errUTF8.Error()
	case errors.As(err, &syntax):
		e.Detail = syntax.Error()
	default:
		e.Detail = "invalid value"
	}
	return e
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
	for d.dec.More() {
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
	_, err = d.token()
	return err
}

// list walks an array; null is an empty one.
func (d *decoder) list(item func() error) error {
	open, err := d.open('[', "must be a list")
	if !open {
		return err
	}
	for i := 0; d.dec.More(); i++ {
		if err := item(); err != nil {
			return within(at(i), err)
		}
	}
	_, err = d.token()
	return err
}

// open reads the opening bracket, or a null, which opens nothing.
func (d *decoder) open(bracket json.Delim, otherwise string) (bool, error) {
	t, err := d.token()
	if err != nil || t == nil {
		return false, err
	}
	if t != bracket {
		return false, &FormatError{Detail: otherwise}
	}
	return true, nil
}

func (d *decoder) key() (string, error) {
	t, err := d.token()
	if err != nil {
		return "", err
	}
	key, ok := t.(string)
	if !ok {
		return "", &SyntaxError{Offset: d.dec.InputOffset(), Detail: "object key is not a string"}
	}
	return key, nil
}

// skip passes over one value of any kind. The value is checked in one piece
// in the decoder's buffer: skipping token by token would hold less of an
// instance with very large attributes, but takes five times as long (27
// against 125 MB/s) and makes garbage of every string. encoding/json refuses
// what is nested more than 10000 deep.
func (d *decoder) skip() error {
	var v nothing
	if err := d.dec.Decode(&v); err != nil {
		return d.failure(err)
	}
	return nil
}

// nothing takes any JSON value and keeps none of it.
type nothing struct{}

// UnmarshalJSON ignores the value.
func (nothing) UnmarshalJSON([]byte) error { return nil }

// text reads a string into out; null leaves it.
func (d *decoder) text(out *string) error {
	t, err := d.token()
	if err != nil || t == nil {
		return err
	}
	s, ok := t.(string)
	if !ok {
		return &FormatError{Detail: "must be a string"}
	}
	*out = s
	return nil
}

// name is text for words that come again and again: one copy is kept.
func (d *decoder) name(out *string) error {
	var s string
	if err := d.text(&s); err != nil {
		return err
	}
	if _, ok := d.names[s]; !ok {
		d.names[s] = s
	}
	*out = d.names[s]
	return nil
}

// whole reads a number that is neither negative nor broken and fits an int64.
func (d *decoder) whole(out *int64) error {
	t, err := d.token()
	if err != nil || t == nil {
		return err
	}
	n, ok := t.(json.Number)
	if !ok {
		return &FormatError{Detail: "must be a whole number"}
	}
	v, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil || v < 0 {
		return &FormatError{Detail: "must be a whole number between 0 and " + strconv.FormatInt(math.MaxInt64, 10)}
	}
	*out = v
	return nil
}

// end makes sure that nothing follows the document.
func (d *decoder) end() error {
	_, err := d.dec.Token()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		return &SyntaxError{Offset: d.dec.InputOffset(), Detail: "something follows the end of the document"}
	}
	return d.failure(err)
}

func indexFold(known []string, key string) int {
	for i, k := range known {
		if len(k) == len(key) && k == key {
			return i
		}
	}
	for i, k := range known {
		if strings.EqualFold(k, key) {
			return i
		}
	}
	return -1
}
