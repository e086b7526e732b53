package statefile

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"": "", "a.b": "", "module.m": "module.m", "module.m.a.b": "module.m", `module.m["a.module.x\"]"].module.n[0].data.a.b`: "module.m module.n", "module.m[": "module.m", "module.": "module.",
	} {
		if got := strings.Join(Calls(address), " "); got != want {
			t.Errorf("the calls of %q are %q", address, got)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	const file = `{"version":4,"serial":1,"lineage":"x","outputs":{},"resources":[
{"mode":"managed","type":"a","name":"one","provider":"p","instances":[{"dependencies":["data.a.z","module.m.a.two"]},{"index_key":1,"dependencies":["a.three","data.a.z"]},{"deposed":"d","dependencies":["a.gone"]}]},
{"instances":[{"dependencies":["a.one"]}],"module":"module.m[\"k\"]","mode":"managed","type":"a","name":"two","provider":"p"},
{"instances":[{"dependencies":"nonsense"}],"module":"module.m[\"l\"]","mode":"managed","type":"a","name":"two","provider":"p"},
{"mode":"data","type":"a","name":"z","provider":"p","instances":[{}]}]}`
	list, more, err := Links(strings.NewReader(file), 100)
	if err != nil || more || len(list) != 3 {
		t.Fatalf("%+v, %v, %v", list, more, err)
	}
	for i, want := range []Linked{
		{Type: "a", Name: "one", Instances: 2, Needs: []string{"a.three", "data.a.z", "module.m.a.two"}},
		{Module: []string{"module.m"}, Type: "a", Name: "two", Instances: 2, Needs: []string{"a.one"}},
		{Type: "data.a", Name: "z", Instances: 1},
	} {
		if got := list[i]; got.Address() != want.Address() || got.Instances != want.Instances || !slices.Equal(got.Needs, want.Needs) {
			t.Errorf("resource %d is %+v, not %+v", i, got, want)
		}
	}
	if list, more, err := Links(strings.NewReader(file), 2); err != nil || !more || len(list[0].Needs) != 2 || len(list[1].Needs) != 0 {
		t.Errorf("no more than two: %+v, %v, %v", list, more, err)
	}
	var syntax *SyntaxError
	if _, _, err := Links(strings.NewReader(file[:50]), 2); !errors.As(err, &syntax) {
		t.Errorf("half a file gives %v", err)
	}
}
