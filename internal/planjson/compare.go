package planjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Comparison is the values of something before and after, as far as they differ.
type Comparison struct {
	Rows []Difference
	Same int  // values that stay as they are
	More bool // there are more differences than were asked for
}

// Difference is one value that does not stay as it is. What is hidden has no text.
type Difference struct {
	Path             string
	Was, Now         string // in JSON; empty: it was or will not be there
	Unknown          bool   // what it will be is known when it is applied
	Hidden           bool   // it is sensitive
	Forces           bool   // the resource has to be replaced for it
	WasThere, IsLeft bool   // whether there is a value before, and after
}

// The longest value that is told, and the longest list that is told in one piece.
const (
	longestValue = 4000
	longestList  = 160
)

// comparing walks through two values at once.
type comparing struct {
	Comparison
	most   int
	forces map[string]bool
}

func (v *values) compare(most int) Comparison {
	c := comparing{most: most, forces: map[string]bool{}}
	for _, path := range v.ReplacePaths {
		at := ""
		for _, step := range path {
			at = under(at, step)
		}
		c.forces[at] = true
	}
	c.walk("", side{v.Before, v.WasSensitive}, side{v.After, v.NowSensitive}, v.Unknown, false)
	return c.Comparison
}

// side is a value and what of it is sensitive.
type side struct{ value, sensitive any }

func (s side) below(step any) side { return side{inside(s.value, step), inside(s.sensitive, step)} }

// inside is a member or an element; nil where there is none.
func inside(value, step any) any {
	switch v := value.(type) {
	case map[string]any:
		if name, ok := step.(string); ok {
			return v[name]
		}
	case []any:
		if i, ok := step.(int); ok && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// under is the path of a member or an element.
func under(path string, step any) string {
	text := fmt.Sprint(step)
	if path == "" {
		return text
	}
	return path + "." + text
}

func (c *comparing) walk(path string, was, now side, unknown any, forced bool) {
	forced = forced || path != "" && c.forces[path]
	hidden := was.sensitive == true || now.sensitive == true
	switch {
	case hidden || unknown == true:
		c.add(path, was.value, now.value, Difference{Hidden: hidden, Unknown: unknown == true, Forces: forced})
	case was.value == nil && now.value == nil && !holds(unknown):
	default:
		steps, ok := stepsOf(was.value, now.value, unknown)
		if !ok {
			c.leaf(path, was.value, now.value, forced)
			return
		}
		for _, step := range steps {
			c.walk(under(path, step), was.below(step), now.below(step), inside(unknown, step), forced)
		}
	}
}

// holds says whether anything is marked.
func holds(marks any) bool {
	switch m := marks.(type) {
	case bool:
		return m
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(m)), holds)
	case []any:
		return slices.ContainsFunc(m, holds)
	}
	return false
}

// stepsOf is where a walk goes on; not ok: it ends here, for there is nothing in the values, or
// they are not of one kind, or short enough to be told in one piece.
func stepsOf(was, now, unknown any) (steps []any, ok bool) {
	if before, after, are := both[map[string]any](was, now); are {
		marks, _ := unknown.(map[string]any)
		names := slices.Sorted(maps.Keys(before))
		names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(after)), maps.Keys(marks))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			steps = append(steps, name)
		}
		return steps, len(steps) > 0
	}
	before, after, are := both[[]any](was, now)
	if !are || !holds(unknown) && plain(before) && plain(after) {
		return nil, false
	}
	marks, _ := unknown.([]any)
	for i := range max(len(before), len(after), len(marks)) {
		steps = append(steps, i)
	}
	return steps, len(steps) > 0
}

// both says whether two values are of one kind, where one of them may be nothing.
func both[T any](was, now any) (before, after T, are bool) {
	before, old := was.(T)
	after, fresh := now.(T)
	return before, after, (old || was == nil) && (fresh || now == nil) && (old || fresh)
}

// plain says whether a list is told in one piece.
func plain(list []any) bool {
	size := 0
	for _, one := range list {
		switch v := one.(type) {
		case map[string]any, []any:
			return false
		case string:
			size += len(v)
		default:
			size += 5
		}
	}
	return size <= longestList
}

// leaf compares two values that are not walked into, unless they are documents in a text.
func (c *comparing) leaf(path string, was, now any, forced bool) {
	if path == "" && none(was) && none(now) {
		return // a resource without a value
	}
	if reflect.DeepEqual(was, now) {
		c.Same++
		return
	}
	old, fresh := documentIn(was), documentIn(now)
	if old != nil && fresh != nil {
		before := len(c.Rows)
		c.walk(path, side{value: old}, side{value: fresh}, nil, forced)
		if len(c.Rows) > before || c.More {
			return
		} // they differ by how they are written alone
	}
	c.add(path, was, now, Difference{Forces: forced})
}

// none says whether a value is nothing, or an object that holds nothing.
func none(value any) bool {
	object, ok := value.(map[string]any)
	return value == nil || ok && len(object) == 0
}

// documentIn is what a text says that is an object or a list in JSON; nil: it is none.
func documentIn(value any) any {
	text, _ := value.(string)
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var document any
	if d.Decode(&document) != nil || d.More() {
		return nil
	}
	return document
}

func (c *comparing) add(path string, was, now any, d Difference) {
	if !d.Unknown && reflect.DeepEqual(was, now) {
		c.Same++
		return
	}
	if len(c.Rows) >= c.most {
		c.More = true
		return
	}
	d.Path, d.WasThere, d.IsLeft = path, was != nil, now != nil || d.Unknown
	if !d.Hidden {
		d.Was, d.Now = textOf(was), textOf(now)
	}
	c.Rows = append(c.Rows, d)
}

// textOf is a value as one writes it; nothing for what is not there.
func textOf(value any) string {
	if value == nil {
		return ""
	}
	var text string
	switch v := value.(type) {
	case string:
		text = strconv.Quote(v)
		if strings.ContainsRune(v, '\n') {
			text = v // as it stands, line by line
		}
	default:
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // it was read from JSON
		text = strings.TrimSuffix(b.String(), "\n")
	}
	if len(text) > longestValue {
		text = strings.ToValidUTF8(text[:longestValue], "") + "…"
	}
	return text
}
