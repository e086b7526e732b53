package planjson

import (
	"encoding/json"
	"io"
	"slices"
)

// Action is what a plan does to something.
type Action string

// The actions that a plan may take; one that is none of them leaves things as they are.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Delete  Action = "delete"
	Read    Action = "read"
	Move    Action = "move"
	Import  Action = "import"
	Forget  Action = "forget"
	Keep    Action = ""
)

// Change is what a plan does to one resource or one output.
type Change struct {
	Address, Module, Type string
	Action                Action
	Reason                string // the engine's word for why; empty: it follows from the values
	From                  string // the address that it is moved from
	Imported              bool
	CreateFirst           bool // a replacement is made before the old one goes
	Values                Comparison
}

// Group is the part of a plan that a change is of.
type Group int

// The groups of a plan: what is done to resources, what was found to be otherwise than the state
// says, and what becomes of outputs.
const (
	Resources Group = iota
	Outside
	Outputs
)

// Changes reads a redacted plan once, and tells of each change in the order of the plan. Wanted
// says how many values of it are compared; of what is left as it is none are.
func Changes(plan io.Reader, wanted func(Group, *Change) int, tell func(Group, Change)) error {
	d := json.NewDecoder(plan)
	d.UseNumber()
	groups := map[string]Group{"resource_changes": Resources, "resource_drift": Outside}
	return members(d, func(name string, d *json.Decoder) error {
		if group, ok := groups[name]; ok {
			return elements(d, func(c described) {
				change := c.change()
				c.Change.compareInto(&change, wanted(group, &change))
				tell(group, change)
			})
		}
		if name == "output_changes" {
			return outputChanges(d, wanted, tell)
		}
		return skip(d)
	})
}

func outputChanges(d *json.Decoder, wanted func(Group, *Change) int, tell func(Group, Change)) error {
	var all map[string]values
	if err := d.Decode(&all); err != nil {
		return wrong(err)
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		of := all[name]
		change := Change{Address: name, Action: of.action()}
		of.compareInto(&change, wanted(Outputs, &change))
		tell(Outputs, change)
	}
	return nil
}

// described is a resource as a plan describes it.
type described struct {
	Address  string `json:"address"`
	Module   string `json:"module_address"`
	Previous string `json:"previous_address"`
	Type     string `json:"type"`
	Reason   string `json:"action_reason"`
	Change   values `json:"change"`
}

func (c *described) change() Change {
	change := Change{Address: c.Address, Module: c.Module, Type: c.Type, Reason: c.Reason, Action: c.Change.action()}
	change.Imported = len(c.Change.Importing) > 0 && string(c.Change.Importing) != "null"
	if c.Previous != "" && c.Previous != c.Address {
		change.From = c.Previous
	}
	change.CreateFirst = change.Action == Replace && len(c.Change.Actions) > 0 && c.Change.Actions[0] == "create"
	switch {
	case change.Action != Keep:
	case change.Imported:
		change.Action = Import
	case change.From != "":
		change.Action = Move
	}
	return change
}

// values is what something was and becomes, and what is known of its values.
type values struct {
	Actions      []string `json:"actions"`
	Before       any      `json:"before"`
	After        any      `json:"after"`
	Unknown      any      `json:"after_unknown"`
	WasSensitive any      `json:"before_sensitive"`
	NowSensitive any      `json:"after_sensitive"`
	ReplacePaths [][]any  `json:"replace_paths"`

	Importing json.RawMessage `json:"importing"`
}

func (v *values) action() Action {
	has := func(action string) bool { return slices.Contains(v.Actions, action) }
	switch {
	case has("create") && (has("delete") || has("forget")):
		return Replace
	case has("create"):
		return Create
	case has("update"):
		return Update
	case has("delete"):
		return Delete
	case has("forget"):
		return Forget
	case has("read"):
		return Read
	default:
		return Keep
	}
}

func (v *values) compareInto(change *Change, most int) {
	if most > 0 {
		change.Values = v.compare(most)
	}
}
