package doc

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// Permission is one member of a document's permissions object, and what it takes.
type Permission struct {
	Name string
	Need belay.Permission
}

// can is the permissions object of a document, computed for the calling token.
func can(rows []Permission, has belay.Permission) jsonapi.Object {
	object := make(jsonapi.Object, len(rows), len(rows)+1)
	for i, row := range rows {
		object[i] = jsonapi.Member{Name: row.Name, Value: has.Has(row.Need)}
	}
	return object
}
