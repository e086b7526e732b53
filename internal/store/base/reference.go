package base

import (
	"database/sql/driver"
	"fmt"
)

// Reference is a column of an id that a foreign key watches over.
func Reference(id *string) any { return reference{id} }

// reference keeps an id that a foreign key watches over: NULL where it is empty, since
// a foreign key takes no empty text.
type reference struct{ id *string }

// Value writes the id.
func (r reference) Value() (driver.Value, error) {
	if *r.id == "" {
		return nil, nil
	}
	return *r.id, nil
}

// Scan reads the id.
func (r reference) Scan(src any) error {
	switch s := src.(type) {
	case nil:
		*r.id = ""
	case string:
		*r.id = s
	case []byte:
		*r.id = string(s)
	default:
		return fmt.Errorf("an id is kept as text, not as %T", src)
	}
	return nil
}
