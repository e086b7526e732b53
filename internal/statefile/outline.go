package statefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// lookedKeys is instanceKeys and what an instance holds.
var lookedKeys = append([]string{"attributes", "sensitive_attributes", "dependencies"}, instanceKeys...)

// Row is one instance of a resource in an outline.
type Row struct {
	// Module is the address of the module instance, "" for the root module.
	Module string
	// Type is the type; data sources have the prefix "data.".
	Type string
	// Name is the name in the configuration, with the instance's key.
	Name string
	// Provider is the provider's source, such as "hashicorp/random".
	Provider string

	resource int // its place in the file
	key      Key
	sum      uint64
}

// Address is the absolute address of the instance.
func (r *Row) Address() string {
	address := r.Type + "." + r.Name
	if r.Module != "" {
		address = r.Module + "." + address
	}
	return address
}

// Resource is the name in the configuration, without the instance's key.
func (r *Row) Resource() string { return strings.TrimSuffix(r.Name, r.key.String()) }

// Listed is the instance's address and module as the list of resources shows them.
func (r *Row) Listed() Listed {
	module, prefix := listedModule(r.Module)
	return Listed{Address: prefix + r.Type + "." + r.Name, Module: module}
}

// Sum tells what the instance holds from what others hold, without saying it; whoever keeps
// it must seal it, since few values can be guessed.
func (r *Row) Sum() string { return strconv.FormatUint(r.sum, 16) }

// Same says whether the instance of another state of this address holds the same.
func (r *Row) Same(other *Row) bool { return r.sum == other.sum }

// Outline reads a state file and gives one row per instance in the order of the file. Two
// rows of one address tell whether their attributes are the same, not what they are. Errors
// are those of Parse.
func Outline(r io.Reader) ([]Row, error) {
	state, err := parse(r, &look{})
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i := range state.Resources {
		r := &state.Resources[i]
		for j, in := range r.Instances {
			rows = append(rows, Row{
				Module: r.Module, Type: r.TypeAddress(), Name: r.Name + in.Key.String(), Provider: ProviderSource(r.InstanceProvider(j)),
				resource: i, key: in.Key, sum: in.sum,
			})
		}
	}
	return rows, nil
}

// Object is what one instance of a resource holds.
type Object struct {
	// Attributes is an object of JSON; nil when the instance has none, such as one of which
	// only a deposed object is left.
	Attributes json.RawMessage
	// Sensitive are the paths that the file marks as sensitive, as the engine writes them.
	Sensitive json.RawMessage
	// Dependencies are the addresses of the resources it was made after.
	Dependencies []string
}

// Find reads what one instance holds from the file that its row came from. Errors are those
// of Parse.
func Find(r io.Reader, row *Row) (Object, error) {
	found := Object{}
	_, err := parse(r, &look{row: row, found: &found})
	return found, err
}

// look is a reading of what instances hold: the sums of all, or one of them.
type look struct {
	row   *Row
	found *Object
	now   Object // of the instance that is being read
	sum   sum

	needs map[int][]string  // by the place of the resource; nil: nobody asks
	raw   []byte            // the needs of the instance that is being read
	texts map[string]string // each name of a resource once
	most  int               // needs that are still taken
	cut   bool              // there were more

	search *search // for a value; nil: nobody asks
}

// lookAt reads one key of what an instance holds, as far as somebody asks for it.
func (p *parser) lookAt(key string) error {
	l, asked := p.look, p.look.row == nil && p.look.needs == nil && key == "attributes"
	if l.search != nil {
		return p.searchIn(key)
	}
	if l.needs != nil && key == "dependencies" {
		raw, err := p.raw()
		l.raw = bytes.Clone(raw)
		return err
	}
	if l.row != nil {
		asked = l.row.resource == len(p.state.Resources)
	}
	raw, err := p.raw()
	switch {
	case err != nil || !asked:
		return err
	case l.row == nil:
		l.sum.of(raw)
	case key == "attributes":
		l.now.Attributes = bytes.Clone(raw)
	case key == "sensitive_attributes":
		l.now.Sensitive = bytes.Clone(raw)
	default:
		l.now.Dependencies = names(raw)
	}
	return nil
}

// searchIn keeps of an instance what a search looks at, if it may be there.
func (p *parser) searchIn(key string) error {
	raw, err := p.raw()
	switch now := &p.look.now; {
	case key == "attributes" && p.look.search.may(raw):
		now.Attributes = bytes.Clone(raw)
	case key == "sensitive_attributes":
		now.Sensitive = bytes.Clone(raw)
	}
	return err
}

// names is a list of names; what has another shape is none: it is for people only.
func names(raw []byte) []string {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// end notes what an instance held, which is the one at a place in the file.
func (l *look) end(resource int, in *Instance, deposed string) {
	raw := l.raw
	l.raw = nil
	switch {
	case deposed != "":
	case l.search != nil:
		l.search.in(resource, in.Key, &l.now)
	case l.needs != nil:
		l.link(resource, raw)
	case l.row == nil:
		in.sum = l.sum.value
	case l.row.resource == resource && l.row.key == in.Key:
		*l.found = l.now
	}
}

// sum tells values of JSON apart, however they are spaced. The engines write keys in order.
type sum struct {
	value uint64
	room  []byte
}

// of sums a value up.
func (s *sum) of(raw []byte) {
	s.room = s.room[:0]
	inText, from := false, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inText = !inText
		case inText && c == '\\':
			i++
		case !inText && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			s.room = append(s.room, raw[from:i]...)
			from = i + 1
		}
	}
	s.room = append(s.room, raw[from:]...)
	digest := sha256.Sum256(s.room)
	s.value = binary.BigEndian.Uint64(digest[:])
}
