package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http/httputil"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/belayhq/belay/internal/fair"
)

// target is a server under load.
type target struct {
	address string
	command *exec.Cmd
	ids     []string // of the workspaces that are there
	member  string   // the token of a user who sees few of them

	// Of a program that is shipped.
	dir, database string
	url           string  // of its database
	profiles      int     // that were taken
	ceiling       *target // the same from memory; nil: it is not measured
	program       []string
	others        []*target    // servers beside it
	connected     atomic.Int64 // connections that were made
	cleanup       func()       // nil: somebody else removes what it had
}

func (t *target) stop() {
	_ = t.command.Process.Kill()
	_ = t.command.Wait()
	if t.cleanup != nil {
		t.cleanup()
	}
}

// connection is one keep-alive connection. It speaks just enough HTTP to cost little:
// on two cores a full client would be what is measured.
type connection struct {
	conn  io.ReadWriteCloser
	token string
	extra string // header lines of the next requests, each with its end
	in    *bufio.Reader
	out   bytes.Buffer
	body  bytes.Buffer
}

func (t *target) connect() (*connection, error) {
	address := t.address
	if n := int(t.connected.Add(1)) % (len(t.others) + 1); n > 0 {
		address = t.others[n-1].address
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, token: token, in: bufio.NewReaderSize(inPieces{conn}, atOnce)}, nil
}

// atOnce is how many bytes the kernel is given to send, or asked for. It keeps a processor until it has taken them, whoever waits for that: of
// 16 MiB for 4 ms, which a client on a machine of its own takes from nobody.
const atOnce = 64 << 10

// inPieces reads no more than that at once.
type inPieces struct{ io.Reader }

func (r inPieces) Read(buf []byte) (int, error) { return r.Reader.Read(buf[:min(len(buf), atOnce)]) }

// pieces cuts what is large. Between two of them the server goes first: some kernels have whoever is woken on another processor wait for the
// one that computes there until the next tick, even where that one has the lowest class and a processor is idle.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > atOnce {
			if !yield(text[:atOnce]) {
				return
			}
			text = text[atOnce:]
			fair.YieldProcessor()
		}
		yield(text)
	}
}

// do sends one request, whose body may be in parts, and reads its answer whole; that stays valid until the next.
func (c *connection) do(method, path string, body ...string) (status int, answer []byte, err error) {
	c.out.Reset()
	fmt.Fprintf(&c.out, "%s %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n%s", method, path, c.token, c.extra)
	if method != "GET" {
		length := 0
		for _, part := range body {
			length += len(part)
		}
		fmt.Fprintf(&c.out, "Content-Type: application/vnd.api+json\r\nContent-Length: %d\r\n", length)
	}
	c.out.WriteString("\r\n")
	for _, part := range body {
		for piece := range pieces(part) {
			if c.out.Len()+len(piece) > atOnce {
				if err := c.send(); err != nil {
					return 0, nil, err
				}
			}
			c.out.WriteString(piece)
		}
	}
	if err := c.send(); err != nil {
		return 0, nil, err
	}
	return c.read()
}

func (c *connection) send() error {
	_, err := c.out.WriteTo(c.conn)
	return err
}

func (c *connection) read() (status int, answer []byte, err error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return 0, nil, err
	}
	if status, err = strconv.Atoi(strings.Fields(line)[1]); err != nil {
		return 0, nil, err
	}
	length, chunked := 0, false
	for {
		if line, err = c.in.ReadString('\n'); err != nil {
			return 0, nil, err
		}
		if line == "\r\n" {
			break
		}
		chunked = chunked || line == "Transfer-Encoding: chunked\r\n"
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, nil, err
			}
		}
	}
	c.body.Reset()
	if chunked {
		if _, err = io.Copy(&c.body, httputil.NewChunkedReader(c.in)); err == nil {
			_, err = c.in.ReadString('\n') // of the empty trailer
		}
		return status, c.body.Bytes(), err
	}
	_, err = io.CopyN(&c.body, c.in, int64(length))
	return status, c.body.Bytes(), err
}

// step is one request of a client; n counts the client's steps.
type step func(c *connection, client, n int) (status int, err error)

// run drives the target from many connections for a while.
func (t *target) run(clients int, each time.Duration, do step) (result, error) {
	before, err := t.every()
	if err != nil {
		return result{}, err
	}
	took := make([][]time.Duration, clients)
	failed := make([]error, clients)
	var all sync.WaitGroup
	began := time.Now()
	deadline := began.Add(each)
	for client := range clients {
		all.Go(func() { took[client], failed[client] = t.drive(client, deadline, do) })
	}
	all.Wait()
	elapsed := time.Since(began)
	for _, err := range failed {
		if err != nil {
			return result{}, err
		}
	}
	after, err := t.every()
	if err != nil {
		return result{}, err
	}
	every := slices.Concat(took...)
	slices.Sort(every)
	return result{
		perSecond: float64(len(every)) / elapsed.Seconds(), p50: every[len(every)/2], p99: every[len(every)*99/100],
		statements: (after.statements - before.statements) / float64(len(every)), cpu: (after.cpu - before.cpu) / time.Duration(len(every)),
		database: (after.database - before.database) / time.Duration(len(every)),
	}, nil
}

func (t *target) drive(client int, deadline time.Time, do step) ([]time.Duration, error) {
	c, err := t.connect()
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.conn.Close() }()
	var took []time.Duration
	for n := 0; n == 0 || time.Now().Before(deadline); n++ { // one, however long that takes
		began := time.Now()
		status, err := do(c, client, n)
		if err != nil {
			return nil, err
		}
		if status >= 300 {
			return nil, fmt.Errorf("status %d: %s", status, c.body.Bytes())
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

func (t *target) statements() (int, error) { return t.ask("/statements") }

// ask asks the server for a number of its own.
func (t *target) ask(what string) (int, error) {
	c, err := t.connect()
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.conn.Close() }()
	_, body, err := c.do("GET", what, "")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(body)))
}
