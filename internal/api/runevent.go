package api

import (
	"time"

	"github.com/belayhq/belay"
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

var runEvents = &noun[eventDoc, struct{}]{
	typ:  "run-events",
	id:   func(d *eventDoc) string { return d.ID },
	path: func(d *eventDoc) string { return v2 + "/run-events/" + d.ID },
	attributes: attributes[eventDoc, struct{}]{
		{name: "action", show: value(func(d *eventDoc) string { return d.Action })},
		{name: "description", show: maybe(func(d *eventDoc) string { return d.Description })},
		{name: "created-at", show: value(func(d *eventDoc) time.Time { return d.CreatedAt })},
	},
	relations: []relation[eventDoc, struct{}]{
		to[eventDoc, struct{}]("run", "runs", func(d *eventDoc) string { return d.RunID }),
		to[eventDoc, struct{}]("actor", "users", func(d *eventDoc) string { return d.author() }),
		to[eventDoc, struct{}]("comment", "comments", func(d *eventDoc) string { return d.CommentID }),
	},
}

// newComment is what a body says of a new comment.
type newComment struct{ Body patch.Field[string] }

func (d eventDoc) author() string { return orService(d.ActorID, d.service) }

var comments = &noun[eventDoc, newComment]{
	typ:  "comments",
	id:   func(d *eventDoc) string { return d.CommentID },
	path: func(d *eventDoc) string { return v2 + "/comments/" + d.CommentID },
	attributes: attributes[eventDoc, newComment]{
		{name: "body", show: value(func(d *eventDoc) string { return d.Body }), write: nullable(func(p *newComment) *patch.Field[string] { return &p.Body })},
	},
	relations: []relation[eventDoc, newComment]{
		to[eventDoc, newComment]("run-event", "run-events", func(d *eventDoc) string { return d.ID }),
	},
}

// withEvents is what documents of run events include.
var withEvents = &inclusion[eventDoc]{
	names: []string{"actor", "comment", "run"},
	add: func(r *request, document *jsonapi.Document, list []eventDoc, names []string) error {
		to := newIncluding()
		wants := wanting("", names)
		if wants("actor") && len(list) > 0 {
			found, err := r.api.Runs.Related(r.Context(), r.subject, []runDoc{list[0].of}, runs.Wish{Users: true})
			if err != nil {
				return err
			}
			acted := map[string]bool{}
			for _, d := range list {
				acted[d.author()] = true
			}
			for _, u := range found.Users {
				if acted[u.ID] {
					include(to, []belay.User{u}, publicUsers.in(r))
				}
			}
		}
		for _, d := range list {
			if wants("comment") && d.CommentID != "" {
				include(to, []eventDoc{d}, comments.in(r))
			}
			if wants("run") {
				include(to, []runDoc{d.of}, runDocuments.in(r))
			}
		}
		document.Included = to.list
		return nil
	},
}

// listRunEvents is all that happened to a run: one page that holds everything.
func (a *API) listRunEvents(r *request) ([]eventDoc, int, error) {
	of, err := a.showRun(r)
	docs := eventDocs(of)
	return docs, len(docs), err
}

func (a *API) showRunEvent(r *request) (eventDoc, error) {
	return eventOf(a.Runs.Event(r.Context(), r.subject, r.param("run_event_id")))
}

func eventOf(e run.Event, of runDoc, err error) (eventDoc, error) {
	return eventDoc{e, of.ServiceUser, of}, err
}

func (a *API) listComments(r *request) ([]eventDoc, int, error) {
	of, err := a.showRun(r)
	docs := commentDocs(of)
	return docs, len(docs), err
}

func (a *API) showComment(r *request) (eventDoc, error) {
	return eventOf(a.Runs.CommentOf(r.Context(), r.subject, r.param("comment_id")))
}

func (a *API) createComment(r *request, p newComment) (eventDoc, error) {
	e, err := a.Runs.Comment(r.Context(), r.subject, r.param("run_id"), p.Body.Value)
	return eventDoc{Event: e}, err
}

// everything is the envelope of a list that is given whole, as if it were one page.
func everything(_ *request, data []*jsonapi.Resource, total int) *jsonapi.Document {
	document := whole(data)
	_, document.Meta = jsonapi.Page{Number: 1, Size: max(total, jsonapi.DefaultPageSize)}.Envelope("", nil, total)
	return document
}

// listingWholly answers a list that has no pages, with the meta of one page.
func listingWholly[D, P any](n *noun[D, P], verb func(*request) ([]D, int, error), with ...*inclusion[D]) action {
	gives := func(d *describer) *openapi.Schema {
		return answerOf(openapi.List(n.shown(d))).Add("meta", d.named("PageMeta", pageMeta), true)
	}
	return lists(n, verb, gives, nil, everything, with...)
}

// commentBody is the schema of a body that may bring a comment, here or in the attributes.
func commentBody(*describer) *openapi.Schema {
	comment := func() *openapi.Schema {
		return (&openapi.Schema{Type: openapi.Types{"object"}}).Add("comment", openapi.Of[string]().OrNull(), false)
	}
	data := (&openapi.Schema{Type: openapi.Types{"object"}}).Add("attributes", comment(), false)
	return comment().Add("data", data, false)
}
