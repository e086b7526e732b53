package workspaces

import (
	"slices"

	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
)

// WithNouns is what documents of D may include. want says which nouns the names in the
// request mean for one of a list; also adds those of other families.
func WithNouns[D any](
	a *app.App, names []string, want func(d *D, has func(string) bool, ids *app.NounIDs), also ...func(*door.Request, *door.Including, app.Nouns),
) *door.Inclusion[D] {
	add := func(r *door.Request, document *jsonapi.Document, list []D, names []string) error {
		var ids app.NounIDs
		for i := range list {
			want(&list[i], func(name string) bool { return slices.Contains(names, name) }, &ids)
		}
		found, err := a.Nouns(r.Context(), r.Principal, ids)
		if err != nil {
			return err
		}
		to := door.NewIncluding()
		door.Include(to, found.Workspaces, Workspaces.In(r.Edition))
		door.Include(to, found.Projects, Projects.In(r.Edition))
		door.Include(to, found.Variables, Variables.In(r.Edition))
		for _, add := range also {
			add(r, to, found)
		}
		document.Included = to.List
		return nil
	}
	return &door.Inclusion[D]{Names: names, Add: add, Late: true}
}
