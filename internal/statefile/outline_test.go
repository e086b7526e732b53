package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

const looked = `{"version":4,"serial":1,"lineage":"x","outputs":{},"resources":[
{"instances":[{"deposed":"abc","attributes":{"id":"old"}},{"attributes":{"id":"one","password":"hunter2","tags":{"a":"b","list":[1,2]},"empty":[],"nothing":null,"marked":{"deep":"hunter3"},"secret":null},
 "sensitive_attributes":[[{"type":"get_attr","value":"marked"},{"type":"get_attr","value":"deep"}],[{"type":"get_attr","value":"tags"},{"type":"get_attr","value":"list"},{"type":"index","value":{"value":1,"type":"number"}}]],
 "dependencies":["a.b"]}],"mode":"managed","type":"a_thing","name":"one","provider":"provider[\"registry.opentofu.org/x/a\"]"},
{"module":"module.m[\"k\"]","mode":"data","type":"a_thing","name":"many","provider":"provider[\"registry.opentofu.org/x/a\"]","instances":[{"index_key":0,"attributes":{"id":"z"}},{"index_key":"s","attributes":{"id" : "z"}}]}]}`

func outlineOf(t *testing.T, file string) []Row {
	t.Helper()
	rows, err := Outline(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestOutline(t *testing.T) {
	t.Parallel()
	rows := outlineOf(t, looked)
	want := []string{"a_thing.one", `module.m["k"].data.a_thing.many[0]`, `module.m["k"].data.a_thing.many["s"]`}
	if len(rows) != len(want) {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	for i := range rows {
		if rows[i].Address() != want[i] || rows[i].Provider != "x/a" {
			t.Errorf("row %d is %q of %s", i, rows[i].Address(), rows[i].Provider)
		}
	}
	if !rows[1].Same(&rows[2]) || rows[0].Same(&rows[1]) {
		t.Error("what is the same is told by something else than the attributes")
	}
	// The object that is deposed does not count, wherever it stands.
	other := outlineOf(t, strings.Replace(looked, `"id":"old"`, `"id":"older"`, 1))
	if !rows[0].Same(&other[0]) {
		t.Error("a deposed object changes its instance")
	}
	if changed := outlineOf(t, strings.Replace(looked, "hunter2", "hunter4", 1)); rows[0].Same(&changed[0]) {
		t.Error("a change of an attribute is not seen")
	}
	var syntax *SyntaxError
	if _, err := Outline(strings.NewReader(looked[:len(looked)-9])); !errors.As(err, &syntax) {
		t.Errorf("half a file gives %v", err)
	}
}

func TestFindHidesWhatIsSensitive(t *testing.T) {
	t.Parallel()
	rows := outlineOf(t, looked)
	found, err := Find(strings.NewReader(looked), &rows[0])
	if err != nil || len(found.Dependencies) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	list, more := found.Values(100)
	text := ""
	for _, a := range list {
		text += a.Path + "=" + a.Value
		if a.Sensitive {
			text += "(hidden)"
		}
		text += " "
	}
	want := `empty=[] id="one" marked.deep=(hidden) nothing=null password=(hidden) secret=null tags.a="b" tags.list.0=1 tags.list.1=(hidden) `
	if text != want || more {
		t.Errorf("it holds\n%s, not\n%s", text, want)
	}
	if list, more := found.Values(2); len(list) != 2 || !more {
		t.Errorf("of many: %v, %v", list, more)
	}
	if found, err = Find(strings.NewReader(looked), &rows[2]); err != nil || string(found.Attributes) != `{"id" : "z"}` {
		t.Errorf("the third holds %s, %v", found.Attributes, err)
	}
	if list, more := (&Object{}).Values(5); list != nil || more {
		t.Errorf("nothing holds %v", list)
	}
}

func TestHoldingFindsValuesAndNothingHidden(t *testing.T) {
	t.Parallel()
	file := strings.Replace(looked, `"empty":[]`, `"empty":[],"odd":"a\u003cb \"x\"","n":4711,"on":true`, 1)
	for text, want := range map[string]string{
		"one": "a_thing.one=id", "b": "a_thing.one=tags.a", "4711": "a_thing.one=n", "true": "a_thing.one=on", `a<b "x"`: "a_thing.one=odd", "[]": "a_thing.one=empty",
		"z":       `module.m["k"].data.a_thing.many["s"]=id module.m["k"].data.a_thing.many[0]=id`,
		"hunter2": "", "hunter3": "", "old": "", "on": "", "4": "", "2": "", "": "",
	} {
		found, err := Holding(strings.NewReader(file), text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for address, path := range found {
			got = append(got, address+"="+path)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q is in %q, not %q", text, got, want)
		}
	}
	var syntax *SyntaxError
	if _, err := Holding(strings.NewReader(file[:len(file)-9]), "one"); !errors.As(err, &syntax) {
		t.Errorf("half a file gives %v", err)
	}
}

func TestJSONHidesWhatIsSensitive(t *testing.T) {
	t.Parallel()
	rows := outlineOf(t, looked)
	found, err := Find(strings.NewReader(looked), &rows[0])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"empty":[],"id":"one","marked":{"deep":"(sensitive)"},"nothing":null,"password":"(sensitive)","secret":null,"tags":{"a":"b","list":[1,"(sensitive)"]}}`
	var got bytes.Buffer
	if err := json.Compact(&got, found.JSON()); err != nil || got.String() != want {
		t.Errorf("it is\n%s, not\n%s: %v", got.String(), want, err)
	}
	if raw := (&Object{}).JSON(); raw != nil {
		t.Errorf("nothing is %s", raw)
	}
}
