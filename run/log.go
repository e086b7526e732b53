package run

import "time"

// LogState is where the text of a log is.
type LogState string

// The states of logs. An ended one is in chunks still, a sealed one in a file.
const (
	LogOpen   LogState = "open"
	LogEnded  LogState = "ended"
	LogSealed LogState = "sealed"
)

// Log is the log of a plan or an apply, by the phase's id.
type Log struct {
	ID          string
	RunID       string
	State       LogState  // empty: it has not begun
	Size        int64     // bytes that came
	SealedSize  int64     // bytes of its file, with its first and last byte
	TruncatedAt int64     // where the middle begins that was dropped; 0: nothing was
	Watched     time.Time // until when somebody looks at it
}
