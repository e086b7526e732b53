package fair

import (
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// patience is how long the processors together go on with other work before somebody who gave way has his turn all the same.
const patience = 2 * time.Millisecond

// giveWay lets those work first who wait for the network: for a question, or for an answer of the database. Go looks at the
// network when a processor has nothing else to do, and otherwise each 10 ms. With runtime.Gosched there is always something
// else, the next one who gave way. So one at a time waits for the network himself, for a byte that he sends to himself: it comes
// when a processor was idle and looked, together with what others wait for.
//
// The kernel has the same habit: a thread that wakes waits for one that computes until the next tick, 4 ms at 250 a second, and
// not where that one says that it can wait.
func giveWay() {
	theWay().give()
	YieldProcessor()
}

func (w *way) give() {
	w.Lock()
	defer w.Unlock()
	if w.in == nil || w.in.SetReadDeadline(time.Now().Add(patience/time.Duration(runtime.GOMAXPROCS(0)))) != nil {
		runtime.Gosched()
		return
	}
	asked := false
	_ = w.raw.Read(func(uintptr) bool {
		if asked {
			return true
		}
		_, err := w.out.Write([]byte{0})
		asked = err == nil
		return !asked
	})
	if asked { // whether it came in time or not: none stays in the pipe, or it would be full one day, and nobody could send
		_ = w.in.SetReadDeadline(time.Time{})
		_, _ = w.in.Read(w.buf[:])
	}
}

// way is the pipe that bytes go through.
type way struct {
	sync.Mutex
	in  *os.File // nil: there is none to be had
	out io.Writer
	raw syscall.RawConn
	buf [1]byte
}

var theWay = sync.OnceValue(func() *way {
	in, out, err := os.Pipe()
	if err != nil {
		return &way{}
	}
	return newWay(in, out)
})

func newWay(in *os.File, out io.Writer) *way {
	raw, err := in.SyscallConn()
	if err != nil {
		return &way{}
	}
	return &way{in: in, out: out, raw: raw}
}
