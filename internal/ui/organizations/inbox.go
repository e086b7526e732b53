package organizations

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// user is whose runs are asked for; empty: everybody's.
func (p *homeOfPage) user(s belay.Principal) string {
	if p.mine {
		return s.Name
	}
	return ""
}

// homeRunLists is the runs that a home shows: several parts are made of them, and they are read together.
type homeRunLists struct{ planned, errored, unfinished []runs.View }

func readHomeRuns(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) (*homeRunLists, error) {
	planned, failed := v.UI.WaitingRuns()
	planned.User, failed.User = page.user(s), page.user(s)
	lists, err := v.UI.Runs.ListsOfOrganization(v.Context(), s, o.Name, planned, failed, notOver)
	return &homeRunLists{lists[0], lists[1], lists[2]}, err
}

// inboxRuns adds the plans that the visitor may confirm, and what failed in the last week.
func inboxRuns(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	lists, err := page.runs()
	if err != nil {
		return err
	}
	path := func(r *runs.View) string { return frame.RunPath(o.Name, r.Workspace, r.ID) }
	planned, errored := lists.planned, lists.errored
	var confirmed []runs.View
	n := 0
	for i := range slices.Backward(planned) { // what waits longest comes first
		if r := &planned[i]; workspaces.ActsOf(r).Confirm && page.takes(&n, "pause", path(r)) {
			confirmed = append(confirmed, *r)
		}
	}
	if err := addInbox(v, page, confirmed, workspaces.InboxRow{Class: "wait", Icon: "pause", Button: "Review plan"}); err != nil {
		return err
	}
	// Of each workspace the newest: the others are told by its list of runs.
	seen, failed, n := map[string]bool{}, []runs.View(nil), 0
	for i := range errored {
		if r := &errored[i]; !seen[r.WorkspaceID] {
			seen[r.WorkspaceID] = true
			if page.takes(&n, "alert", path(r)) {
				failed = append(failed, *r)
			}
		}
	}
	return addInbox(v, page, failed, workspaces.InboxRow{Class: "bad", Icon: "alert", Button: "Open log"})
}

// addInbox adds runs to what waits, each like row.
func addInbox(v *frame.Visit, page *homeOfPage, list []runs.View, row workspaces.InboxRow) error {
	rows, err := workspaces.RunRows(v, list)
	for i, r := range rows {
		row.Title, row.Path, row.By, row.At, row.Counts, row.HasCounts, row.Where = r.Title, r.Path, r.By, r.At, r.Counts, r.HasCounts, list[i].Workspace
		page.Inbox = append(page.Inbox, row)
	}
	return err
}

// inboxLocks adds the workspaces that the visitor keeps locked, and those that somebody else has for long
// and the visitor may break open.
func inboxLocks(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	waits, err := page.waiting()
	if err != nil {
		return err
	}
	ids := page.lockedThat(waits.Own, true)
	if !page.mine {
		ids = append(ids, page.lockedThat(waits.Others, false)...)
	}
	if len(ids) == 0 {
		return nil
	}
	list, err := v.UI.App.WorkspacesByID(v.Context(), s, o.Name, ids)
	if err != nil {
		return err
	}
	var own, others []app.WorkspaceView // what somebody else has is there for long
	for i := range list {
		if list[i].Lock.Holder.ID == s.Holder().ID {
			own = append(own, list[i])
		} else {
			others = append(others, list[i])
		}
	}
	asked, err := workspaces.Questions(v, own...)
	for i := range own {
		w := &own[i]
		page.Inbox = append(page.Inbox, askedOf(lockThatWaits(o.Name, w, "you"), asked[w.ID]))
	}
	for i := range others {
		w := &others[i]
		if lock := workspaces.LockOf(s, w); lock.MayForce && !lock.ByRun { // still
			row := lockThatWaits(o.Name, w, lock.By)
			if lock.MayAsk {
				row.Button, row.ActPath = "Ask "+lock.By, row.Path+"?ask"
			}
			page.Inbox = append(page.Inbox, row)
		}
	}
	return err
}

