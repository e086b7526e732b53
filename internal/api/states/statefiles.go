package states

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/state"
)

// maxStateDocument is the most bytes of a document that brings a state, its files not
// counted: they may be of any size.
const maxStateDocument = 1 << 20

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: paths.Workspace + "/state-versions", Status: http.StatusCreated, Do: door.Showing(StateVersions, a.createStateVersion, a.withStates()).Reads(stateBody), Streams: true, Still: a.stillSeen, Limit: maxStateDocument, Runs: true, Refuses: []belay.Kind{belay.Conflict, belay.Precondition}, Needs: belay.WriteState, Does: "Write a state, holding the lock"},
	}
})

// createStateVersion takes a state inside the document, or only the announcement of one.
// The document is read as a stream: a state in it goes straight to where it is kept.
func (a *Verbs) createStateVersion(r *door.Request) (none stateDoc, err error) {
	a.offerSnapshots(r)
	if err := r.CheckMediaType(); err != nil {
		return none, err
	}
	draft, err := a.App.DraftState(r.Context(), r.Principal, paths.WorkspaceRef(r))
	if err != nil {
		return none, err
	}
	ask, err := stateDraft(r, draft)
	if err != nil {
		draft.Abandon(r.Context())
		return none, err
	}
	return a.state(r)(draft.Commit(r.Context(), ask))
}

// stateBody is the schema of a body that brings a state: its attributes, and its files.
func stateBody(d *doc.Describer) *openapi.Schema {
	return d.Named("StateVersionBody", func() *openapi.Schema {
		attributes := StateAttributes.Taken(d.Edition)
		for _, name := range stateFiles {
			attributes.Add(name, openapi.Of[string]().OrNull(), false)
		}
		is := &openapi.Schema{Type: openapi.Types{"object"}}
		is.Add("type", openapi.Of[string]().One("state-versions"), false).Add("attributes", attributes, true)
		run := (&openapi.Schema{Type: openapi.Types{"object"}}).Add("run", doc.Document(doc.Ref("runs")), false)
		return doc.Document(is.Add("relationships", run, false))
	})
}

// stateFiles is the attributes that hold files.
var stateFiles = []string{"state", "json-state", "json-state-outputs"}

// stateDraft reads the document of a new state version; its files go into the draft.
func stateDraft(r *door.Request, draft *state.Draft) (ask belay.NewState, err error) {
	ctx := r.Context()
	files := map[string]func(io.Reader) error{
		"state":              decoded(r, "state", func(file io.Reader) error { return draft.State(ctx, file) }),
		"json-state":         decoded(r, "json-state", func(file io.Reader) error { return draft.JSON(ctx, file) }),
		"json-state-outputs": decoded(r, "json-state-outputs", draft.Outputs),
	}
	sinks := map[string]func(io.Reader) error{}
	for name, file := range files {
		sinks["data.attributes."+name], sinks["data.attributes."+doc.Spelled(name)] = file, file
	}
	r.Document, err = jsonapi.Lift(r.Body, int(r.Limit), sinks)
	if err != nil {
		return ask, liftRefusal(r, err)
	}
	if !utf8.Valid(r.Document) {
		return ask, belay.Refuse(belay.BadRequest, "the body is not UTF-8")
	}
	r.Document, err = jsonapi.Faults(r.Document)
	if err := r.Later(doc.ShapeRefusal(err)); err != nil {
		return ask, err
	}
	in, err := r.Resource("state-versions")
	if err != nil {
		return ask, err
	}
	var p statePatch
	var problems belay.Problems
	if err := r.Later(StateAttributes.Decode(in, &p, r.Edition)); err != nil {
		return ask, err
	}
	notRelated := takeRun(r.Reading(), in, &p)
	ask = belay.NewState{Serial: p.Serial.Value, MD5: p.MD5.Value, Lineage: p.Lineage.Value, Force: p.Force.Value, RunID: p.RunID}
	ask.Current = p.Intermediate == patch.Of(false)
	if !p.Serial.Given() {
		problems.Attribute("serial", "param is missing or the value is empty: serial")
	}
	if p.Lineage.Given() && ask.Lineage == "" { // said now, because clients don't show why an upload fails
		problems.Attribute("lineage", "Lineage can't be blank")
	}
	ask.Check(&problems)
	checkLifted(&problems, in)
	if err := problems.Add(notRelated); err != nil {
		return ask, err
	}
	if r.Shape != nil { // the files are not all there
		return ask, doc.Together(r.Shape, problems.Err())
	}
	return ask, problems.Err()
}

// checkLifted refuses a file that is no text, or that stands where it was not looked for.
func checkLifted(problems *belay.Problems, in *jsonapi.Incoming) {
	given := doc.SpellingsOf(in.Attributes)
	for _, name := range stateFiles {
		var left *string
		raw, _, ok := given.Member(name)
		switch err := json.Unmarshal(raw, &left); {
		case ok && err != nil:
			problems.Attribute(name, "%s must be a string", name)
		case left != nil && *left != "":
			problems.Attribute(name, "%s can't be read: write its name and those around it plainly", name)
		}
	}
}

// liftRefusal is the answer to a document that could not be read to its end.
func liftRefusal(r *door.Request, err error) error {
	var syntax *jsonapi.SyntaxError
	switch {
	case errors.Is(err, jsonapi.ErrTooLarge):
		return r.TooLarge()
	case errors.As(err, &syntax):
		return doc.ShapeRefusal(syntax)
	case belay.KindOf(err) == belay.Internal:
		return &belay.Error{Kind: belay.BadRequest, Title: "bad request", Detail: "the body could not be read", Err: err}
	default:
		return err
	}
}

// decoded hands the bytes of a base64 text to a sink; an empty text is none. What is wrong with
// its contents is for later.
func decoded(r *door.Request, attribute string, sink func(io.Reader) error) func(io.Reader) error {
	given := false
	return func(encoded io.Reader) error {
		if given {
			return r.Later(pointed(belay.Refuse(belay.Invalid, "%s is given twice", attribute), "/data/attributes/"+attribute))
		}
		given = true
		text := bufio.NewReaderSize(encoded, 32<<10)
		if _, err := text.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		err := sink(&base64Text{from: text, attribute: attribute})
		return r.Later(pointed(err, "/data/attributes/"+attribute))
	}
}

// pointed says which attribute a refusal of its contents is about.
func pointed(err error, pointer string) error {
	var refusal *belay.Error
	if !errors.As(err, &refusal) || refusal.Kind != belay.Invalid {
		return err
	}
	return belay.Problems{&belay.Error{Kind: refusal.Kind, Title: refusal.Title, Detail: refusal.Detail, Place: belay.Place(pointer), Err: refusal.Err}}
}

// stillSeen refuses a state to those who may not see it any more.
func (a *Verbs) stillSeen(ctx context.Context, s belay.Principal, id string) error {
	_, err := a.App.StateVersion(ctx, s, id)
	return err
}
