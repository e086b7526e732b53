package planjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
)

const aPlan = `{"format_version":"1.2","terraform_version":"1.12.6","planned_values":{"x":"hunter2"},
"variables":{"password":{"value":"hunter2"}},
"resource_changes":[
 {"address":"a.one","mode":"managed","type":"a","name":"one","provider_name":"p/used","change":{"actions":["create"],"before":null,"after":{"name":"x","password":"hunter2","list":["hunter2","seen"]},"after_unknown":{"id":true},"before_sensitive":false,"after_sensitive":{"password":true,"list":[true,false]},"importing":{"id":"i"}}},
 {"address":"a.two","mode":"managed","provider_name":"p/used","change":{"actions":["delete","create"],"before":{"n":1,"b":true,"s":"old hunter2","same":"hunter2","o":{"k":"hunter2"}},"after":{"n":2,"b":false,"s":"hunter2","same":"hunter2","o":{"k":"hunter2"}},"before_sensitive":{"n":true,"b":true,"s":true,"same":true,"o":true},"after_sensitive":{}}},
 {"address":"a.three","mode":"managed","change":{"actions":["update"],"before":{},"after":{}}},
 {"address":"a.four","mode":"managed","change":{"actions":["no-op"],"before":{},"after":{}}},
 {"address":"data.a.five","mode":"data","change":{"actions":["read"],"before":null,"after":{}}},
 {"address":"a.six","mode":"managed","change":{"actions":["forget"],"before":{},"after":null}}],
"resource_drift":[{"address":"a.three","mode":"managed","change":{"actions":["update"]}},{"address":"a.four","mode":"managed","change":{"actions":["update"]}}],
"output_changes":{"secret":{"actions":["create"],"before":null,"after":"hunter2","after_unknown":false,"before_sensitive":true,"after_sensitive":true}},
"relevant_attributes":[{"resource":"a.one","attribute":["id"]}],
"checks":[{"status":"pass"},{"status":"fail"},{"status":"pass"}],
"prior_state":{"values":"hunter2"}}`

const someSchemas = `{"format_version":"1.0","provider_schemas":{"p/used":{"a":1},"p/unused":{"b":2}}}`

func TestSummarize(t *testing.T) {
	t.Parallel()
	got, err := Summarize(strings.NewReader(aPlan))
	if err != nil {
		t.Fatal(err)
	}
	if got.Additions != 2 || got.Changes != 1 || got.Destructions != 1 || got.Imports != 1 || got.Drifted != 1 {
		t.Errorf("it comes to %+v", got)
	}
	if !maps.Equal(got.Checks, map[string]int{"pass": 2, "fail": 1}) {
		t.Errorf("the checks are %v", got.Checks)
	}
}

