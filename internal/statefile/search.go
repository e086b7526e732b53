package statefile

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strings"
)

// Holding reads a state file and gives the instances that have a text as one of their values, by
// address, each with the path of the first. What is hidden is not looked at: who could look for
// it would have it told by what is found. Errors are those of Parse.
func Holding(r io.Reader, text string) (map[string]string, error) {
	s := &search{text: text, part: plainPart(text), hits: map[instanceAt]string{}}
	state, err := parse(r, &look{search: s})
	if err != nil {
		return nil, err
	}
	found := make(map[string]string, len(s.hits))
	for at, path := range s.hits {
		r := &state.Resources[at.resource]
		row := Row{Module: r.Module, Type: r.TypeAddress(), Name: r.Name + at.key.String()}
		found[row.Address()] = path
	}
	return found, nil
}

// search is what is looked for in what instances hold.
type search struct {
	text string
	part []byte // of the text, as it stands in JSON however that is written
	hits map[instanceAt]string
}

// instanceAt is one instance of a file.
type instanceAt struct {
	resource int
	key      Key
}

// plainPart is the longest part of a text that JSON writes as it is.
func plainPart(text string) []byte {
	best, from := "", 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] == '-' || text[i] == '_' || text[i] == '.' || text[i] == ':') {
			continue
		}
		if i-from > len(best) {
			best = text[from:i]
		}
		from = i + 1
	}
	return []byte(best)
}

// may says whether attributes may have the text: most have not, and are not read for it.
func (s *search) may(raw []byte) bool {
	return bytes.Contains(raw, s.part) || bytes.Contains(raw, []byte(`\u00`))
}

// in notes an instance that has the text.
func (s *search) in(resource int, key Key, o *Object) {
	if o.Attributes == nil {
		return
	}
	list, _ := o.Values(math.MaxInt)
	for _, a := range list {
		if !a.Sensitive && (a.Value == s.text || a.Text() == s.text) {
			s.hits[instanceAt{resource, key}] = a.Path
			return
		}
	}
}

// Text is the value as people write it: a text without its quotes. That of a hidden one is empty.
func (a Attribute) Text() string {
	var text string
	if !strings.HasPrefix(a.Value, `"`) || json.Unmarshal([]byte(a.Value), &text) != nil {
		return a.Value
	}
	return text
}
