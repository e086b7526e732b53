package sqldb

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
)

// Difference is a column of a row that has changed, with both values as JSON.
type Difference struct {
	Name     string
	Was, Now json.RawMessage
}

// ChangesBut tells two readings of a row apart, column by column: those aside that move by themselves.
func (t *Table[N]) ChangesBut(aside ...Text) func(before, after *N) []Difference {
	return func(before, after *N) (list []Difference) {
		for _, c := range t.Own {
			if slices.Contains(aside, c.Name) {
				continue
			}
			if was, now := toldValue(c.At(before)), toldValue(c.At(after)); was != now {
				list = append(list, Difference{Name: string(c.Name), Was: json.RawMessage(was), Now: json.RawMessage(now)})
			}
		}
		return list
	}
}

// mostTold is how long a value may be that is told of: a longer one is cut, and is no document any more.
const mostTold = 1000

// toldValue is what a column's field holds, as JSON: nothing and the zero time are null.
func toldValue(field any) string {
	var value any
	switch f := field.(type) {
	case inMillis:
		if !f.at.IsZero() {
			value = f.at
		}
	case driver.Valuer:
		value, _ = f.Value() // of what was read
		if text, is := value.(string); is {
			return cut(cmp.Or(text, "null"))
		}
	default:
		value = fieldValue(field)
	}
	raw, _ := json.Marshal(value) // of plain values only
	return cut(string(raw))
}

func cut(raw string) string {
	if len(raw) <= mostTold {
		return raw
	}
	short, _ := json.Marshal(fmt.Sprintf("%.*s…", mostTold, raw))
	return string(short)
}
