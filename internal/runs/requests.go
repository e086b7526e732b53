package runs

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/record"
)

// settleRequests lets the change requests that an applied run was for name it, and archives
// them when that was asked.
func (t *taking) settleRequests() error {
	r := t.r
	if len(r.ChangeRequests) == 0 {
		return nil
	}
	settled, err := t.tx.SettleRequests(t.w.ID, r.ID, r.ChangeRequests)
	if err != nil {
		return err
	}
	archived := map[string]bool{}
	if r.ArchiveChangeRequests {
		if archived, err = t.tx.ArchiveRequests(settled, r.CreatedBy); err != nil {
			return err
		}
	}
	events := make([]belay.Event, len(settled))
	for i, id := range settled {
		kind := "change_request.updated"
		if archived[id] {
			kind = "change_request.archived"
		}
		events[i] = belay.Event{
			Kind: kind, OrganizationID: t.w.OrganizationID, WorkspaceID: t.w.ID, ResourceType: "change_requests", ResourceID: id,
			ActorType: t.s.Kind, Payload: record.Payload(map[string]any{"workspace": t.w.Name, "run": r.ID}),
		}
		events[i].ActorID, events[i].ActorName = t.s.Actor()
	}
	return t.tx.EmitAll(events)
}
