//go:build !linux

package isolate

// Running is a step under its supervisor. There are none on this system.
type Running struct{}

// Probe says that this system can hold no step.
func Probe() Abilities { return Abilities{} }

func landlockABI() int { return 0 }

// SystemFiles is empty here.
func SystemFiles() []string { return nil }

// Start starts no step: only Linux can hold one.
func Start(string, Step) (*Running, error) { return nil, ErrUnsupported }

// TakeUp finds no step.
func TakeUp(string) (*Running, error) { return nil, ErrUnsupported }

// Done is never closed: no step is ever there.
func (r *Running) Done() <-chan struct{} { return nil }

// Result is how the step ended.
func (r *Running) Result() Result { return Result{} }

// Interrupt does nothing here.
func (r *Running) Interrupt() {}

// Kill does nothing here.
func (r *Running) Kill() {}
