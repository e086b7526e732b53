package belay

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// ExecutionMode is where the engine runs for a workspace.
type ExecutionMode string

// The execution modes. Local means that the workspace only stores state.
const (
	RemoteExecution ExecutionMode = "remote"
	LocalExecution  ExecutionMode = "local"
	AgentExecution  ExecutionMode = "agent"
)

// Valid says whether the mode is one of the three.
func (m ExecutionMode) Valid() bool {
	return m == RemoteExecution || m == LocalExecution || m == AgentExecution
}

// Workspace is running infrastructure that an engine manages: its settings, its lock,
// and what is known of its state. docs/openapi.json has every attribute.
type Workspace struct {
	ID             string
	OrganizationID string
	ProjectID      string
	Name           string
	Description    string

	// Execution. A workspace that does not own its execution settings inherits them.
	OwnsExecution bool
	OwnMode       ExecutionMode
	OwnPoolID     string
	Engine        string // tofu or terraform; empty: whichever its runners have
	EngineVersion string // exact, a constraint, or "latest", kept as it was given
	EngineUnnamed bool   // nobody said which: what it was given goes before its first run, for what its runners have
	EngineRelease string // what that stands for among the versions that are known; empty: nothing

	AllowDestroyPlan           bool
	AssessmentsEnabled         bool
	AutoApply                  bool
	AutoApplyRunTrigger        bool
	FileTriggersEnabled        bool
	GlobalRemoteState          bool
	ProjectRemoteState         bool
	QueueAllRuns               bool
	SpeculativeEnabled         bool
	StructuredRunOutputEnabled bool

	// Auto destroy. With a duration the moment is counted from the latest change.
	OwnDestroyAt               time.Time
	OwnDestroyDuration         string
	InheritsProjectAutoDestroy bool
	DestroyDisarmed            bool      // a duration does not count until the next state
	DestroyFailed              bool      // the last moment made no run
	Destroyed                  bool      // the last state came from a destroy that was applied
	ManagedOnce                bool      // a state managed something
	DestroyReminded            time.Time // which reminder was sent last, by when it was due

	Source               string
	SourceName           string
	SourceURL            string
	MigrationEnvironment string
	TriggerPatterns      []string
	TriggerPrefixes      []string
	WorkingDirectory     string
	VCSRepo              *VCSRepo
	HookID               string          // of its repository; empty: none
	VCSTokenID           string          // of the repository, apart so that its workspaces are found
	Retention            RetentionPolicy // its own; none: the organization's holds
	SSHKeyID             string
	VariableIDs          []string // of its variables, in order of key

	Lock           Lock
	LastHolderID   string // who held the lock last, by which it is found; empty: it was long ago
	CreatedAt      time.Time
	UpdatedAt      time.Time
	LatestChangeAt time.Time // of the newest state version, or of the workspace

	// What is known of its state and runs, kept in the row so that a page needs no join.
	ResourceCount         int
	CurrentStateVersionID string
	ConfigurationID       string   // of the current one
	OutputIDs             []string // of its current state; none when there are too many to refer to
	ManyOutputs           bool     // there are
	StateEngineVersion    string   // that wrote its current state
	CurrentRunID          string
	CurrentRunStatus      string
	CurrentRunAt          time.Time
	RunFigures            *RunFigures // over its newest runs; nil: none counts yet
	AssessingID           string      // the run of the assessment that is in progress
	AssessmentID          string      // of the newest result
	AssessedAt            time.Time   // when that came
	TagNames              []string    // of its flat tags, in order
	OpenChangeRequests    int         // read with the row: how many are not archived

	Organization Organization // read with the row: its name and the defaults it gives
	Project      Project      // read with the row: the defaults it gives

	OAuthClientName string // read with the row: what its connection is called now

	// Read with the row, where one is read alone: what no run of it need do.
	Unwatched  bool // no notification of its own or of its project is enabled
	Unfollowed bool // no run trigger names it as its source
}

// RunFigures are averages over the newest runs of a workspace. A time is negative when no
// run has begun that phase.
type RunFigures struct {
	Runs, Failures          int
	PlanMillis, ApplyMillis int64
}

