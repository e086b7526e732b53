package door

import "github.com/belayhq/belay/internal/jsonapi"

// Including is the resources that a document includes, each of them once.
type Including struct {
	List []*jsonapi.Resource
	seen map[jsonapi.Ref]bool
}

// NewIncluding includes nothing yet.
func NewIncluding() *Including {
	return &Including{List: []*jsonapi.Resource{}, seen: map[jsonapi.Ref]bool{}}
}

// Include adds a list, without what is there already.
func Include[D any](to *Including, list []D, resource func(D) *jsonapi.Resource) {
	for _, d := range list {
		r := resource(d)
		ref := jsonapi.Ref{Type: r.Type, ID: r.ID}
		if !to.seen[ref] {
			to.seen[ref] = true
			to.List = append(to.List, r)
		}
	}
}
