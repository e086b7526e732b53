package statefile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
)

var (
	stateKeys    = []string{"version", "terraform_version", "serial", "lineage", "outputs", "resources", "encrypted_data", "encryption_version"}
	resourceKeys = []string{"module", "mode", "type", "name", "provider", "instances"}
	// OpenTofu may name the provider per instance; both spellings were used.
	instanceKeys = []string{"index_key", "deposed", "provider", "instance_provider"}
)

// What is held of a file, at most.
const (
	maxValue   = 32 << 20 // bytes of one value, such as the attributes of one instance
	maxOutputs = 16 << 20 // bytes of all outputs
	maxParts   = 250_000  // resources and objects of instances

	perOutput = 64 // what an output takes beside its texts
)

const (
	tooLargeValue   = "it holds a value of more than 32 MiB"
	tooLargeOutputs = "its outputs are larger than 16 MiB"
	tooManyParts    = "it holds more than 250000 resources and instances"
)

// Parse reads one state file to its end. Memory does not grow with the
// attributes of all resources: it holds the attributes of one instance at a
// time (in a buffer up to twice as large), the list of instances and the
// outputs, and none of them without limit.
//
// The error is a *SyntaxError, *VersionError, *EncryptedError, *TooLargeError
// or *FormatError, or whatever the reader failed with.
func Parse(r io.Reader) (*State, error) { return parse(r, nil) }

func parse(r io.Reader, look *look) (*State, error) {
	p := &parser{decoder: newDecoder(r), state: &State{}, version: -1, look: look}
	err := p.document()
	var large *TooLargeError
	if errors.As(err, &large) {
		large.Serial, large.Lineage = p.state.Serial, p.state.Lineage
	}
	if err != nil {
		return nil, err
	}
	return p.state, nil
}

// ParseOutputs reads the outputs alone, as the command lines send them beside
// a state (json-state-outputs): an object of name → {sensitive, type, value}.
// The result is in order of name. Errors are those of Parse.
func ParseOutputs(r io.Reader) ([]Output, error) {
	p := &parser{decoder: newDecoder(r), state: &State{}}
	if err := p.outputs(); err != nil {
		return nil, within("outputs", err)
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return p.state.Outputs, nil
}

type parser struct {
	*decoder
	state     *State
	version   int64
	encrypted bool
	resources map[resourceID]bool // nil: each came after the one before
	module    string              // of the resource before: it was read and checked
	parts     int                 // resources and objects of instances so far
	spare     []Instance          // for the instances of the next resources: most have few
	look      *look               // into what instances hold; nil: nobody asks
	held      int                 // bytes of the outputs so far
}

// part counts one more resource or object of an instance.
func (p *parser) part() error {
	if p.parts++; p.parts > maxParts {
		return &TooLargeError{Detail: tooManyParts}
	}
	return nil
}

type resourceID struct{ module, mode, kind, name string }

func (r *Resource) id() resourceID { return resourceID{r.Module, r.Mode, r.Type, r.Name} }

func (id resourceID) compare(other resourceID) int {
	if id.module != other.module {
		return strings.Compare(id.module, other.module)
	}
	return cmp.Or(strings.Compare(id.mode, other.mode), strings.Compare(id.kind, other.kind), strings.Compare(id.name, other.name))
}

func (p *parser) document() error {
	if err := p.object(stateKeys, p.field); err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	switch {
	case p.version < 0 && p.encrypted:
		return &EncryptedError{Serial: p.state.Serial, Lineage: p.state.Lineage}
	case p.version < 0:
		return &VersionError{}
	}
	return nil
}

func (p *parser) field(key string) error {
	switch key {
	case "version":
		return p.formatVersion()
	case "terraform_version":
		return p.text(&p.state.TerraformVersion)
	case "serial":
		return p.whole(&p.state.Serial)
	case "lineage":
		return p.text(&p.state.Lineage)
	case "outputs":
		return p.outputs()
	case "resources":
		return p.list(p.resource)
	default: // encrypted_data, encryption_version
		p.encrypted = true
		return p.skip()
	}
}

func (p *parser) formatVersion() error {
	if err := p.whole(&p.version); err != nil {
		return err
	}
	if p.version >= 0 && p.version != FormatVersion {
		return &VersionError{Found: strconv.FormatInt(p.version, 10)}
	}
	p.state.Version = FormatVersion
	return nil
}

func (p *parser) outputs() error {
	open, err := p.open('{', "must be an object")
	if !open {
		return err
	}
	seen := map[string]bool{}
	for p.more() {
		key, err := p.key()
		if err != nil {
			return err
		}
		name := string(key)
		if seen[name] {
			return &FormatError{Path: name, Detail: "appears twice"}
		}
		seen[name] = true
		if err := p.output(name); err != nil {
			return within(name, err)
		}
	}
	outputs := p.state.Outputs
	sort.Slice(outputs, func(i, j int) bool { return outputs[i].Name < outputs[j].Name })
	return p.close()
}

func (p *parser) output(name string) error {
	var o struct {
		Sensitive bool            `json:"sensitive"`
		Value     json.RawMessage `json:"value"`
		Type      json.RawMessage `json:"type"`
	}
	raw, err := p.raw()
	if err != nil {
		return err
	}
	if json.Unmarshal(raw, &o) != nil {
		return &FormatError{Detail: "must be an object of sensitive (boolean), type and value"}
	}
	out := Output{Name: name, Sensitive: o.Sensitive, Value: compact(o.Value), Type: compact(o.Type)}
	if out.Value == nil {
		out.Value = json.RawMessage("null")
	}
	if string(out.Type) == "null" {
		out.Type = nil
	}
	if out.Type != nil && out.Type[0] != '"' && out.Type[0] != '[' {
		return &FormatError{Path: "type", Detail: "must be a name or a list"}
	}
	if p.held += len(name) + len(out.Value) + len(out.Type) + perOutput; p.held > maxOutputs {
		return &TooLargeError{Detail: tooLargeOutputs}
	}
	p.state.Outputs = append(p.state.Outputs, out)
	return nil
}

func compact(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw // cannot be: the decoder has read it
	}
	return bytes.Clone(b.Bytes()) // without the buffer's spare room
}

