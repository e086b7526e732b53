package statefile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The shapes are those of the public documentation's state version sample:
// modules and providers map to types with dashes, resources keep underscores.
const modulesSummary = `{
  "state-version": 4,
  "terraform-version": "1.11.4",
  "serial": 7,
  "lineage": "3f7c2a10-9d5e-4b1a-8f55-0c1de2a7b901",
  "managed-count": 11,
  "modules": {
    "root": {"aws-instance": 3, "data.terraform-remote-state": 1, "null-resource": 1},
    "root.app-tier": {"random-pet": 3},
    "root.net": {"aws-subnet": 3, "data.aws-ami": 1},
    "root.net.deep": {"null-resource": 1}
  },
  "providers": {
    "module.net[\"us\"].provider[\"registry.opentofu.org/hashicorp/null\"].k[\"a.b\"]": {"null-resource": 1},
    "provider[\"registry.terraform.io/hashicorp/aws\"]": {"aws-subnet": 3, "data.aws-ami": 1},
    "provider[\"registry.terraform.io/hashicorp/aws\"].west": {"aws-instance": 3},
    "provider[\"registry.terraform.io/hashicorp/null\"]": {"null-resource": 1},
    "provider[\"registry.terraform.io/hashicorp/random\"]": {"random-pet": 3},
    "provider[\"terraform.io/builtin/terraform\"]": {"data.terraform-remote-state": 1}
  },
  "resources": [
    {"name": "net", "type": "data.terraform_remote_state", "count": 1, "module": "root", "provider": "provider[\"terraform.io/builtin/terraform\"]"},
    {"name": "a", "type": "null_resource", "count": 1, "module": "root", "provider": "provider[\"registry.terraform.io/hashicorp/null\"]"},
    {"name": "web", "type": "aws_instance", "count": 3, "module": "root", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"].west"},
    {"name": "name", "type": "random_pet", "count": 3, "module": "root.app_tier", "provider": "provider[\"registry.terraform.io/hashicorp/random\"]"},
    {"name": "linux", "type": "data.aws_ami", "count": 1, "module": "root.net", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]"},
    {"name": "s", "type": "aws_subnet", "count": 3, "module": "root.net", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]"},
    {"name": "leaf", "type": "null_resource", "count": 1, "module": "root.net.deep", "provider": "module.net[\"us\"].provider[\"registry.opentofu.org/hashicorp/null\"].k[\"a.b\"]"}
  ],
  "modules-used": [
    {"name": "app_tier", "source": "root.app_tier", "count": 3},
    {"name": "net", "source": "root.net", "count": 4},
    {"name": "deep", "source": "root.net.deep", "count": 1}
  ],
  "providers-used": [
    {"name": "aws", "source": "hashicorp/aws", "count": 7},
    {"name": "null", "source": "hashicorp/null", "count": 2},
    {"name": "random", "source": "hashicorp/random", "count": 3},
    {"name": "terraform", "source": "terraform.io/builtin/terraform", "count": 1}
  ]
}`

func TestSummary(t *testing.T) {
	sameJSON(t, parseFile(t, "modules.tfstate").Summary(func() {}), modulesSummary)
	sameJSON(t, parseFile(t, "empty.tfstate").Summary(func() {}), `{"state-version":4,"terraform-version":"1.11.4","serial":7,
		"lineage":"3f7c2a10-9d5e-4b1a-8f55-0c1de2a7b901","managed-count":0,"modules":{},"providers":{},"resources":[],
		"modules-used":[],"providers-used":[]}`)
}

func TestProviderPerInstance(t *testing.T) {
	sum := parseFile(t, "opentofu.tfstate").Summary(func() {})
	sameJSON(t, sum.Providers, `{"provider[\"registry.opentofu.org/hashicorp/null\"].by[\"a\"]":{"null-resource":1},
		"provider[\"registry.opentofu.org/hashicorp/null\"].by[\"b\"]":{"null-resource":1}}`)
	sameJSON(t, sum.ProvidersUsed, `[{"name":"null","source":"hashicorp/null","count":2}]`)
}

