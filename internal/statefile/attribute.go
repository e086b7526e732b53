package statefile

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// Attribute is one plain value in what an instance holds.
type Attribute struct {
	// Path is where it stands, such as "scaling_config.0.max_size".
	Path string
	// Value is the value as compact JSON; empty when it is sensitive.
	Value string
	// Sensitive says that the value is hidden.
	Sensitive bool

	raw string // the value, hidden or not: it leaves this package by Shown alone
}

// Same says whether another attribute has the same value, hidden or not.
func (a Attribute) Same(other Attribute) bool { return a.raw == other.raw }

// secretName are names of attributes that hold secrets. Which attributes a provider calls
// sensitive is not in every state file, so the names are hidden as well.
var secretName = regexp.MustCompile(`(?i)(passw|passphrase|secret|token|private_key|privatekey|credential|api_?key|access_key|auth_?key|connection_string|kubeconfig|kube_config|^result$|bcrypt|user_data|client_key|master_key|account_key|sas_url|signature)`)

// Values is what the object holds, value by value in order of path, the first so many. The
// value of what is sensitive is left out.
func (o *Object) Values(most int) (list []Attribute, more bool) {
	decoder := json.NewDecoder(bytes.NewReader(o.Attributes))
	decoder.UseNumber()
	var top any
	if decoder.Decode(&top) != nil {
		return nil, false
	}
	f := flattening{sensitive: o.sensitive(), most: most}
	f.add("", top, false)
	return f.list, f.more
}

// Shown is one value of the object, hidden or not.
func (o *Object) Shown(path string) (value string, there bool) {
	list, _ := o.Values(math.MaxInt)
	for _, a := range list {
		if a.Path == path {
			return a.raw, true
		}
	}
	return "", false
}

type flattening struct {
	sensitive map[string]bool
	most      int
	list      []Attribute
	more      bool
}

// add adds a value that stands at a path, and what is in it.
func (f *flattening) add(path string, value any, hidden bool) {
	hidden = hidden || f.sensitive[path] && path != ""
	object, isObject := value.(map[string]any)
	array, isArray := value.([]any)
	switch {
	case f.more:
	case hidden && value != nil || !isObject && !isArray || len(object)+len(array) == 0:
		f.leaf(path, value, hidden && value != nil)
	case isArray:
		for i, v := range array {
			f.add(step(path, strconv.Itoa(i)), v, false)
		}
	default:
		names := make([]string, 0, len(object))
		for name := range object {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			f.add(step(path, name), object[name], secretName.MatchString(name))
		}
	}
}

func (f *flattening) leaf(path string, value any, hidden bool) {
	if len(f.list) == f.most {
		f.more = true
		return
	}
	a := Attribute{Path: path, Sensitive: hidden}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // it was JSON
	a.raw = strings.TrimSuffix(b.String(), "\n")
	if !hidden {
		a.Value = a.raw
	}
	f.list = append(f.list, a)
}

// hiddenInJSON stands for a sensitive value.
const hiddenInJSON = "(sensitive)"

// JSON is what the object holds as a document for people, with a word for each value that is
// sensitive; nil where it holds nothing.
func (o *Object) JSON() []byte {
	decoder := json.NewDecoder(bytes.NewReader(o.Attributes))
	decoder.UseNumber()
	var top any
	if decoder.Decode(&top) != nil {
		return nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(masked(o.sensitive(), "", top, false)) // it was JSON
	return b.Bytes()
}

// masked is a value that stands at a path, without what is sensitive in it.
func masked(sensitive map[string]bool, path string, value any, hidden bool) any {
	if (hidden || sensitive[path] && path != "") && value != nil {
		return hiddenInJSON
	}
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = masked(sensitive, step(path, name), v[name], secretName.MatchString(name))
		}
	case []any:
		for i := range v {
			v[i] = masked(sensitive, step(path, strconv.Itoa(i)), v[i], false)
		}
	}
	return value
}

func step(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// sensitive is the paths that the file marks.
func (o *Object) sensitive() map[string]bool {
	var paths [][]struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	found := map[string]bool{}
	if json.Unmarshal(o.Sensitive, &paths) != nil {
		return found
	}
	for _, steps := range paths {
		path := ""
		for _, s := range steps {
			path = step(path, stepName(s.Value))
		}
		found[path] = true
	}
	return found
}

// stepName is one step of a marked path: a name, or {"value": index, "type": …}.
func stepName(raw json.RawMessage) string {
	var index struct {
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(raw, &index) == nil && index.Value != nil {
		raw = index.Value
	}
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	return string(raw)
}
