package belay

import (
	"crypto/sha256"
	"math/big"
	"strings"
	"time"
)

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

// StateResource is one instance of a resource in the current state of a workspace, as the
// explorer tells of it.
type StateResource struct {
	ID             string // ResourceID
	WorkspaceID    string
	OrganizationID string
	Address        string // absolute, such as module.net.aws_subnet.a["x"]
	Module         string // address of the module instance, "" for the root module
	Type           string // data sources have the prefix "data."
	Name           string // in the configuration, with the instance's key
	Provider       string // its source, such as "hashicorp/random"
	CreatedSerial  int64  // of the first state that was read with it
	UpdatedSerial  int64  // of the state in which it was last seen to be another
	Mark           string // tells what it holds from what it held, and says nothing of it
	Drifted        bool   // by the newest assessment, once its plan was read whole
}

// longestResourceText is how many bytes are kept of an address or of a part of it: indexes
// hold three of them.
const longestResourceText = 800

// Fit shortens texts that have no room, which no configuration has: a state may hold any.
func (r *StateResource) Fit() {
	for _, text := range []*string{&r.Address, &r.Module, &r.Type, &r.Name, &r.Provider} {
		*text = strings.ReplaceAll(*text, "\x00", "")
		if len(*text) > longestResourceText {
			*text = strings.ToValidUTF8((*text)[:longestResourceText], "") + "…"
		}
	}
}

// ResourceID is the id of an instance: the same for its address in every state. An address
// alone may be that of two: "data.aws_ami.a" is a data source, and a resource in module.data.
func ResourceID(workspaceID, module, address string) string {
	sum := sha256.Sum256([]byte(workspaceID + " " + module + " " + address))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	return "wsr-" + (strings.Repeat("0", 16) + text)[len(text):]
}
