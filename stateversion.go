package belay

import (
	"regexp"
	"strings"
	"time"
)

// StateStatus is where the bytes of a state version are.
type StateStatus string

// The states of a state version. Pending has been announced and not uploaded; discarded
// never was, because a newer one took its place.
const (
	StatePending            StateStatus = "pending"
	StateFinalized          StateStatus = "finalized"
	StateDiscarded          StateStatus = "discarded"
	StateSoftDeleted        StateStatus = "backing_data_soft_deleted"
	StatePermanentlyDeleted StateStatus = "backing_data_permanently_deleted"
)

// StateVersion is one state of a workspace, as a client uploaded it.
type StateVersion struct {
	ID          string
	WorkspaceID string
	Sequence    int64 // grows with every state version of the workspace
	Serial      int64
	Lineage     string
	Status      StateStatus
	// Intermediate says that it is not yet the workspace's state: unlocking makes the
	// newest one so.
	Intermediate bool
	ByUpload     bool // announced first, its bytes come to the upload URLs
	Forced       bool // not compared with the state before it

	State     StateFile // the file that the engine reads
	JSON      StateFile // the same for people's programs; may never come
	RunID     string
	CreatedBy string // a user
	By        By     // who announced it, for the record of when its file came
	CreatedAt time.Time

	RollbackID    string // the state version it is a copy of
	PreviousID    string
	NextID        string
	SoftDeletedAt time.Time

	Processed    bool // the file came: Contents and the outputs are known, or the Problem
	OutputsKnown bool // the client gave the outputs by themselves, or the file came
	Problem      string
	OutputIDs    []string // none when there are more than a document refers to
	ManyOutputs  bool     // there are
	OutputSet    string   // which of the outputs that were written for it are its own
	Contents     StateContents
}

// StateMark is a state version as a line of a history tells it.
type StateMark struct {
	ID         string
	Serial     int64
	Status     StateStatus
	CreatedAt  time.Time
	CreatedBy  string // a user
	RunID      string
	RollbackID string // the state version it is a copy of
	Size       int64
	Problem    string // why it can't be looked into
	Engine     string // the version of the program that wrote it
	Managed    int    // how many resources it has
}

// StateFile is where one file of a state version lies; its zero value is a file that is
// not there.
type StateFile struct {
	Key  string
	MD5  string // in hex
	Size int64
}

// There says whether the file was uploaded and not deleted since.
func (f StateFile) There() bool { return f.Key != "" }

// StateContents is what a state file says.
type StateContents struct {
	Format        int
	EngineVersion string
	ManagedCount  int
	BillableCount int
	Modules       []byte // JSON, as documents show it; so are the next two
	Providers     []byte
	Resources     []byte
	UsedModules   []StateUse
	UsedProviders []StateUse
}

// StateUse is a module or provider that a state uses, and how many instances it has of it.
type StateUse struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Count  int    `json:"count"`
}

// StateOutput is one output of a state version. Its value is sealed where it is kept.
type StateOutput struct {
	ID             string
	StateVersionID string
	SetID          string // of those that were written together, before there was a state version
	Name           string
	Sensitive      bool
	Kind           string // string, number, boolean, array, object or null
	DetailedType   string // JSON; empty when it is not known
	SealedValue    string
	Value          []byte // JSON; nil while hidden
}

// NewState is a state version as it is asked for.
type NewState struct {
	Serial  int64
	MD5     string // of the file, in hex
	Lineage string
	Force   bool // skips the checks against the newest state
	Current bool // is the workspace's state at once, and not only when it is unlocked
	RunID   string
}

var md5Form = regexp.MustCompile(`^[0-9a-f]{32}$`)

const (
	// maxLineage is how many bytes of a lineage are kept; engines write 36.
	maxLineage = 255
	// maxSerial is the largest whole number that every reader of JSON tells from the next.
	maxSerial = 1<<53 - 1
	// maxRunID is how many bytes the id of a run may have: runs are other programs'.
	maxRunID = 255
)

// Check tells what is wrong with the request by itself.
func (n *NewState) Check(problems *Problems) {
	if n.Serial < 0 {
		problems.Attribute("serial", "Serial must be greater than or equal to 0")
	}
	if n.Serial > maxSerial {
		problems.Attribute("serial", "Serial must be less than or equal to %d", int64(maxSerial))
	}
	if len(n.Lineage) > maxLineage {
		problems.Attribute("lineage", "Lineage is too long (maximum is %d characters)", maxLineage)
	}
	if len(n.RunID) > maxRunID {
		problems.At(Related("run").ID(), "id is too long (maximum is %d characters)", maxRunID)
	}
	n.MD5 = strings.ToLower(n.MD5)
	if n.MD5 == "" {
		problems.Attribute("md5", "param is missing or the value is empty: md5")
	} else if !md5Form.MatchString(n.MD5) {
		problems.Attribute("md5", "MD5 must be 32 hexadecimal digits")
	}
}

