// Package forge holds what connects workspaces with version-control services: connections, hooks, what those tell,
// and which changed files start a run. It speaks to no service; what a workspace says of its repository is in the root.
package forge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"github.com/belayhq/belay"
	"strings"
	"time"
)

// Hook is the way in which a version-control service tells of one repository: all workspaces
// that reach it by the same token share it.
type Hook struct {
	ID             string // as it stands in its address
	OrganizationID string
	TokenID        string
	Identifier     string
	Folded         string // the identifier, as hooks are found by: case means nothing in it
	SealedSecret   string // sealed with the id of the row, as the one before it is
	SealedBefore   string // the secret before this one, which is good for a while
	BeforeUntil    time.Time
	RemoteID       string // what the service calls it; empty: the service has none
	State          HookState
	Tries          int       // how often what is due was tried
	WorkAt         time.Time // when something is to be done with it; zero: nothing is
	PollAt         time.Time // when its branches are to be looked at
	CreatedAt      time.Time
}

// HookNote is how a service tells of a repository, and when it did last.
type HookNote struct {
	Identifier string
	State      HookState
	Last       time.Time // zero: it has told nothing lately
	Waiting    int       // of what it told: not worked on yet
}

// HookState is what is to become of a hook at its service.
type HookState string

// The states of hooks.
const (
	HookWanted HookState = "wanted" // to be made at the service
	HookMade   HookState = "made"   // there, by us or by hand
	HookLeft   HookState = "left"   // no workspace is connected any more
)

// SecretOverlap is how long the secret of a hook is good after another one took its place.
const SecretOverlap = 24 * time.Hour

// FoldIdentifier is the identifier of a repository as hooks are found by.
func FoldIdentifier(identifier string) string { return strings.ToLower(identifier) }

// NewHook is a hook that is to be made at the service. Its secret is sealed by whoever holds
// the seals.
func NewHook(organizationID, tokenID, identifier string, now time.Time) Hook {
	return Hook{
		ID: belay.RandomText(32), OrganizationID: organizationID, TokenID: tokenID, Identifier: identifier, Folded: FoldIdentifier(identifier),
		State: HookWanted, WorkAt: now, PollAt: now, CreatedAt: now,
	}
}

// Connect wants the hook, for a workspace is connected. It says whether that changed anything.
func (h *Hook) Connect(now time.Time) bool {
	if h.State != HookLeft {
		return false
	}
	h.State, h.Tries, h.WorkAt = HookMade, 0, time.Time{}
	if h.RemoteID == "" {
		h.State, h.WorkAt = HookWanted, now
	}
	return true
}

// Leave wants the hook no more: no workspace is connected.
func (h *Hook) Leave(now time.Time) { h.State, h.Tries, h.WorkAt = HookLeft, 0, now }

// Rotate gives the hook another secret. The one before is good for a while.
func (h *Hook) Rotate(sealed string, now time.Time) {
	h.SealedBefore, h.BeforeUntil, h.SealedSecret = h.SealedSecret, now.Add(SecretOverlap), sealed
	if h.RemoteID != "" { // the service must be told
		h.State, h.Tries, h.WorkAt = HookWanted, 0, now
	}
}

// HookDelivery is one thing that a service told of a repository.
type HookDelivery struct {
	ID             string
	HookID         string
	OrganizationID string
	DeliveryID     string // the service's
	News           HookNews
	State          WorkState
	After          string // the last workspace that it was worked on for
	Tries          int
	NextAt         time.Time
	Claim          string
	ReceivedAt     time.Time
	About          string // what it tells, in words; empty: it came before words were kept
	Became         string // what became of it, or what kept it from becoming anything
}

// ToldDelivery is a delivery as those see it who look after its connection.
type ToldDelivery struct {
	ID, HookID, DeliveryID, Identifier string
	About, Became                      string
	State                              WorkState
	Tries                              int
	NextAt, ReceivedAt                 time.Time
	MayAgain                           bool // whoever looks may have it told again
}

// Due is when a delivery that waits is worked on; zero: it does not wait.
func (d *ToldDelivery) Due() (at time.Time) {
	if d.State == WorkWaits {
		at = d.NextAt
	}
	return at
}

// HookNews is what a delivery is about: one thing that the service told, or a workspace
// that was connected just now.
type HookNews struct {
	Workspace string // whose branch is to be run from its head
	Event     []byte // JSON, as whoever works on it wrote it
}

// WorkState says whether something waits to be worked on.
type WorkState string

// The states of work. What is done is kept for a while.
const (
	WorkWaits  WorkState = "waiting"
	WorkDone   WorkState = "done"
	WorkFailed WorkState = "failed"
	// WorkElsewhere is left to agents, which ask for it.
	WorkElsewhere WorkState = "elsewhere"
)

