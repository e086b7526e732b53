package sqldb

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"

	"zombiezen.com/go/sqlite"
)

// bind gives a statement an argument.
func bind(s *sqlite.Stmt, at int, arg any) error {
	switch v := arg.(type) {
	case string:
		s.BindText(at, v)
	case int64:
		s.BindInt64(at, v)
	case int:
		s.BindInt64(at, int64(v))
	case bool:
		s.BindBool(at, v)
	case []byte:
		bindBytes(s, at, v)
	case nil:
		s.BindNull(at)
	case float64:
		s.BindFloat(at, v)
	default: // a value that tells its own, a named type, a pointer
		plain, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		switch plain.(type) {
		case string, int64, bool, []byte, nil, float64:
			return bind(s, at, plain)
		}
		return fmt.Errorf("no column takes a %T", plain)
	}
	return nil
}

// bindBytes gives no bytes as no value, as the standard library's drivers do.
func bindBytes(s *sqlite.Stmt, at int, raw []byte) {
	if raw == nil {
		s.BindNull(at)
		return
	}
	s.BindBytes(at, raw)
}

// scan reads a column of the row into a field, by the rules of the standard library: what does not
// fit is an error, and so is no value where the field can't say it.
func scan(s *sqlite.Stmt, column int, field any) error {
	kind := s.ColumnType(column)
	switch f := field.(type) {
	case *string:
		if kind != sqlite.TypeNull {
			*f = s.ColumnText(column)
			return nil
		}
	case *int64:
		if kind == sqlite.TypeInteger {
			*f = s.ColumnInt64(column)
			return nil
		}
	case *int:
		if kind == sqlite.TypeInteger {
			*f = int(s.ColumnInt64(column))
			return nil
		}
	case *bool:
		if kind == sqlite.TypeInteger {
			*f = s.ColumnInt64(column) != 0
			return nil
		}
	case *float64:
		if kind == sqlite.TypeFloat || kind == sqlite.TypeInteger {
			*f = s.ColumnFloat(column)
			return nil
		}
	case *[]byte, *any, sql.Scanner:
		return scanEvery(s, column, kind, field)
	default:
		return scanNamed(s, column, kind, field)
	}
	return misfit(kind, field)
}

// scanEvery reads into a field that takes columns of every kind.
func scanEvery(s *sqlite.Stmt, column int, kind sqlite.ColumnType, field any) error {
	switch f := field.(type) {
	case *[]byte:
		*f = columnBytes(s, column, kind)
	case *any:
		*f = columnValue(s, column, kind)
	case sql.Scanner:
		return f.Scan(columnValue(s, column, kind))
	}
	return nil
}

// scanNamed reads into a field of a named type.
func scanNamed(s *sqlite.Stmt, column int, kind sqlite.ColumnType, field any) error {
	to := reflect.ValueOf(field).Elem()
	switch {
	case to.Kind() == reflect.String && kind != sqlite.TypeNull:
		to.SetString(s.ColumnText(column))
	case to.Kind() == reflect.Bool && kind == sqlite.TypeInteger:
		to.SetBool(s.ColumnInt64(column) != 0)
	case to.CanInt() && kind == sqlite.TypeInteger:
		to.SetInt(s.ColumnInt64(column))
	case to.CanUint() && kind == sqlite.TypeInteger:
		to.SetUint(uint64(s.ColumnInt64(column))) //nolint:gosec // the same bits that were written
	default:
		return misfit(kind, field)
	}
	return nil
}

func misfit(kind sqlite.ColumnType, field any) error {
	return fmt.Errorf("a value of the kind %v is no %s", kind, reflect.TypeOf(field).Elem())
}

func columnBytes(s *sqlite.Stmt, column int, kind sqlite.ColumnType) []byte {
	if kind == sqlite.TypeNull {
		return nil
	}
	raw := make([]byte, s.ColumnLen(column))
	s.ColumnBytes(column, raw)
	return raw
}

func columnValue(s *sqlite.Stmt, column int, kind sqlite.ColumnType) any {
	switch kind {
	case sqlite.TypeInteger:
		return s.ColumnInt64(column)
	case sqlite.TypeFloat:
		return s.ColumnFloat(column)
	case sqlite.TypeText:
		return s.ColumnText(column)
	case sqlite.TypeBlob:
		return columnBytes(s, column, kind)
	default:
		return nil
	}
}
