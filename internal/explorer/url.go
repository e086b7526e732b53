package explorer

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// FromURL reads a question from the parameters of a URL: type, sort, fields, and
// filter[i][field][operator][j]. Parameters of another name are not its business.
func FromURL(values url.Values) (Query, error) {
	var p problems
	r := raw{view: values.Get("type")}
	for name, texts := range values {
		switch {
		case strings.HasPrefix(name, "filter"):
			p.urlFilter(&r, name, texts)
		case name == "fields" || strings.HasPrefix(name, "fields["):
			r.fields = append(r.fields, commaParts(name, texts)...)
		}
	}
	r.sort = commaParts("sort", values["sort"])
	// A map has no order: that of the indexes is the question's.
	slices.SortFunc(r.filters, func(a, b rawFilter) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.at, b.at), cmp.Compare(a.item, b.item))
	})
	slices.SortStableFunc(r.fields, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	r.filters = merged(r.filters)
	return p.check(r)
}

// urlFilter reads one parameter of a filter: one of its values, as a rule.
func (p *problems) urlFilter(r *raw, name string, texts []string) {
	keys, ok := brackets(strings.TrimPrefix(name, "filter"))
	if !ok || len(keys) < 3 || len(keys) > 4 {
		p.at(short(name), "must be filter[i][field][operator][j]")
		return
	}
	index, err := strconv.ParseUint(keys[0], 10, 31)
	if err != nil {
		p.at(short(name), "the index %q is no number", short(keys[0]))
		return
	}
	item := uint64(0)
	if len(keys) == 4 {
		item, _ = strconv.ParseUint(keys[3], 10, 31) // whatever it is, the value counts
	}
	r.filters = append(r.filters, rawFilter{
		index: index, item: item,
		at: "filter[" + keys[0] + "][" + short(keys[1]) + "][" + short(keys[2]) + "]", field: keys[1], operator: keys[2], values: texts,
	})
}

// merged puts the values of one filter, which came as parameters of their own, together.
func merged(filters []rawFilter) []rawFilter {
	var whole []rawFilter
	for _, f := range filters {
		if last := len(whole) - 1; last >= 0 && whole[last].at == f.at && whole[last].field == f.field && whole[last].operator == f.operator {
			whole[last].values = slices.Concat(whole[last].values, f.values)
			continue
		}
		whole = append(whole, f)
	}
	return whole
}

// brackets is the parts of [a][b][c].
func brackets(text string) ([]string, bool) {
	var keys []string
	for text != "" {
		inner, ok := strings.CutPrefix(text, "[")
		if !ok {
			return nil, false
		}
		key, rest, ok := strings.Cut(inner, "]")
		if !ok {
			return nil, false
		}
		keys, text = append(keys, key), rest
	}
	return keys, true
}

// commaParts is the parts of comma-separated texts, trimmed, without the empty ones.
func commaParts(at string, texts []string) []part {
	var parts []part
	for _, text := range texts {
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				parts = append(parts, part{text: one, at: at})
			}
		}
	}
	return parts
}
