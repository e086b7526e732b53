package sqldb

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// fieldValue is what a column's field holds, in a form that both drivers take.
func fieldValue(field any) any {
	switch f := field.(type) {
	case *string:
		return *f
	case *bool:
		return *f
	case *int:
		return int64(*f)
	case *int64:
		return *f
	case driver.Valuer:
		return f
	default:
		return reflect.ValueOf(field).Elem().Convert(kindOf(field)).Interface()
	}
}

// kindOf is the plain type under a named one, such as string under ExecutionMode.
func kindOf(field any) reflect.Type {
	if reflect.TypeOf(field).Elem().Kind() == reflect.String {
		return reflect.TypeFor[string]()
	}
	return reflect.TypeFor[int64]()
}

// Kept is a field that is written and read as something else.
type Kept interface {
	driver.Valuer
	sql.Scanner
}

// Millis keeps a time as milliseconds, and the zero time as 0.
func Millis(at *time.Time) Kept { return inMillis{at} }

type inMillis struct{ at *time.Time }

// Value writes the time.
func (m inMillis) Value() (driver.Value, error) { return UnixMillis(*m.at), nil }

// Scan reads the time.
func (m inMillis) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok && src != nil {
		return fmt.Errorf("a time is kept as a number, not as %T", src)
	}
	*m.at = time.Time{}
	if ms != 0 {
		*m.at = time.UnixMilli(ms).UTC()
	}
	return nil
}

// UnixMillis is how a moment is kept; the zero time is 0.
func UnixMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// JSON keeps a value as JSON text, and its zero value as the empty text.
func JSON[T any](at *T) Kept { return inJSON[T]{at} }

type inJSON[T any] struct{ at *T }

// Value writes the value.
func (j inJSON[T]) Value() (driver.Value, error) {
	if reflect.ValueOf(j.at).Elem().IsZero() {
		return "", nil
	}
	raw, err := json.Marshal(j.at)
	return string(raw), err
}

// Scan reads the value.
func (j inJSON[T]) Scan(src any) error {
	var zero T
	*j.at = zero
	switch s := src.(type) {
	case string:
		if s == "" {
			return nil
		}
		return json.Unmarshal([]byte(s), j.at)
	case []byte:
		if len(s) == 0 {
			return nil
		}
		return json.Unmarshal(s, j.at)
	case nil:
		return nil
	default:
		return fmt.Errorf("JSON is kept as text, not as %T", src)
	}
}
