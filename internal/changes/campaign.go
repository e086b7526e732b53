package changes

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// BulkActions is the bulk actions of an organization, the newest first.
func (r *Room) BulkActions(ctx context.Context, s belay.Principal, organization string, open *bool, page belay.Page) (list []backlog.BulkAction, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadExplorer)
		if err != nil {
			return err
		}
		list, total, err = v.BulkActions(o, open, page)
		return err
	})
	return list, total, err
}

// BacklogCounts is how much there is of the backlog of an organization: at most most of each kind.
func (r *Room) BacklogCounts(ctx context.Context, s belay.Principal, organization string, most int) (c backlog.BacklogCounts, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.ReadExplorer)
		if err != nil {
			return err
		}
		c, err = v.BacklogCounts(o, access.Scope(belay.ReadChangeRequests), most)
		return err
	})
	return c, err
}

// bulkAction hands out a bulk action to those who have the permission in its organization.
func (r *Room) bulkAction(v store.Reader, s belay.Principal, organization, id string, need belay.Permission) (b backlog.BulkAction, o belay.Organization, access belay.Access, err error) {
	if o, access, err = gate.Organization(v.Peek(), s, organization, need); err != nil {
		return b, o, access, err
	}
	b, err = v.BulkAction(id)
	if err == nil && b.OrganizationID != o.ID {
		err = belay.ErrNotFound
	}
	if err != nil {
		b = backlog.BulkAction{}
	}
	return b, o, access, err
}

// questionOf is the question that chose the workspaces of a bulk action; nil when ids did, or
// when it can be asked no more.
func questionOf(b *backlog.BulkAction) *explorer.Query {
	if b.Query == "" {
		return nil
	}
	question, err := explorer.FromJSON([]byte(b.Query), "", "")
	if err != nil || question.View != explorer.Workspaces {
		return nil
	}
	return &question
}

// Campaign is one bulk action with how far it is.
func (r *Room) Campaign(ctx context.Context, s belay.Principal, organization, id string) (c backlog.Campaign, err error) {
	ctx, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	err = r.db.View(ctx, func(v *store.View) error {
		b, o, _, err := r.bulkAction(v, s, organization, id, belay.ReadExplorer)
		if err != nil {
			return err
		}
		c, err = v.Campaign(o, b, questionOf(&b))
		return err
	})
	return c, tooSlow(ctx, err)
}

// mostReady is of how many bulk actions a list says how many change requests are ready.
const mostReady = 10

// ReadyOf is how many open change requests of bulk actions of one organization are on workspaces that fit what was asked
// no more, by id: of the first that are open and can be asked for. One that is missing was not counted.
func (r *Room) ReadyOf(ctx context.Context, s belay.Principal, organization string, list []backlog.BulkAction) (ready map[string]int, err error) {
	ctx, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	questions := make([]*explorer.Query, len(list))
	for i, asked := 0, 0; i < len(list) && asked < mostReady; i++ {
		if list[i].OpenCount > 0 {
			questions[i] = questionOf(&list[i])
		}
		if questions[i] != nil {
			asked++
		}
	}
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadExplorer)
		if err != nil {
			return err
		}
		counts, err := v.ReadyOf(o, list, questions)
		ready = make(map[string]int, len(counts))
		for i, n := range counts {
			ready[list[i].ID] = n
		}
		return err
	})
	return ready, tooSlow(ctx, err)
}

// mostTeamed is how many change requests are looked at for the teams of a list of bulk actions.
const mostTeamed = 5000

// TeamsOf is of which teams the workspaces of bulk actions of one organization are, by id: of the first ones. One that is
// missing was not looked at, or nobody says of which.
func (r *Room) TeamsOf(ctx context.Context, s belay.Principal, organization string, list []backlog.BulkAction) (teams map[string][]string, err error) {
	var ids []string
	left := mostTeamed
	for i := range list {
		if n := list[i].OpenCount + list[i].ArchivedCount; n <= left {
			ids, left = append(ids, list[i].ID), left-n
		}
	}
	if ids == nil {
		return nil, nil
	}
	err = r.db.View(ctx, func(v *store.View) error {
		if _, _, err := gate.Organization(v, s, organization, belay.ReadExplorer); err != nil {
			return err
		}
		teams, err = v.TeamsOfActions(ids)
		return err
	})
	return teams, err
}

