//go:build !linux

package fair

// YieldProcessor does nothing: who waits for a processor waits for the kernel.
func YieldProcessor() {}
