package statefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Key is the instance key of a resource: none, a count index or a for_each
// key. The zero value is none. Keys compare with ==.
type Key struct {
	kind byte // 0 none, 'i' index, 's' string
	n    int64
	s    string
}

// IntKey is a count index.
func IntKey(n int64) Key { return Key{kind: 'i', n: n} }

// StringKey is a for_each key.
func StringKey(s string) Key { return Key{kind: 's', s: s} }

// String is the key as the end of an address: "", `[0]` or `["eu"]`.
func (k Key) String() string {
	switch k.kind {
	case 'i':
		return "[" + strconv.FormatInt(k.n, 10) + "]"
	case 's':
		return "[" + quote(k.s) + "]"
	}
	return ""
}

// MarshalJSON gives null, a number or a string.
func (k Key) MarshalJSON() ([]byte, error) {
	switch k.kind {
	case 'i':
		return strconv.AppendInt(nil, k.n, 10), nil
	case 's':
		return json.Marshal(k.s)
	}
	return []byte("null"), nil
}

// UnmarshalJSON takes what MarshalJSON gives.
func (k *Key) UnmarshalJSON(b []byte) error {
	var s *string
	if len(b) > 0 && (b[0] == '"' || b[0] == 'n') {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		if *k = (Key{}); s != nil {
			*k = StringKey(*s)
		}
		return nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return errors.New("instance key must be a whole number or a string")
	}
	*k = IntKey(n)
	return nil
}

// quote writes a for_each key as the configuration language quotes it, which
// is not as Go does: `${` and `%{` begin a template and are doubled.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case (r == '$' || r == '%') && strings.HasPrefix(s[i+1:], "{"):
			b.WriteRune(r)
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// ModulePath is a module instance's address as documents show it: "root" for
// the root module, "root.net.subnets" for `module.net["eu"].module.subnets[0]`.
// Instance keys fall away: the path names the module, not its instances. An
// address that cannot be read is shown as it is.
func ModulePath(address string) string {
	return string(appendModulePath(make([]byte, 0, 128), address))
}

// appendModulePath appends the path of a module to what is empty.
func appendModulePath(room []byte, address string) []byte {
	room = append(room, "root"...)
	for rest := address; rest != ""; {
		name, _, behind, ok := cutModule(rest)
		if rest, ok = nextModule(behind, ok); !ok {
			return append(room[:0], address...)
		}
		room = append(append(room, '.'), name...)
	}
	return room
}

// isModule says whether an address is one of a module instance; that of the root module is empty.
func isModule(address string) bool {
	ok := true
	for address != "" && ok {
		_, _, behind, read := cutModule(address)
		address, ok = nextModule(behind, read)
	}
	return ok
}

// listedModule is a module instance's address as the list of resources shows it, in two
// forms: the module, "root" or "net.subnets", and what the addresses in it begin with, ""
// or `net["eu"].subnets[0].`.
func listedModule(address string) (module, prefix string) {
	names, instances, _ := moduleNames(address) // it was read with the state
	return listed(names, instances)
}

func listed(names, instances []string) (module, prefix string) {
	if len(names) == 0 {
		return "root", ""
	}
	return strings.Join(names, "."), strings.Join(instances, ".") + "."
}

// ListedAt is the address and module of an instance as the list of resources shows them, from
// its absolute address. ok is false when that can't be read.
func ListedAt(address string) (at Listed, ok bool) {
	names, instances, rest, ok := cutModules(address)
	module, prefix := listed(names, instances)
	return Listed{Address: prefix + rest, Module: module}, ok && rest != ""
}

// moduleNames takes a module instance's address apart: into names, and names with keys.
func moduleNames(address string) (names, instances []string, ok bool) {
	for rest := address; rest != ""; {
		name, instance, behind, ok := cutModule(rest)
		if rest, ok = nextModule(behind, ok); !ok {
			return nil, nil, false
		}
		names, instances = append(names, name), append(instances, instance)
	}
	return names, instances, true
}

// cutModules takes the module instance off the front of an address, with the dot behind it:
// its names, and its names with keys.
func cutModules(address string) (names, instances []string, rest string, ok bool) {
	rest = address
	for strings.HasPrefix(rest, "module.") {
		name, instance, behind, ok := cutModule(rest)
		if !ok {
			return nil, nil, address, false
		}
		if rest, ok = strings.CutPrefix(behind, "."); !ok {
			return nil, nil, address, false
		}
		names, instances = append(names, name), append(instances, instance)
	}
	return names, instances, rest, true
}

// cutModule takes one module off the front of an address: its name, its name with its key, and
// what stands behind.
func cutModule(address string) (name, instance, behind string, ok bool) {
	after, ok := strings.CutPrefix(address, "module.")
	end := nameEnd(after)
	if !ok || end == 0 {
		return "", "", "", false
	}
	behind, ok = cutKey(after[end:])
	return after[:end], strings.TrimSuffix(after, behind), behind, ok
}

// nameEnd is where the name that stands in front ends: at a dot, at a key, or at the end.
func nameEnd(s string) int {
	for i := range len(s) {
		if s[i] == '.' || s[i] == '[' {
			return i
		}
	}
	return len(s)
}

// nextModule is the address of the module in a module, of what stands behind that: nothing, or a dot and more.
func nextModule(behind string, ok bool) (string, bool) {
	if behind == "" {
		return "", ok
	}
	rest, dot := strings.CutPrefix(behind, ".")
	return rest, ok && dot && rest != ""
}

// cutKey drops an instance key from the front of s, where there is one.
func cutKey(s string) (rest string, ok bool) {
	if !strings.HasPrefix(s, "[") {
		return s, true
	}
	if !strings.HasPrefix(s, `["`) {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return "", false
		}
		_, err := strconv.ParseInt(s[1:end], 10, 64)
		return s[end+1:], err == nil
	}
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return strings.CutPrefix(s[i+1:], "]")
		}
	}
	return "", false
}

// ProviderSource is the source of a provider configuration's address:
// "hashicorp/null" for `provider["registry.terraform.io/hashicorp/null"]`.
// The two public registries' hosts fall away, others stay; so do module,
// alias and key. Addresses from before Terraform 0.13 (`provider.aws`) give
// the bare type, and one that cannot be read is given back as it is.
func ProviderSource(address string) string {
	rest, ok := cutProvider(address)
	if !ok {
		return address
	}
	if legacy, ok := strings.CutPrefix(rest, "."); ok {
		name, _, _ := strings.Cut(legacy, ".")
		return name
	}
	source, _, ok := strings.Cut(strings.TrimPrefix(rest, `["`), `"]`)
	if !ok || !strings.HasPrefix(rest, `["`) {
		return address
	}
	for _, host := range []string{"registry.terraform.io/", "registry.opentofu.org/"} {
		if short, ok := strings.CutPrefix(source, host); ok {
			return short
		}
	}
	return source
}

// ProviderName is the last part of a provider's source: "null" for
// "hashicorp/null".
func ProviderName(source string) string {
	return source[strings.LastIndexByte(source, '/')+1:]
}

// cutProvider drops the module and the word "provider" from the front of a
// provider configuration's address.
func cutProvider(address string) (rest string, ok bool) {
	rest = address
	for {
		if after, ok := strings.CutPrefix(rest, "provider"); ok {
			return after, true
		}
		if rest, ok = strings.CutPrefix(rest, "module."); !ok {
			return "", false
		}
		if rest, ok = cutKey(rest[nameEnd(rest):]); !ok {
			return "", false
		}
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return "", false
		}
	}
}