// VCSEvent is what is told to those who look after the connections of an organization.
type VCSEvent struct {
	ID             string
	OrganizationID string
	ClientID       string
	TokenID        string
	Level          string // info or error
	Message        string
	CreatedAt      time.Time
}

// The levels of VCS events, and how long they are kept.
const (
	VCSInfo  = "info"
	VCSError = "error"

	KeepVCSEvents    = 30 * 24 * time.Hour
	DefaultVCSEvents = 10 * 24 * time.Hour // that a list goes back
)

// VCSEventQuery is what a list of VCS events asks for.
type VCSEventQuery struct {
	From, To  time.Time
	ClientIDs []string // nil: of any connection
	Levels    []string // nil: any
	Page      belay.Page
}

// ParseVCSEventQuery reads what a list of VCS events asks for: moments and lists as texts,
// empty where nothing is said.
func ParseVCSEventQuery(from, to, clients, levels string, now time.Time) (q VCSEventQuery, err error) {
	q.From, q.To = now.Add(-DefaultVCSEvents), now.Add(time.Minute)
	for _, moment := range []struct {
		text string
		to   *time.Time
	}{{from, &q.From}, {to, &q.To}} {
		if moment.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, moment.text)
		if err != nil {
			return q, belay.Refuse(belay.BadRequest, "a moment such as 2026-01-31T12:00:00Z is wanted, not %q", moment.text)
		}
		*moment.to = at
	}
	q.ClientIDs, q.Levels = commaList(clients), commaList(levels)
	return q, nil
}

func commaList(text string) (list []string) {
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// NewHookDelivery is news of a repository that nobody has worked on. The id is the service's
// own of the delivery.
func NewHookDelivery(h *Hook, id string, news HookNews, now time.Time) HookDelivery {
	return HookDelivery{
		ID: belay.NewID("hd"), HookID: h.ID, OrganizationID: h.OrganizationID, DeliveryID: id, News: news,
		State: WorkWaits, NextAt: now, ReceivedAt: now,
	}
}

// Fetch is one fetch of a commit, for all workspaces that plan it.
type Fetch struct {
	ID             string
	HookID         string
	OrganizationID string
	Commit         string
	Ref            string // that the commit must be on; empty: anywhere
	Submodules     bool
	State          WorkState
	Tries          int
	NextAt         time.Time
	Claim          string
	Error          string // why it failed, in words for people
	Code           string // and in one word
	Key            string // where the archive lies
	Size           int64
	SHA256         string
	Readme         string // what people are told about the configuration, sealed with the id
	UsedAt         time.Time
}

// FetchID is the id of the fetch of a commit: there is one for each branch or tag that is told to
// have it, for what was found on one of them need not be on another.
func FetchID(hookID, commit, ref string, submodules bool) string {
	parts := []string{hookID, commit, fmt.Sprint(submodules)}
	if ref != "" {
		parts = append(parts, ref)
	}
	return "fetch-" + shortHash(parts...)
}

// shortHash is a text that stands for some others.
func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// RepositoryCommit is a commit that was seen in a workspace.
type RepositoryCommit struct {
	WorkspaceID string
	Kind        string
	Commit      string
	RunID       string // that it made; empty: none was wanted
	PullRequest int    // that it is of; 0: none
	ToldAt      time.Time
	CreatedAt   time.Time
}

// CommitStatus is the status of a commit that is to be sent to its service: of a workspace, or
// of all of an organization.
type CommitStatus struct {
	ID             string
	HookID         string
	OrganizationID string
	WorkspaceID    string // empty: of all
	Commit         string
	State          WorkState
	Moved          int64 // how often something happened
	Tries          int
	NextAt         time.Time
	Claim          string
	Sent           string // what the service was told last
	UpdatedAt      time.Time
}

// PullRequestComment is our comment on a pull request.
type PullRequestComment struct {
	HookID string
	Number int    // of the pull request
	ID     string // at the service; empty: there is none yet
	Told   string // the sum of what it says
	Claim  string // of whoever may change it
}

// Mark is what the text of the comment holds, so that it is found again. Nobody knows it before
// the comment is there: the id of a hook is told to few.
func (c *PullRequestComment) Mark() string {
	return "belay " + shortHash("comment", c.HookID, fmt.Sprint(c.Number))
}

// CommitStatusID is the id of the status of a commit: of a workspace, or of all where that is
// empty.
func CommitStatusID(hookID, commit, workspaceID string) string {
	return "cs-" + shortHash(hookID, commit, workspaceID)
}
