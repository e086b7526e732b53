package statefile

import (
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

// Summary derives what documents show.
func (s *State) Summary() Summary {
	t := tally{
		modules: map[string]map[string]int{}, providers: map[string]map[string]int{},
		rows: map[ResourceSummary]int{}, moduleUse: map[string]int{}, providerUse: map[string]int{},
		resources: []ResourceSummary{},
	}
	for i := range s.Resources {
		t.add(&s.Resources[i])
	}
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
	moduleUse, providerUse map[string]int
}

// add counts one resource. One without instances (count = 0) leaves no trace,
// as in `state list`.
func (t *tally) add(r *Resource) {
	if len(r.Instances) == 0 {
		return
	}
	kind, path := r.TypeAddress(), ModulePath(r.Module)
	key := attributeKey(kind)
	count(t.modules, attributeKey(path), key, len(r.Instances))
	if path != "root" {
		t.moduleUse[path] += len(r.Instances)
	}
	for i := range r.Instances {
		provider := r.InstanceProvider(i)
		count(t.providers, provider, key, 1)
		t.providerUse[ProviderSource(provider)]++
		t.row(ResourceSummary{Name: r.Name, Type: kind, Module: path, Provider: provider})
	}
}

// row counts an instance of a resource; resources of the instances of one
// module share a row.
func (t *tally) row(r ResourceSummary) {
	i, ok := t.rows[r]
	if !ok {
		i = len(t.resources)
		t.rows[r] = i
		t.resources = append(t.resources, r)
	}
	t.resources[i].Count++
}

func count(m map[string]map[string]int, outer, inner string, n int) {
	if m[outer] == nil {
		m[outer] = map[string]int{}
	}
	m[outer][inner] += n
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
