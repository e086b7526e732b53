package belay

import (
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay/internal/patch"
)

// DefaultProjectName is the name of the project that every organization starts with.
const DefaultProjectName = "Default Project"

// Project groups workspaces of an organization.
type Project struct {
	ID                          string
	OrganizationID              string
	Name                        string
	Description                 string
	AutoDestroyActivityDuration string
	OwnsExecution               bool // has its own default execution mode, instead of the organization's
	DefaultExecutionMode        ExecutionMode
	DefaultAgentPoolID          string
	CreatedAt                   time.Time
	WorkspaceCount              int
	TeamCount                   int // read with the row

	Organization Organization // read with the row: its name and its defaults
}

// ProjectPatch is a change of a project.
type ProjectPatch struct {
	Name, Description, AutoDestroyActivityDuration patch.Field[string]
	DefaultExecutionMode                           patch.Field[ExecutionMode]
	DefaultAgentPoolID                             patch.Field[string]
	OverwritesMode, OverwritesPool                 patch.Field[bool]
	TagBindings                                    patch.Field[TagBindings] // relationships.tag-bindings
}

// Execution is the execution mode and the pool that workspaces of the project inherit.
func (p *Project) Execution() (ExecutionMode, string) {
	if p.OwnsExecution {
		return p.DefaultExecutionMode, p.DefaultAgentPoolID
	}
	return p.Organization.DefaultExecutionMode, p.Organization.DefaultAgentPoolID
}

var projectName = regexp.MustCompile(`^[A-Za-z0-9_-]([A-Za-z0-9 _-]*[A-Za-z0-9_-])?$`)

// Apply changes the project, or says all that is wrong with the patch.
func (p *Project) Apply(change ProjectPatch, bindings BindingFacts) error {
	var problems Problems
	change.Name.Into(&p.Name)
	change.Description.Into(&p.Description)
	change.AutoDestroyActivityDuration.Into(&p.AutoDestroyActivityDuration)
	p.applyExecution(&problems, change)
	switch n := utf8.RuneCountInString(p.Name); {
	case n == 0:
		problems.Attribute("name", "Name can't be blank")
	case n < 3 || n > 40:
		problems.Attribute("name", "Name must be between 3 and 40 characters")
	case !projectName.MatchString(p.Name):
		problems.Attribute("name", "Name may only contain letters, numbers, spaces, -, and _, and can't start or end with a space")
	}
	CheckLength(&problems, "description", "Description", p.Description, 256)
	checkActivityDuration(&problems, p.AutoDestroyActivityDuration)
	if err := problems.Add(bindings.checkReplacing(change.TagBindings)); err != nil {
		return err
	}
	return problems.Err()
}

func (p *Project) applyExecution(problems *Problems, change ProjectPatch) {
	mode, pool := change.OverwritesMode, change.OverwritesPool
	if mode.Given() && pool.Given() && mode.Value != pool.Value {
		problems.Attribute("setting-overwrites", "If default-agent-pool and default-execution-mode are both included in setting-overwrites, their values must be the same.")
		return
	}
	inForce, _ := p.Execution()
	change.DefaultExecutionMode.Into(&p.DefaultExecutionMode)
	change.DefaultAgentPoolID.Into(&p.DefaultAgentPoolID)
	literal := change.DefaultExecutionMode.Given() || change.DefaultAgentPoolID.Value != ""
	switch {
	case mode.Given() || pool.Given():
		p.OwnsExecution = mode.Value || pool.Value
	case literal:
		p.OwnsExecution = true
	}
	if literal && p.DefaultExecutionMode == "" {
		p.DefaultExecutionMode = inForce // a pool alone takes the mode that is in force
	}
	if !p.OwnsExecution {
		p.DefaultExecutionMode, p.DefaultAgentPoolID = "", ""
		return
	}
	checkDefaultExecution(problems, p.DefaultExecutionMode, change.DefaultAgentPoolID.Value != "", &p.DefaultAgentPoolID)
}

// ProjectQuery is what a list of projects asks for.
type ProjectQuery struct {
	Search     string
	Names      []string
	Tagged     []TagFilter // bindings of the projects, all of them
	Need       Permission  // only those where the caller has this
	Scope      Scope       // what the caller sees
	Descending bool
	Page       Page
}

// Check refuses a query with more filters than a database takes.
func (q *ProjectQuery) Check() error { return checkTagFilters(len(q.Tagged)) }
