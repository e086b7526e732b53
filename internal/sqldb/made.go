package sqldb

import (
	"slices"
	"sync"
)

// AnyTable is a table without its noun, for tests that walk all there are.
type AnyTable interface {
	// Held is an empty noun, and what each column makes of it.
	Held() (noun any, columns []any)
}

var walkable struct {
	sync.Mutex
	tables []AnyTable
}

// Made is every table that a room has made: a test that asks it knows of new ones by itself.
func Made() []AnyTable {
	walkable.Lock()
	defer walkable.Unlock()
	return slices.Clone(walkable.tables)
}

func note(t AnyTable) {
	walkable.Lock()
	defer walkable.Unlock()
	walkable.tables = append(walkable.tables, t)
}

// Held is an empty noun, and what each column makes of it.
func (t *Table[N]) Held() (noun any, columns []any) {
	n := new(N)
	for _, c := range slices.Concat(t.Own, t.Joined) {
		columns = append(columns, c.At(n))
	}
	return n, columns
}