// WorkspacePatch is a change of a workspace; create is a patch of NewWorkspace.
type WorkspacePatch struct {
	Name, Description, AgentPoolID          patch.Field[string]
	EngineVersion, TerraformVersion         patch.Field[string]
	Engine                                  patch.Field[string]
	EngineHint                              string // of the client that asks; empty: it has none
	SourceName, SourceURL, WorkingDirectory patch.Field[string]
	MigrationEnvironment                    patch.Field[string]
	AutoDestroyActivityDuration             patch.Field[string]
	AutoDestroyAt                           patch.Field[time.Time]
	ExecutionMode                           patch.Field[ExecutionMode]
	Operations                              patch.Field[bool]
	SettingOverwrites                       patch.Field[SettingOverwrites]
	AllowDestroyPlan, AssessmentsEnabled    patch.Field[bool]
	AutoApply, AutoApplyRunTrigger          patch.Field[bool]
	FileTriggersEnabled                     patch.Field[bool]
	GlobalRemoteState, ProjectRemoteState   patch.Field[bool]
	InheritsProjectAutoDestroy              patch.Field[bool]
	QueueAllRuns, SpeculativeEnabled        patch.Field[bool]
	StructuredRunOutputEnabled              patch.Field[bool]
	TriggerPatterns, TriggerPrefixes        patch.Field[[]string]
	VCSRepo                                 patch.Field[VCSRepoPatch]
	ProjectID                               patch.Field[string]      // relationships.project
	Tags                                    []TagRef                 // relationships.tags, of a new workspace only
	TagBindings                             patch.Field[TagBindings] // relationships.tag-bindings
}

// Empty says that the patch asks for nothing.
func (p WorkspacePatch) Empty() bool { return reflect.ValueOf(p).IsZero() }

// OnlyBindings says that the patch asks for nothing but tag bindings, which are no part of
// the workspace's own settings.
func (p WorkspacePatch) OnlyBindings() bool {
	p.TagBindings = patch.Field[TagBindings]{}
	return p.Empty()
}

// OnlyProject says that the patch asks for nothing but another project: it is a move.
func (p WorkspacePatch) OnlyProject() bool {
	p.ProjectID = patch.Field[string]{}
	return p.Empty()
}

// SettingOverwrites says which settings are the workspace's own: false means inherited.
type SettingOverwrites struct {
	ExecutionMode patch.Field[bool] `json:"execution-mode"`
	AgentPool     patch.Field[bool] `json:"agent-pool"`
}

// Facts is what the rules of a workspace need to know of the rest of the organization.
type Facts struct {
	Engines    Engines
	AtHand     []string          // the versions that the runners of the workspace have
	Default    string            // the version of a new workspace: the newest that they have; empty: the newest of all
	PoolUsable bool              // the pool that the patch names exists and serves this workspace
	VCS        *VCSConnection    // the connection that the patch names; nil when there is none
	TagNames   map[string]string // of the flat tags that the patch names by id
	Bindings   BindingFacts
}

// NewWorkspace is a workspace with the defaults of its attributes.
func NewWorkspace(o Organization, p Project, now time.Time) Workspace {
	return Workspace{
		ID: NewID("ws"), OrganizationID: o.ID, ProjectID: p.ID, Organization: o, Project: p,
		AllowDestroyPlan: true, FileTriggersEnabled: true, SpeculativeEnabled: true,
		StructuredRunOutputEnabled: true, InheritsProjectAutoDestroy: true,
		GlobalRemoteState: o.GlobalRemoteState,
		EngineVersion:     LatestEngine, EngineUnnamed: true, Source: "tfe-api",
		CreatedAt: now, UpdatedAt: now, LatestChangeAt: now,
	}
}

// Apply changes the workspace, or says all that is wrong with the patch. create says
// that the workspace is new: some attributes can be given only then.
func (w *Workspace) Apply(p WorkspacePatch, facts Facts, create bool) error {
	var problems Problems
	p.Name.Into(&w.Name)
	CheckPlainName(&problems, w.Name, 90)
	p.Description.Into(&w.Description)
	CheckLength(&problems, "description", "Description", p.Description.Value, MaxDescription)
	p.AllowDestroyPlan.Into(&w.AllowDestroyPlan)
	p.AssessmentsEnabled.Into(&w.AssessmentsEnabled)
	p.AutoApply.Into(&w.AutoApply)
	p.AutoApplyRunTrigger.Into(&w.AutoApplyRunTrigger)
	p.QueueAllRuns.Into(&w.QueueAllRuns)
	p.SpeculativeEnabled.Into(&w.SpeculativeEnabled)
	p.StructuredRunOutputEnabled.Into(&w.StructuredRunOutputEnabled)
	if create {
		p.SourceName.Into(&w.SourceName)
		p.SourceURL.Into(&w.SourceURL)
		CheckLength(&problems, "source-name", "Source name", w.SourceName, MaxLabel)
		CheckAnyURL(&problems, "source-url", "Source url", w.SourceURL)
		w.applyTags(&problems, p.Tags, facts.TagNames)
	}
	if w.MigrationEnvironment == "" { // it is written once
		p.MigrationEnvironment.Into(&w.MigrationEnvironment)
		CheckLength(&problems, "migration-environment", "Migration environment", w.MigrationEnvironment, MaxLabel)
	}
	w.applyRemoteState(&problems, p)
	w.applyWorkingDirectory(&problems, p)
	w.applyExecution(&problems, p, facts)
	w.applyEngine(&problems, p, facts)
	w.applyAutoDestroy(&problems, p)
	w.applyVCSRepo(&problems, p, facts)
	w.applyTriggers(&problems, p)
	if err := problems.Add(facts.Bindings.checkReplacing(p.TagBindings)); err != nil {
		return err
	}
	return problems.Err()
}

