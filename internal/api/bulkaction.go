package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type bulkActionPatch = belay.BulkActionPatch

var bulkInputs = attributes[belay.BulkAction, struct{}]{
	{name: "subject", show: value(func(b *belay.BulkAction) string { return b.Subject })},
	{name: "message", show: value(func(b *belay.BulkAction) string { return b.Message })},
}

// bulkActionAttributes is every attribute of a bulk action ("Explorer bulk action" in the spec).
var bulkActionAttributes = attributes[belay.BulkAction, bulkActionPatch]{
	{name: "organization_id", show: value(func(b *belay.BulkAction) string { return b.OrganizationID })},
	{name: "action_type", show: fixed[belay.BulkAction](belay.ChangeRequestsAction)},
	{name: "action_inputs", show: parts(bulkInputs)},
	{name: "created_by", show: reference("users", func(b *belay.BulkAction) string { return b.CreatedBy })},
	{name: "created_at", show: value(func(b *belay.BulkAction) time.Time { return b.CreatedAt })},
	{name: "due_at", show: maybe(func(b *belay.BulkAction) time.Time { return b.DueAt }), write: nullable(func(p *bulkActionPatch) *patch.Field[time.Time] { return &p.DueAt })},
	{name: "reminded_at", show: maybe(func(b *belay.BulkAction) time.Time { return b.RemindedAt })},
	{name: "archived_count", show: value(func(b *belay.BulkAction) int { return b.ArchivedCount })},
	{name: "unarchived_count", show: value(func(b *belay.BulkAction) int { return b.OpenCount })},
}

var bulkActions = &noun[belay.BulkAction, bulkActionPatch]{
	typ:        "explorer_bulk_actions",
	accepts:    []string{"explorer_bulk_actions", "bulk_actions"},
	loose:      true,
	id:         func(b *belay.BulkAction) string { return b.ID },
	attributes: bulkActionAttributes,
}

// bulkCounts is how far the action has come, as it stands in meta.
var bulkCounts = attributes[belay.BulkAction, struct{}]{
	{name: "created-count", show: value(func(b *belay.BulkAction) int { return b.CreatedCount })},
	{name: "archived-count", show: value(func(b *belay.BulkAction) int { return b.ArchivedCount })},
	{name: "unarchived-count", show: value(func(b *belay.BulkAction) int { return b.OpenCount })},
}

// acting answers a bulk action with its counts.
func acting(verb func(*request) (belay.BulkAction, error)) action {
	run := func(r *request) (*jsonapi.Document, error) {
		b, err := verb(r)
		if err != nil {
			return nil, err
		}
		document := one(bulkActions.resource(r, b))
		document.Meta = bulkCounts.object(&b, r.api.App.Edition())
		return document, nil
	}
	return action{run: run, gives: func(d *describer) *openapi.Schema {
		return bulkActions.one(d).Add("meta", bulkCounts.shown(d.edition), true)
	}}
}

func (a *API) createBulkAction(r *request) (belay.BulkAction, error) {
	order, err := r.bulkOrder()
	if err != nil {
		return belay.BulkAction{}, err
	}
	b, again, err := a.App.CreateBulkAction(r.Context(), r.subject, r.param("organization_name"), order)
	if again {
		r.w.Header().Set(replayedHeader, "true")
	}
	return b, err
}

// bulkOrderBody is the schema of a body that orders a bulk action.
func bulkOrderBody(d *describer) *openapi.Schema {
	return d.named("NewExplorerBulkActionBody", func() *openapi.Schema {
		inputs := &openapi.Schema{Type: openapi.Types{"object"}}
		inputs.Add("subject", openapi.Of[string](), false).Add("message", openapi.Of[string]().OrNull(), false)
		members := func() *openapi.Schema {
			is := &openapi.Schema{Type: openapi.Types{"object"}}
			is.Add("action_type", openapi.Of[string](), false).Add("action_inputs", inputs, false)
			is.Add("target_ids", openapi.Of[[]string]().OrNull(), false).Add("due_at", openapi.Of[time.Time]().OrNull(), false)
			return is.Add("query", (&openapi.Schema{Type: openapi.Types{"object"}}).OrNull(), false)
		}
		return document(members().Add("attributes", members(), false))
	})
}

