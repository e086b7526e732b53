package store

// kept is what a transaction notes on its way, whoever of its rooms does.
type kept struct {
	queued   bool // something was queued for delivery
	counters counters
}

// queue has those woken who deliver what was queued, once it is kept.
func (tx *Tx) queue() { tx.kept.queued = true }

// isQueued says whether something was queued for delivery.
func (tx *Tx) isQueued() bool { return tx.kept.queued }
