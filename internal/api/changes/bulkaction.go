package changes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/changes"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/site"
)

type bulkActionPatch = backlog.BulkActionPatch

var bulkInputs = doc.Attributes[backlog.BulkAction, struct{}]{
	{Name: "subject", Show: doc.Value(func(b *backlog.BulkAction) string { return b.Subject })},
	{Name: "message", Show: doc.Value(func(b *backlog.BulkAction) string { return b.Message })},
}

// bulkActionAttributes is every attribute of a bulk action.
var bulkActionAttributes = doc.Attributes[backlog.BulkAction, bulkActionPatch]{
	{Name: "organization_id", Show: doc.Value(func(b *backlog.BulkAction) string { return b.OrganizationID })},
	{Name: "action_type", Show: doc.Fixed[backlog.BulkAction](backlog.ChangeRequestsAction)},
	{Name: "action_inputs", Show: doc.Parts(bulkInputs)},
	{Name: "created_by", Show: doc.Reference("users", func(b *backlog.BulkAction) string { return b.CreatedBy })},
	{Name: "created_at", Show: doc.Value(func(b *backlog.BulkAction) time.Time { return b.CreatedAt })},
	{Name: "due_at", Show: doc.Maybe(func(b *backlog.BulkAction) time.Time { return b.DueAt }), Write: doc.Nullable(func(p *bulkActionPatch) *patch.Field[time.Time] { return &p.DueAt })},
	{Name: "reminded_at", Show: doc.Maybe(func(b *backlog.BulkAction) time.Time { return b.RemindedAt })},
	{Name: "archived_count", Show: doc.Value(func(b *backlog.BulkAction) int { return b.ArchivedCount })},
	{Name: "unarchived_count", Show: doc.Value(func(b *backlog.BulkAction) int { return b.OpenCount })},
}

var bulkActions = &doc.Noun[backlog.BulkAction, bulkActionPatch]{
	Type:       "explorer_bulk_actions",
	Accepts:    []string{"explorer_bulk_actions", "bulk_actions"},
	Loose:      true,
	ID:         func(b *backlog.BulkAction) string { return b.ID },
	Attributes: bulkActionAttributes,
}

// bulkCounts is how far the action has come, as it stands in meta.
var bulkCounts = doc.Attributes[backlog.BulkAction, struct{}]{
	{Name: "created-count", Show: doc.Value(func(b *backlog.BulkAction) int { return b.CreatedCount })},
	{Name: "archived-count", Show: doc.Value(func(b *backlog.BulkAction) int { return b.ArchivedCount })},
	{Name: "unarchived-count", Show: doc.Value(func(b *backlog.BulkAction) int { return b.OpenCount })},
}

// acting answers a bulk action with its counts.
func acting(verb func(*door.Request) (backlog.BulkAction, error)) door.Action {
	run := func(r *door.Request) (*jsonapi.Document, error) {
		b, err := verb(r)
		if err != nil {
			return nil, err
		}
		document := door.One(bulkActions.Resource(r.Edition, b))
		document.Meta = bulkCounts.Object(&b, r.Edition)
		return document, nil
	}
	return door.Action{Run: run, Gives: func(d *doc.Describer) *openapi.Schema {
		return bulkActions.One(d).Add("meta", bulkCounts.Shown(d.Edition), true)
	}}
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: paths.Explorer + "/bulk-actions", Status: http.StatusCreated, Do: acting(a.createBulkAction).Reads(bulkOrderBody), Feature: site.ChangeRequests, Needs: belay.CreateChangeRequests, Does: "Ask for a change of many workspaces"},
		{Method: http.MethodGet, Path: paths.BulkAction, Status: http.StatusOK, Do: acting(a.showBulkAction), Feature: site.ChangeRequests, Needs: belay.ReadExplorer, Does: "See such a bulk action"},
		{Method: http.MethodGet, Path: paths.V2 + "/explorer/bulk-actions/{bulk_action_id}", Status: http.StatusOK, Do: acting(a.showBulkAction), Feature: site.ChangeRequests, Needs: belay.ReadExplorer, Does: "See such a bulk action (shorter path)"},
	}
})

