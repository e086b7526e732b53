package runner

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/belayhq/belay/run"
)

// endless is a log that is never held as a whole.
type endless struct {
	line string
	left int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for ; e.left > 0 && n+len(e.line) <= len(p); e.left-- {
		n += copy(p[n:], e.line)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestALongLogIsCountedInLittleMemory(t *testing.T) {
	const colour = "\x1b[0m\x1b[1m"
	log := func(end string) io.Reader {
		return io.MultiReader(
			strings.NewReader(colour+"terraform_data.a: Creation complete after 1s [id=1]\n"+colour+"terraform_data.b: Destruction complete after 0s\n"),
			&endless{colour + "terraform_data.c (local-exec): y\n", 1 << 20},
			&endless{strings.Repeat("x", 1000), 1 << 12}, strings.NewReader("\n"+end))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := countLines(log("")); got != (run.Counts{Additions: 1, Destructions: 1}) {
		t.Errorf("without a summary: %+v", got)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("it took %d bytes", used)
	}
	if got := countLines(log("Apply complete! Resources: 2 imported, 3 added, 4 changed, 5 destroyed.\n")); got != (run.Counts{Imports: 2, Additions: 3, Changes: 4, Destructions: 5}) {
		t.Errorf("with a summary: %+v", got)
	}
}
