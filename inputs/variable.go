// Package inputs holds what runs are given beside their configuration: variables, sets of them and which of several
// counts, and the keys that clone modules. It seals nothing and knows no run.
package inputs

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// The categories of variables: an input of the configuration, or of the environment that
// the engine runs in.
const (
	EngineVariable      = "terraform"
	EnvironmentVariable = "env"
)

// Variable is an input of a workspace, or of a set of variables. A sensitive one is
// sealed with its id, and its value leaves the server for nobody.
type Variable struct {
	ID          string
	OwnerID     string // the workspace or the set
	OwnerType   string // workspaces or varsets; read with the row
	Key         string
	Value       string // sealed when sensitive
	Sensitive   bool
	Category    string
	HCL         bool // the value is an expression, not a text
	Description string
	VersionID   string // another one after every change
	CreatedAt   time.Time
}

// VariablePatch is a change of a variable; create is a patch of NewVariable.
type VariablePatch struct {
	Key, Value, Category, Description patch.Field[string]
	Sensitive, HCL                    patch.Field[bool]
}

// NewVariable is a variable with the defaults of its attributes.
func NewVariable(ownerID, ownerType string, now time.Time) Variable {
	return Variable{ID: belay.NewID("var"), OwnerID: ownerID, OwnerType: ownerType, CreatedAt: now}
}

// The most that the parts of a variable may have.
const (
	maxVariableKey         = 128
	maxVariableDescription = 512
	maxVariableValue       = 256 << 10
)

