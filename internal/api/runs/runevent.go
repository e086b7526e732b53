package runs

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// eventDoc is one thing that happened to a run, on its way into a document.
type eventDoc struct {
	run.Event
	service string // the user that stands for the server
	of      runDoc
}

func eventDocs(r runDoc) []eventDoc {
	docs := make([]eventDoc, len(r.Events))
	for i, e := range r.Events {
		docs[i] = eventDoc{e, r.ServiceUser, r}
	}
	return docs
}

// commentDocs is those of the events of a run that are comments.
func commentDocs(r runDoc) (docs []eventDoc) {
	for _, d := range eventDocs(r) {
		if d.CommentID != "" {
			docs = append(docs, d)
		}
	}
	return docs
}

// RunEvents is what happened to runs.
var RunEvents = &doc.Noun[eventDoc, struct{}]{
	Type: "run-events",
	ID:   func(d *eventDoc) string { return d.ID },
	Path: func(d *eventDoc) string { return paths.V2 + "/run-events/" + d.ID },
	Attributes: doc.Attributes[eventDoc, struct{}]{
		{Name: "action", Show: doc.Value(func(d *eventDoc) string { return d.Action })},
		{Name: "description", Show: doc.Maybe(func(d *eventDoc) string { return d.Description })},
		{Name: "created-at", Show: doc.Value(func(d *eventDoc) time.Time { return d.CreatedAt })},
	},
	Relations: []doc.Relation[eventDoc, struct{}]{
		doc.To[eventDoc, struct{}]("run", "runs", func(d *eventDoc) string { return d.RunID }),
		doc.To[eventDoc, struct{}]("actor", "users", func(d *eventDoc) string { return d.author() }),
		doc.To[eventDoc, struct{}]("comment", "comments", func(d *eventDoc) string { return d.CommentID }),
	},
}

// newComment is what a body says of a new comment.
type newComment struct{ Body patch.Field[string] }

func (d eventDoc) author() string { return orService(d.ActorID, d.service) }

// Comments is the events of runs that are comments.
var Comments = &doc.Noun[eventDoc, newComment]{
	Type: "comments",
	ID:   func(d *eventDoc) string { return d.CommentID },
	Path: func(d *eventDoc) string { return paths.V2 + "/comments/" + d.CommentID },
	Attributes: doc.Attributes[eventDoc, newComment]{
		{Name: "body", Show: doc.Value(func(d *eventDoc) string { return d.Body }), Write: doc.Nullable(func(p *newComment) *patch.Field[string] { return &p.Body })},
	},
	Relations: []doc.Relation[eventDoc, newComment]{
		doc.To[eventDoc, newComment]("run-event", "run-events", func(d *eventDoc) string { return d.ID }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Run + "/run-events", Status: http.StatusOK, Do: door.ListingWholly(RunEvents, a.listRunEvents, a.withEvents()), Needs: belay.ReadRuns, Does: "List what happened to a run"},
		{Method: http.MethodGet, Path: paths.V2 + "/run-events/{run_event_id}", Status: http.StatusOK, Do: door.Showing(RunEvents, a.showRunEvent, a.withEvents()), Needs: belay.ReadRuns, Does: "See one thing that happened to a run"},
		{Method: http.MethodGet, Path: paths.Run + "/comments", Status: http.StatusOK, Do: door.ListingWholly(Comments, a.listComments), Needs: belay.ReadRuns, Does: "List the comments on a run"},
		{Method: http.MethodPost, Path: paths.Run + "/comments", Status: http.StatusCreated, Do: door.Writing(Comments, a.createComment), Needs: belay.QueueRuns, Does: "Comment on a run"},
		{Method: http.MethodGet, Path: paths.V2 + "/comments/{comment_id}", Status: http.StatusOK, Do: door.Showing(Comments, a.showComment), Needs: belay.ReadRuns, Does: "See a comment"},
	}
})

// withEvents is what documents of run events include.
func (a *Verbs) withEvents() *door.Inclusion[eventDoc] {
	return &door.Inclusion[eventDoc]{
		Names: []string{"actor", "comment", "run"},
		Add: func(r *door.Request, document *jsonapi.Document, list []eventDoc, names []string) error {
			to := door.NewIncluding()
			wants := wanting("", names)
			if wants("actor") && len(list) > 0 {
				found, err := a.Runs.Related(r.Context(), r.Principal, []runDoc{list[0].of}, runs.Wish{Users: true})
				if err != nil {
					return err
				}
				acted := map[string]bool{}
				for _, d := range list {
					acted[d.author()] = true
				}
				for _, u := range found.Users {
					if acted[u.ID] {
						door.Include(to, []belay.User{u}, people.PublicUsers.In(r.Edition))
					}
				}
			}
			for _, d := range list {
				if wants("comment") && d.CommentID != "" {
					door.Include(to, []eventDoc{d}, Comments.In(r.Edition))
				}
				if wants("run") {
					door.Include(to, []runDoc{d.of}, RunDocuments.In(r.Edition))
				}
			}
			document.Included = to.List
			return nil
		},
	}
}

// listRunEvents is all that happened to a run: one page that holds everything.
func (a *Verbs) listRunEvents(r *door.Request) ([]eventDoc, int, error) {
	of, err := a.showRun(r)
	docs := eventDocs(of)
	return docs, len(docs), err
}

func (a *Verbs) showRunEvent(r *door.Request) (eventDoc, error) {
	return eventOf(a.Runs.Event(r.Context(), r.Principal, r.Param("run_event_id")))
}

func eventOf(e run.Event, of runDoc, err error) (eventDoc, error) {
	return eventDoc{e, of.ServiceUser, of}, err
}

func (a *Verbs) listComments(r *door.Request) ([]eventDoc, int, error) {
	of, err := a.showRun(r)
	docs := commentDocs(of)
	return docs, len(docs), err
}

func (a *Verbs) showComment(r *door.Request) (eventDoc, error) {
	return eventOf(a.Runs.CommentOf(r.Context(), r.Principal, r.Param("comment_id")))
}

func (a *Verbs) createComment(r *door.Request, p newComment) (eventDoc, error) {
	e, err := a.Runs.Comment(r.Context(), r.Principal, r.Param("run_id"), p.Body.Value)
	return eventDoc{Event: e}, err
}

// commentBody is the schema of a body that may bring a comment, here or in the attributes.
func commentBody(*doc.Describer) *openapi.Schema {
	comment := func() *openapi.Schema {
		return (&openapi.Schema{Type: openapi.Types{"object"}}).Add("comment", openapi.Of[string]().OrNull(), false)
	}
	data := (&openapi.Schema{Type: openapi.Types{"object"}}).Add("attributes", comment(), false)
	return comment().Add("data", data, false)
}