// TestRowsOfASummary counts instances of several providers, and of several instances of a module, by rows of their own.
func TestRowsOfASummary(t *testing.T) {
	t.Parallel()
	of := func(module, name string, providers ...string) Resource {
		r := Resource{Module: module, Mode: Managed, Type: "a_b", Name: name, Provider: "p"}
		for _, p := range providers {
			r.Instances = append(r.Instances, Instance{Provider: p})
		}
		return r
	}
	several := of("module.m", "x", "", "q", "", "q", "r", "r", "p")
	for _, test := range []struct {
		list []Resource
		want string
	}{
		{[]Resource{several, of("module.m", "y", "q"), of("", "z")}, "x p 3, x q 2, x r 2, y q 1"},
		{[]Resource{several, of(`module.m["a"]`, "x", "", "q"), of("module.m", "y", "q"), of(`module.m["b"]`, "x", "r")}, "x p 4, x q 3, x r 3, y q 1"},
	} {
		var rows []string
		n := 0
		sum := (&State{Resources: test.list}).Summary(func() {})
		for _, r := range sum.Resources {
			rows, n = append(rows, fmt.Sprint(r.Name, " ", r.Provider, " ", r.Count)), n+r.Count
		}
		if got := strings.Join(rows, ", "); got != test.want {
			t.Errorf("%s, not %s", got, test.want)
		}
		if of := sum.Modules["root.m"]["a-b"]; of != n || sum.ModulesUsed[0].Count != n || sum.Providers["p"]["a-b"]+sum.Providers["q"]["a-b"]+sum.Providers["r"]["a-b"] != n {
			t.Errorf("%d instances: %+v", n, sum)
		}
	}
}

// TestASummaryCountsInAnyOrder counts resources in a random order as one would by hand.
func TestASummaryCountsInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		one := func(of ...string) string { return of[random.IntN(len(of))] }
		var s State
		known := map[resourceID]bool{}
		for range random.IntN(30) {
			r := Resource{Module: one("", "module.m", `module.m["a"]`, `module.m["b"]`, "module.m.module.n"), Mode: one(Managed, Data), Type: one("a_b", "c"), Name: one("x", "y", "z"), Provider: one("p", "q")}
			if seed%2 == 0 && strings.HasSuffix(r.Module, "]") || known[r.id()] {
				continue
			}
			known[r.id()] = true
			for range random.IntN(5) {
				r.Instances = append(r.Instances, Instance{Provider: one("", "q", "r", "s")})
			}
			s.Resources = append(s.Resources, r)
		}
		rows, modules, providers := []ResourceSummary{}, map[string]map[string]int{}, map[string]map[string]int{}
		add := func(m map[string]map[string]int, outer, kind string) {
			if m[outer] == nil {
				m[outer] = map[string]int{}
			}
			m[outer][strings.ReplaceAll(kind, "_", "-")]++
		}
		for _, r := range s.Resources {
			for i := range r.Instances {
				row := ResourceSummary{Name: r.Name, Type: r.TypeAddress(), Module: ModulePath(r.Module), Provider: r.InstanceProvider(i)}
				at := slices.IndexFunc(rows, func(old ResourceSummary) bool { old.Count = 0; return old == row })
				if at < 0 {
					at, rows = len(rows), append(rows, row)
				}
				rows[at].Count++
				add(modules, row.Module, row.Type)
				add(providers, row.Provider, row.Type)
			}
		}
		sum := s.Summary(func() {})
		if !slices.Equal(sum.Resources, rows) || !reflect.DeepEqual(sum.Modules, modules) || !reflect.DeepEqual(sum.Providers, providers) {
			t.Fatalf("seed %d:\n%+v\n%+v\n%+v\nby hand\n%+v\n%+v\n%+v", seed, sum.Resources, sum.Modules, sum.Providers, rows, modules, providers)
		}
	}
}

func TestList(t *testing.T) {
	rows := parseFile(t, "modules.tfstate").List()
	sameJSON(t, []Listed{rows[0], rows[2], rows[5], rows[len(rows)-1]}, `[
		{"address":"data.terraform_remote_state.net","name":"net","module":"root","provider":"terraform.io/builtin/terraform","provider-type":"terraform_remote_state","mode":"data","name-index":null},
		{"address":"aws_instance.web[0]","name":"web","module":"root","provider":"hashicorp/aws","provider-type":"aws_instance","mode":"managed","name-index":0},
		{"address":"app_tier.random_pet.name[\"eu\"]","name":"name","module":"app_tier","provider":"hashicorp/random","provider-type":"random_pet","mode":"managed","name-index":"eu"},
		{"address":"net[\"us\"].deep[0].null_resource.leaf","name":"leaf","module":"net.deep","provider":"hashicorp/null","provider-type":"null_resource","mode":"managed","name-index":null}]`)
	sameJSON(t, parseFile(t, "empty.tfstate").List(), `[]`)
}

// sameJSON compares a value's JSON with the wanted one, the spaces aside.
func sameJSON(t *testing.T, v any, want string) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if w := string(compact(json.RawMessage(want))); string(b) != w {
		t.Errorf("got  %s\nwant %s", b, w)
	}
}
