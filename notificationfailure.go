package belay

import "time"

// FailedNotification is a destination that deliveries were given up on.
type FailedNotification struct {
	ID, Name string
	Count    int
	Newest   time.Time
}
