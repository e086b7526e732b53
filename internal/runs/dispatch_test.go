package runs

import "testing"

// TestAClaimIsLeftWhileItIsServed holds that a claim whose runner goes away while it is
// served for nothing is answered, and takes no job later: nobody would hear of it.
func TestAClaimIsLeftWhileItIsServed(t *testing.T) {
	gone, stays := &claimant{answer: make(chan claimed, 1)}, &claimant{answer: make(chan claimed, 1)}
	d := &dispatcher{waiting: []*claimant{gone, stays}}
	batch := d.next()
	if d.leave(gone) {
		t.Fatal("a claim that is being served was taken out")
	}
	d.putBack(batch)
	select {
	case got := <-gone.answer:
		if got.err != nil || got.Jobs != nil {
			t.Errorf("the claim that left got %v, %v", got.Jobs, got.err)
		}
	default:
		t.Error("a claim whose runner left waits on")
	}
	if len(d.waiting) != 1 || d.waiting[0] != stays {
		t.Errorf("%d claims wait, want only the one that stayed", len(d.waiting))
	}
}
