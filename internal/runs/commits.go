package runs

import (
	"context"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// WithCommits adds to runs that the caller was shown what is known of their commits.
func (m *Room) WithCommits(ctx context.Context, list []View) error {
	var ids []string
	for i := range list {
		if list[i].CommitSHA != "" {
			ids = append(ids, list[i].ConfigurationVersionID)
		}
	}
	if ids = distinct(ids); len(ids) == 0 {
		return nil
	}
	return m.DB.View(ctx, func(v *store.View) error {
		found, err := v.ConfigurationVersionsByID(ids)
		of := make(map[string]*run.Ingress, len(found))
		for i := range found {
			of[found[i].ID] = found[i].Ingress
		}
		for i := range list {
			if list[i].CommitSHA != "" {
				list[i].Ingress = of[list[i].ConfigurationVersionID]
			}
		}
		return err
	})
}