var (
	engineVariable      = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_-]*$`)
	environmentVariable = regexp.MustCompile(`^[^=\s\x00-\x1f\x7f]+$`)
)

// Apply changes the variable, or says all that is wrong with the patch. A value that is
// given stands there in the open until seal has sealed it.
func (v *Variable) Apply(p VariablePatch) error {
	var problems belay.Problems
	if v.Sensitive && p.Sensitive.Set && !p.Sensitive.Value {
		problems.Attribute("sensitive", "Sensitive can't be taken back; delete the variable and make it anew")
	}
	if v.Sensitive && !p.Value.Set && p.Key.Set && p.Key.Value != v.Key {
		// or who writes variables could have runs tell it, under a name whose value they show
		problems.Attribute("key", "Key of a sensitive variable can't be changed without a new value")
	}
	if v.Sensitive && !p.Value.Set && p.HCL.Set && p.HCL.Value != v.HCL { // an expression that is none is told by the engine
		problems.Attribute("hcl", "Hcl of a sensitive variable can't be changed without a new value")
	}
	p.Key.Into(&v.Key)
	p.Value.Into(&v.Value)
	p.Category.Into(&v.Category)
	p.Description.Into(&v.Description)
	p.Sensitive.Into(&v.Sensitive)
	p.HCL.Into(&v.HCL)
	v.check(&problems, p)
	v.VersionID = newVersion()
	return problems.Err()
}

func (v *Variable) check(problems *belay.Problems, p VariablePatch) {
	pattern, rule := engineVariable, "Key can only contain letters, numbers, underscores, and hyphens, and can't begin with a hyphen"
	if v.Category == EnvironmentVariable {
		pattern, rule = environmentVariable, "Key can't contain spaces or ="
	}
	switch n := utf8.RuneCountInString(v.Key); {
	case n == 0:
		problems.Attribute("key", "Key can't be blank")
	case n > maxVariableKey:
		problems.Attribute("key", "Key is too long (maximum is %d characters)", maxVariableKey)
	case !pattern.MatchString(v.Key):
		problems.Attribute("key", "%s", rule)
	}
	if v.Category != EngineVariable && v.Category != EnvironmentVariable {
		problems.Attribute("category", "Category is not included in the list")
	}
	if v.HCL && v.Category == EnvironmentVariable {
		problems.Attribute("hcl", "Environment variables can't be HCL")
	}
	belay.CheckLength(problems, "description", "Description", v.Description, maxVariableDescription)
	if len(p.Value.Value) > maxVariableValue {
		problems.Attribute("value", "Value is too long (maximum is %d bytes)", maxVariableValue)
	}
}

// newVersion names one state of a variable. It is chance: a digest would tell of the value.
func newVersion() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(raw[:])
}

// VariableSet is variables that several workspaces get: those it names, those of the
// projects it names, or all there are.
type VariableSet struct {
	ID             string
	OrganizationID string
	ProjectID      string // the project that owns the set; empty: the organization
	Name           string
	Description    string
	Global         bool // for everything in its owner
	Priority       bool // over variables of narrower scopes
	CreatedAt      time.Time
	UpdatedAt      time.Time

	WorkspaceIDs []string
	ProjectIDs   []string
	VariableIDs  []string // read with the row
	Manageable   bool     // by whoever asked

	Organization belay.Organization // read with the row: its name
}

// maxVariablesAtOnce is how many variables one request may change: they are one transaction.
const maxVariablesAtOnce = 100

// CheckManyPasted refuses more variables than are written at once.
func CheckManyPasted(n int) error {
	if n > maxVariablesAtOnce {
		return belay.Refuse(belay.Invalid, "There are %d variables in it: no more than %d are written at once.", n, maxVariablesAtOnce)
	}
	return nil
}

// CheckManyVariables refuses more changes than one request may ask for.
func CheckManyVariables(n int) error {
	var problems belay.Problems
	if n > maxVariablesAtOnce {
		problems.At(belay.Whole, "must not have more than %d entries", maxVariablesAtOnce)
	}
	return problems.Err()
}

// VariableSetPatch is a change of a set; create is a patch of an empty one.
type VariableSetPatch struct {
	Name, Description    patch.Field[string]
	Global, Priority     patch.Field[bool]
	ParentProject        patch.Field[string] // create only
	Workspaces, Projects patch.Field[[]string]
	Variables            []SetVariablePatch // create only
}

// SetVariablePatch is one of the first variables of a set.
type SetVariablePatch struct {
	VariablePatch
	Nth int // where in the list of the body it stood, from 0
}

// At is where it stands in what makes the set.
func (p SetVariablePatch) At() belay.Place { return belay.RelatedList("vars").Item(p.Nth) }

// Apply changes the set, or says all that is wrong with the patch.
func (s *VariableSet) Apply(p VariableSetPatch) error {
	var problems belay.Problems
	p.Name.Into(&s.Name)
	belay.CheckLabel(&problems, "name", "Name", s.Name)
	p.Description.Into(&s.Description)
	p.Global.Into(&s.Global)
	p.Priority.Into(&s.Priority)
	p.Workspaces.Into(&s.WorkspaceIDs)
	p.Projects.Into(&s.ProjectIDs)
	_ = problems.Add(belay.CheckListed(len(p.Variables), belay.RelatedList("vars")))
	s.WorkspaceIDs, s.ProjectIDs = belay.Distinct(s.WorkspaceIDs), belay.Distinct(s.ProjectIDs)
	belay.CheckLength(&problems, "description", "Description", s.Description, maxVariableDescription)
	if s.Global && len(p.Workspaces.Value)+len(p.Projects.Value) > 0 {
		problems.Attribute("global", "A global variable set can't be applied to single workspaces or projects")
	}
	return problems.Err()
}

// CheckApplied refuses to apply a global set to something more.
func (s *VariableSet) CheckApplied() error {
	var problems belay.Problems
	if s.Global {
		problems.At(belay.Whole, "A global variable set can't be applied to single workspaces or projects")
	}
	return problems.Err()
}

// reach is how wide a set applies to a workspace: the wider, the smaller.
func (s *VariableSet) reach(workspaceID string) int {
	switch {
	case s.Global && s.ProjectID == "":
		return 0
	case slices.Contains(s.WorkspaceIDs, workspaceID):
		return 2
	default:
		return 1
	}
}

// RankedVariable is a variable that a run of a workspace could get.
type RankedVariable struct {
	Variable
	Set  string // the name of the set it is of; empty: the workspace's own
	Wins bool   // over every other of its key and category

	rank int
}

// RankedVariables is what a run of a workspace could get, in order of key and category, the
// one that wins first. Sets with priority come first, the wider before the narrower; then the
// workspace's own; then the other sets, the narrower before the wider. Between sets of one
// scope the name decides.
func RankedVariables(workspaceID string, own []Variable, sets []VariableSet, inSets map[string][]Variable) []RankedVariable {
	var all []RankedVariable
	for _, v := range own {
		all = append(all, RankedVariable{Variable: v, rank: 3})
	}
	for _, s := range sets {
		rank := s.reach(workspaceID)
		if !s.Priority {
			rank = 6 - rank
		}
		for _, v := range inSets[s.ID] {
			all = append(all, RankedVariable{Variable: v, Set: s.Name, rank: rank})
		}
	}
	slices.SortFunc(all, func(a, b RankedVariable) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Category, b.Category), a.rank-b.rank, cmp.Compare(a.Set, b.Set))
	})
	for i := range all {
		all[i].Wins = i == 0 || all[i-1].Key != all[i].Key || all[i-1].Category != all[i].Category
	}
	return all
}

// EffectiveVariables is what a run of a workspace gets: for each key of a category the
// variable that wins, in order of key.
func EffectiveVariables(workspaceID string, own []Variable, sets []VariableSet, inSets map[string][]Variable) []Variable {
	var winners []Variable
	for _, v := range RankedVariables(workspaceID, own, sets, inSets) {
		if v.Wins {
			winners = append(winners, v.Variable)
		}
	}
	return winners
}

// VariableSetQuery is what a list of sets asks for.
type VariableSetQuery struct {
	Search     string
	ForProject string      // only those that apply to this project
	Workspace  string      // only those that apply to this workspace, which is in ForProject
	OwnedFor   string      // only those of the organization or of this project
	Scope      belay.Scope // what the caller sees
	Page       belay.Page
}

// VariableChange is a change of one of many variables; without an id it makes one.
type VariableChange struct {
	ID string
	VariablePatch
}

// SetOverride is a variable of a set that a workspace has one of its own beside.
type SetOverride struct{ Key, Category, WorkspaceID, Workspace, ProjectID string }
