package statefile

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// scanner finds the tokens of a JSON document in a reader's bytes, and looks at each byte
// once. It holds what it was not asked to pass yet: one token, or one whole value. What it
// takes and what it says of the rest is as encoding/json would; FuzzScanner compares them.
type scanner struct {
	from  io.Reader
	buf   []byte
	at    int   // where in buf the next token begins
	done  int64 // bytes that stood before buf
	place place
	nest  []place // what the open objects and lists stand in
	floor int     // how many of them hold the value that is read whole
}

// place is where in a document a scanner stands: what may follow.
type place byte

const (
	topValue  place = iota
	firstItem       // after [
	item            // after a comma in a list
	itemEnd         // after an item
	firstName       // after {
	nextName        // after a comma in an object
	colon           // after a name
	member          // after a colon
	memberEnd       // after a member
)

// expects is what an error says of a byte that may not stand at a place.
var expects = [...]string{
	topValue: "looking for beginning of value", firstItem: "looking for beginning of value", item: "looking for beginning of value",
	itemEnd: "after array element", firstName: "looking for beginning of object key string", nextName: "looking for beginning of object key string",
	colon: "after object key", member: "looking for beginning of value", memberEnd: "after object key:value pair",
}

const (
	maxDepth  = 10_000   // of nesting within one value, as encoding/json has it
	firstRoom = 64 << 10 // bytes of the buffer at first
	leastRead = 4 << 10  // bytes that a read must have room for
	emptyHand = 100      // reads of nothing in a row before a reader is given up
)

// malformed says which byte may not stand where it stands. Its text is made when asked for.
type malformed struct {
	c      byte
	where  string
	offset int64
}

func (m *malformed) Error() string {
	quoted := `'"'`
	switch m.c {
	case '"':
	case '\'':
		quoted = `'\''`
	default:
		inner := strconv.Quote(string(rune(m.c)))
		quoted = "'" + inner[1:len(inner)-1] + "'"
	}
	return "invalid character " + quoted + " " + m.where
}

// offset is where the next token begins, in bytes of the document.
func (s *scanner) offset() int64 { return s.done + int64(s.at) }

// wrong is the error of the byte at i, which is counted from s.at as everywhere here.
func (s *scanner) wrong(i int, where string) error {
	return &malformed{s.buf[s.at+i], where, s.offset() + int64(i)}
}

