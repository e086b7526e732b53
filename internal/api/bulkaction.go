package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
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
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(in.Raw, &members); err != nil {
		return order, err // it was read once already
	}
	order.Pointer = "/data"
	if in.Attributes != nil {
		order.Pointer = "/data/attributes"
		maps.Copy(members, in.Attributes)
	}
	order.IdempotencyKey, order.RequestHash = strings.TrimSpace(r.Header.Get("Idempotency-Key")), requestHash(r.body)
	var inputs struct{ Subject, Message *string }
	var problems belay.Problems
	for _, member := range []struct {
		name string
		into any
	}{
		{"action_type", &order.ActionType}, {"action_inputs", &inputs},
		{"target_ids", &order.TargetIDs}, {"query", &order.Query},
	} {
		raw, ok := members[member.name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, member.into); err != nil {
			problems.At(order.Pointer+"/"+member.name, "%s %s", member.name, jsonapi.Complaint(err))
		}
	}
	if string(order.Query) == "null" {
		order.Query = nil
	}
	order.Subject, order.Message = orBlank(inputs.Subject), orBlank(inputs.Message)
	return order, problems.Err()
}

func orBlank(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// requestHash tells one body from another, whatever its blanks.
func requestHash(body []byte) string {
	var compact bytes.Buffer
	if json.Compact(&compact, body) != nil {
		compact.Write(body)
	}
	sum := sha256.Sum256(compact.Bytes())
	return hex.EncodeToString(sum[:])
}
