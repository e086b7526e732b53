package explorer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
)

// FromJSON reads a question from JSON: that of a body, where it stands at pointer, or with
// an empty pointer one that was kept. Filters come as a list of {field, operator, value}, as a list of {field: {operator: values}}, or as
// the latter in an object by index. A question without a type is about the view.
func FromJSON(body []byte, view, pointer string) (Query, error) {
	p := problems{pointer: pointer}
	members, ok := membersOf(body)
	if !ok {
		p.at(whole, "must be an object with type, filter, fields and sort")
		return Query{}, p.found.Err()
	}
	r, unknown := raw{view: view}, false
	for _, m := range members {
		switch m.key {
		case "type":
			var given string
			if json.Unmarshal(m.body, &given) != nil {
				p.at("type", "must be a string")
				unknown = true
				continue
			}
			r.view = cmp.Or(given, view)
		case "filter":
			r.filters = p.jsonFilters(m.body)
		case "fields":
			r.fields = p.jsonNames(m.body, "fields")
		case "sort":
			r.sort = p.jsonNames(m.body, "sort")
		default:
			p.within(whole, step(m.key), "%q is no member of a query: it has type, filter, fields and sort", short(m.key))
		}
	}
	if unknown { // nothing can be said of what stands in a view that is not known
		return Query{}, p.found.Err()
	}
	return p.check(r)
}

// step is the way to a member of what stands at a place.
func step(name string) string { return "/" + string(belay.Place("").Member(name)) }

func absent(body []byte) bool {
	return len(body) == 0 || string(bytes.TrimSpace(body)) == "null"
}

func (p *problems) jsonFilters(body json.RawMessage) []rawFilter {
	if absent(body) {
		return nil
	}
	items, ok := listOf(body)
	if !ok {
		p.at("filter", "must be a list of filters")
		return nil
	}
	if len(items) > maxFilters {
		p.at("filter", "there are more than %d filters", maxFilters)
		return nil
	}
	var filters []rawFilter
	for _, item := range items {
		filters = append(filters, p.jsonFilter(item.body, "filter["+item.key+"]")...)
	}
	return filters
}

type entry struct {
	key  string
	body json.RawMessage
}

// listOf is the items of a list, or of an object with numbers for names, in their order.
func listOf(body json.RawMessage) ([]entry, bool) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil {
		items := make([]entry, len(list))
		for i, item := range list {
			items[i] = entry{strconv.Itoa(i), item}
		}
		return items, true
	}
	items, ok := membersOf(body)
	if !ok {
		return nil, false
	}
	for _, item := range items {
		if _, err := strconv.ParseUint(item.key, 10, 31); err != nil {
			return nil, false
		}
	}
	slices.SortFunc(items, func(a, b entry) int {
		if byLength := cmp.Compare(len(a.key), len(b.key)); byLength != 0 {
			return byLength
		}
		return cmp.Compare(a.key, b.key)
	})
	return items, true
}

