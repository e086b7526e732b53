package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// asHammer is the word that makes this program the load of a tenant who sends without a pause.
const asHammer = "-as-hammer"

// hammering is that load in a process of its own, with what is left of the processors: what it makes and reads is
// not the server's work, and who is measured beside it is not to wait for it.
type hammering struct {
	command *exec.Cmd
	end     io.Closer
	said    io.Reader
}

func (p *plan) hammering(t *target, name string) (*hammering, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	class := "--idle"
	if strings.HasPrefix(name, nothing) { // it takes what the server would
		class = "--other"
	}
	command := exec.Command("chrt", class, "0", self, asHammer, t.address, strconv.Itoa(p.clients), name)
	command.Stderr = os.Stderr
	end, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	said, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return nil, err
	}
	var begun string
	_, err = fmt.Fscan(said, &begun) // its first answer
	return &hammering{command, end, said}, err
}

// stop ends it, and says how much was sent.
func (h *hammering) stop() (sent int, err error) {
	err = h.end.Close()
	_, failed := fmt.Fscan(h.said, &sent)
	return sent, errors.Join(err, failed, h.command.Wait())
}

// hammerer is the process of that load: its arguments are an address, how many connections, and what is sent.
func hammerer(args []string) error {
	clients, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	created.Store(int64(os.Getpid()) << 20) // names of its own
	debug.SetGCPercent(-1)                  // which would compute for long
	debug.SetMemoryLimit(2 << 30)
	t := &target{address: args[0]}
	var do step
	var begun sync.Once
	for _, w := range t.expensive() {
		if w.name == args[2] {
			do = func(c *connection, client, n int) (int, error) {
				status, err := w.do(c, client, n)
				begun.Do(func() { fmt.Println("begun") })
				return status, err
			}
		}
	}
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	var all sync.WaitGroup
	sent, failed := make([]int, clients), make([]error, clients)
	for client := range clients {
		all.Go(func() { sent[client], failed[client] = t.hammer(client, do, stop) })
	}
	all.Wait()
	sum := 0
	for _, n := range sent {
		sum += n
	}
	fmt.Println(sum)
	return errors.Join(failed...)
}
