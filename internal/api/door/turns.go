package door

import (
	"io"

	"github.com/belayhq/belay/internal/fair"
)

// Turn waits for a turn at the processors, for what takes long to work on. Who has one keeps it.
func (r *Request) Turn() error {
	if r.writes {
		return nil
	}
	return r.Door.App.Tenants().Turn(r.Context())
}

// rest lets others go first where it takes long, and holds nobody up.
func (r *Request) rest() {
	if !r.writes {
		r.Work().Rest()
	}
}

// Yield ends that turn, if there is one: none is held for a client.
func (r *Request) Yield() { r.Work().Yield() }

// Work is what rests for others, where the request takes long.
func (r *Request) Work() *fair.Work { return fair.WorkOf(r.Context()) }

// largeBody is from how many bytes on a body takes so long to understand that a tenant who sends many
// leaves room for others.
const largeBody = 64 << 10

// inTurns opens each piece of a large file in a turn at the processors, and holds none while the client takes it.
type inTurns struct {
	r    *Request
	file io.Reader
}

func (t inTurns) Read(buf []byte) (int, error) {
	if err := t.r.Turn(); err != nil {
		return 0, err
	}
	defer t.r.Yield()
	return t.file.Read(buf)
}

// bodyInTurns has a body that is read as a stream be worked on in turns.
func (r *Request) bodyInTurns() {
	if r.Body != nil {
		r.Body = &coming{ReadCloser: r.Body, r: r}
	}
}

// BySignature has what comes by a signed address be the work of who was given it; where another server gave it, of the organization
// whose object it is, once that is found out.
func (r *Request) BySignature(mac string) {
	r.Request = r.WithContext(r.Door.App.Tenants().As(r.Context(), r.Door.given.of(mac)))
	r.bodyInTurns()
}

// coming is a body that is worked on while it comes. Once it is large each piece, and what is done with it until the next is asked
// for, has a turn at the processors, and what is done after the last. None is held while the client sends.
type coming struct {
	io.ReadCloser
	r   *Request
	got int
}

func (c *coming) Read(buf []byte) (int, error) {
	c.r.Yield()
	n, err := c.ReadCloser.Read(buf)
	if c.got += n; c.got > largeBody {
		if failed := c.r.Turn(); failed != nil {
			return 0, failed
		}
	}
	return n, err
}