// membersOf is the members of an object, by name.
func membersOf(body json.RawMessage) ([]entry, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil || object == nil {
		return nil, false
	}
	items := make([]entry, 0, len(object))
	for key, item := range object {
		items = append(items, entry{key, item})
	}
	slices.SortFunc(items, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	return items, true
}

// jsonFilter reads one item: {field, operator, value}, or {field: {operator: values}}.
func (p *problems) jsonFilter(body json.RawMessage, at string) []rawFilter {
	members, ok := membersOf(body)
	if !ok {
		p.at(at, "must be an object")
		return nil
	}
	if len(members) == 0 { // it would find everything, and an action on everything can't be undone
		p.at(at, "must name a field, an operator and values")
		return nil
	}
	if slices.ContainsFunc(members, func(m entry) bool { return m.key == "operator" }) {
		return p.flatFilter(members, at)
	}
	var filters []rawFilter
	for _, field := range members {
		below := step(field.key)
		asked, ok := membersOf(field.body)
		if !ok {
			p.within(at, below, "%q must be an object of operators, or the filter an object of field, operator and value", short(field.key))
			return nil
		}
		if len(asked) == 0 {
			p.within(at, below, "%q must have an operator", short(field.key))
		}
		for _, operator := range asked {
			value := below + step(operator.key)
			f := rawFilter{at: at, field: field.key, operator: operator.key, fieldAt: below, operatorAt: value, valueAt: value}
			p.jsonValues(operator.body, &f)
			filters = append(filters, f)
		}
	}
	return filters
}

func (p *problems) flatFilter(members []entry, at string) []rawFilter {
	f := rawFilter{at: at, fieldAt: "/field", operatorAt: "/operator", valueAt: "/value"}
	unread := false
	for _, m := range members {
		var wrong error
		switch m.key {
		case "field":
			wrong = json.Unmarshal(m.body, &f.field)
		case "operator":
			wrong = json.Unmarshal(m.body, &f.operator)
		case "value":
			p.jsonValues(m.body, &f)
		default:
			p.within(at, step(m.key), "%q is no member of a filter: it has field, operator and value", short(m.key))
		}
		if wrong != nil {
			p.within(at, step(m.key), "field and operator must be strings")
			unread = true
		}
	}
	if unread {
		return nil
	}
	return []rawFilter{f}
}

// jsonValues reads a value, a list of values, or values in an object by index.
func (p *problems) jsonValues(body json.RawMessage, f *rawFilter) {
	if absent(body) {
		return
	}
	if text, ok := scalar(body); ok {
		f.values = []string{text}
		return
	}
	items, ok := listOf(body)
	for _, item := range items {
		text, readable := scalar(item.body)
		f.values, ok = append(f.values, text), ok && readable
	}
	if !ok {
		p.within(f.at, f.valueAt, "value must be a list of strings")
		f.unread = true
	}
}

// scalar is a string, a number or a boolean as text.
func scalar(body json.RawMessage) (string, bool) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return "", false
	}
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number, bool:
		return fmt.Sprint(v), true
	default:
		return "", false
	}
}

// jsonNames reads names in a list or, separated by commas, in a string.
func (p *problems) jsonNames(body json.RawMessage, at string) []part {
	if absent(body) {
		return nil
	}
	var one string
	if json.Unmarshal(body, &one) == nil {
		return commaParts(at, []string{one})
	}
	var list []string
	if json.Unmarshal(body, &list) != nil {
		p.at(at, "must be a list of names")
		return nil
	}
	var parts []part
	for i, text := range list {
		for _, one := range commaParts(at, []string{text}) {
			one.member = "/" + strconv.Itoa(i)
			parts = append(parts, one)
		}
	}
	return parts
}

// JSON is the question in the one form that it is kept and shown in.
func (q Query) JSON() []byte {
	type filter struct {
		Field    string   `json:"field"`
		Operator string   `json:"operator"`
		Value    []string `json:"value"`
	}
	form := struct {
		Type   View     `json:"type"`
		Filter []filter `json:"filter"`
		Fields []string `json:"fields,omitempty"`
		Sort   []string `json:"sort,omitempty"`
	}{Type: q.View, Filter: []filter{}}
	for _, f := range q.Filters {
		operator := string(f.Operator)
		if f.Operator == DoesNotContain {
			operator = strings.ReplaceAll(operator, "_", " ") // as the documentation spells it
		}
		form.Filter = append(form.Filter, filter{f.Field.Name, operator, append([]string{}, f.Texts...)})
	}
	if !slices.Equal(q.Fields, q.View.Fields()) {
		for _, f := range q.Fields {
			form.Fields = append(form.Fields, f.Name)
		}
	}
	for _, s := range q.Sort {
		name := s.Field.Name
		if s.Descending {
			name = "-" + name
		}
		form.Sort = append(form.Sort, name)
	}
	raw, _ := json.Marshal(form) // made of texts only
	return raw
}
