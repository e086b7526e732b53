//go:build !linux

package fair

// yieldProcessor does nothing: who waits for a processor waits for the kernel.
func yieldProcessor() {}
