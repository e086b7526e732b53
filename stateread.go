package belay

import "time"

// StatePart is what of a state somebody read.
type StatePart string

// The parts of a state: all of it, or only what it gives away.
const (
	WholeState   StatePart = "state"
	StateOutputs StatePart = "outputs"
)

// StateRead is that somebody reads the states of a workspace with a token, of which StateReader
// says who, and how often. There is one for each reader and part.
type StateRead struct {
	ID          string
	WorkspaceID string
	Kind        PrincipalKind
	ReaderID    string // of a run: its workspace; empty where the asker does not see the reader
	Part        StatePart
	FirstAt     time.Time
	LastAt      time.Time // within the hour
	Days        int       // on which there was a read, in UTC

	Name       string // read with the row; empty where the asker does not see the reader
	ProjectID  string // read with the row: of a run's workspace
	Visibility string // read with the row: of a team
}

// ReadBy is that a principal reads the state of a workspace. Nothing is to be noted of a workspace's
// own runs, nor of a browser: its pages are looked at, they take nothing along.
func ReadBy(s Principal, workspaceID string, part StatePart, now time.Time) (r StateRead, noted bool) {
	r = StateRead{ID: NewID("sr"), WorkspaceID: workspaceID, Kind: s.Kind, ReaderID: s.ID, Part: part, FirstAt: now, LastAt: now}
	if s.Kind == RunPrincipal {
		r.ReaderID = s.WorkspaceID
	}
	return r, s.TokenID != "" && r.ReaderID != workspaceID
}

// Conceal takes the reader's name out of the record for those who may not know it.
func (r *StateRead) Conceal(access Access) {
	seen := true
	switch r.Kind {
	case RunPrincipal:
		seen = access.OnWorkspace(r.ReaderID, r.ProjectID).Has(ReadWorkspace)
	case TeamPrincipal:
		seen = access.OnTeam(Team{ID: r.ReaderID, Visibility: r.Visibility})
	}
	if !seen {
		r.ReaderID, r.Name = "", ""
	}
}
