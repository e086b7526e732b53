package store_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestReadsAreOfTwoTypes: what needs a lock can't be given a current read, nor the reverse, and nobody gets from a
// current read to a locked one.
func TestReadsAreOfTwoTypes(t *testing.T) {
	t.Parallel()
	view, locked, reader := reflect.TypeFor[*store.View](), reflect.TypeFor[*store.Locked](), reflect.TypeFor[store.Reader]()
	for _, pair := range [][2]reflect.Type{{view, locked}, {locked, view}, {view.Elem(), locked.Elem()}, {locked.Elem(), view.Elem()}} {
		if pair[0].AssignableTo(pair[1]) || pair[0].ConvertibleTo(pair[1]) {
			t.Errorf("a %v can be taken for a %v", pair[0], pair[1])
		}
	}
	if !view.Implements(reader) || !locked.Implements(reader) {
		t.Error("a Reader is not both")
	}
	if tx := reflect.TypeFor[store.Tx](); !slices.ContainsFunc(reflect.VisibleFields(tx), func(f reflect.StructField) bool {
		return len(f.Index) == 1 && f.Anonymous && f.Type == locked.Elem()
	}) {
		t.Error("a transaction makes no locked reads")
	}
	for i := range view.NumMethod() {
		method := view.Method(i)
		for j := range method.Type.NumOut() {
			if out := method.Type.Out(j); out == locked || out == reflect.TypeFor[*store.Tx]() {
				t.Errorf("View.%s gives a %v", method.Name, out)
			}
		}
	}
}

// lockNothing is the methods of a Reader that lock nothing either way.
var lockNothing = []string{"Peek", "Holds", "Access", "FillGrants"}

// TestReadersLockAsTheirTypeSays asks everything of a Reader both ways.
func TestReadersLockAsTheirTypeSays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ask := func(r store.Reader, name string) (locks bool) {
			var said []string
			db.OnStatement(func(sql string, _ []any) { said = append(said, sql) })
			defer db.OnStatement(func(string, []any) {})
			method := reflect.ValueOf(r).MethodByName(name)
			var args []reflect.Value
			for i := range method.Type().NumIn() {
				args = append(args, reflect.Zero(method.Type().In(i)))
			}
			method.Call(args)
			if len(said) == 0 {
				t.Errorf("%s asks nothing", name)
			}
			return slices.ContainsFunc(said, func(sql string) bool { return strings.Contains(sql, " FOR ") })
		}
		reader := reflect.TypeFor[store.Reader]()
		for i := range reader.NumMethod() {
			name := reader.Method(i).Name
			if slices.Contains(lockNothing, name) {
				continue
			}
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				if got, want := ask(&tx.Locked, name), db.Engine() == "postgres"; got != want {
					t.Errorf("Locked.%s locks: %v, want %v", name, got, want)
				}
				if ask(tx.Peek(), name) {
					t.Errorf("Peek().%s locks", name)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.View(t.Context(), func(v *store.View) error {
				if ask(v, name) {
					t.Errorf("View.%s locks", name)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
