package door

// Table is the routes of a family, of which each file brings those that lead to its own verbs:
//
//	var _ = routes.Join(func(a *Verbs) []door.Route { … })
//
// So a resource is added without a line in a file of others.
type Table[V any] struct{ parts []func(*V) []Route }

// Join adds routes, when the program starts.
func (t *Table[V]) Join(part func(*V) []Route) struct{} {
	t.parts = append(t.parts, part)
	return struct{}{}
}

// Of is all routes, which lead to these verbs.
func (t *Table[V]) Of(verbs *V) (all []Route) {
	for _, part := range t.parts {
		all = append(all, part(verbs)...)
	}
	return all
}
