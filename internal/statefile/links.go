package statefile

import (
	"io"
	"slices"
	"strings"
)

// Linked is one resource of a configuration, and what it was made after.
type Linked struct {
	Module    []string // the calls that lead to its module, without the keys of their instances
	Type      string   // data sources have the prefix "data."
	Name      string
	Instances int
	Needs     []string // addresses of resources, without keys
}

// Address is the address of the resource in the configuration.
func (l *Linked) Address() string {
	return strings.Join(append(slices.Clone(l.Module), l.Type, l.Name), ".")
}

// Links reads a state file and gives one row per resource of the configuration, in the order of
// the file, with no more than most needs in all; more says that there are more. Errors are those
// of Parse.
func Links(r io.Reader, most int) (list []Linked, more bool, err error) {
	l := &look{needs: map[int][]string{}, most: most, texts: map[string]string{}}
	state, err := parse(r, l)
	if err != nil {
		return nil, false, err
	}
	at := map[string]int{}
	for i := range state.Resources {
		r := &state.Resources[i]
		one := Linked{Module: Calls(r.Module), Type: r.TypeAddress(), Name: r.Name}
		place, known := at[one.Address()]
		if !known {
			place = len(list)
			at[one.Address()], list = place, append(list, one)
		}
		list[place].Instances += len(r.Instances)
		list[place].Needs = append(list[place].Needs, l.needs[i]...)
	}
	for i := range list {
		slices.Sort(list[i].Needs)
		list[i].Needs = slices.Compact(list[i].Needs)
	}
	return list, l.cut, nil
}

// Calls is the calls of modules that an address of a module, or of something in one, leads
// through, without the keys of their instances.
func Calls(address string) (calls []string) {
	for rest := address; strings.HasPrefix(rest, "module."); {
		name := rest[len("module."):]
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			return append(calls, rest)
		}
		calls, rest = append(calls, "module."+name[:end]), name[end:]
		if rest[0] == '[' {
			rest = rest[keyEnd(rest):]
		}
		rest = strings.TrimPrefix(rest, ".")
	}
	return calls
}

// keyEnd is where the key of an instance ends, which a text begins with.
func keyEnd(text string) int {
	quoted := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return i + 1
		}
	}
	return len(text)
}

// link notes what an instance was made after, each text once.
func (l *look) link(resource int, raw []byte) {
	for _, name := range names(raw) {
		if l.most <= 0 {
			l.cut = true
			return
		}
		if slices.Contains(l.needs[resource], name) {
			continue
		}
		text, known := l.texts[name]
		if !known {
			text = name
			l.texts[name] = name
		}
		l.needs[resource] = append(l.needs[resource], text)
		l.most--
	}
}
