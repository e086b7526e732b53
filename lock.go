package belay

import (
	"slices"
	"time"
)

// Lock is the lock of a workspace. It is open when nobody holds it.
type Lock struct {
	Holder Holder
	Reason string
	At     time.Time

	Questions []LockQuestion // what others have asked the holder, one each, the oldest first
}

// LockQuestion is what somebody asks the holder of a lock. It is gone with the lock.
type LockQuestion struct {
	UserID string    `json:"by"`
	Text   string    `json:"text,omitempty"`
	At     time.Time `json:"at"`
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

// The characters of a reason and of a question, and the people who ask, of which a lock keeps no more (docs/limits.md).
const maxLockReason, maxLockQuestion, mostLockQuestions = 1000, 500, 10

// TakeLock locks the workspace for a holder. Whoever holds it already keeps it, even
// against itself: 409.
func (w *Workspace) TakeLock(by Holder, reason string, now time.Time) error {
	var problems Problems
	if CheckLength(&problems, "reason", "Reason", reason, maxLockReason); problems != nil {
		return problems
	}
	if w.Lock.Held() {
		refusal := Refuse(Conflict, "Unable to lock workspace. The workspace is already locked.")
		held := w.Lock
		refusal.Held = &held
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

// AskHolder keeps what a person asks the holder of the lock, in place of what they asked before. Nobody answers for
// a run: it gives the lock back by itself.
func (w *Workspace) AskHolder(by Holder, text string, now time.Time) error {
	var problems Problems
	if CheckLength(&problems, "question", "Question", text, maxLockQuestion); problems != nil {
		return problems
	}
	others := slices.DeleteFunc(slices.Clone(w.Lock.Questions), func(q LockQuestion) bool { return q.UserID == by.ID })
	switch held := w.Lock.Holder; {
	case !w.Lock.Held():
		return Refuse(Conflict, "Nobody holds the lock of this workspace.")
	case held.Type == "runs":
		return Refuse(Conflict, "A run holds the lock, and gives it back when it ends.")
	case held.Type == by.Type && held.ID == by.ID:
		return Refuse(Conflict, "You hold the lock yourself.")
	case by.Type != "users":
		return Refuse(Conflict, "Only people ask the holder of a lock: use the token of a user.")
	case len(others) >= mostLockQuestions:
		return Refuse(Conflict, "%d people have asked already.", mostLockQuestions)
	}
	others = append(others, LockQuestion{UserID: by.ID, Text: text, At: now})
	w.Lock.Questions = others
	w.UpdatedAt = now
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
