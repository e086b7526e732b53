// Package notices holds who is told of what, and where: notification configurations, the one rule of who is told, and
// deliveries. It sends nothing.
package notices

import (
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// Notification is a notification configuration: who wants to hear of what, and where.
// It belongs to a team, a workspace or a project.
type Notification struct {
	ID              string
	OrganizationID  string
	TeamID          string // of one of these three it is
	WorkspaceID     string
	ProjectID       string
	Name            string
	Destination     Destination
	Enabled         bool
	Triggers        []string
	OnChangeRequest bool // change requests are among the triggers
	URL             string
	SealedToken     string // the secret that signs, sealed
	EmailAddresses  []string
	EmailAllMembers bool
	CreatedAt       time.Time
	UpdatedAt       time.Time

	Response *DeliveryResponse // read with the row: the last answer of the destination
	UserIDs  []string          // read with the row: who is to be mailed
}

// Destination is the kind of place that a notification is sent to.
type Destination string

// The kinds of destination.
const (
	GenericDestination Destination = "generic"
	SlackDestination   Destination = "slack"
	TeamsDestination   Destination = "microsoft-teams"
	EmailDestination   Destination = "email"
)

// Webhook says that the destination is an address to post to.
func (d Destination) Webhook() bool {
	return d == GenericDestination || d == SlackDestination || d == TeamsDestination
}

// DeliveryResponse is what a destination answered, or why it could not be asked.
type DeliveryResponse struct {
	URL        string              `json:"url"`
	Code       string              `json:"code"` // of the HTTP answer; empty when there was none
	Body       string              `json:"body"` // cut to a few kilobytes
	Headers    map[string][]string `json:"headers"`
	SentAt     time.Time           `json:"sent-at"`
	Successful bool                `json:"successful"`
}

// Triggers of notifications. Teams hear of change requests only.
const (
	TriggerChangeRequest    = "change_request:created"
	TriggerReminder         = "change_request:reminder" // told to those who hear of the one above
	TriggerVerification     = "verification"
	TriggerDestroyReminder  = "workspace:auto_destroy_reminder"
	TriggerDestroyResults   = "workspace:auto_destroy_run_results"
	triggerChangeRequestOld = "team:change_request" // what the documentation once called it
)

// workspaceTriggers are kept for workspaces and projects, whose runs may raise them.
var workspaceTriggers = []string{
	"run:created", "run:planning", "run:needs_attention", "run:applying", "run:completed", "run:errored",
	run.TriggerDrifted, run.TriggerCheckFailure, run.TriggerAssessmentFailed,
	TriggerDestroyReminder, TriggerDestroyResults,
	TriggerChangeRequest,
}

// Triggers is what deliveries tell of.
func Triggers() []string { return append(slices.Clone(workspaceTriggers), TriggerReminder) }

// The limits of notification configurations (docs/notifications.md).
const (
	MaxNotifications  = 20 // of one team, workspace or project
	maxNotificationIn = 255
	maxToken          = 4096
	maxAddresses      = 100
)

// NotificationPatch is a change of a notification configuration.
type NotificationPatch struct {
	Name, URL, Token         patch.Field[string]
	Destination              patch.Field[Destination]
	Enabled, EmailAllMembers patch.Field[bool]
	Triggers, EmailAddresses patch.Field[[]string]
	UserIDs                  patch.Field[[]string]
}

// NewNotification is a notification configuration with its defaults.
func NewNotification(now time.Time) Notification {
	return Notification{ID: belay.NewID("nc"), CreatedAt: now, UpdatedAt: now}
}

// DefaultNotification is the configuration that every team begins with: mail to all its
// members about change requests.
func DefaultNotification(t *belay.Team, now time.Time) Notification {
	n := NewNotification(now)
	n.OrganizationID, n.TeamID = t.OrganizationID, t.ID
	n.Name, n.Destination = "Default email", EmailDestination
	n.Enabled, n.EmailAllMembers = true, true
	n.Triggers, n.OnChangeRequest = []string{TriggerChangeRequest}, true
	return n
}

// Scope is what the configuration belongs to, as payloads call it.
func (n *Notification) Scope() string {
	switch {
	case n.TeamID != "":
		return "team"
	case n.ProjectID != "":
		return "project"
	default:
		return "workspace"
	}
}

// Subscribable is the resource that the configuration belongs to.
func (n *Notification) Subscribable() (typ, id string) {
	switch {
	case n.TeamID != "":
		return "teams", n.TeamID
	case n.ProjectID != "":
		return "projects", n.ProjectID
	default:
		return "workspaces", n.WorkspaceID
	}
}

// Apply changes the configuration and says all that is wrong with the change. The token
// and the users are not its business: they are kept elsewhere.
func (n *Notification) Apply(p NotificationPatch, creating bool) error {
	var problems belay.Problems
	p.Name.Into(&n.Name)
	p.Enabled.Into(&n.Enabled)
	p.URL.Into(&n.URL)
	p.EmailAllMembers.Into(&n.EmailAllMembers)
	p.EmailAddresses.Into(&n.EmailAddresses)
	n.Name = strings.TrimSpace(n.Name)
	switch {
	case n.Name == "":
		problems.Attribute("name", "Name can't be blank")
	case utf8.RuneCountInString(n.Name) > maxNotificationIn:
		problems.Attribute("name", "Name is too long (maximum is %d characters)", maxNotificationIn)
	}
	if len(p.Token.Value) > maxToken {
		problems.Attribute("token", "Token is too long (maximum is %d characters)", maxToken)
	}
	n.applyDestination(&problems, p, creating)
	n.applyTriggers(&problems, p)
	n.checkAddresses(&problems)
	return problems.Err()
}

// applyDestination settles the kind, which never changes, and the address.
func (n *Notification) applyDestination(problems *belay.Problems, p NotificationPatch, creating bool) {
	if creating {
		n.Destination = p.Destination.Value
	} else if p.Destination.Given() && p.Destination.Value != n.Destination {
		problems.Attribute("destination-type", "Destination type can't be changed")
	}
	switch {
	case n.Destination == "":
		problems.Attribute("destination-type", "Destination type can't be blank")
	case n.Destination == EmailDestination:
		if n.URL != "" {
			problems.Attribute("url", "Url must be blank for the destination type email")
		}
	case n.Destination.Webhook():
		checkWebhook(problems, n.URL)
	default:
		problems.Attribute("destination-type", "Destination type is not included in the list")
	}
}

func checkWebhook(problems *belay.Problems, address string) {
	if address == "" {
		problems.Attribute("url", "Url can't be blank")
		return
	}
	u, err := url.Parse(address)
	switch {
	case len(address) > belay.MaxURL:
		problems.Attribute("url", "Url is too long (maximum is %d characters)", belay.MaxURL)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		problems.Attribute("url", "Url must be an HTTP or HTTPS URL")
	}
}

// applyTriggers settles what the configuration hears of, each trigger once.
func (n *Notification) applyTriggers(problems *belay.Problems, p NotificationPatch) {
	if !p.Triggers.Set {
		return
	}
	known := workspaceTriggers
	if n.TeamID != "" {
		known = []string{TriggerChangeRequest}
	}
	n.Triggers = nil
	for _, trigger := range p.Triggers.Value {
		if trigger == triggerChangeRequestOld {
			trigger = TriggerChangeRequest
		}
		if !slices.Contains(known, trigger) {
			problems.Attribute("triggers", "Triggers: %q is not a trigger of %s notifications", trigger, n.Scope())
			continue
		}
		if !slices.Contains(n.Triggers, trigger) {
			n.Triggers = append(n.Triggers, trigger)
		}
	}
	n.OnChangeRequest = slices.Contains(n.Triggers, TriggerChangeRequest)
}

func (n *Notification) checkAddresses(problems *belay.Problems) {
	if len(n.EmailAddresses) > maxAddresses {
		problems.Attribute("email-addresses", "Email addresses: at most %d can be given", maxAddresses)
		return
	}
	for _, address := range n.EmailAddresses {
		parsed, err := mail.ParseAddress(address)
		if err != nil || parsed.Address != address {
			problems.Attribute("email-addresses", "Email addresses: %q is not an e-mail address", address)
		}
	}
}

// MustVerify says whether the destination is to be asked before the change is saved:
// when the change enables the configuration, and when an enabled one is sent elsewhere.
// Mail answers nothing, so it is not asked.
func (n *Notification) MustVerify(before *Notification, p NotificationPatch) bool {
	if !n.Enabled || !n.Destination.Webhook() {
		return false
	}
	return p.Enabled.Set || !before.Enabled || n.URL != before.URL || p.Token.Set
}

// TooManyNotifications refuses one more than there may be.
func TooManyNotifications() error {
	var problems belay.Problems
	problems.At(belay.Whole, "There can be at most %d notification configurations here", MaxNotifications)
	return problems
}

// DeliveryStatus is how far a delivery has come.
type DeliveryStatus string

// The statuses of deliveries: waiting for its first or next try, taken by the
// destination, or given up after the last try.
const (
	DeliveryPending      DeliveryStatus = "pending"
	DeliveryDelivered    DeliveryStatus = "delivered"
	DeliveryDeadLettered DeliveryStatus = "parked"
)

// MaxDeliveryAttempts is how often a delivery is tried before it is dead-lettered.
const MaxDeliveryAttempts = 5

// Delivery is one message to one destination about one workspace, or one mail about
// many. It is made once and tried until it is taken or given up.
type Delivery struct {
	ID              string
	EventID         string
	NotificationID  string
	Trigger         string
	WorkspaceID     string // empty for a mail about the many of a bulk action
	ChangeRequestID string
	ActionID        string
	RunID           string // empty: it tells of no run
	RunPlace        int    // what is told of a run is told in this order
	RunStatus       string // as it was when this happened
	ActedBy         string // the name of whoever did that to the run; empty: the server
	Destroy         *belay.DestroyNews
	Assessment      *run.AssessmentNews
	Status          DeliveryStatus
	Attempts        int
	NextAt          time.Time // of the next try; of a claimed one, when the claim ends
	Claim           string    // of whoever is trying it now
	Response        *DeliveryResponse
	CreatedAt       time.Time
	UpdatedAt       time.Time

	Organization string // the name of whose it is, where those of all organizations are read; empty: it was deleted, too
}

// ManagedNotification is a configuration that somebody manages.
type ManagedNotification struct {
	Notification
	Of string // the name of its team, workspace or project
}

// DeliveryCounts is how much was sent for a configuration, and how that went.
type DeliveryCounts struct {
	All, Parked, Waiting int // Parked: given up; Waiting: to be tried again
	Changed              time.Time
	Arrived, Lost        int // in the last LatelyDays: delivered, and given up
}

// LatelyDays is how far back it is counted what arrived.
const LatelyDays = 30

// Share is how much of what was sent lately arrived, in words; empty where nothing was.
func (c *DeliveryCounts) Share() string {
	if all := c.Arrived + c.Lost; all > 0 {
		part := c.Arrived * 1000 / all // never all of it where something was lost
		return strings.Replace(fmt.Sprintf("%d.%d %%", part/10, part%10), ".0 ", " ", 1)
	}
	return ""
}

// Of is how many of the deliveries a query asks for that names one state at most.
func (c *DeliveryCounts) Of(want DeliveryQuery) int {
	switch {
	case want.Failed:
		return c.Waiting
	case want.Statuses != nil:
		return c.Parked
	default:
		return c.All
	}
}

// BoardQuery is what a page of destinations asks for.
type BoardQuery struct {
	Page  belay.Page // of the destinations
	Since time.Time  // how far back trouble counts
	Most  int        // of the destinations with trouble
	ID    string     // the one whose deliveries are shown; empty: the one with most trouble
	Sent  DeliveryQuery
}

// Revision is a text that changes with what was sent.
func (c *DeliveryCounts) Revision() string {
	return fmt.Sprint(c.All, c.Parked, c.Waiting, c.Changed.UnixMilli())
}

// Board is the destinations that somebody manages, those that deliveries were given up on, and what was sent to one.
type Board struct {
	List   []ManagedNotification
	Total  int
	Failed map[string]int // by id: how many deliveries
	Chosen *ManagedNotification
	DeliveryCounts
	Sent  []Delivery
	Shown int               // of what was asked for, on all pages
	Names map[string]string // of workspaces that what was sent tells of and that may be read, by id
}

// DeliveryQuery is what a list of deliveries asks for.
type DeliveryQuery struct {
	Statuses []DeliveryStatus // nil: any
	Failed   bool             // pending after a failed try
	Page     belay.Page
}

// Deliverable says whether notifications may be sent about events of a kind.
func Deliverable(kind string) bool {
	return kind == EventChangeRequestCreated || kind == EventBulkActionCreated || kind == EventBulkActionReminded
}

// The kinds of event that notifications are sent about. The resource of the first is a
// change request, that of the others the bulk action that made many.
const (
	EventChangeRequestCreated = "change_request.created"
	EventBulkActionCreated    = "bulk_action.created"
	EventBulkActionReminded   = "bulk_action.reminded"
)