// CheckLineage refuses a lineage inside a file that can't be kept.
func CheckLineage(lineage string) error {
	if len(lineage) > maxLineage || strings.ContainsRune(lineage, 0) {
		return Refuse(Invalid, "state file: lineage must be at most %d characters, without a NUL", maxLineage)
	}
	return nil
}

// MayWriteState refuses a state from anybody but the holder of the workspace's lock.
func (w *Workspace) MayWriteState(by Holder) error {
	if !w.Lock.Held() {
		return Refuse(Conflict, "This workspace is not locked and will only accept state uploads when locked")
	}
	if held := w.Lock.Holder; held.Type != by.Type || held.ID != by.ID {
		return Refuse(Conflict, "This workspace is locked by %s and will only accept state uploads from them", held)
	}
	return nil
}

// Follows refuses a state that cannot come after the newest one. newest is nil for a
// workspace that has none.
func (n *NewState) Follows(newest *StateVersion) error {
	switch {
	case newest == nil || n.Force:
		return nil
	case newest.OtherLineage(n.Lineage):
		return ErrOtherLineage
	case n.Serial < newest.Serial:
		return Refuse(Conflict, "The serial provided in the state file is %d, less than the %d currently known. "+
			"The provided state is older than the workspace's.", n.Serial, newest.Serial)
	case n.Serial == newest.Serial && n.MD5 != newest.State.MD5:
		return Refuse(Conflict, "The MD5 hash of the state provided does not match what is currently known for the same serial number")
	default:
		return nil
	}
}

// OtherLineage says that a lineage is known, and is not that of v, which may be nil.
func (v *StateVersion) OtherLineage(lineage string) bool {
	return v != nil && lineage != "" && v.Lineage != "" && lineage != v.Lineage
}

// ErrOtherLineage is the answer to a state that is not of the line of the one before.
var ErrOtherLineage = Refuse(Conflict, "The lineage provided in the state file does not match the value currently known by Terraform Enterprise. "+
	"This means that the provided state is most likely not related to the target workspace. "+
	"Check that the backend configuration is correct and try again.")

// ErrStatePending is the answer to an unlock while a state is on its way.
var ErrStatePending = Refuse(NotReady, "Unable to unlock workspace. The latest state version is still pending.")

// maxOutputRefs is how many outputs a document refers to one by one. Where there are more it
// says only where they are listed.
const maxOutputRefs = 1000

// TakeOutputs makes outputs those of the state version. They were written as a set.
func (v *StateVersion) TakeOutputs(outputs []StateOutput, set string) {
	v.OutputsKnown, v.OutputSet, v.OutputIDs = true, set, nil
	if v.ManyOutputs = len(outputs) > maxOutputRefs; v.ManyOutputs {
		return
	}
	v.OutputIDs = make([]string, len(outputs))
	for i := range outputs {
		v.OutputIDs[i] = outputs[i].ID
	}
}

// TakeState makes a state version the workspace's current one.
func (w *Workspace) TakeState(v *StateVersion) {
	v.Intermediate = false
	w.CurrentStateVersionID = v.ID
	w.Change(v.CreatedAt)
	w.OutputIDs, w.ManyOutputs = v.OutputIDs, v.ManyOutputs
	w.ResourceCount = v.Contents.ManagedCount
	w.ManagedOnce = w.ManagedOnce || w.ResourceCount > 0 || v.Problem != ""
	w.StateEngineVersion = v.Contents.EngineVersion
}

// checkDestroyable refuses to delete a workspace whose current state manages something,
// or may: one that can't be read.
func (w *Workspace) checkDestroyable(current *StateVersion) error {
	switch {
	case current != nil && current.Problem != "":
		return Refuse(Conflict, "workspace cannot be safely deleted because what its state manages is not known: %s", current.Problem)
	case w.ResourceCount > 0:
		return Refuse(Conflict, "workspace cannot be safely deleted because it is still managing resources")
	default:
		return nil
	}
}

// Transition moves the bytes of a state version to another status: deleting them softly,
// restoring them, or deleting them for good.
func (v *StateVersion) Transition(to StateStatus, current bool, now time.Time) error {
	from := BackingFrom(to, StateFinalized, StateSoftDeleted)
	if v.Status != from || current || v.Intermediate {
		reason := "it is " + string(v.Status)
		if current || v.Intermediate {
			reason = "it is the current state of the workspace, or about to be"
		}
		return Refuse(BadRequest, "transition not allowed: the state version cannot become %s, %s", to, reason)
	}
	v.Status, v.SoftDeletedAt = to, time.Time{}
	switch to {
	case StateSoftDeleted:
		v.SoftDeletedAt = now
	case StatePermanentlyDeleted:
		v.State.Key, v.JSON.Key = "", ""
	}
	return nil
}

// BackingWindow is how long files that were put aside can be taken back.
const BackingWindow = 7 * 24 * time.Hour

// BackingFrom is what files have to be to become something else: there, to be put aside;
// and aside, to be taken back or deleted for good.
func BackingFrom[S comparable](to, there, aside S) S {
	if to == aside {
		return there
	}
	return aside
}
