package gate

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// MaxNamed is how many unknown ids are told of at once.
const MaxNamed = 20

// AllThere adds a problem for each of the first ids that find does not find in the organization.
func AllThere(problems *belay.Problems, place belay.Place, organizationID string, ids []string, find func(string, []string) ([]string, error)) error {
	if len(ids) == 0 {
		return nil
	}
	list, err := find(organizationID, ids)
	found := make(map[string]bool, len(list))
	for _, id := range list {
		found[id] = true
	}
	for told, i := 0, 0; i < len(ids) && told < MaxNamed; i++ {
		if !found[ids[i]] {
			problems.At(place, "%s does not exist in the organization", ids[i])
			told++
		}
	}
	return err
}

// UsablePool is a pool of the organization, held so that it is not deleted before the
// commit; nil when there is none. Of its lists it has what they say of a workspace and of a
// project.
func UsablePool(v *store.Locked, organizationID, id, workspaceID, projectID string) (*run.AgentPool, error) {
	pool, err := v.AgentPoolFor(id, workspaceID, projectID)
	switch {
	case belay.KindOf(err) == belay.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	case pool.OrganizationID != organizationID:
		return nil, nil
	default:
		return &pool, nil
	}
}
