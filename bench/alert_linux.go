package main

import (
	"errors"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// alert has whoever sends by the connection wait for no processor: a tenant has a machine of its own, and here it shares two of
// them with the load. Its goroutine has a thread to itself from then on, before all others, which reads without Go's watching the
// network. Where that is not permitted it waits like everybody else.
func (c *connection) alert() error {
	straight, ok := c.conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	file, err := straight.File()
	if err != nil {
		return err
	}
	_ = file.Fd() // whose reads wait in the kernel since
	err = straight.Close()
	c.conn = file
	c.in.Reset(file)
	runtime.LockOSThread() // both end together
	first := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: 1}
	if refused := unix.SchedSetAttr(0, &first, 0); refused != nil && !errors.Is(refused, os.ErrPermission) {
		err = errors.Join(err, refused)
	}
	return err
}