// TestDrift tells both sides of a resource in any order of the members, where the state has it.
func TestDrift(t *testing.T) {
	t.Parallel()
	moved := `{"resource_changes":[{"address":"a.new","previous_address":"a.old","mode":"managed","change":{"actions":["update"]}}],
		"resource_drift":[{"address":"a.new","previous_address":"a.old","mode":"managed","change":{"actions":["update"]}}]}`
	for plan, want := range map[string]map[string]Side{
		aPlan: {"a.one": Acted, "a.two": Acted, "a.three": Drifted, "a.four": Otherwise, "a.six": Acted},
		moved: {"a.old": Drifted},
		`{}`:  {},
	} {
		got := map[string]Side{}
		if err := Drift(strings.NewReader(plan), func(address string, of Side) { got[address] |= of }); err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v of %.60s", got, err, plan)
		}
	}
	if err := Drift(strings.NewReader(aPlan[:300]), func(string, Side) {}); !errors.Is(err, ErrPlan) {
		t.Errorf("half a plan: %v", err)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Redact(&out, strings.NewReader(aPlan), strings.NewReader(someSchemas)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Errorf("a secret is in %s", out.String())
	}
	var got struct {
		PlanFormat      string                            `json:"plan_format_version"`
		ProviderFormat  string                            `json:"provider_format_version"`
		Schemas         map[string]any                    `json:"provider_schemas"`
		ResourceChanges []struct{ Change map[string]any } `json:"resource_changes"`
		Outputs         map[string]map[string]any         `json:"output_changes"`
		Relevant        []any                             `json:"relevant_attributes"`
		Drift           []any                             `json:"resource_drift"`
	}
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	var whole json.RawMessage
	if err := decoder.Decode(&whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(whole, &got); err != nil {
		t.Fatal(err)
	}
	if got.PlanFormat != "1.2" || got.ProviderFormat != "1.0" || len(got.Schemas) != 1 || got.Schemas["p/used"] == nil || len(got.Relevant) != 1 || len(got.Drift) != 2 {
		t.Errorf("it has %+v", got)
	}
	for i, want := range []string{
		`{"list":["REDACTED ","seen"],"name":"x","password":"REDACTED "}`,
		`{"b":true,"n":1,"o":{},"s":"REDACTED ","same":"REDACTED"}`,
	} {
		after, _ := json.Marshal(got.ResourceChanges[i].Change["after"])
		if string(after) != want {
			t.Errorf("after of %d is %s, want %s", i, after, want)
		}
	}
	before, _ := json.Marshal(got.ResourceChanges[1].Change["before"])
	if string(before) != `{"b":false,"n":0,"o":{},"s":"REDACTED","same":"REDACTED"}` {
		t.Errorf("before is %s", before)
	}
	for _, member := range []string{"planned_values", "variables", "prior_state", "terraform_version"} {
		if bytes.Contains(whole, []byte(member)) {
			t.Errorf("%s is in it", member)
		}
	}
}

func TestNoPlan(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "3", "{", `{"resource_changes":3}`, `{"resource_changes":[`, `{"resource_changes":[{"change":"hunter2"}]`} {
		if _, err := Summarize(strings.NewReader(text)); !errors.Is(err, ErrPlan) {
			t.Errorf("%q: %v", text, err)
		}
		if err := Redact(&bytes.Buffer{}, strings.NewReader(text), nil); !errors.Is(err, ErrPlan) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestAPlanThatCantBeRead is not taken for one that is none.
func TestAPlanThatCantBeRead(t *testing.T) {
	t.Parallel()
	gone := errors.New("the disk is gone")
	half := io.MultiReader(strings.NewReader(aPlan[:300]), iotest.ErrReader(gone))
	if _, err := Summarize(half); !errors.Is(err, gone) || errors.Is(err, ErrPlan) {
		t.Errorf("it is told as %v", err)
	}
}

// FuzzRedact: whatever a value is, it is in the redacted form only where nothing marks it.
func TestRedactHidesSecretsThatNothingMarks(t *testing.T) {
	t.Parallel()
	plan := `{"format_version":"1.2","output_changes":{"o":{"actions":["create"],"before":null,"after":"x-hush-hush-1","after_sensitive":false}},
		"resource_changes":[{"address":"a.b[\"hush-hush-1\"]","mode":"managed","provider_name":"p","change":{"actions":["create"],"before":null,
		"after":{"deep":[{"v":"say hush-hush-1 twice: hush-hush-1"}],"n":12345678,"other":12345679},"after_sensitive":{}}}]}`
	var out bytes.Buffer
	if err := Redact(&out, strings.NewReader(plan), nil, "hush-hush-1", "12345678"); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "hush") || strings.Contains(got, "12345678") || !strings.Contains(got, "say REDACTED twice: REDACTED") || !strings.Contains(got, "12345679") || !json.Valid(out.Bytes()) {
		t.Errorf("%s", got)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"a":"needle needle"}`, `{"a":true}`, `null`)
	f.Add(`["needle needle",{"b":["needle needle"]}]`, `[true,{"b":true}]`, `false`)
	f.Add(`{"a":[1,2,3]}`, `true`, `{}`)
	f.Fuzz(func(t *testing.T, value, marks, other string) {
		if !json.Valid([]byte(value)) || !json.Valid([]byte(marks)) || !json.Valid([]byte(other)) {
			return
		}
		text := `{"resource_changes":[{"address":"a","change":{"before":` + other + `,"after":` + value +
			`,"after_sensitive":` + marks + `,"before_sensitive":true}}],"output_changes":{"o":{"after":` + value + `,"after_sensitive":` + marks + `}}}`
		var out bytes.Buffer
		if err := Redact(&out, strings.NewReader(text), nil); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got struct {
			Changes []struct{ Change struct{ Before, After any } } `json:"resource_changes"`
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%s became %s: %v", text, out.String(), err)
		}
		for _, v := range []any{got.Changes[0].Change.Before, got.Changes[0].Change.After} {
			switch v := v.(type) {
			case nil, bool:
			case float64:
				if v != 0 && v != 1 {
					t.Errorf("%v was shown", v)
				}
			case string:
				if strings.TrimSpace(v) != "REDACTED" {
					t.Errorf("%q was shown", v)
				}
			case []any:
				if len(v) > 0 {
					t.Errorf("%v was shown", v)
				}
			case map[string]any:
				if len(v) > 0 {
					t.Errorf("%v was shown", v)
				}
			}
		}
	})
}
