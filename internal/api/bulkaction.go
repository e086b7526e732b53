package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// bulkActionAttributes is every attribute of a bulk action ("Explorer bulk action" in the spec).
var bulkActionAttributes = attributes[belay.BulkAction, struct{}]{
	{name: "organization_id", read: func(b *belay.BulkAction) any { return b.OrganizationID }},
	{name: "action_type", read: func(*belay.BulkAction) any { return belay.ChangeRequestsAction }},
	{name: "action_inputs", read: func(b *belay.BulkAction) any {
		return jsonapi.Object{{Name: "subject", Value: b.Subject}, {Name: "message", Value: b.Message}}
	}},
	{name: "created_by", read: func(b *belay.BulkAction) any { return jsonapi.Ref{Type: "users", ID: b.CreatedBy} }},
	{name: "created_at", read: func(b *belay.BulkAction) any { return b.CreatedAt }},
}

func (a *API) bulkActionAnswer(b belay.BulkAction, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	document := one(&jsonapi.Resource{
		Type: "explorer_bulk_actions", ID: b.ID,
		Attributes: bulkActionAttributes.object(&b, a.App.Edition()),
	})
	document.Meta = jsonapi.Object{
		{Name: "created-count", Value: b.CreatedCount}, {Name: "archived-count", Value: b.ArchivedCount},
		{Name: "unarchived-count", Value: b.OpenCount},
	}
	return document, nil
}

func (a *API) createBulkAction(r *request) (*jsonapi.Document, error) {
	order, err := r.bulkOrder()
	if err != nil {
		return nil, err
	}
	b, again, err := a.App.CreateBulkAction(r.Context(), r.subject, r.param("organization_name"), order)
	if again {
		r.w.Header().Set("Idempotent-Replayed", "true")
	}
	return a.bulkActionAnswer(b, err)
}

func (a *API) showBulkAction(r *request) (*jsonapi.Document, error) {
	b, err := a.App.BulkAction(r.Context(), r.subject, r.param("organization_name"), r.param("bulk_action_id"))
	return a.bulkActionAnswer(b, err)
}

// bulkOrder reads the body of a bulk action. Its members stand in data or in
// data.attributes; where both have one, that of the attributes counts.
func (r *request) bulkOrder() (order belay.BulkOrder, err error) {
	in, err := r.resource("bulk_actions", "explorer_bulk_actions")
	if err != nil {
		return order, err
	}
	members := membersOf(in)
	order.Places = members.places
	order.IdempotencyKey, order.RequestHash = strings.TrimSpace(r.Header.Get("Idempotency-Key")), requestHash(r.body)
	var problems belay.Problems
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
		order.Query = raw
	}
	return order, problems.Err()
}

func readInputs(problems *belay.Problems, at string, raw json.RawMessage, order *belay.BulkOrder) {
	var inputs map[string]json.RawMessage
	if json.Unmarshal(raw, &inputs) != nil {
		problems.At(at, "action_inputs must be an object")
	}
	if raw, ok := inputs["subject"]; ok {
		readText(problems, at+"/subject", "action_inputs.subject", raw, &order.Subject)
	}
	if raw, ok := inputs["message"]; ok {
		readText(problems, at+"/message", "action_inputs.message", raw, &order.Message)
	}
}

// readText takes a text into a *string, or into a **string that null leaves nil.
func readText(problems *belay.Problems, at, name string, raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		problems.At(at, "%s %s", name, jsonapi.Complaint(err))
	}
}

// mostWrong is how many members of a list are told of that are no texts.
const mostWrong = 20

func readTexts(problems *belay.Problems, at, name string, raw json.RawMessage) *[]string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		problems.At(at, "%s must be a list of strings", name)
		return nil
	}
	texts, wrong := make([]string, len(list)), 0
	for i, item := range list {
		if (string(item) == "null" || json.Unmarshal(item, &texts[i]) != nil) && wrong < mostWrong {
			problems.At(fmt.Sprintf("%s/%d", at, i), "%s[%d] must be a string", name, i)
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