func (w *Workspace) applyRemoteState(problems *Problems, p WorkspacePatch) {
	p.GlobalRemoteState.Into(&w.GlobalRemoteState)
	p.ProjectRemoteState.Into(&w.ProjectRemoteState)
	if !w.GlobalRemoteState || !w.ProjectRemoteState {
		return
	}
	problems.Attribute("project-remote-state", "Project remote state cannot be enabled when global remote state sharing is enabled")
}

func (w *Workspace) applyWorkingDirectory(problems *Problems, p WorkspacePatch) {
	p.WorkingDirectory.Into(&w.WorkingDirectory)
	CheckLength(problems, "working-directory", "Working directory", p.WorkingDirectory.Value, MaxPath)
	for _, segment := range strings.Split(w.WorkingDirectory, "/") {
		if segment == ".." {
			problems.Attribute("working-directory", "Working directory must stay inside the repository")
			return
		}
	}
}

// EngineProducts are what can plan and apply a workspace.
var EngineProducts = []string{"tofu", "terraform"}

// applyProduct settles which of the engines a workspace is for: the one that it is told,
// or that of the command line that sets its version. Empty is whichever there is.
func (w *Workspace) applyProduct(problems *Problems, p WorkspacePatch) {
	if p.Engine.Into(&w.Engine); w.Engine != "" && !slices.Contains(EngineProducts, w.Engine) {
		problems.Attribute("engine", "Engine must be tofu or terraform")
	}
	if w.Engine == "" && !p.Engine.Set && p.EngineHint != "" {
		w.Engine = p.EngineHint
	}
}

func (w *Workspace) applyEngine(problems *Problems, p WorkspacePatch, facts Facts) {
	w.applyProduct(problems, p)
	before := w.EngineVersion
	version, attribute := p.EngineVersion, "engine-version"
	if p.TerraformVersion.Given() {
		if version.Given() && version.Value != p.TerraformVersion.Value {
			problems.Attribute("engine-version", "Engine version and terraform version must be the same when both are given")
			return
		}
		if !version.Given() {
			attribute = "terraform-version"
		}
		version = p.TerraformVersion
	}
	if version.Given() {
		w.EngineVersion = strings.TrimSpace(version.Value)
		w.EngineUnnamed = w.EngineVersion == ""
		if !slices.Contains(facts.AtHand, w.EngineVersion) {
			facts.Engines.check(problems, attribute, w.EngineVersion, w.Mode())
		}
	}
	if w.EngineVersion == "" || w.EngineVersion == LatestEngine && w.EngineUnnamed {
		w.EngineVersion = cmp.Or(facts.Default, facts.Engines.Newest())
	}
	if version.Given() || w.EngineVersion != before {
		w.EngineRelease = facts.Engines.Resolve(w.EngineVersion)
	}
}

// SettleEngine gives a workspace whose version nobody named, and that never ran, one that its
// runners have: it may be older than they are, or have been made for others. It says whether
// that is another one.
func (w *Workspace) SettleEngine(version string, engines Engines) bool {
	if !w.EngineUnnamed || w.CurrentRunID != "" || version == "" || version == w.EngineVersion {
		return false
	}
	w.EngineVersion, w.EngineRelease = version, engines.Resolve(version)
	return true
}

// RunWaits says that the current run can't go on before the lock is open: it has not begun,
// or lost its lock before its apply.
func (w *Workspace) RunWaits() bool {
	return w.CurrentRunStatus == "pending" || w.CurrentRunStatus == "confirmed"
}

// runUnderWay says that the current run is not over.
func (w *Workspace) runUnderWay() bool {
	switch w.CurrentRunStatus {
	case "", "applied", "planned_and_finished", "discarded", "errored", "canceled":
		return false
	default:
		return true
	}
}

// CheckSafeDelete refuses to delete a workspace that is locked or still manages something.
// current is its current state; nil when it has none.
func (w *Workspace) CheckSafeDelete(current *StateVersion) error {
	if w.Lock.Held() || w.runUnderWay() {
		return Refuse(Conflict, "Workspace is currently locked. Workspace must be unlocked before it can be safely deleted")
	}
	return w.checkDestroyable(current)
}

// MayForceDelete says whether someone with these rights may delete the workspace without
// asking what it manages: owners, and its admins where the organization says so.
func (w *Workspace) MayForceDelete(can Permission) bool {
	return can.Has(ForceDeleteWorkspace) || w.Organization.AllowForceDelete && can.Has(DeleteWorkspace)
}