func (a *API) showBulkAction(r *request) (belay.BulkAction, error) {
	return a.App.BulkAction(r.Context(), r.subject, r.param("organization_name"), r.param("bulk_action_id"))
}

// bulkOrder reads the body of a bulk action. Its members stand in data or in
// data.attributes; where both have one, that of the attributes counts.
func (r *request) bulkOrder() (order app.BulkOrder, err error) {
	in, err := r.resource(bulkActions.types()...)
	if err != nil {
		return order, err
	}
	members := membersOf(in)
	order.Places = members.places
	order.IdempotencyKey, order.RequestHash = strings.TrimSpace(r.Header.Get(keyHeader)), requestHash(r.body)
	problems := members.twice
	if raw, ok := members.given["action_type"]; ok {
		readText(&problems, order.Places.At("action_type"), "action_type", raw, &order.ActionType)
	}
	if raw, ok := members.given["action_inputs"]; ok {
		readInputs(&problems, order.Places.At("action_inputs"), raw, &order)
	}
	if raw, ok := members.given["target_ids"]; ok && string(raw) != "null" {
		order.TargetIDs = readTexts(&problems, order.Places.At("target_ids"), "target_ids", raw)
	}
	if raw, ok := members.given["query"]; ok && string(raw) != "null" {
		if err := problems.Add(readQuery(&order, raw)); err != nil {
			return order, err
		}
	}
	if raw, ok := members.given["due_at"]; ok {
		if err := read(&order.DueAt, raw); err != nil {
			problems.At(order.Places.At("due_at"), "due_at %s", jsonapi.Complaint(err))
		}
	}
	return order, r.later(problems.Err())
}

// readQuery takes the question that chooses the workspaces. It must say that it is about
// them.
func readQuery(order *app.BulkOrder, raw json.RawMessage) error {
	at := order.Places.At("query")
	var problems belay.Problems
	var form struct{ Type *string }
	if json.Unmarshal(raw, &form) == nil && (form.Type == nil || *form.Type != string(explorer.Workspaces)) {
		problems.At(at.Field("type"), "type must be workspaces")
	}
	want, err := explorer.FromJSON(raw, "", string(at))
	order.Query = &want
	return together(problems.Err(), err)
}

func readInputs(problems *belay.Problems, at belay.Place, raw json.RawMessage, order *app.BulkOrder) {
	var inputs map[string]json.RawMessage
	if json.Unmarshal(raw, &inputs) != nil {
		problems.At(at, "action_inputs must be an object")
	}
	if raw, ok := inputs["subject"]; ok {
		readText(problems, at.Field("subject"), "action_inputs.subject", raw, &order.Subject)
	}
	if raw, ok := inputs["message"]; ok {
		readText(problems, at.Field("message"), "action_inputs.message", raw, &order.Message)
	}
}

// readText takes a text into a *string, or into a **string that null leaves nil.
func readText(problems *belay.Problems, at belay.Place, name string, raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		problems.At(at, "%s %s", name, jsonapi.Complaint(err))
	}
}

// mostWrong is how many members of a list are told of that are no texts.
const mostWrong = 20

func readTexts(problems *belay.Problems, at belay.Place, name string, raw json.RawMessage) *[]string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		problems.At(at, "%s must be a list of strings", name)
		return nil
	}
	texts, wrong := make([]string, len(list)), 0
	for i, item := range list {
		if (string(item) == "null" || json.Unmarshal(item, &texts[i]) != nil) && wrong < mostWrong {
			problems.At(at.Item(i), "%s[%d] must be a string", name, i)
			wrong++
		}
	}
	return &texts
}

// requestHash tells one body from another, whatever its blanks and the order of its members.
func requestHash(body []byte) string {
	var order any
	if json.Unmarshal(body, &order) == nil {
		if same, err := json.Marshal(order); err == nil {
			body = same
		}
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
