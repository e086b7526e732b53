package deliver

import (
	"bytes"
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// story reads what a delivery tells of.
func (d *Deliverer) story(v *store.View, n *notices.Notification, row *notices.Delivery) (story, error) {
	workspaces := row.RunID != "" || row.Destroy != nil || row.Assessment != nil
	switch {
	case !workspaces:
		return d.requests(v, n, row)
	case d.Mail == nil && !n.Destination.Webhook():
		return nil, errNothing
	case row.RunID != "":
		news, err := v.RunNews(row.RunID)
		return runStory{d, n, news, row}, err
	case row.Assessment != nil:
		w, err := shown(v, row.WorkspaceID)
		return assessmentStory{d, n, &w, row}, err
	default:
		w, err := shown(v, row.WorkspaceID)
		return destroyStory{d, n, &w, row}, err
	}
}

// Message is what a delivery says, as it would be sent now: it is made for each try, and kept by nobody.
func (d *Deliverer) Message(v *store.View, n *notices.Notification, row *notices.Delivery) (string, error) {
	what, err := d.story(v, n, row)
	if err != nil {
		return "", err
	}
	if !n.Destination.Webhook() {
		l := what.letter()
		return "Subject: " + l.Subject + "\n\n" + l.Text, nil
	}
	body, err := payload(n, what)
	if err != nil {
		return "", err
	}
	var readable bytes.Buffer
	err = json.Indent(&readable, body, "", "  ")
	return readable.String(), err
}

// requests reads the change requests that a delivery tells of: a mail all of one action, a
// webhook one.
func (d *Deliverer) requests(v *store.View, n *notices.Notification, row *notices.Delivery) (story, error) {
	if !n.Destination.Webhook() {
		news, total, err := v.NewsOfAction(n, row.ActionID, notices.Tells(row.Trigger), mailedAtMost)
		if err == nil && total == 0 {
			err = errNothing
		}
		return requestStory{d, n, row.Trigger, news, total}, err
	}
	news, err := v.News(row.ChangeRequestID)
	if err == nil && news.Archived && row.Trigger == notices.TriggerReminder {
		err = errNothing
	}
	return requestStory{d, n, row.Trigger, []store.News{news}, 1}, err
}

// shown is a workspace that news is about, unless its organization was deleted.
func shown(v *store.View, id string) (belay.Workspace, error) {
	w, err := v.Workspace(belay.WorkspaceRef{ID: id})
	if err == nil && w.Organization.Gone() {
		err = errNothing
	}
	return w, err
}
