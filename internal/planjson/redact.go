package planjson

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Redact writes the form of a plan that shows what changes and no value that is marked as
// sensitive, before or after. The schemas, which may be nil, come with it for the
// providers that occur. Secrets are masked wherever they stand in a value: the engine marks
// only what the configuration declares to be sensitive.
func Redact(to io.Writer, plan, schemas io.Reader, secrets ...string) error {
	w := &writer{to: bufio.NewWriter(to), secrets: secrets}
	providers := map[string]bool{}
	w.text("{")
	d := json.NewDecoder(plan)
	d.UseNumber()
	if err := members(d, func(name string, d *json.Decoder) error { return w.member(name, d, providers) }); err != nil {
		return err
	}
	if schemas != nil {
		if err := w.schemas(json.NewDecoder(schemas), providers); err != nil {
			return err
		}
	}
	w.text("}\n")
	return errors.Join(w.err, w.to.Flush())
}

// writer writes an object member by member.
type writer struct {
	to      *bufio.Writer
	secrets []string
	began   bool
	err     error
}

func (w *writer) text(s string) {
	if _, err := w.to.WriteString(s); w.err == nil {
		w.err = err
	}
}

func (w *writer) value(v any) {
	raw, err := json.Marshal(v)
	if w.err == nil {
		w.err = err
	}
	w.text(string(raw))
}

// name begins a member.
func (w *writer) name(name string) {
	if w.began {
		w.text(",")
	}
	w.began = true
	w.value(name)
	w.text(":")
}

func (w *writer) member(name string, d *json.Decoder, providers map[string]bool) error {
	switch name {
	case "format_version":
		return w.copy("plan_format_version", d)
	case "relevant_attributes":
		return w.copy(name, d)
	case "output_changes":
		return w.outputs(name, d)
	case "resource_changes", "resource_drift":
		return w.resources(name, d, providers)
	default:
		return skip(d)
	}
}

func (w *writer) copy(name string, d *json.Decoder) error {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return wrong(err)
	}
	w.name(name)
	w.value(raw)
	return w.err
}

func (w *writer) outputs(name string, d *json.Decoder) error {
	var all map[string]map[string]any
	if err := d.Decode(&all); err != nil {
		return wrong(err)
	}
	for _, change := range all {
		redact(change)
		w.hide(change)
	}
	w.name(name)
	w.value(all)
	return w.err
}

func (w *writer) resources(name string, d *json.Decoder, providers map[string]bool) error {
	w.name(name)
	w.text("[")
	first := true
	err := each(d, func(d *json.Decoder) error {
		var one map[string]any
		if err := d.Decode(&one); err != nil {
			return wrong(err)
		}
		if change, ok := one["change"].(map[string]any); ok {
			redact(change)
		} else {
			delete(one, "change") // nothing that says what of it is sensitive
		}
		if provider, ok := one["provider_name"].(string); ok {
			providers[provider] = true
		}
		w.hide(one)
		if !first {
			w.text(",")
		}
		first = false
		w.value(one)
		return w.err
	})
	w.text("]")
	return err
}

func (w *writer) schemas(d *json.Decoder, providers map[string]bool) error {
	return members(d, func(name string, d *json.Decoder) error {
		switch name {
		case "format_version":
			return w.copy("provider_format_version", d)
		case "provider_schemas":
			w.name(name)
			w.text("{")
			inner := &writer{to: w.to}
			err := members(d, func(provider string, d *json.Decoder) error {
				if !providers[provider] {
					return skip(d)
				}
				return inner.copy(provider, d)
			})
			w.text("}")
			return err
		default:
			return skip(d)
		}
	})
}

// hide masks the secrets in a value. What holds values is changed in place.
func (w *writer) hide(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = w.hide(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = w.hide(inner)
		}
	case string:
		for _, secret := range w.secrets {
			v = strings.ReplaceAll(v, secret, "REDACTED")
		}
		return v
	case json.Number:
		if slices.Contains(w.secrets, v.String()) {
			return json.Number("0")
		}
	}
	return value
}

// redact masks both sides of a change where either is marked.
func redact(change map[string]any) {
	before, after := change["before"], change["after"]
	marks := []any{change["before_sensitive"], change["after_sensitive"]}
	if _, there := change["before"]; there {
		change["before"] = mask(before, before, marks)
	}
	if _, there := change["after"]; there {
		change["after"] = mask(after, before, marks)
	}
}

// mask is a value without what is marked. What it was before says whether a mask has to
// show that it changed.
func mask(value, before any, marks []any) any {
	for _, m := range marks {
		if m == true {
			return masked(value, !reflect.DeepEqual(value, before))
		}
	}
	switch v := value.(type) {
	case map[string]any:
		old, _ := before.(map[string]any)
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[name] = mask(inner, old[name], below(marks, name, -1))
		}
		return out
	case []any:
		old, _ := before.([]any)
		out := make([]any, len(v))
		for i, inner := range v {
			var was any
			if i < len(old) {
				was = old[i]
			}
			out[i] = mask(inner, was, below(marks, "", i))
		}
		return out
	default:
		return value
	}
}

// below is the marks of a member or an element.
func below(marks []any, name string, index int) []any {
	var found []any
	for _, m := range marks {
		switch m := m.(type) {
		case map[string]any:
			if inner, ok := m[name]; ok && index < 0 {
				found = append(found, inner)
			}
		case []any:
			if index >= 0 && index < len(m) {
				found = append(found, m[index])
			}
		}
	}
	return found
}

func masked(value any, changed bool) any {
	switch value.(type) {
	case nil:
		return nil
	case bool:
		return changed
	case json.Number, float64:
		if changed {
			return 1
		}
		return 0
	case []any:
		return []any{}
	case map[string]any:
		return map[string]any{}
	default:
		if changed {
			return "REDACTED "
		}
		return "REDACTED"
	}
}