// TeamsOfRequests is of which team the workspace of each of some change requests is, read for the caller: its tag says it,
// or its project.
func (r *Room) TeamsOfRequests(ctx context.Context, list []backlog.ChangeRequest) (teams map[string]string, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].WorkspaceID
	}
	err = r.db.View(ctx, func(v *store.View) error {
		teams, err = v.TeamsOfWorkspaces(ids)
		return err
	})
	return teams, err
}

// CampaignRequests is change requests of a campaign where the caller may read them, and which
// of their workspaces still fit what was asked.
func (r *Room) CampaignRequests(ctx context.Context, s belay.Principal, organization, id string, want backlog.CampaignQuery) (list []backlog.ChangeRequest, fits map[string]backlog.CampaignFit, total int, err error) {
	ctx, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	err = r.db.View(ctx, func(v *store.View) error {
		b, o, access, err := r.bulkAction(v, s, organization, id, belay.ReadExplorer)
		if err != nil {
			return err
		}
		want.Scope = access.Scope(belay.ReadChangeRequests)
		question := questionOf(&b)
		if list, total, err = v.CampaignRequests(o, &b, question, want); err != nil || question == nil || len(list) == 0 {
			return err
		}
		ids := make([]string, len(list))
		for i := range list {
			ids[i] = list[i].WorkspaceID
		}
		fits, err = fitsOf(v, o, question, ids)
		return err
	})
	return list, fits, total, tooSlow(ctx, err)
}

// fitsOf is which of some workspaces still fit a question, and what they have of the field that it asks for first:
// their names say nothing.
func fitsOf(v *store.View, o belay.Organization, question *explorer.Query, ids []string) (map[string]backlog.CampaignFit, error) {
	still, err := v.Fitting(o, *question, ids)
	if err != nil {
		return nil, err
	}
	var has map[string]any
	field := ""
	if len(question.Filters) > 0 && question.Filters[0].Field.Name != "workspace_name" {
		field = question.Filters[0].Field.Name
		has, err = v.Has(o, question.Filters[0].Field, ids)
	}
	fits := make(map[string]backlog.CampaignFit, len(ids))
	for _, id := range ids {
		fits[id] = backlog.CampaignFit{Still: still[id], Field: field, Value: has[id]}
	}
	return fits, err
}

// ArchiveInCampaign archives change requests of a campaign on the workspaces where the caller
// may: those with the ids, or with nil all whose workspaces fit what was asked no more.
func (r *Room) ArchiveInCampaign(ctx context.Context, s belay.Principal, organization, id string, ids []string) (archived int, err error) {
	want := backlog.CampaignQuery{IDs: ids}
	if ids == nil {
		ready := false
		want.Matches = &ready
	}
	var of string
	var found []string
	asking, cancel := context.WithTimeout(ctx, exploreLimit) // in a view: nobody waits for the question
	defer cancel()
	err = r.db.View(asking, func(v *store.View) error {
		b, o, access, err := r.bulkAction(v, s, organization, id, belay.ReadExplorer)
		if err != nil {
			return err
		}
		question := questionOf(&b)
		if want.Matches != nil && question == nil {
			return belay.Refuse(belay.Invalid, "nothing says when the change requests of this campaign are done")
		}
		want.Scope = access.Scope(belay.ArchiveChangeRequests.And(belay.ReadChangeRequests))
		of = o.ID
		found, err = v.CampaignRequestIDs(o, &b, question, want)
		return err
	})
	if err != nil {
		return 0, tooSlow(asking, err)
	}
	return inParts(ctx, r.db, of, found, func(tx *store.Tx, part []string) (int, error) {
		return r.archiveFound(tx, s, organization, id, part)
	})
}

