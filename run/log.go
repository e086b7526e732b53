package run

import "time"

// LogState is where the text of a log is.
type LogState string

// The states of logs. An ended one is in chunks still, a sealed one in a file, or, a short one,
// in its chunks for good.
const (
	LogOpen   LogState = "open"
	LogEnded  LogState = "ended"
	LogSealed LogState = "sealed"
)

// The kinds of files that logs are poured into.
const (
	PlanLogFile  FileKind = "log-plan"
	ApplyLogFile FileKind = "log-apply"
)

// LogFrame is how many bytes frame the text of a log that has ended.
const LogFrame = 2

// Log is the log of a plan or an apply, by the phase's id.
type Log struct {
	ID          string
	RunID       string
	State       LogState  // empty: it has not begun
	Size        int64     // bytes that came
	SealedSize  int64     // bytes of it once it is sealed, with its first and last byte
	TruncatedAt int64     // where the middle begins that was dropped; 0: nothing was
	Watched     time.Time // until when somebody looks at it
}
