package notices

import (
	"strconv"
	"strings"
	"time"
)

// SiteDelivery is a delivery, and of what.
type SiteDelivery struct {
	Delivery
	Notification string // the name of its configuration
}

// DeliveryMark is a place in the list of all deliveries, which is by when each changed last.
type DeliveryMark struct {
	At time.Time
	ID string // empty: no place
}

// Mark is the place of a delivery in the list of all of them.
func (d *Delivery) Mark() DeliveryMark { return DeliveryMark{d.UpdatedAt, d.ID} }

// String is the place as an address names it.
func (m DeliveryMark) String() string { return strconv.FormatInt(m.At.UnixMilli(), 10) + "." + m.ID }

// ParseDeliveryMark reads a place; what is none is no place.
func ParseDeliveryMark(text string) DeliveryMark {
	at, id, _ := strings.Cut(text, ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil || id == "" {
		return DeliveryMark{}
	}
	return DeliveryMark{time.UnixMilli(ms).UTC(), id}
}

// SiteDeliveryQuery is what a list of the deliveries of all organizations asks for: those that changed last come first.
type SiteDeliveryQuery struct {
	Statuses      []DeliveryStatus // nil: any
	Organization  string           // the name of theirs; empty: any
	Trigger       string           // what they tell of; empty: anything
	Newer, Older  DeliveryMark     // than which they are to be; of one at most
	AtMost        int
	CountedAtMost int // of each status
}

// SiteDeliveries is a part of the deliveries of all organizations, whether there are others before and after it, and how
// many there are of each status: one more than is counted at most where there are more.
type SiteDeliveries struct {
	List         []SiteDelivery
	Newer, Older bool
	Counts       map[DeliveryStatus]int
}
