package statefile

import (
	"errors"
	"io"
	"unicode/utf8"
)

// How source tells the decoder of bytes that are not UTF-8, and of a value that is too
// large to be held.
var (
	errUTF8     = errors.New("invalid UTF-8")
	errTooLarge = errors.New("a value is too large")
)

// source passes a reader's bytes on while they are UTF-8. The JSON decoder
// would silently replace other bytes, and two different names could become
// one. It also remembers the reader's own failure, so that a broken
// connection is not taken for a broken file.
type source struct {
	r    io.Reader
	part []byte // the beginning of a rune the last read cut
	err  error  // sticky

	given    int64        // bytes passed on
	consumed func() int64 // how many of them the decoder is done with: the rest is one value
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.given-s.consumed() > maxValue {
		s.err = errTooLarge
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.given += int64(n)
	if !s.valid(p[:n]) || (err == io.EOF && len(s.part) > 0) {
		s.err = errUTF8
		return 0, s.err
	}
	s.err = err
	return n, err
}

// failed is the reader's own failure, nil at the end of the file.
func (s *source) failed() error {
	if errors.Is(s.err, io.EOF) || errors.Is(s.err, errUTF8) || errors.Is(s.err, errTooLarge) {
		return nil
	}
	return s.err
}

func (s *source) valid(p []byte) bool {
	for len(s.part) > 0 && len(p) > 0 {
		s.part, p = append(s.part, p[0]), p[1:]
		if !utf8.FullRune(s.part) {
			continue
		}
		if !utf8.Valid(s.part) {
			return false
		}
		s.part = s.part[:0]
	}
	whole := len(p) - cutRune(p)
	s.part = append(s.part, p[whole:]...)
	return utf8.Valid(p[:whole])
}

// cutRune is how many bytes at the end of p begin a rune that p does not end.
func cutRune(p []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		last := p[len(p)-i:]
		if !utf8.RuneStart(last[0]) {
			continue
		}
		if utf8.FullRune(last) {
			return 0
		}
		return i
	}
	return 0
}