func (a *Verbs) createBulkAction(r *door.Request) (backlog.BulkAction, error) {
	order, err := bulkOrder(r)
	if err != nil {
		return backlog.BulkAction{}, err
	}
	b, again, err := a.App.CreateBulkAction(r.Context(), r.Principal, r.Param("organization_name"), order)
	if again {
		r.Writer.Header().Set(door.ReplayedHeader, "true")
	}
	return b, err
}

// bulkOrderBody is the schema of a body that orders a bulk action.
func bulkOrderBody(d *doc.Describer) *openapi.Schema {
	return d.Named("NewExplorerBulkActionBody", func() *openapi.Schema {
		inputs := &openapi.Schema{Type: openapi.Types{"object"}}
		inputs.Add("subject", openapi.Of[string](), false).Add("message", openapi.Of[string]().OrNull(), false)
		members := func() *openapi.Schema {
			is := &openapi.Schema{Type: openapi.Types{"object"}}
			is.Add("action_type", openapi.Of[string](), false).Add("action_inputs", inputs, false)
			is.Add("target_ids", openapi.Of[[]string]().OrNull(), false).Add("due_at", openapi.Of[time.Time]().OrNull(), false)
			return is.Add("query", (&openapi.Schema{Type: openapi.Types{"object"}}).OrNull(), false)
		}
		return doc.Document(members().Add("attributes", members(), false))
	})
}

func (a *Verbs) showBulkAction(r *door.Request) (backlog.BulkAction, error) {
	return a.App.BulkAction(r.Context(), r.Principal, r.Param("organization_name"), r.Param("bulk_action_id"))
}

// bulkOrder reads the body of a bulk action. Its members stand in data or in
// data.attributes; where both have one, that of the attributes counts.
func bulkOrder(r *door.Request) (order changes.BulkOrder, err error) {
	in, err := r.Resource(bulkActions.Types()...)
	if err != nil {
		return order, err
	}
	members := doc.MembersOf(in)
	order.Places = members.Places
	order.IdempotencyKey, order.RequestHash = strings.TrimSpace(r.Header.Get(door.KeyHeader)), requestHash(r.Document)
	problems := members.Twice
	if raw, ok := members.Given["action_type"]; ok {
		readText(&problems, order.Places.At("action_type"), "action_type", raw, &order.ActionType)
	}
	if raw, ok := members.Given["action_inputs"]; ok {
		readInputs(&problems, order.Places.At("action_inputs"), raw, &order)
	}
	if raw, ok := members.Given["target_ids"]; ok && string(raw) != "null" {
		order.TargetIDs = readTexts(&problems, order.Places.At("target_ids"), "target_ids", raw)
	}
	if raw, ok := members.Given["query"]; ok && string(raw) != "null" {
		if err := problems.Add(readQuery(&order, raw)); err != nil {
			return order, err
		}
	}
	if raw, ok := members.Given["due_at"]; ok {
		if err := doc.Read(&order.DueAt, raw); err != nil {
			problems.At(order.Places.At("due_at"), "due_at %s", jsonapi.Complaint(err))
		}
	}
	return order, r.Later(problems.Err())
}

// readQuery takes the question that chooses the workspaces. It must say that it is about
// them.
func readQuery(order *changes.BulkOrder, raw json.RawMessage) error {
	at := order.Places.At("query")
	var problems belay.Problems
	var form struct{ Type *string }
	if json.Unmarshal(raw, &form) == nil && (form.Type == nil || *form.Type != string(explorer.Workspaces)) {
		problems.At(at.Field("type"), "type must be workspaces")
	}
	want, err := explorer.FromJSON(raw, "", string(at))
	order.Query = &want
	return doc.Together(problems.Err(), err)
}

func readInputs(problems *belay.Problems, at belay.Place, raw json.RawMessage, order *changes.BulkOrder) {
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

func readTexts(problems *belay.Problems, at belay.Place, name string, raw json.RawMessage) *[]string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		problems.At(at, "%s must be a list of strings", name)
		return nil
	}
	texts, wrong := make([]string, len(list)), 0
	for i, item := range list {
		if (string(item) == "null" || json.Unmarshal(item, &texts[i]) != nil) && wrong < doc.MostWrong {
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
