package notices_test

import (
	"slices"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
)

// TestWhoIsMailed: what names somebody stays, and of what is mailed to a team each leaves out what is theirs to leave out.
func TestWhoIsMailed(t *testing.T) {
	t.Parallel()
	all := []string{notices.TriggerChangeRequest, "run:errored"}
	mail := func(n notices.Notification) notices.Notification {
		n.Destination, n.Triggers, n.OnChangeRequest = notices.EmailDestination, all, true
		return n
	}
	reminders := []string{notices.TriggerReminder}
	both := notices.Personal
	for name, c := range map[string]struct {
		n       notices.Notification
		inTeam  bool
		leftOut []string
		want    []string
	}{
		"of a team":                    {mail(notices.Notification{}), true, nil, append(slices.Clone(all), notices.TriggerReminder)},
		"of no team":                   {mail(notices.Notification{}), false, nil, nil},
		"reminders left out":           {mail(notices.Notification{}), true, reminders, all},
		"both left out":                {mail(notices.Notification{}), true, both, all[1:]},
		"named":                        {mail(notices.Notification{UserIDs: []string{"user-1"}}), false, both, append(slices.Clone(all), notices.TriggerReminder)},
		"another is named":             {mail(notices.Notification{UserIDs: []string{"user-2"}}), true, nil, nil},
		"another is named, and all":    {mail(notices.Notification{UserIDs: []string{"user-2"}, EmailAllMembers: true}), true, both, all[1:]},
		"an address is named":          {mail(notices.Notification{EmailAddresses: []string{"x@example.com"}}), true, nil, nil},
		"a webhook mails nobody":       {notices.Notification{Destination: notices.SlackDestination, Triggers: all, UserIDs: []string{"user-1"}}, true, nil, nil},
		"an address is named, and all": {mail(notices.Notification{EmailAddresses: []string{"x@example.com"}, EmailAllMembers: true}), true, reminders, all},
	} {
		m := notices.MailedNotification{ManagedNotification: notices.ManagedNotification{Notification: c.n}, Mailing: c.n.MailingTo("user-1", c.inTeam)}
		if got := m.Hears(c.leftOut); !slices.Equal(got, c.want) {
			t.Errorf("%s: mailed of %v, want %v", name, got, c.want)
		}
	}
	if err := notices.CheckLeftOut(both); err != nil {
		t.Error(err)
	}
	if err := notices.CheckLeftOut([]string{"run:errored"}); belay.KindOf(err) != belay.Invalid {
		t.Errorf("mail of runs is left out: %v", err)
	}
}
