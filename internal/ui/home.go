package ui

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// homeOfPage is what waits in an organization, what goes on, and what happened.
type homeOfPage struct {
	Organization, Host, Name string
	Start                    bool // it has no workspace yet: how one begins
	MayCreate                bool
	Inbox                    []inboxRow
	Strip                    *stripPart
	Now                      []runRow
	MoreRuns                 bool
	OpenRequests             int
	Requests                 string // where the open change requests are
	Workspaces, Runs         string
	Happened                 []happenedRow

	live string // where the changes of all this are told
}

// The most that a home shows of each kind.
const (
	inboxOfKind  = 6
	runsShownNow = 8
	newestEvents = 8
	failuresSeek = 50
)

// showHome shows the home of an organization.
func (u *UI) showHome(v *visit) {
	s, ok := v.signedIn()
	if !ok {
		return
	}
	o, err := u.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.refuse(err)
		return
	}
	page := &homeOfPage{
		Organization: o.Name, Host: v.host(), Name: "my-workspace", Start: o.WorkspaceCount == 0 && o.Can&(belay.ReadWorkspace|belay.CreateWorkspace) != 0, MayCreate: o.Can.Has(belay.CreateWorkspace),
		Workspaces: organizationPath(o.Name, "workspaces"), Runs: organizationPath(o.Name, "runs"), Requests: organizationPath(o.Name, "change-requests"),
	}
	for _, fill := range []func(belay.Principal, *app.OrganizationView, *homeOfPage) error{v.inboxRuns, v.inboxLocks, v.inboxRequests, v.homeRuns, v.homeActivity} {
		if err := fill(s, &o, page); err != nil {
			v.refuse(err)
			return
		}
	}
	v.show(http.StatusOK, "home", frame{Title: "Home", OwnHead: true, Visitor: s.Name, Place: v.place(&o, ""), Page: page, Live: page.live})
}

// inboxRuns adds the plans that the visitor may confirm, and what failed in the last week.
func (v *visit) inboxRuns(s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	planned, _, err := v.ui.Runs.ListOfOrganization(v.Context(), s, o.Name, run.Query{Statuses: []string{string(run.Planned)}, Page: belay.Page{Number: 1, Size: pageSize}})
	if err != nil {
		return err
	}
	var confirmed []runs.View
	for i := range planned {
		if actsOf(&planned[i]).Confirm && len(confirmed) < inboxOfKind {
			confirmed = append(confirmed, planned[i])
		}
	}
	if err := v.addInbox(page, confirmed, inboxRow{Class: "wait", Icon: "pause", Button: "Review plan"}); err != nil {
		return err
	}
	want := run.Query{Statuses: []string{string(run.Errored)}, From: v.ui.Now().AddDate(0, 0, -7), Page: belay.Page{Number: 1, Size: failuresSeek}}
	errored, _, err := v.ui.Runs.ListOfOrganization(v.Context(), s, o.Name, want)
	if err != nil {
		return err
	}
	// Of each workspace the newest: the others are told by its list of runs.
	seen, failed := map[string]bool{}, []runs.View(nil)
	for i := range errored {
		if w := errored[i].WorkspaceID; !seen[w] && len(failed) < inboxOfKind {
			seen[w], failed = true, append(failed, errored[i])
		}
	}
	return v.addInbox(page, failed, inboxRow{Class: "bad", Icon: "alert", Button: "Open log"})
}

// addInbox adds runs to what waits, each like row.
func (v *visit) addInbox(page *homeOfPage, list []runs.View, row inboxRow) error {
	rows, err := v.runRows(list)
	for i, r := range rows {
		row.Title, row.Path, row.By, row.At, row.Counts, row.HasCounts, row.Where = r.Title, r.Path, r.By, r.At, r.Counts, r.HasCounts, list[i].Workspace
		page.Inbox = append(page.Inbox, row)
	}
	return err
}

// inboxLocks adds the workspaces that the visitor keeps locked.
func (v *visit) inboxLocks(s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	list, _, err := v.ui.App.Workspaces(v.Context(), s, o.Name, belay.WorkspaceQuery{LockedBy: s.Holder().ID, Page: belay.Page{Number: 1, Size: inboxOfKind}})
	for i := range list {
		w := &list[i]
		page.Inbox = append(page.Inbox, inboxRow{Class: "lock", Icon: "lock", Title: w.Name + " is locked by you", Where: w.Lock.Reason, Path: workspacePath(o.Name, w.Name), Button: "Show", At: w.Lock.At})
	}
	return err
}

// inboxRequests adds the newest open change requests, one for each subject.
func (v *visit) inboxRequests(s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	if !v.ui.offersRequests() {
		return nil
	}
	open := false
	list, total, err := v.ui.App.ChangeRequests(v.Context(), s, o.Name, belay.ChangeRequestQuery{Archived: &open, Page: belay.Page{Number: 1, Size: pageSize}})
	page.OpenRequests = total
	seen := map[string]bool{}
	for i := range list {
		if c := &list[i]; !seen[c.Subject] && len(seen) < inboxOfKind {
			seen[c.Subject] = true
			page.Inbox = append(page.Inbox, inboxOf(c))
		}
	}
	return err
}

// homeRuns adds what runs now, and how all workspaces stand.
func (v *visit) homeRuns(s belay.Principal, o *app.OrganizationView, page *homeOfPage) (err error) {
	list, err := v.unfinished(v.Context(), s, o.Name)
	if err != nil {
		return err
	}
	page.live = watching("organization", o.Name, organizationRevision(o.WorkspaceCount, list))
	more := len(list) > runsShownNow
	list = list[:min(len(list), runsShownNow)]
	if page.Now, err = v.runRows(list); err != nil {
		return err
	}
	for i := range list {
		page.Now[i].Title = list[i].Workspace
	}
	page.MoreRuns = more
	page.Strip, err = v.strip(s, o.Name)
	return err
}

// homeActivity adds what happened last, for those who read the audit trail.
func (v *visit) homeActivity(s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	if !o.Can.Has(belay.ReadAuditTrail) {
		return nil
	}
	list, _, err := v.ui.App.AuditTrail(v.Context(), s, o.Name, belay.AuditQuery{NewestFirst: true, Page: belay.Page{Number: 1, Size: newestEvents}})
	page.Happened = happenedRows(list, "")
	return err
}
