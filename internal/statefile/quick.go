package statefile

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes are looked at together: lows has the lowest bit of each, highs the highest.
const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain finds the first byte from i on that means something in a string (a quotation mark, a backslash, a
// control character), or the end.
func plain(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		// A borrow marks bytes behind the first that is meant, never before it.
		if marks := ((x - lows*' ') | ((x ^ lows*'"') - lows) | ((x ^ lows*'\\') - lows)) &^ x & highs; marks != 0 {
			return i + bits.TrailingZeros64(marks)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// blanks finds the first byte from i on that is not the space character, or the end.
func blanks(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if others := binary.LittleEndian.Uint64(b[i:]) ^ lows*' '; others != 0 {
			return i + bits.TrailingZeros64(others)>>3
		}
	}
	for i < len(b) && b[i] == ' ' {
		i++
	}
	return i
}

// deepest is how deep a value may be nested to be passed quickly.
const deepest = 32

// Each of these finds the end of what begins at i, in bytes that are at hand. It is -1 for what
// does not end there or is no JSON, and for an i that is -1 itself: then the scanner looks, step
// by step, and says what is wrong.

func quickValue(b []byte, i, depth int) int {
	if i = quickSpace(b, i); i < 0 || depth == 0 {
		return -1
	}
	switch b[i] {
	case '"':
		return quickString(b, i)
	case '{':
		return quickObject(b, i+1, depth-1)
	case '[':
		return quickList(b, i+1, depth-1)
	case 't':
		return quickWord(b, i, "true")
	case 'f':
		return quickWord(b, i, "false")
	case 'n':
		return quickWord(b, i, "null")
	default:
		return quickNumber(b, i)
	}
}

// quickObject begins behind the bracket, as quickList does.
func quickObject(b []byte, i, depth int) int {
	if i = quickSpace(b, i); i >= 0 && b[i] == '}' {
		return i + 1
	}
	for i >= 0 && b[i] == '"' {
		if i = quickSpace(b, quickString(b, i)); i < 0 || b[i] != ':' {
			return -1
		}
		if i = quickSpace(b, quickValue(b, i+1, depth)); i < 0 {
			return -1
		}
		if b[i] == '}' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = quickSpace(b, i+1)
	}
	return -1
}

func quickList(b []byte, i, depth int) int {
	if i = quickSpace(b, i); i >= 0 && b[i] == ']' {
		return i + 1
	}
	for i >= 0 {
		if i = quickSpace(b, quickValue(b, i, depth)); i < 0 {
			return -1
		}
		if b[i] == ']' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i++
	}
	return -1
}

// quickName passes a name that is at hand and has no escapes, from where more stands.
func (s *scanner) quickName() (name []byte, passed bool) {
	b, i := s.buf[s.at:], 0
	if s.place == memberEnd && len(b) > 0 && b[0] == ',' {
		i = quickSpace(b, 1)
	} else if s.place != firstName {
		return nil, false
	}
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		return nil, false
	}
	end := plain(b, i+1)
	if end >= len(b) || b[end] != '"' {
		return nil, false
	}
	s.at, s.place = s.at+end+1, colon
	return b[i+1 : end], true
}

// quickText passes a text that is at hand and whose escapes are of one letter, behind a name and its colon: as it is written.
func (s *scanner) quickText() (raw []byte, passed bool) {
	b := s.buf[s.at:]
	if s.place != colon || len(b) == 0 || b[0] != ':' {
		return nil, false
	}
	i := quickSpace(b, 1)
	if i < 0 || b[i] != '"' {
		return nil, false
	}
	end := quickString(b, i)
	if end < 0 {
		return nil, false
	}
	s.at, s.place = s.at+end, memberEnd
	return b[i:end], true
}

// quickSpace finds what is no space.
func quickSpace(b []byte, i int) int {
	if uint(i) < uint(len(b)) && b[i] > ' ' {
		return i
	}
	return quickSpaces(b, i)
}

func quickSpaces(b []byte, i int) int {
	if i < 0 {
		return -1
	}
	if i+1 < len(b) && b[i] == ' ' && b[i+1] > ' ' { // as behind a colon
		return i + 1
	}
	for i < len(b) {
		switch c := b[i]; {
		case c > ' ':
			return i
		case c == ' ' || c == '\n':
			i = blanks(b, i+1)
		case c == '\t' || c == '\r':
			i++
		default:
			return -1
		}
	}
	return -1
}

// quickString passes escapes of one letter; what \u says is looked at by the scanner.
func quickString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		i = plain(b, i)
		switch {
		case i >= len(b):
			return -1
		case b[i] == '"':
			return i + 1
		case b[i] != '\\' || i+1 == len(b) || !oneLetter(b[i+1]):
			return -1
		}
		i++
	}
	return -1
}

// oneLetter says whether what stands behind a backslash ends with it.
func oneLetter(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

func quickWord(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return -1
}

// quickNumber does not know a number's end by the end of what is at hand.
func quickNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		i = quickDigits(b, i)
	}
	if i >= 0 && i < len(b) && b[i] == '.' {
		i = quickDigits(b, i+1)
	}
	if i < 0 || i == len(b) || b[i]|0x20 == 'e' {
		return -1
	}
	return i
}

// quickDigits finds the end of digits, of which there must be one.
func quickDigits(b []byte, i int) int {
	first := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == first {
		return -1
	}
	return i
}
