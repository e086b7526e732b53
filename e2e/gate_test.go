package e2e_test

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// gate holds up programs of the shell in runs until the test opens it: what a test does meanwhile may
// take as long as it takes.
type gate struct {
	listener net.Listener
	opened   chan struct{}
	once     sync.Once
}

func newGate(t *testing.T) *gate {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	g := &gate{listener: listener, opened: make(chan struct{})}
	t.Cleanup(func() { g.open(); _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				<-g.opened
				_, _ = io.WriteString(c, "go on\n")
			}()
		}
	}()
	return g
}

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

// wait is what a program of bash waits with.
func (g *gate) wait() string {
	_, port, _ := net.SplitHostPort(g.listener.Addr().String())
	return fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%s; read -u 3", port)
}
