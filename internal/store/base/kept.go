package base

// kept is what a transaction notes on its way, whoever of its rooms does.
type kept struct {
	queued   bool // something was queued for delivery
	counters counters
}

// Queue has those woken who deliver what was queued, once it is kept.
func (tx *Tx) Queue() { tx.kept.queued = true }

// IsQueued says whether something was queued for delivery.
func (tx *Tx) IsQueued() bool { return tx.kept.queued }
