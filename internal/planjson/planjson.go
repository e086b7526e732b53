// Package planjson reads what engines tell of a plan (show -json) as a stream: what it
// comes to, and the form of it that may be shown to those who may not see its values. It
// holds one resource at a time, and knows no runs.
package planjson

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Summary is what a plan comes to.
type Summary struct {
	Additions, Changes, Destructions, Imports int

	// Drifted is the managed resources that are otherwise than the state says, and that
	// the plan would act on.
	Drifted int
	// Checks is how many checked objects have which status: pass, fail, error, unknown.
	Checks map[string]int
}

// ErrPlan says that a text is no plan.
var ErrPlan = errors.New("it is no plan in JSON")

// Summarize reads a plan once.
func Summarize(plan io.Reader) (Summary, error) {
	sum := Summary{Checks: map[string]int{}}
	sides := map[string]Side{}
	err := read(plan, reading{
		changed: sum.count,
		side:    func(address string, of Side) { sides[address] |= of },
		checked: func(status string) { sum.Checks[status]++ },
	})
	for _, of := range sides {
		if of == Drifted {
			sum.Drifted++
		}
	}
	return sum, err
}

// Side is what a plan says of a managed resource.
type Side uint8

// The sides of a resource, and both together: that it has drifted.
const (
	Otherwise Side = 1 << iota // it is otherwise than the state says
	Acted                      // the plan would act on it
	Drifted   = Otherwise | Acted
)

// Drift reads a plan once, and tells each side of its managed resources as it comes to it, by
// the address at which the state has the resource. It keeps nothing.
func Drift(plan io.Reader, tell func(address string, of Side)) error {
	return read(plan, reading{changed: func(resource) {}, side: tell, checked: func(string) {}})
}

// reading is who is told what of a plan.
type reading struct {
	changed func(resource)
	side    func(address string, of Side)
	checked func(status string)
}

func read(plan io.Reader, r reading) error {
	return members(json.NewDecoder(plan), func(name string, d *json.Decoder) error {
		switch name {
		case "resource_changes":
			return elements(d, func(c resource) {
				r.changed(c)
				if c.Mode == managed && c.acts() {
					r.side(c.before(), Acted)
				}
			})
		case "resource_drift":
			return elements(d, func(c resource) {
				if c.Mode == managed {
					r.side(c.before(), Otherwise)
				}
			})
		case "checks":
			return elements(d, func(c struct{ Status string }) { r.checked(c.Status) })
		default:
			return skip(d)
		}
	})
}

const managed = "managed"

// resource is what counts of a resource that changes.
type resource struct {
	Address  string `json:"address"`
	Previous string `json:"previous_address"` // where the state has it, if it moves
	Mode     string `json:"mode"`
	Change   struct {
		Actions   []string        `json:"actions"`
		Importing json.RawMessage `json:"importing"`
	} `json:"change"`
}

func (c *resource) has(action string) bool { return slices.Contains(c.Change.Actions, action) }

// before is the address at which the state has the resource.
func (c *resource) before() string { return cmp.Or(c.Previous, c.Address) }

func (c *resource) acts() bool {
	return slices.ContainsFunc(c.Change.Actions, func(a string) bool { return a != "no-op" && a != "read" })
}

func (s *Summary) count(c resource) {
	if c.Mode != managed {
		return
	}
	if c.has("create") {
		s.Additions++
	}
	if c.has("update") {
		s.Changes++
	}
	if c.has("delete") {
		s.Destructions++
	}
	if len(c.Change.Importing) > 0 && string(c.Change.Importing) != "null" {
		s.Imports++
	}
}

// members calls a function for every member of the object that comes next, which has to
// read its value.
func members(d *json.Decoder, member func(name string, d *json.Decoder) error) error {
	if err := expect(d, '{'); err != nil {
		return err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return wrong(err)
		}
		name, ok := token.(string)
		if !ok {
			return ErrPlan
		}
		if err := member(name, d); err != nil {
			return err
		}
	}
	return expect(d, '}')
}

// elements calls a function for every element of the array that comes next; null is none.
func elements[T any](d *json.Decoder, element func(T)) error {
	return each(d, func(d *json.Decoder) error {
		var one T
		if err := d.Decode(&one); err != nil {
			return wrong(err)
		}
		element(one)
		return nil
	})
}

func each(d *json.Decoder, element func(*json.Decoder) error) error {
	token, err := d.Token()
	switch {
	case err != nil:
		return wrong(err)
	case token == nil:
		return nil
	case token != json.Delim('['):
		return ErrPlan
	}
	for d.More() {
		if err := element(d); err != nil {
			return err
		}
	}
	return expect(d, ']')
}

func expect(d *json.Decoder, delim rune) error {
	token, err := d.Token()
	if err != nil {
		return wrong(err)
	}
	if token != json.Delim(delim) {
		return ErrPlan
	}
	return nil
}

// skip passes over a value without keeping it.
func skip(d *json.Decoder) error {
	depth := 0
	for {
		token, err := d.Token()
		if err != nil {
			return wrong(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// wrong says that what was read is no plan, unless it could not be read.
func wrong(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return err
}