// fill reads more. What is done with makes room; what is not may move.
func (s *scanner) fill() error {
	if s.at > 0 {
		s.done += int64(s.at)
		s.buf = s.buf[:copy(s.buf, s.buf[s.at:])]
		s.at = 0
	}
	if have := len(s.buf); cap(s.buf)-have < leastRead {
		grown := make([]byte, have, max(firstRoom, 2*cap(s.buf)))
		copy(grown, s.buf)
		s.buf = grown
	}
	for range emptyHand {
		n, err := s.from.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if n > 0 {
			return nil // the error comes again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// byteAt is the byte at i.
func (s *scanner) byteAt(i int) (byte, error) {
	for s.at+i >= len(s.buf) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	return s.buf[s.at+i], nil
}

// more says whether an object or a list goes on.
func (s *scanner) more() bool {
	i, err := s.space(0)
	if err != nil {
		return false
	}
	s.at += i
	c := s.buf[s.at]
	return c != ']' && c != '}'
}

// token passes the next token: its first byte, and its text until more is read.
func (s *scanner) token() (byte, []byte, error) {
	from, end, err := s.step(0)
	if err != nil {
		return 0, nil, err
	}
	raw := s.buf[s.at+from : s.at+end]
	s.at += end
	return raw[0], raw, nil
}

// value passes one value of any kind: its text until more is read.
func (s *scanner) value() ([]byte, error) {
	s.floor = len(s.nest)
	from, end, err := s.step(0)
	if err == nil && len(s.nest) > s.floor {
		if quick := quickValue(s.buf[s.at:], from, deepest); quick > 0 {
			s.leave()
			end = quick
		}
	}
	for err == nil && len(s.nest) > s.floor {
		_, end, err = s.step(end)
	}
	if err != nil {
		return nil, err
	}
	raw := s.buf[s.at+from : s.at+end]
	s.at += end
	return raw, nil
}

// step finds the token that follows i.
func (s *scanner) step(i int) (from, end int, err error) {
	for {
		if i, err = s.space(i); err != nil {
			return 0, 0, err
		}
		c := s.buf[s.at+i]
		if (c == ',' || c == ':') && s.punctuation(c) {
			i++
			continue
		}
		end, err = s.symbol(c, i)
		return i, end, err
	}
}

// punctuation passes a comma or a colon, where one may stand.
func (s *scanner) punctuation(c byte) bool {
	switch {
	case c == ':' && s.place == colon:
		s.place = member
	case c == ',' && s.place == itemEnd:
		s.place = item
	case c == ',' && s.place == memberEnd:
		s.place = nextName
	default:
		return false
	}
	return true
}

// symbol finds the end of the token that begins at i with c.
func (s *scanner) symbol(c byte, i int) (end int, err error) {
	switch {
	case c == '}' && (s.place == firstName || s.place == memberEnd), c == ']' && (s.place == firstItem || s.place == itemEnd):
		s.leave()
		return i + 1, nil
	case c == '"' && (s.place == firstName || s.place == nextName):
		s.place = colon
		return s.stringEnd(i + 1)
	case s.place == itemEnd || s.place == memberEnd || s.place == colon || s.place == firstName || s.place == nextName:
		return 0, s.wrong(i, expects[s.place])
	}
	return s.begin(c, i)
}

// begin finds the end of the value that begins at i with c, or enters it.
func (s *scanner) begin(c byte, i int) (end int, err error) {
	switch {
	case c == '{' || c == '[':
		return i + 1, s.enter(c, i)
	case c == '"':
		end, err = s.stringEnd(i + 1)
	case c == '-' || '0' <= c && c <= '9':
		end, err = s.numberEnd(c, i)
	case c == 't':
		end, err = s.literalEnd("true", i)
	case c == 'f':
		end, err = s.literalEnd("false", i)
	case c == 'n':
		end, err = s.literalEnd("null", i)
	default:
		return 0, s.wrong(i, expects[s.place])
	}
	s.passed()
	return end, err
}

// enter goes into an object or a list.
func (s *scanner) enter(c byte, i int) error {
	s.nest = append(s.nest, s.place)
	if len(s.nest)-s.floor > maxDepth {
		return s.wrong(i, "exceeded max depth")
	}
	s.place = firstItem
	if c == '{' {
		s.place = firstName
	}
	return nil
}

// leave goes out of an object or a list.
func (s *scanner) leave() {
	s.place, s.nest = s.nest[len(s.nest)-1], s.nest[:len(s.nest)-1]
	s.passed()
}

// passed stands behind a value.
func (s *scanner) passed() {
	switch s.place {
	case firstItem, item:
		s.place = itemEnd
	case member:
		s.place = memberEnd
	}
}

// space finds the first byte from i on that is no space.
func (s *scanner) space(i int) (int, error) {
	for {
		b := s.buf[s.at:]
		if i < len(b) && b[i] > ' ' {
			return i, nil
		}
		if i+1 < len(b) && b[i] == ' ' && b[i+1] > ' ' {
			return i + 1, nil
		}
		for i < len(b) {
			if c := b[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return i, nil
			}
			i = blanks(b, i+1)
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// stringEnd finds the end of a string, whose opening mark stands before i.
func (s *scanner) stringEnd(i int) (int, error) {
	for {
		b := s.buf[s.at:]
		i = plain(b, i)
		var err error
		switch {
		case i == len(b):
			err = s.fill()
		case b[i] == '"':
			return i + 1, nil
		case b[i] == '\\':
			i, err = s.escapeEnd(i + 1)
		default:
			err = s.wrong(i, "in string literal")
		}
		if err != nil {
			return 0, err
		}
	}
}

// escapeEnd finds the end of what stands at i behind a backslash.
func (s *scanner) escapeEnd(i int) (int, error) {
	c, err := s.byteAt(i)
	if err != nil {
		return 0, err
	}
	if c != 'u' {
		if strings.IndexByte(`bfnrt\/"`, c) < 0 {
			return 0, s.wrong(i, "in string escape code")
		}
		return i + 1, nil
	}
	for end := i + 4; i < end; {
		i++
		if c, err = s.byteAt(i); err != nil {
			return 0, err
		}
		if ('0' > c || c > '9') && ('a' > c|0x20 || c|0x20 > 'f') {
			return 0, s.wrong(i, `in \u hexadecimal character escape`)
		}
	}
	return i + 1, nil
}

// numberEnd finds the end of a number that begins at i with c.
func (s *scanner) numberEnd(c byte, i int) (int, error) {
	var err error
	if c == '-' {
		i++
		if c, err = s.byteAt(i); err != nil {
			return 0, err
		}
	}
	if c == '0' {
		i++
	} else if i, err = s.digitsEnd(i, "in numeric literal"); err != nil {
		return 0, err
	}
	if c, _ := s.byteAt(i); c == '.' {
		if i, err = s.digitsEnd(i+1, "after decimal point in numeric literal"); err != nil {
			return 0, err
		}
	}
	if c, _ := s.byteAt(i); c|0x20 != 'e' { // what ends here may be the document
		return i, nil
	}
	i++
	if c, err := s.byteAt(i); err == nil && (c == '+' || c == '-') {
		i++
	}
	return s.digitsEnd(i, "in exponent of numeric literal")
}

// digitsEnd finds the end of digits, of which there must be one.
func (s *scanner) digitsEnd(i int, where string) (int, error) {
	for first := i; ; i++ {
		c, err := s.byteAt(i)
		switch {
		case err == nil && '0' <= c && c <= '9':
		case i > first:
			return i, nil
		case err != nil:
			return 0, err
		default:
			return 0, s.wrong(i, where)
		}
	}
}

// literalEnd finds the end of a word, whose first byte stands at i.
func (s *scanner) literalEnd(word string, i int) (int, error) {
	for j := 1; j < len(word); j++ {
		c, err := s.byteAt(i + j)
		if err != nil {
			return 0, err
		}
		if c != word[j] {
			return 0, s.wrong(i+j, "in literal "+word+" (expecting '"+word[j:j+1]+"')")
		}
	}
	return i + len(word), nil
}

// detail is what to say of an error of a scanner, and where it is.
func (s *scanner) detail(err error) (string, int64) {
	var at *malformed
	switch {
	case errors.As(err, &at):
		return at.Error(), at.offset
	case errors.Is(err, io.EOF):
		return "unexpected end", s.offset()
	case errors.Is(err, errUTF8):
		return errUTF8.Error(), s.offset()
	}
	return "invalid value", s.offset()
}
