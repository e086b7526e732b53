// Package explorer owns the explorer's questions: which views, fields and operators there
// are, and how a question is read from a URL or from JSON and checked. It knows no
// database: what it gives out is made of known fields, known operators and typed values.
package explorer

import "slices"

// View is one way to look at an organization: what its rows are.
type View string

// The views.
const (
	Workspaces View = "workspaces"
	Versions   View = "tf_versions"
	Providers  View = "providers"
	Modules    View = "modules"
	Resources  View = "resources"
)

// Views is every view there is.
var Views = []View{Workspaces, Versions, Providers, Modules, Resources}

// Kind is the kind of a field's value.
type Kind string

// The kinds of values.
const (
	String   Kind = "string"
	Number   Kind = "number"
	Boolean  Kind = "boolean"
	Datetime Kind = "datetime"
	Version  Kind = "version" // a string that names a release of an engine
)

// Field is one field of a view.
type Field struct {
	Name string
	Kind Kind
}

// Operator compares a field with the values of a filter.
type Operator string

// The operators.
const (
	Is             Operator = "is"
	IsNot          Operator = "is_not"
	Contains       Operator = "contains"
	DoesNotContain Operator = "does_not_contain"
	IsEmpty        Operator = "is_empty"
	IsNotEmpty     Operator = "is_not_empty"
	Greater        Operator = "gt"
	Less           Operator = "lt"
	GreaterOrEqual Operator = "gteq"
	LessOrEqual    Operator = "lteq"
	IsBefore       Operator = "is_before"
	IsAfter        Operator = "is_after"
	Satisfies      Operator = "satisfies" // it is a version, or satisfies a constraint: an addition of ours
)

// operators is what a field of each kind may be asked.
var operators = map[Kind][]Operator{
	String:   {Is, IsNot, Contains, DoesNotContain, IsEmpty, IsNotEmpty},
	Number:   {Is, IsNot, Greater, Less, GreaterOrEqual, LessOrEqual, IsEmpty, IsNotEmpty},
	Boolean:  {Is, IsEmpty, IsNotEmpty},
	Datetime: {IsBefore, IsAfter},
	Version:  {Is, IsNot, Satisfies, Contains, DoesNotContain, IsEmpty, IsNotEmpty},
}

// TakesValues says whether the operator compares with something.
func (o Operator) TakesValues() bool { return o != IsEmpty && o != IsNotEmpty }

// fields is every field of every view, in the order they are shown.
var fields = map[View][]Field{
	Workspaces: {
		{"all_checks_succeeded", Boolean}, {"checks_errored", Number}, {"checks_failed", Number},
		{"checks_passed", Number}, {"checks_unknown", Number}, {"current_rum_count", Number},
		{"current_run_applied_at", Datetime}, {"current_run_external_id", String}, {"current_run_status", String},
		{"drifted", Boolean}, {"external_id", String}, {"module_count", Number}, {"modules", String},
		{"organization_name", String}, {"project_external_id", String}, {"project_name", String},
		{"provider_count", Number}, {"providers", String}, {"resource_count", Number},
		{"resources_drifted", Number}, {"resources_undrifted", Number}, {"source_module_id", String},
		{"state_version_terraform_version", Version}, {"tags", String}, {"vcs_repo_identifier", String},
		{"workspace_created_at", Datetime}, {"workspace_name", String}, {"workspace_terraform_version", Version},
		{"workspace_updated_at", Datetime},
	},
	Versions: {
		{"unique_identifier", String}, {"version", Version}, {"workspace_count", Number}, {"workspaces", String},
	},
	Providers: {
		{"name", String}, {"source", String}, {"version", String}, {"registry_type", String},
		{"curated", Boolean}, {"workspace_count", Number}, {"workspaces", String},
	},
	Modules: {
		{"name", String}, {"source", String}, {"version", String}, {"registry_type", String},
		{"curated", Boolean}, {"workspace_count", Number}, {"workspaces", String},
	},
	Resources: {
		{"address", String}, {"type", String}, {"name", String}, {"module", String}, {"provider", String},
		{"workspace_name", String}, {"workspace_external_id", String}, {"project_name", String}, {"project_external_id", String},
		{"created_serial", Number}, {"updated_serial", Number}, {"drifted", Boolean},
	},
}

// Wide says that a row of the view may name every workspace.
func (v View) Wide() bool { return v == Versions || v == Providers || v == Modules }

// Fields is every field of the view, in the order they are shown.
func (v View) Fields() []Field { return fields[v] }

// Field is the view's field of a name.
func (v View) Field(name string) (Field, bool) {
	i := slices.IndexFunc(fields[v], func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return fields[v][i], true
}

// Query is a checked question. Its filters all hold; of a filter's values one is enough,
// but where the operator denies, all are denied.
type Query struct {
	View    View
	Filters []Filter
	Sort    []Sort
	Fields  []Field // what is shown; never empty
}

// Filter asks something of one field. Texts are its values as they came; those of the
// field's kind are filled too.
type Filter struct {
	Field    Field
	Operator Operator
	Texts    []string
	Numbers  []int64 // of a number; of a datetime its milliseconds
	Booleans []bool
}

// Sort is one key of the order of a query's rows.
type Sort struct {
	Field      Field
	Descending bool
}

// Row is one row of an answer: an id that stays, and the values of the query's fields.
type Row struct {
	ID     string
	Values []any // a string, int64, bool or time.Time, or nil
}

// Group is the rows of an answer that share a value of one field.
type Group struct {
	Value string
	Count int
}

// Cross is the rows of an answer that share a value of one field, and one of another.
type Cross struct {
	Value, Other string
	Count        int
}

// Groupable is the fields of workspaces that an answer may be grouped by.
var Groupable = []string{"workspace_terraform_version", "project_name", "current_run_status", "state_version_terraform_version"}

// Operators is what a field may be asked.
func (f Field) Operators() []Operator { return operators[f.Kind] }
