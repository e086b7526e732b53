package api

// Route is one row of the table, for tests that walk it.
type Route struct {
	Method, Path string
	Open         bool
}

// Routes is the whole table.
func (a *API) Routes() []Route {
	var list []Route
	for _, r := range a.routes() {
		list = append(list, Route{r.method, r.path, r.open})
	}
	return list
}
