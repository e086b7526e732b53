package doc

import (
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/site"
)

// Value shows what is always there.
func Value[D, T any](get func(*D) T) Reader[D] {
	return Reader[D]{func(d *D) any { return get(d) }, openapi.Of[T]()}
}

// Maybe shows what may be missing: null for an empty text, no number, no moment.
func Maybe[D any, T comparable](get func(*D) T) Reader[D] {
	return Reader[D]{func(d *D) any {
		var none T
		if v := get(d); v != none {
			return v
		}
		return nil
	}, openapi.Of[T]().OrNull()}
}

// Texts shows a list of texts; a missing one is empty.
func Texts[D any](get func(*D) []string) Reader[D] {
	return Reader[D]{func(d *D) any { return orEmpty(get(d)) }, openapi.Of[[]string]()}
}

// TextsOrNull shows a list of texts; a missing one is null.
func TextsOrNull[D any](get func(*D) []string) Reader[D] {
	return Reader[D]{func(d *D) any {
		if list := get(d); list != nil {
			return list
		}
		return nil
	}, openapi.Of[[]string]().OrNull()}
}

// Raw shows JSON as it was kept, of any form; null while there is none.
func Raw[D any](get func(*D) json.RawMessage) Reader[D] {
	return Reader[D]{func(d *D) any { return known(get(d)) }, &openapi.Schema{}}
}

// Fixed shows what is the same for all.
func Fixed[D, T any](v T) Reader[D] {
	return Reader[D]{func(*D) any { return v }, openapi.Of[T]()}
}

// None shows null, where there is nothing yet to show.
func None[D, T any]() Reader[D] {
	return Reader[D]{func(*D) any { return nil }, openapi.Of[T]().OrNull()}
}

// Parts shows an object, each of its members by its own row.
func Parts[D, P any](rows Attributes[D, P]) Reader[D] {
	return Reader[D]{func(d *D) any { return rows.Object(d, site.EditionAll) }, rows.Shown(site.EditionAll)}
}

// PartsOrNull is parts of what may be missing.
func PartsOrNull[D, P any](rows Attributes[D, P], there func(*D) bool) Reader[D] {
	object := Parts(rows)
	return Reader[D]{func(d *D) any {
		if !there(d) {
			return nil
		}
		return object.Get(d)
	}, object.Is.OrNull()}
}

// Within shows an object that hangs below the noun, and null where it does not.
func Within[D, M, P any](rows Attributes[M, P], at func(*D) *M) Reader[D] {
	return Reader[D]{func(d *D) any {
		below := at(d)
		if below == nil {
			return nil
		}
		return rows.Object(below, site.EditionAll)
	}, rows.Shown(site.EditionAll).OrNull()}
}

// Unless shows what is null under a condition, and else may be empty.
func Unless[D, T any](hidden func(*D) bool, get func(*D) T) Reader[D] {
	return Reader[D]{func(d *D) any {
		if hidden(d) {
			return nil
		}
		return get(d)
	}, openapi.Of[T]().OrNull()}
}

// Reference shows which resource is meant.
func Reference[D any](typ string, id func(*D) string) Reader[D] {
	return Reader[D]{func(d *D) any { return jsonapi.Ref{Type: typ, ID: id(d)} }, RefTo(typ)}
}

// RefTo is the schema of a reference to a resource of one of the types.
func RefTo(types ...string) *openapi.Schema {
	is := openapi.Object().Add("id", openapi.Of[string](), true)
	return is.Add("type", openapi.Of[string]().One(types...), true)
}

// Listed shows a list of objects, each member by its own row.
func Listed[D, M, P any](rows Attributes[M, P], get func(*D) []M) Reader[D] {
	return Reader[D]{func(d *D) any {
		list := get(d)
		objects := make([]jsonapi.Object, len(list))
		for i := range list {
			objects[i] = rows.Object(&list[i], site.EditionAll)
		}
		return objects
	}, openapi.List(rows.Shown(site.EditionAll))}
}

// Permitted shows what the caller may do with the noun.
func Permitted[D any](rows []Permission, has func(*D) belay.Permission, more ...Flag[D]) Reader[D] {
	is := openapi.Object()
	for _, row := range rows {
		is.Add(row.Name, openapi.Of[bool](), true)
	}
	for _, row := range more {
		is.Add(row.Name, openapi.Of[bool](), true)
	}
	return Reader[D]{func(d *D) any {
		object := can(rows, has(d))
		for _, row := range more {
			object = append(object, jsonapi.Member{Name: row.Name, Value: row.Is(d)})
		}
		return object
	}, is}
}

// Flag is a permission that more decides than one bit.
type Flag[D any] struct {
	Name string
	Is   func(*D) bool
}

// Lift is the table of a noun that stands inside of another.
func Lift[V, D, P any](rows Attributes[D, P], at func(*V) *D) Attributes[V, P] {
	lifted := make(Attributes[V, P], len(rows))
	for i := range rows {
		row := rows[i]
		lifted[i] = Attribute[V, P]{Name: row.Name, Write: row.Write, Feature: row.Feature, Allowed: row.Allowed, Most: row.Most}
		if row.Show.Get != nil {
			lifted[i].Show = Reader[V]{func(v *V) any { return row.Show.Get(at(v)) }, row.Show.Is}
		}
		if row.Absent != nil {
			lifted[i].Absent = func(v *V) bool { return row.Absent(at(v)) }
		}
	}
	return lifted
}

// known shows what a state says, and null while that is not known.
func known(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}

// Among shows a word that is one of some.
func Among[D any, T ~string](get func(*D) T, words ...T) Reader[D] {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return Reader[D]{func(d *D) any { return string(get(d)) }, openapi.Of[string]().One(all...)}
}