func (p *parser) resource() error {
	var r Resource
	if err := p.part(); err != nil {
		return err
	}
	err := p.object(resourceKeys, func(key string) error {
		switch key {
		case "module":
			return p.moduleOf(&r)
		case "mode":
			return p.name(&r.Mode)
		case "type":
			return p.name(&r.Type)
		case "name":
			return p.text(&r.Name)
		case "provider":
			return p.name(&r.Provider)
		default:
			return p.instances(&r)
		}
	})
	if err != nil {
		return err
	}
	if err := p.check(&r); err != nil {
		return err
	}
	p.state.Resources = append(p.state.Resources, r)
	return nil
}

// moduleOf reads the module of a resource. Those of one module stand together.
func (p *parser) moduleOf(r *Resource) error {
	return p.string(func(raw []byte) {
		if s := p.unquoted(raw); string(s) == p.module {
			r.Module = p.module
		} else {
			r.Module = string(s)
		}
	})
}

// check refuses a resource no command line could have written.
func (p *parser) check(r *Resource) error {
	switch {
	case r.Mode != Managed && r.Mode != Data:
		return &FormatError{Path: "mode", Detail: `must be "managed" or "data"`}
	case r.Type == "":
		return &FormatError{Path: "type", Detail: "is missing"}
	case r.Name == "":
		return &FormatError{Path: "name", Detail: "is missing"}
	}
	if r.Module != p.module && !isModule(r.Module) {
		return &FormatError{Path: "module", Detail: "is not a module address"}
	}
	p.module = r.Module
	if p.again(r) {
		return &FormatError{Detail: "appears twice"}
	}
	return nil
}

// again says whether a resource came before. Command lines write them in order: that takes no map.
func (p *parser) again(r *Resource) bool {
	before := p.state.Resources
	if p.resources == nil {
		if len(before) == 0 || before[len(before)-1].id().compare(r.id()) < 0 {
			return false
		}
		p.resources = make(map[resourceID]bool, len(before)+1)
		for i := range before {
			p.resources[before[i].id()] = true
		}
	}
	known := len(p.resources)
	p.resources[r.id()] = true
	return len(p.resources) == known
}

// objectID is one object of one resource: an instance has at most one current
// object ("" as deposed) and any number of deposed ones.
type objectID struct {
	key     Key
	deposed string
}

// atOnce is for how many instances room is made at once.
const atOnce = 64

func (p *parser) instances(r *Resource) error {
	var objects seen[objectID]
	var known seen[Key] // as they stand in r.Instances
	r.Instances = p.spare
	err := p.list(func() error {
		if err := p.part(); err != nil {
			return err
		}
		in, deposed, err := p.instance()
		if err != nil {
			return err
		}
		if _, again := objects.add(objectID{in.Key, deposed}); again {
			return &FormatError{Detail: "appears twice"}
		}
		if p.look != nil {
			p.look.end(len(p.state.Resources), &in, deposed)
		}
		if i, again := known.add(in.Key); !again {
			r.Instances = append(r.Instances, in)
		} else if deposed == "" {
			r.Instances[i].sum = in.sum
		}
		return nil
	})
	p.furnish(r)
	return err
}

// furnish gives a resource the room that its instances take, and the next one the rest.
func (p *parser) furnish(r *Resource) {
	n := len(r.Instances)
	if n <= cap(p.spare) { // they are there, and not where append put more
		p.spare = p.spare[n:n]
	}
	if r.Instances = slices.Clip(r.Instances); n == 0 {
		r.Instances = nil
	}
	if cap(p.spare) == 0 {
		p.spare = make([]Instance, 0, atOnce)
	}
}

func (p *parser) instance() (in Instance, deposed string, err error) {
	keys := instanceKeys
	if p.look != nil {
		keys, p.look.now, p.look.sum.value = lookedKeys, Object{}, 0
	}
	err = p.object(keys, func(key string) error {
		switch key {
		case "index_key":
			return p.indexKey(&in.Key)
		case "deposed":
			return p.text(&deposed)
		case "attributes", "sensitive_attributes", "dependencies":
			return p.lookAt(key)
		default:
			return p.name(&in.Provider)
		}
	})
	return in, deposed, err
}

func (p *parser) indexKey(out *Key) error {
	kind, raw, err := p.token()
	if err != nil {
		return p.failure(err)
	}
	switch {
	case kind == 'n':
		return nil
	case kind == '"':
		*out = StringKey(string(p.unquoted(raw)))
		return nil
	case isNumber(kind):
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			*out = IntKey(n)
			return nil
		}
	}
	return &FormatError{Detail: "must be a whole number or a string"}
}
