package belay

import (
	"reflect"
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
// and what is known of its state. "Workspace" in the spec has every attribute.
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
	EngineVersion string // exact, a constraint, or "latest", kept as it was given

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

	Source               string
	SourceName           string
	SourceURL            string
	MigrationEnvironment string
	TriggerPatterns      []string
	TriggerPrefixes      []string
	WorkingDirectory     string
	VCSRepo              *VCSRepo
	VCSTokenID           string          // of the repository, apart so that its workspaces are found
	Retention            RetentionPolicy // its own; none: the organization's holds
	SSHKeyID             string
	VariableIDs          []string // of its variables, in order of key

	Lock           Lock
	CreatedAt      time.Time
	UpdatedAt      time.Time
	LatestChangeAt time.Time // of the newest state version, or of the workspace

	// What is known of its state and runs, kept in the row so that a page needs no join.
	ResourceCount         int
	CurrentStateVersionID string
	OutputIDs             []string // of its current state
	StateEngineVersion    string   // that wrote its current state
	CurrentRunID          string
	CurrentRunStatus      string
	CurrentRunAt          time.Time
	TagNames              []string // of its flat tags, in order
	OpenChangeRequests    int      // read with the row: how many are not archived

	Organization Organization // read with the row: its name and the defaults it gives
	Project      Project      // read with the row: the defaults it gives

	OAuthClientName string // read with the row: what its connection is called now
}

// Lock is the lock of a workspace. It is open when nobody holds it.
type Lock struct {
	Holder Holder
	Reason string
	At     time.Time
}

// Held says whether somebody holds the lock.
func (l Lock) Held() bool { return l.Holder.ID != "" }

// Holder is who holds a lock: a user, a team or a run.
type Holder struct {
	Type string // users, teams or runs
	ID   string
	Name string // what people know the holder by

	Visibility string // of a team, read with the row
	Hidden     bool   // from whoever asks: a team that they may not know of
}

// String names the holder as clients expect it: "User ann", "Team ops", "Run run-…".
func (h Holder) String() string {
	switch h.Type {
	case "teams":
		if h.Hidden {
			return "Team (secret)"
		}
		return "Team " + h.Name
	case "runs":
		return "Run " + h.ID
	default:
		return "User " + h.Name
	}
}

// WorkspacePatch is a change of a workspace; create is a patch of NewWorkspace.
type WorkspacePatch struct {
	Name, Description, AgentPoolID          patch.Field[string]
	EngineVersion, TerraformVersion         patch.Field[string]
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

// SettingOverwrites says which settings are the workspace's own: false means inherited.
type SettingOverwrites struct {
	ExecutionMode patch.Field[bool] `json:"execution-mode"`
	AgentPool     patch.Field[bool] `json:"agent-pool"`
}

// Facts is what the rules of a workspace need to know of the rest of the organization.
type Facts struct {
	Engines    Engines
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
		EngineVersion:     LatestEngine, Source: "tfe-api",
		CreatedAt: now, UpdatedAt: now, LatestChangeAt: now,
	}
}

// Apply changes the workspace, or says all that is wrong with the patch. create says
// that the workspace is new: some attributes can be given only then.
func (w *Workspace) Apply(p WorkspacePatch, facts Facts, create bool) error {
	var problems Problems
	p.Name.Into(&w.Name)
	checkPlainName(&problems, w.Name, 90)
	p.Description.Into(&w.Description)
	checkLength(&problems, "description", "Description", p.Description.Value, maxDescription)
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
		checkLength(&problems, "source-name", "Source name", w.SourceName, maxLabel)
		checkAnyURL(&problems, "source-url", "Source url", w.SourceURL)
		w.applyTags(&problems, p.Tags, facts.TagNames)
	}
	if w.MigrationEnvironment == "" { // it is written once
		p.MigrationEnvironment.Into(&w.MigrationEnvironment)
		checkLength(&problems, "migration-environment", "Migration environment", w.MigrationEnvironment, maxLabel)
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
	if p.GlobalRemoteState.Given() && !p.ProjectRemoteState.Given() {
		w.ProjectRemoteState = false // the wider sharing takes the place of the narrower one
		return
	}
	problems.Attribute("project-remote-state", "Project remote state cannot be enabled when global remote state sharing is enabled")
}

func (w *Workspace) applyWorkingDirectory(problems *Problems, p WorkspacePatch) {
	p.WorkingDirectory.Into(&w.WorkingDirectory)
	checkLength(problems, "working-directory", "Working directory", p.WorkingDirectory.Value, maxPath)
	for _, segment := range strings.Split(w.WorkingDirectory, "/") {
		if segment == ".." {
			problems.Attribute("working-directory", "Working directory must stay inside the repository")
			return
		}
	}
}

func (w *Workspace) applyEngine(problems *Problems, p WorkspacePatch, facts Facts) {
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
		facts.Engines.check(problems, attribute, w.EngineVersion, w.Mode())
	}
	if w.EngineVersion == "" || w.EngineVersion == LatestEngine && !version.Given() {
		w.EngineVersion = facts.Engines.Newest()
	}
}

