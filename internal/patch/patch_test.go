package patch_test

import (
	"encoding/json"
	"testing"

	"github.com/belayhq/belay/internal/patch"
)

func TestFieldTellsOmittedNullAndValueApart(t *testing.T) {
	t.Parallel()
	type body struct {
		Name patch.Field[string] `json:"name"`
	}
	for text, want := range map[string]patch.Field[string]{
		`{}`:            {},
		`{"name":null}`: patch.Null[string](),
		`{"name":""}`:   patch.Of(""),
		`{"name":"a"}`:  patch.Of("a"),
	} {
		var got body
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got.Name != want {
			t.Errorf("%s: got %+v, want %+v", text, got.Name, want)
		}
	}
	var wrong body
	if err := json.Unmarshal([]byte(`{"name":7}`), &wrong); err == nil {
		t.Error("a number was read as a string")
	}
}

func TestOrKeepsWhatWasOmitted(t *testing.T) {
	t.Parallel()
	if got := (patch.Field[string]{}).Or("old"); got != "old" {
		t.Errorf("omitted: got %q", got)
	}
	if got := patch.Null[string]().Or("old"); got != "" {
		t.Errorf("null: got %q", got)
	}
	if got := patch.Of("new").Or("old"); got != "new" {
		t.Errorf("value: got %q", got)
	}
}