// archiveFound archives the change requests with the ids that are still open, where the caller
// still may.
func (r *Room) archiveFound(tx *store.Tx, s belay.Principal, organization, id string, ids []string) (int, error) {
	o, access, err := gate.Organization(tx.Peek(), s, organization, belay.ReadExplorer)
	if err != nil {
		return 0, err
	}
	want := backlog.CampaignQuery{IDs: ids, Page: belay.Page{Number: 1, Size: len(ids) + 1}, Scope: access.Scope(belay.ArchiveChangeRequests.And(belay.ReadChangeRequests))}
	list, _, err := tx.Peek().CampaignRequests(o, &backlog.BulkAction{ID: id}, nil, want)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	slices.SortFunc(list, func(a, b backlog.ChangeRequest) int { return strings.Compare(a.ID, b.ID) }) // everybody holds them in this order
	ids = ids[:0:0]
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	actor, _ := s.Actor()
	archived, err := tx.ArchiveRequests(ids, actor)
	if err != nil {
		return 0, err
	}
	var events []belay.Event
	for i := range list {
		if archived[list[i].ID] {
			events = append(events, ofRequest(s, "change_request.archived", &list[i]))
		}
	}
	return len(events), tx.EmitAll(events)
}

// ofRequest tells what was done with a change request.
func ofRequest(s belay.Principal, kind string, c *backlog.ChangeRequest) belay.Event {
	e := record.About(s, kind)
	e.OrganizationID, e.WorkspaceID, e.ResourceType, e.ResourceID = c.OrganizationID, c.WorkspaceID, "change_requests", c.ID
	e.Payload = record.Payload(map[string]any{"subject": c.Subject, "workspace": c.WorkspaceName})
	return e
}

// FileAgain puts change requests of a campaign on the workspaces that fit its question now and
// have none of it.
func (r *Room) FileAgain(ctx context.Context, s belay.Principal, organization, id string) (filed int, err error) {
	var b backlog.BulkAction
	var targets []string
	asking, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	err = r.db.View(asking, func(v *store.View) error {
		found, o, _, err := r.bulkAction(v, s, organization, id, belay.CreateChangeRequests)
		if err != nil {
			return err
		}
		question := questionOf(&found)
		if question == nil {
			return belay.Refuse(belay.Invalid, "nothing says which workspaces this campaign is for")
		}
		b = found
		targets, err = v.Unfiled(o, &b, *question)
		return err
	})
	if err != nil {
		return 0, tooSlow(asking, err)
	}
	slices.Sort(targets) // everybody holds workspaces in this order
	return inParts(ctx, r.db, b.OrganizationID, targets, func(tx *store.Tx, part []string) (int, error) {
		return r.fileMore(tx, s, organization, id, part)
	})
}

func (r *Room) fileMore(tx *store.Tx, s belay.Principal, organization, id string, workspaces []string) (int, error) {
	b, _, _, err := r.bulkAction(&tx.Locked, s, organization, id, belay.CreateChangeRequests)
	if err != nil {
		return 0, err
	}
	more := b
	more.CreatedAt = tx.Now
	n, err := tx.AddChangeRequests(&more, store.Filings(workspaces))
	if err != nil || n == 0 {
		return n, err
	}
	if err := tx.GrowBulkAction(&b, n); err != nil {
		return n, err
	}
	return n, record.EmitOrganization(tx, s, "bulk_action.extended", b.OrganizationID, "explorer_bulk_actions", b.ID, b.Subject)
}

// UpdateBulkAction says until when a bulk action is to be done.
func (r *Room) UpdateBulkAction(ctx context.Context, s belay.Principal, organization, id string, p backlog.BulkActionPatch) (backlog.BulkAction, error) {
	return r.changeBulkAction(ctx, s, organization, id, "bulk_action.updated", func(b *backlog.BulkAction, _ time.Time) error {
		return p.Apply(b)
	})
}

// RemindOfBulkAction tells those again who hear of the change requests of a bulk action that
// are still open.
func (r *Room) RemindOfBulkAction(ctx context.Context, s belay.Principal, organization, id string) (backlog.BulkAction, error) {
	return r.changeBulkAction(ctx, s, organization, id, notices.EventBulkActionReminded, (*backlog.BulkAction).Remind)
}

func (r *Room) changeBulkAction(ctx context.Context, s belay.Principal, organization, id, kind string, change func(*backlog.BulkAction, time.Time) error) (b backlog.BulkAction, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		b, _, _, err = r.bulkAction(&tx.Locked, s, organization, id, belay.CreateChangeRequests)
		if err != nil {
			return err
		}
		if err := change(&b, tx.Now); err != nil {
			return err
		}
		if err := tx.SaveBulkAction(&b); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, kind, b.OrganizationID, "explorer_bulk_actions", b.ID, b.Subject)
	})
	return b, err
}