// maxLockReason is how many characters of a reason are kept ("Lock" in the rulings).
const maxLockReason = 1000

// TakeLock locks the workspace for a holder. Whoever holds it already keeps it, even
// against itself: 409.
func (w *Workspace) TakeLock(by Holder, reason string, now time.Time) error {
	var problems Problems
	if checkLength(&problems, "reason", "Reason", reason, maxLockReason); problems != nil {
		return problems
	}
	if w.Lock.Held() {
		refusal := Refuse(Conflict, "Unable to lock workspace. The workspace is already locked.")
		refusal.Meta = map[string]any{"lock": map[string]any{
			"locked-by": w.Lock.Holder.String(), "locked-at": w.Lock.At.UTC().Format("2006-01-02T15:04:05.000Z"), "reason": w.Lock.Reason,
		}}
		return refusal
	}
	w.Lock = Lock{Holder: by, Reason: reason, At: now}
	w.UpdatedAt = now
	return nil
}

// ReleaseLock unlocks the workspace for its holder, and for nobody else.
func (w *Workspace) ReleaseLock(by Holder, now time.Time) error {
	if err := w.checkHeld(); err != nil {
		return err
	}
	if held := w.Lock.Holder; held.Type != by.Type || held.ID != by.ID {
		return Refuse(Conflict, "Unable to unlock workspace. The workspace is locked by %s and may not be unlocked except by them.", held)
	}
	w.open(now)
	return nil
}

// BreakLock unlocks the workspace whoever holds it.
func (w *Workspace) BreakLock(now time.Time) error {
	if err := w.checkHeld(); err != nil {
		return err
	}
	w.open(now)
	return nil
}

func (w *Workspace) checkHeld() error {
	if !w.Lock.Held() {
		return Refuse(Conflict, "Unable to unlock workspace. The workspace is already unlocked.")
	}
	return nil
}

func (w *Workspace) open(now time.Time) {
	w.Lock = Lock{}
	w.UpdatedAt = now
}

// CheckSafeDelete refuses to delete a workspace that is locked or still manages something.
// current is its current state; nil when it has none.
func (w *Workspace) CheckSafeDelete(current *StateVersion) error {
	if w.Lock.Held() {
		return Refuse(Conflict, "Workspace is currently locked. Workspace must be unlocked before it can be safely deleted")
	}
	return w.checkDestroyable(current)
}

// MayForceDelete says whether someone with these rights may delete the workspace without
// asking what it manages: owners, and its admins where the organization says so.
func (w *Workspace) MayForceDelete(can Permission) bool {
	return can.Has(ForceDeleteWorkspace) || w.Organization.AllowForceDelete && can.Has(DeleteWorkspace)
}

// WorkspaceRef names a workspace: by id, or by its name in an organization.
type WorkspaceRef struct {
	ID           string
	Organization string // name or external id
	Name         string
}

// WorkspaceSort is the order of a list of workspaces.
type WorkspaceSort struct {
	Key        string // name, current-run.created-at or latest-change-at; else by name
	Descending bool
}

// ByName says that the order is by name.
func (s WorkspaceSort) ByName() bool { return s.Key == "" || s.Key == "name" }

// MaxTagFilters is the most tags that a list of workspaces may be filtered by.
const MaxTagFilters = 100

// WorkspaceQuery is what a list of workspaces asks for. Its conditions add up.
type WorkspaceQuery struct {
	Search           string   // part of the name
	Wildcard         string   // the name, with * for any text
	Projects         []string // in one of these
	Tags             []string // has all of these flat tags or tag keys
	ExcludeTags      []string // has none of these
	Tagged           []TagFilter
	RunStatuses      []string // its current run has one of these statuses
	ConsumersOf      string   // may read the state of this workspace
	Sort             WorkspaceSort
	Page             Page
	Scope            Scope // what the caller sees
	MatchesNothing   bool
	WithoutWorkspace string // every workspace but this one
}

// Check refuses a query with more filters than a database takes.
func (q *WorkspaceQuery) Check() error {
	return checkTagFilters(len(q.Tags) + len(q.ExcludeTags) + len(q.Tagged))
}

func checkTagFilters(n int) error {
	if n > MaxTagFilters {
		return Refuse(BadRequest, "a list can't be filtered by more than %d tags", MaxTagFilters)
	}
	return nil
}

// Unfiltered says that the query finds every workspace of the organization.
func (q *WorkspaceQuery) Unfiltered() bool {
	return q.Scope.Everything && !q.MatchesNothing && q.Search == "" && q.Wildcard == "" && q.Projects == nil &&
		q.Tags == nil && q.ExcludeTags == nil && q.Tagged == nil && q.RunStatuses == nil &&
		q.ConsumersOf == "" && q.WithoutWorkspace == ""
}

// Countable says that what the query finds changes only when the organization's
// generation moves, so that its count may be kept. Runs move no generation.
func (q *WorkspaceQuery) Countable() bool { return q.RunStatuses == nil && q.ConsumersOf == "" }

// TagFilter asks for a tag binding in force: a key, and its value unless any will do.
type TagFilter struct{ Key, Value string }
