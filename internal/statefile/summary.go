package statefile

import (
	"slices"
	"sort"
	"strings"
)

// Summary is what a state version's document and the explorer show of a
// state. It is plain data: marshalling it walks nothing else.
type Summary struct {
	// StateVersion is the format version.
	StateVersion int `json:"state-version"`
	// TerraformVersion is the version of the program that wrote the file.
	TerraformVersion string `json:"terraform-version"`
	// Serial is the state's serial.
	Serial int64 `json:"serial"`
	// Lineage is the state's lineage.
	Lineage string `json:"lineage"`
	// ManagedCount is the number of managed instances.
	ManagedCount int `json:"managed-count"`
	// Modules counts instances by module path and type.
	Modules map[string]map[string]int `json:"modules"`
	// Providers counts instances by provider address and type.
	Providers map[string]map[string]int `json:"providers"`
	// Resources has one row per resource that has instances.
	Resources []ResourceSummary `json:"resources"`
	// ModulesUsed are the modules called, the root module not among them, in
	// order of name.
	ModulesUsed []Use `json:"modules-used"`
	// ProvidersUsed are the providers in order of source.
	ProvidersUsed []Use `json:"providers-used"`
}

// ResourceSummary is one resource as a state version's document shows it.
type ResourceSummary struct {
	// Name is the name in the configuration.
	Name string `json:"name"`
	// Type is the type; data sources have the prefix "data.".
	Type string `json:"type"`
	// Count is the number of instances, over all instances of its module.
	Count int `json:"count"`
	// Module is the module's path, "root" for the root module.
	Module string `json:"module"`
	// Provider is the provider configuration's address as in the file.
	Provider string `json:"provider"`
}

// Use is a module or a provider and how many instances, data sources
// included, a state has of it.
type Use struct {
	// Name is the short name: the module call's or the provider type's.
	Name string `json:"name"`
	// Source is the module's path or the provider's source. The state file
	// knows neither a module's registry source nor any version.
	Source string `json:"source"`
	// Count is the number of instances.
	Count int `json:"count"`
}

// pause is after how many resources and instances there is a rest: some hundredths of a millisecond.
const pause = 100

// Summary derives what documents show. It calls rest now and then, since there may be many resources and instances.
func (s *State) Summary(rest func()) Summary {
	t := tally{
		modules: map[string]map[string]int{}, providers: map[string]map[string]int{},
		rows: map[ResourceSummary]int{}, moduleUse: map[string]int{}, providerUse: map[string]int{},
		resources: []ResourceSummary{},
		shared:    slices.ContainsFunc(s.Resources, func(r Resource) bool { return strings.IndexByte(r.Module, '[') >= 0 }),
	}
	counted := 0
	for i := range s.Resources {
		t.add(&s.Resources[i])
		if counted += 1 + len(s.Resources[i].Instances); counted >= pause {
			counted = 0
			rest()
		}
	}
	t.write()
	return Summary{
		StateVersion:     s.Version,
		TerraformVersion: s.TerraformVersion,
		Serial:           s.Serial,
		Lineage:          s.Lineage,
		ManagedCount:     s.ManagedCount(),
		Modules:          t.modules,
		Providers:        t.providers,
		Resources:        t.resources,
		ModulesUsed:      uses(t.moduleUse, lastName),
		ProvidersUsed:    uses(t.providerUse, ProviderName),
	}
}

type tally struct {
	modules, providers     map[string]map[string]int
	resources              []ResourceSummary
	rows                   map[ResourceSummary]int // row without its count → place in resources
	mapped                 int                     // how many of resources are in rows
	at                     int                     // the row that was counted last
	shared                 bool                    // instances of a module may share rows
	moduleUse, providerUse map[string]int

	// Of the instances that were counted last:
	module, path         string
	room                 []byte // for the path of the next
	kind, key            string
	provider, source     string
	byModule, byProvider map[string]int
	n                    int // how many of these are not in the maps yet
}

// add counts one resource. One without instances (count = 0) leaves no trace,
// as in `state list`.
func (t *tally) add(r *Resource) {
	first := len(t.resources)
	for i := range r.Instances {
		t.turn(r.Module, r.TypeAddress(), r.InstanceProvider(i))
		t.n++
		t.row(ResourceSummary{Name: r.Name, Type: t.kind, Module: t.path, Provider: t.provider}, first)
	}
}

// turn turns to instances of a module, type and provider: mostly they stand together, and the instances of a module are one path.
func (t *tally) turn(module, kind, provider string) {
	if module != t.module || t.byModule == nil {
		t.module = module
		if t.room = appendModulePath(t.room[:0], module); string(t.room) != t.path {
			t.write()
			t.path = string(t.room)
			t.byModule = inner(t.modules, attributeKey(t.path))
		}
	}
	if kind != t.kind {
		t.write()
		t.kind, t.key = kind, attributeKey(kind)
	}
	if provider != t.provider || t.byProvider == nil {
		t.write()
		t.provider, t.source = provider, ProviderSource(provider)
		t.byProvider = inner(t.providers, provider)
	}
}

// write adds what was counted last to the maps.
func (t *tally) write() {
	if t.n == 0 {
		return
	}
	t.byModule[t.key] += t.n
	t.byProvider[t.key] += t.n
	t.providerUse[t.source] += t.n
	if t.path != "root" {
		t.moduleUse[t.path] += t.n
	}
	t.n = 0
}

// row counts an instance of a resource, whose own rows begin at first; resources of the instances of one
// module share a row, and stand in the same order in each.
func (t *tally) row(r ResourceSummary, first int) {
	switch {
	case t.is(t.at, r):
	case t.is(t.at+1, r):
		t.at++
	case !t.shared && len(t.resources) == first: // few have instances of several providers, and need to be found again
		t.at = first
		t.resources = append(t.resources, r)
	default:
		t.find(r)
	}
	t.resources[t.at].Count++
}

// is says whether a row is the one at a place.
func (t *tally) is(place int, r ResourceSummary) bool {
	if place >= len(t.resources) {
		return false
	}
	r.Count = t.resources[place].Count
	return r == t.resources[place]
}

// find goes to a row that may be any, or new.
func (t *tally) find(r ResourceSummary) {
	for ; t.mapped < len(t.resources); t.mapped++ {
		known := t.resources[t.mapped]
		known.Count = 0
		t.rows[known] = t.mapped
	}
	var ok bool
	if t.at, ok = t.rows[r]; !ok {
		t.at = len(t.resources)
		t.resources = append(t.resources, r)
	}
}

// inner is the map that stands in a map, made where there is none.
func inner(m map[string]map[string]int, key string) map[string]int {
	if m[key] == nil {
		m[key] = map[string]int{}
	}
	return m[key]
}

// attributeKey is a name as a key of a document: there underscores become
// dashes ("null_resource" → "null-resource"), in values they stay. Provider
// addresses are keys as they are.
func attributeKey(name string) string { return strings.ReplaceAll(name, "_", "-") }

// lastName is the last name of a module path.
func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func uses(counts map[string]int, name func(string) string) []Use {
	list := make([]Use, 0, len(counts))
	for source, n := range counts {
		list = append(list, Use{Name: name(source), Source: source, Count: n})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Source < list[j].Source })
	return list
}
