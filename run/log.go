package run

import (
	"strconv"
	"strings"
	"time"
)

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

// LogTime is when a byte of a log came, and with it those up to the next one.
type LogTime struct {
	At   int64 // bytes before it
	Came time.Time
}

// LogTimesOf reads the times of a log as they are kept: places and milliseconds. What is not one is
// left out.
func LogTimesOf(text string) (list []LogTime) {
	for _, part := range strings.Fields(text) {
		place, milli, _ := strings.Cut(part, ":")
		at, wrong := strconv.ParseInt(place, 10, 64)
		ms, bad := strconv.ParseInt(milli, 10, 64)
		if wrong == nil && bad == nil {
			list = append(list, LogTime{at, time.UnixMilli(ms).UTC()})
		}
	}
	return list
}