// lockedThat is the ids of those workspaces that a home tells of, locked by the visitor or by others.
func (p *homeOfPage) lockedThat(wait []app.Waits, own bool) (ids []string) {
	n := 0
	for _, w := range wait {
		if p.takes(&n, frame.LockIcon(own && w.Asked), frame.WorkspacePath(p.Organization, w.Name)) {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// lockThatWaits is a workspace that somebody keeps locked.
func lockThatWaits(organization string, w *app.WorkspaceView, holder string) workspaces.InboxRow {
	return workspaces.InboxRow{Class: "lock", Icon: "lock", Title: w.Name + " is locked by " + holder, Where: w.Lock.Reason, Path: frame.WorkspacePath(organization, w.Name), Button: "Show", At: w.Lock.At}
}

// askedOf is a lock that its holder is asked for; what was asked last is told, and that is something new to see.
func askedOf(row workspaces.InboxRow, questions []workspaces.QuestionRow) workspaces.InboxRow {
	if len(questions) == 0 {
		return row
	}
	q := questions[len(questions)-1]
	row.Class, row.Icon, row.Where, row.Button = "wait", "chat", q.By+" asks you to unlock it", "Answer"
	if q.Text != "" {
		row.Where = q.By + " asks: “" + q.Text + "”"
	}
	if n := len(questions) - 1; n > 0 {
		row.Where += ", and " + frame.Many(n, "other", "others")
	}
	return row
}

// readHomeRequests reads the newest open change requests; of one's own, those that one has taken.
func readHomeRequests(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) func() ([]backlog.ChangeRequest, int, error) {
	open := false
	want := backlog.ChangeRequestQuery{Archived: &open, Page: belay.Page{Number: 1, Size: frame.PageSize}}
	if page.mine {
		want.Assignees = []string{s.ID}
	}
	return frame.SoonList(v, func() ([]backlog.ChangeRequest, int, error) {
		return v.UI.App.ChangeRequests(v.Context(), s, o.Name, want)
	})
}

// inboxRequests adds the change requests that were read, one for each subject.
func inboxRequests(_ *frame.Visit, _ belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	if page.requests == nil {
		return nil
	}
	list, total, err := page.requests()
	page.OpenRequests = total
	at, rows := map[string]int{}, []workspaces.InboxRow(nil)
	for i := range list {
		c := &list[i]
		if n, known := at[c.Subject]; known {
			row := &rows[n]
			row.Of++
			if o.Can.Has(belay.ReadExplorer) && c.ActionID != "" {
				row.Path = frame.OrganizationPath(o.Name, "changes/") + c.ActionID
			}
		} else {
			at[c.Subject], rows = len(rows), append(rows, workspaces.InboxOf(c))
		}
	}
	n := 0
	for _, row := range rows {
		if row.Of > 0 {
			row.Where = "open on " + frame.Count(row.Of+1) + " workspaces"
			if total > len(list) {
				row.Where += " and more"
			}
		}
		if page.takes(&n, row.Icon, row.Path) {
			page.Inbox = append(page.Inbox, row)
		}
	}
	return err
}

// inboxUnarrived adds the uploads of states that were begun and are not finished, to those who may write them, and the
// destinations that deliveries were given up on lately, to those who manage them.
func inboxUnarrived(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	read, err := page.waiting()
	n := 0
	for _, w := range read.States {
		path := frame.WorkspacePath(o.Name, w.Workspace) + "/state"
		if page.mine && w.By != s.Name || !page.takes(&n, "alert", path) {
			continue
		}
		page.Inbox = append(page.Inbox, workspaces.InboxRow{
			Class: "bad", Icon: "alert", Title: "A state of " + w.Workspace + " did not arrive", Where: "the upload of serial " + frame.Count(int(w.Serial)) + " is not finished",
			By: w.By, Path: path, Button: "Show state", At: w.At,
		})
	}
	n = 0
	for _, f := range read.Failed {
		path := frame.OrganizationPath(o.Name, "notifications/") + f.ID
		if !page.takes(&n, "bell", path) {
			continue
		}
		page.Inbox = append(page.Inbox, workspaces.InboxRow{
			Class: "bad", Icon: "bell", Title: frame.Many(f.Count, "delivery", "deliveries") + " to “" + f.Name + "” did not arrive",
			Path: path, Button: "Show answers", At: f.Newest,
		})
	}
	return err
}
