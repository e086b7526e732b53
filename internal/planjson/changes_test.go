package planjson

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestChangesOfAPlan reads a plan that does everything a plan can do.
func TestChangesOfAPlan(t *testing.T) {
	const plan = `{"resource_changes":[
{"address":"a.new","type":"a","change":{"actions":["create"],"before":null,"after":{"size":1,"tags":{"env":"prod"}},"after_unknown":{"id":true,"tags":{}}}},
{"address":"module.m.a.grow","module_address":"module.m","type":"a","change":{"actions":["update"],"before":{"size":1,"pin":"x","zones":["a"],"policy":"{\"S\":[{\"A\":1}],\"V\":1}"},"after":{"size":2,"pin":"y","zones":["a","b"],"policy":"{\"V\":1,\"S\":[{\"A\":2}]}"},"before_sensitive":{"pin":true},"after_sensitive":{}}},
{"address":"a.pool","type":"a","action_reason":"replace_because_cannot_update","change":{"actions":["create","delete"],"before":{"kind":"s","same":1},"after":{"kind":"m","same":1},"replace_paths":[["kind"]]}},
{"address":"a.old","type":"a","action_reason":"delete_because_no_resource_config","change":{"actions":["delete"],"before":{"name":"gone"},"after":null}},
{"address":"data.a.b","mode":"data","type":"a","change":{"actions":["read"],"before":null,"after":{}}},
{"address":"a.there","type":"a","previous_address":"a.here","change":{"actions":["no-op"],"before":{"x":1},"after":{"x":1}}},
{"address":"a.taken","type":"a","change":{"actions":["no-op"],"importing":{"id":"i"},"before":{"x":1},"after":{"x":1}}},
{"address":"a.same","type":"a","change":{"actions":["no-op"],"before":{"x":1},"after":{"x":1}}}],
"resource_drift":[{"address":"a.b","type":"a","change":{"actions":["update"],"before":{"x":1},"after":{"x":null}}}],
"output_changes":{"key":{"actions":["update"],"before":"REDACTED","after":"REDACTED ","before_sensitive":true,"after_sensitive":true},"at":{"actions":["create"],"before":null,"after_unknown":true}},
"other":[{}]}`
	var got []string
	err := Changes(strings.NewReader(plan), func(Group, *Change) int { return 10 }, func(g Group, c Change) {
		line := fmt.Sprint(g, " ", c.Action, " ", c.Address, " ", c.From, c.Reason, " ", c.CreateFirst, " same ", c.Values.Same)
		for _, d := range c.Values.Rows {
			line += fmt.Sprintf("; %s: %s > %s unknown %v hidden %v forces %v", d.Path, d.Was, d.Now, d.Unknown, d.Hidden, d.Forces)
		}
		got = append(got, line)
	})
	want := []string{
		`0 create a.new  false same 0; id:  >  unknown true hidden false forces false; size:  > 1 unknown false hidden false forces false; tags.env:  > "prod" unknown false hidden false forces false`,
		`0 update module.m.a.grow  false same 1; pin:  >  unknown false hidden true forces false; policy.S.0.A: 1 > 2 unknown false hidden false forces false; size: 1 > 2 unknown false hidden false forces false; zones: ["a"] > ["a","b"] unknown false hidden false forces false`,
		`0 replace a.pool replace_because_cannot_update true same 1; kind: "s" > "m" unknown false hidden false forces true`,
		`0 delete a.old delete_because_no_resource_config false same 0; name: "gone" >  unknown false hidden false forces false`,
		`0 read data.a.b  false same 0`, `0 move a.there a.here false same 1`, `0 import a.taken  false same 1`, `0  a.same  false same 1`,
		`1 update a.b  false same 0; x: 1 >  unknown false hidden false forces false`,
		`2 create at  false same 0; :  >  unknown true hidden false forces false`,
		`2 update key  false same 0; :  >  unknown false hidden true forces false`,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, text := range []string{"", "[]", `{"resource_changes":3}`, `{"output_changes":[]}`, `{"resource_changes":[{"change":3}]}`} {
		if err := Changes(strings.NewReader(text), func(Group, *Change) int { return 1 }, func(Group, Change) {}); err == nil {
			t.Errorf("%s is a plan", text)
		}
	}
}
