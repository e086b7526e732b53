package api

import (
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// value shows what is always there.
func value[D, T any](get func(*D) T) reader[D] {
	return reader[D]{func(d *D) any { return get(d) }, openapi.Of[T]()}
}

// maybe shows what may be missing: null for an empty text, no number, no moment.
func maybe[D any, T comparable](get func(*D) T) reader[D] {
	return reader[D]{func(d *D) any {
		var none T
		if v := get(d); v != none {
			return v
		}
		return nil
	}, openapi.Of[T]().OrNull()}
}

// texts shows a list of texts; a missing one is empty.
func texts[D any](get func(*D) []string) reader[D] {
	return reader[D]{func(d *D) any { return orEmpty(get(d)) }, openapi.Of[[]string]()}
}

// textsOrNull shows a list of texts; a missing one is null.
func textsOrNull[D any](get func(*D) []string) reader[D] {
	return reader[D]{func(d *D) any {
		if list := get(d); list != nil {
			return list
		}
		return nil
	}, openapi.Of[[]string]().OrNull()}
}

// raw shows JSON as it was kept, of any form; null while there is none.
func raw[D any](get func(*D) json.RawMessage) reader[D] {
	return reader[D]{func(d *D) any { return known(get(d)) }, &openapi.Schema{}}
}

// fixed shows what is the same for all.
func fixed[D, T any](v T) reader[D] {
	return reader[D]{func(*D) any { return v }, openapi.Of[T]()}
}

// none shows null, where there is nothing yet to show.
func none[D, T any]() reader[D] {
	return reader[D]{func(*D) any { return nil }, openapi.Of[T]().OrNull()}
}

// parts shows an object, each of its members by its own row.
func parts[D, P any](rows attributes[D, P]) reader[D] {
	return reader[D]{func(d *D) any { return rows.object(d, belay.EditionAll) }, rows.shown(belay.EditionAll)}
}

// partsOrNull is parts of what may be missing.
func partsOrNull[D, P any](rows attributes[D, P], there func(*D) bool) reader[D] {
	object := parts(rows)
	return reader[D]{func(d *D) any {
		if !there(d) {
			return nil
		}
		return object.get(d)
	}, object.is.OrNull()}
}

// within shows an object that hangs below the noun, and null where it does not.
func within[D, M, P any](rows attributes[M, P], at func(*D) *M) reader[D] {
	return reader[D]{func(d *D) any {
		below := at(d)
		if below == nil {
			return nil
		}
		return rows.object(below, belay.EditionAll)
	}, rows.shown(belay.EditionAll).OrNull()}
}

// unless shows what is null under a condition, and else may be empty.
func unless[D, T any](hidden func(*D) bool, get func(*D) T) reader[D] {
	return reader[D]{func(d *D) any {
		if hidden(d) {
			return nil
		}
		return get(d)
	}, openapi.Of[T]().OrNull()}
}

// reference shows which resource is meant.
func reference[D any](typ string, id func(*D) string) reader[D] {
	return reader[D]{func(d *D) any { return jsonapi.Ref{Type: typ, ID: id(d)} }, refTo(typ)}
}

// refTo is the schema of a reference to a resource of one of the types.
func refTo(types ...string) *openapi.Schema {
	is := openapi.Object().Add("id", openapi.Of[string](), true)
	return is.Add("type", openapi.Of[string]().One(types...), true)
}

// listed shows a list of objects, each member by its own row.
func listed[D, M, P any](rows attributes[M, P], get func(*D) []M) reader[D] {
	return reader[D]{func(d *D) any {
		list := get(d)
		objects := make([]jsonapi.Object, len(list))
		for i := range list {
			objects[i] = rows.object(&list[i], belay.EditionAll)
		}
		return objects
	}, openapi.List(rows.shown(belay.EditionAll))}
}

// permitted shows what the caller may do with the noun.
func permitted[D any](rows []permission, has func(*D) belay.Permission, more ...flag[D]) reader[D] {
	is := openapi.Object()
	for _, row := range rows {
		is.Add(row.name, openapi.Of[bool](), true)
	}
	for _, row := range more {
		is.Add(row.name, openapi.Of[bool](), true)
	}
	return reader[D]{func(d *D) any {
		object := can(rows, has(d))
		for _, row := range more {
			object = append(object, jsonapi.Member{Name: row.name, Value: row.is(d)})
		}
		return object
	}, is}
}

// flag is a permission that more decides than one bit.
type flag[D any] struct {
	name string
	is   func(*D) bool
}

// lift is the table of a noun that stands inside of another.
func lift[V, D, P any](rows attributes[D, P], at func(*V) *D) attributes[V, P] {
	lifted := make(attributes[V, P], len(rows))
	for i := range rows {
		row := rows[i]
		lifted[i] = attribute[V, P]{name: row.name, write: row.write, feature: row.feature, allowed: row.allowed, most: row.most}
		if row.show.get != nil {
			lifted[i].show = reader[V]{func(v *V) any { return row.show.get(at(v)) }, row.show.is}
		}
		if row.absent != nil {
			lifted[i].absent = func(v *V) bool { return row.absent(at(v)) }
		}
	}
	return lifted
}
