package base

import "time"

// remembersFor is how long what was read is compared with the versions of its rows: a version comes back after four
// thousand million transactions.
const remembersFor = time.Minute

// Remembered is from when something is remembered with the versions of its rows, and under which number of connections:
// a new one may be to another server, which took over (sqldb.DB.Connections).
type Remembered struct {
	at          time.Time
	connections int64
}

// Remembering is that of what is read from now on.
func (v *View) Remembering() Remembered { return Remembered{time.Now(), v.Connections()} }

// Remembers says whether versions may still be compared.
func (v *View) Remembers(r Remembered) bool {
	return r.connections == v.Connections() && time.Since(r.at) < remembersFor
}
