package organizations

import (
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// retentionCard is how long the bytes of old states are kept.
func retentionCard(t *frame.OrgVisit) frame.Card {
	return frame.Card{
		ID: "retention", Title: "Old states", Text: "How long the bytes of states are kept that are not current. A workspace may say otherwise.",
		Form: &frame.FormPart{Do: "retention", Submit: "Save retention", Changes: true, Fields: retentionFields(t)},
	}
}

func retentionFields(t *frame.OrgVisit) []frame.FormField {
	have, days := t.Org.Retention, ""
	if have.Kind == belay.DeleteOlder {
		days = strconv.Itoa(have.Days)
	}
	return []frame.FormField{
		{Kind: "select", Name: "kind", Label: "They are", Choices: frame.Options(string(have.Kind), "", "kept as the site says", string(belay.DontDelete), "never deleted", string(belay.DeleteOlder), "deleted when they are old")},
		{Kind: "number", Name: "days", Label: "Days after which they are old", Hint: "where they are deleted", Value: days},
	}
}

func saveRetention(t *frame.OrgVisit) (string, error) {
	of := app.RetentionTarget{Organization: t.Org.Name}
	if err := t.Overtaken(retentionFields(t)); err != nil {
		return "", err
	}
	if done, err := frame.KeptDays(t.Visit); done {
		return t.Path, err
	}
	kind := belay.RetentionKind(t.PostFormValue("kind"))
	if kind == "" {
		if !t.Org.Retention.Given() { // there is nothing to take away
			return t.Path, nil
		}
		return t.Path, t.UI.App.DropRetention(t.Context(), t.Principal, of)
	}
	want := belay.RetentionPatch{Kind: kind}
	if kind == belay.DeleteOlder {
		days, err := strconv.Atoi(t.Given("days"))
		if err != nil {
			return "", belay.Refuse(belay.Invalid, "Say after how many days states are old.")
		}
		want.Days = patch.Of(days)
	}
	_, err := t.UI.App.SetRetention(t.Context(), t.Principal, of, want)
	return t.Path, err
}

// reservedCard is the keys of tags that are set aside.
func reservedCard(t *frame.OrgVisit) (frame.Card, error) {
	list, total, err := t.UI.App.ReservedTagKeys(t.Context(), t.Principal, t.Org.Name, belay.Page{Number: 1, Size: frame.PageSize})
	g := frame.NewGrid("Table of reserved tag keys", "Key", "A workspace's own value", "-Since")
	for i := range list {
		k := &list[i]
		own := frame.Words("wins over its project's")
		if k.DisableOverrides {
			own = frame.Pill("not taken", "lock")
		}
		var forms []frame.RowForm
		if t.May(belay.ReserveTagKeys) {
			forms = []frame.RowForm{{Do: "release", Text: "Release", Of: k.Key, Risk: true, Hidden: []frame.Setting{{Name: "key", Value: k.ID}}}}
		}
		g.Row(forms, frame.Cell{Text: k.Key, Code: true}, own, frame.Moment(k.CreatedAt))
	}
	c := frame.Card{ID: "reserved", Title: "Reserved tags", Note: frame.Many(total, "key", "keys"), Grid: g, Empty: "No key of tags is set aside."}
	if t.May(belay.ReserveTagKeys) {
		c.Closed, c.Form = true, &frame.FormPart{Do: "reserve", Submit: "Reserve a key", Fields: []frame.FormField{
			{Kind: "text", Name: "key", Label: "Key", Max: 128, Required: true, Code: true}, {Kind: "check", Name: "fixed", Label: "A workspace can't give it another value than its project"},
		}}
	}
	return c, err
}

func reserveTag(t *frame.OrgVisit) (string, error) {
	_, err := t.UI.App.ReserveTagKey(t.Context(), t.Principal, t.Org.Name, belay.ReservedTagKeyPatch{Key: patch.Of(t.Typed("key")), DisableOverrides: t.Ticked("fixed")})
	return t.Path, err
}

func releaseTag(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.ReleaseTagKey(t.Context(), t.Principal, t.PostFormValue("key"))
}

// deletedCard is the deleted workspaces that can be brought back; nothing where none is kept and none will be.
func deletedCard(t *frame.OrgVisit) ([]frame.Card, error) {
	list, total, err := t.UI.App.RecoverableItems(t.Context(), t.Principal, t.Org.Name, belay.Page{Number: 1, Size: frame.PageSize})
	if err != nil || total == 0 && !t.Org.RecoverableItems {
		return nil, err
	}
	g := frame.NewGrid("Table of deleted workspaces", "Workspace", "-Deleted", "-By", "+-Resources", "Kept until")
	for i := range list {
		item := &list[i]
		g.Row([]frame.RowForm{{Do: "recover", Text: "Bring back", Of: item.Name, Hidden: []frame.Setting{{Name: "item", Value: item.ID}, {Name: "workspace", Value: item.Name}}}},
			frame.Words(item.Name), frame.Moment(item.DeletedAt), frame.Person(item.DeletedBy), frame.Amount(item.Resources), frame.Words(frame.Minute(item.ExpiresAt)))
	}
	return []frame.Card{{ID: "deleted", Title: "Deleted workspaces", Note: frame.Many(total, "workspace", "workspaces"), Grid: g, Empty: "None is kept. One that is deleted can be brought back from here for a time."}}, nil
}

// recoverWorkspace brings a deleted workspace back, and goes to it.
func recoverWorkspace(t *frame.OrgVisit) (string, error) {
	return frame.WorkspacePath(t.Org.Name, t.PostFormValue("workspace")), t.UI.App.Recover(t.Context(), t.Principal, t.PostFormValue("item"))
}
