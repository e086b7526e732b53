package notices

import (
	"slices"

	"github.com/belayhq/belay"
)

// Personal is what somebody may leave out of the mail that they get as one of a team, by trigger.
var Personal = []string{TriggerChangeRequest, TriggerReminder}

// CheckLeftOut refuses to leave out what is nobody's own to leave out.
func CheckLeftOut(triggers []string) error {
	for _, trigger := range triggers {
		if !slices.Contains(Personal, trigger) {
			return belay.Refuse(belay.Invalid, "Mail of %q is not yours to leave out.", trigger)
		}
	}
	return nil
}

// MailsTeams says whether a configuration mails all members of the teams that it is about: where it is asked to, or
// names nobody.
func (n *Notification) MailsTeams() bool {
	return n.Destination == EmailDestination && (n.EmailAllMembers || len(n.UserIDs)+len(n.EmailAddresses) == 0)
}

// Mailing is how mail of a configuration reaches a member of its organization.
type Mailing struct {
	Named bool // whoever manages the configuration wants them told
	Team  bool // as one of a team
}

// MailingTo is how a configuration mails a user, who is in one of the teams that it is about, or in none.
func (n *Notification) MailingTo(userID string, inTeam bool) Mailing {
	return Mailing{
		Named: n.Destination == EmailDestination && slices.Contains(n.UserIDs, userID),
		Team:  n.MailsTeams() && inTeam,
	}
}

// Reaches says whether what is told as a trigger is mailed to somebody who has left some out. It is the one rule of that: a mail
// that names them is not theirs to leave out. The store makes conditions of it, for the addresses of a configuration and for the
// configurations that mail a user.
func (m Mailing) Reaches(trigger string, leftOut []string) bool {
	return m.Named || m.Team && !slices.Contains(leftOut, trigger)
}

// MailedNotification is a configuration that mails somebody, and how.
type MailedNotification struct {
	ManagedNotification
	Mailing
	Organization  string // its name
	InProject     string // the project of its workspace
	Manages, Sees bool   // they manage the configuration, or see at least what it is of
}

// Hears is the triggers of a configuration that are mailed to somebody, and those told to whoever wants one of them.
func (n *MailedNotification) Hears(leftOut []string) (triggers []string) {
	wanted := n.Triggers
	if n.OnChangeRequest {
		wanted = append(slices.Clip(wanted), TriggerReminder)
	}
	for _, trigger := range wanted {
		if n.Reaches(trigger, leftOut) {
			triggers = append(triggers, trigger)
		}
	}
	return triggers
}

// Mine is what mails somebody, and what they have left out of it.
type Mine struct {
	By      []MailedNotification
	More    bool // there are more than are told
	LeftOut []string
}
