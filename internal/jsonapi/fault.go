package jsonapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// mostFaults is how many faults of a text are told.
const mostFaults = 20

// Faults finds what a JSON text says that can't be kept as it was said: characters that no text
// may hold, and members that are given twice and do not say the same. In what is given back
// these are null, so that the rest can be read and judged. Of what is no JSON nothing is said.
// Errors: ShapeErrors beside the text.
func Faults(body []byte) ([]byte, error) {
	if !json.Valid(body) {
		return body, nil
	}
	s := &scanner{text: body}
	s.value()
	if s.found == nil {
		return body, nil
	}
	return s.without(), s.found.err()
}

// scanner walks through a valid JSON text.
type scanner struct {
	text  []byte
	at    int
	path  []string // where it is
	found ShapeErrors
	spans [][2]int // of the values that are at fault
}

// note keeps that the value from a place to where the scanner stands is at fault.
func (s *scanner) note(from int, detail string) {
	if len(s.found) < mostFaults {
		s.found.note(Pointer(s.path...), detail)
	}
	s.spans = append(s.spans, [2]int{from, s.at})
}

// without is the text with null for what is at fault.
func (s *scanner) without() []byte {
	slices.SortFunc(s.spans, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], b[1]-a[1]) }) // the outer ones first
	var text []byte
	end := 0
	for _, span := range s.spans {
		if span[0] >= end {
			text = append(append(text, s.text[end:span[0]]...), "null"...)
			end = span[1]
		}
	}
	return append(text, s.text[end:]...)
}

// next passes over blanks, and gives the character after them.
func (s *scanner) next() byte {
	for s.text[s.at] == ' ' || s.text[s.at] == '\t' || s.text[s.at] == '\n' || s.text[s.at] == '\r' {
		s.at++
	}
	return s.text[s.at]
}

// value passes over a value.
func (s *scanner) value() {
	switch s.next() {
	case '{':
		s.object()
	case '[':
		s.list()
	case '"':
		from := s.at
		if fault := s.string(); fault != "" {
			s.note(from, fault)
		}
	default:
		for s.at < len(s.text) && !strings.ContainsRune(",]} \t\r\n", rune(s.text[s.at])) {
			s.at++
		}
	}
}

func (s *scanner) object() {
	said, told, badly, whole := map[string][2]int{}, map[string]bool{}, "", s.at
	for s.at++; s.next() != '}'; {
		if s.text[s.at] == ',' {
			s.at++
			continue
		}
		from := s.at
		if fault := s.string(); fault != "" {
			badly = "has a name that " + fault
		}
		var name string
		_ = json.Unmarshal(s.text[from:s.at], &name)
		s.next()
		s.at++ // the colon
		s.path = append(s.path, name)
		s.next()
		from = s.at
		s.value()
		if was, twice := said[name]; twice && !told[name] && len(s.found) < mostFaults && !SameJSON(s.text[was[0]:was[1]], s.text[from:s.at]) {
			s.note(from, "is given twice, and does not say the same")
			s.spans, told[name] = append(s.spans, was), true
		}
		said[name] = [2]int{from, s.at}
		s.path = s.path[:len(s.path)-1]
	}
	if s.at++; badly != "" {
		s.note(whole, badly)
	}
}

func (s *scanner) list() {
	s.at++
	for i := 0; s.next() != ']'; {
		if s.text[s.at] == ',' {
			s.at++
			continue
		}
		s.path = append(s.path, strconv.Itoa(i))
		s.value()
		s.path = s.path[:len(s.path)-1]
		i++
	}
	s.at++
}

// string passes over a text, and says what it may not hold.
func (s *scanner) string() (fault string) {
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] != '\\' {
			continue
		}
		s.at++
		if s.text[s.at] != 'u' {
			continue
		}
		switch unit := s.unit(); {
		case unit == 0:
			fault = "holds a NUL, which no text may"
		case unit >= 0xDC00 && unit < 0xE000, unit >= 0xD800 && unit < 0xDC00 && !s.pair():
			fault = "holds half of a surrogate pair, which is no character"
		}
		s.at += len("XXXX")
	}
	s.at++
	return fault
}

// unit is the number after the u of an escape.
func (s *scanner) unit() uint64 {
	unit, _ := strconv.ParseUint(string(s.text[s.at+1:s.at+5]), 16, 32)
	return unit
}

// pair says whether the other half follows the first of a pair, and moves on to it.
func (s *scanner) pair() bool {
	second := scanner{text: s.text, at: s.at + len("XXXX\\u")}
	if !bytes.HasPrefix(s.text[s.at+len("uXXXX"):], []byte(`\u`)) {
		return false
	}
	if unit := second.unit(); unit < 0xDC00 || unit >= 0xE000 {
		return false
	}
	s.at = second.at
	return true
}

// SameJSON says whether two values are the same, whatever their blanks and the order of members.
func SameJSON(one, other json.RawMessage) bool {
	if bytes.Equal(one, other) { // also where both are nothing
		return true
	}
	var a, b any
	return json.Unmarshal(one, &a) == nil && json.Unmarshal(other, &b) == nil && reflect.DeepEqual(a, b)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Pointer is the JSON pointer to what stands at the end of the steps.
func Pointer(steps ...string) string {
	var at strings.Builder
	for _, step := range steps {
		at.WriteString("/" + pointerEscapes.Replace(step))
	}
	return at.String()
}

// Steps is the steps of a JSON pointer.
func Steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	steps := strings.Split(pointer[1:], "/")
	for i := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[i])
	}
	return steps
}
