package changes

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/frame"
)

// campaignActs adds what was done of the campaign lately, the newest first.
func campaignActs(page *campaignPage, c *backlog.Campaign) {
	for _, a := range c.Acts {
		page.Acts = append(page.Acts, frame.HappenedRow{What: "Archived " + frame.Count(a.Archived), By: a.By, Knot: "ok", At: a.At})
	}
	if !c.RemindedAt.IsZero() {
		at := slices.IndexFunc(page.Acts, func(a frame.HappenedRow) bool { return !a.At.After(c.RemindedAt) })
		if at < 0 {
			at = len(page.Acts)
		}
		page.Acts = slices.Insert(page.Acts, at, frame.HappenedRow{What: "Reminded those who were told", Knot: "wait", At: c.RemindedAt})
	}
	page.Acts = append(page.Acts, frame.HappenedRow{What: "Filed " + frame.Count(c.CreatedCount), By: c.CreatedByName, Knot: "run", At: c.CreatedAt})
}

// campaignsFile answers with all campaigns that the address asks for, as a file, which ends short where they can't be
// read or the browser has gone.
func campaignsFile(t *frame.OrgVisit, open *bool) {
	t.Download("text/csv; charset=utf-8", "campaigns.csv")
	lines := []byte("subject,id,filed_by,filed,due,archived,open\n")
	for at := (belay.Page{Number: 1, Size: rowsOfCampaign}); ; at.Number++ {
		list, total, err := t.UI.App.BulkActions(t.Context(), t.Principal, t.Org.Name, open, at)
		for i := range list {
			b, due := &list[i], any(nil)
			if !b.DueAt.IsZero() {
				due = b.DueAt.UTC()
			}
			lines = explorer.AppendRow(lines, explorer.Row{Values: []any{b.Subject, b.ID, b.CreatedByName, b.CreatedAt.UTC(), due, int64(b.ArchivedCount), int64(b.OpenCount)}}, CsvTimes)
		}
		if err == nil {
			_, err = t.Writer.Write(lines)
		}
		if lines = nil; err != nil || len(list) == 0 || at.Offset()+len(list) >= total {
			return
		}
	}
}

// rowsOfCampaign is how many change requests are read at once for a file.
const rowsOfCampaign = 500

// campaignFile answers with every change request of the campaign that the visitor may read, as a file, which ends short
// where one can't be read or the browser has gone.
func campaignFile(t *frame.OrgVisit, c *backlog.Campaign) {
	t.Download("text/csv; charset=utf-8", "campaign.csv")
	_, err := t.Writer.Write([]byte("workspace,change_request,state,matches,taken_by,filed,archived,now\n"))
	for _, archived := range []bool{false, true} {
		want := backlog.CampaignQuery{Archived: archived, Page: belay.Page{Number: 1, Size: rowsOfCampaign}}
		for more := true; more && err == nil; want.Page.Number++ {
			more, err = appendRequests(t, c, want)
		}
	}
}

// appendRequests writes one page of change requests into the file, and says whether there are more.
func appendRequests(t *frame.OrgVisit, c *backlog.Campaign, want backlog.CampaignQuery) (more bool, err error) {
	list, fits, total, err := t.UI.App.CampaignRequests(t.Context(), t.Principal, t.Org.Name, t.ID, want)
	if err != nil {
		return false, err
	}
	var lines []byte
	for i := range list {
		lines = explorer.AppendRow(lines, explorer.Row{Values: requestValues(&list[i], c.Asked && !want.Archived, fits)}, CsvTimes)
	}
	_, err = t.Writer.Write(lines)
	return len(list) > 0 && want.Page.Offset()+len(list) < total, err
}

// requestValues is a change request as values of a file: the last is what its workspace has now of what was asked for first.
func requestValues(r *backlog.ChangeRequest, asked bool, fits map[string]backlog.CampaignFit) []any {
	state, matches, archived := "open", any(nil), any(nil)
	if !r.ArchivedAt.IsZero() {
		state, archived = "archived", r.ArchivedAt.UTC()
	}
	if asked {
		matches = map[bool]string{true: "still", false: "no more"}[fits[r.WorkspaceID].Still]
	}
	return []any{r.WorkspaceName, r.ID, state, matches, r.AssigneeName, r.CreatedAt.UTC(), archived, fits[r.WorkspaceID].Value}
}
