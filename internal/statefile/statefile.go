// Package statefile reads Terraform and OpenTofu state files of format version
// 4 as a stream and says what is in them: serial, lineage, outputs, resources
// and the counts the API's documents show.
//
// It owns the shape of the file and the words derived from it (module paths,
// provider sources, the type word of an output). It never writes or repairs a
// state, keeps the attributes of one resource at most, never decides whether a
// state may be stored, and knows no database, clock or HTTP.
package statefile

import "encoding/json"

// FormatVersion is the one state file format this package reads.
const FormatVersion = 4

// Modes of a resource.
const (
	// Managed marks a resource the state is responsible for.
	Managed = "managed"
	// Data marks a data source: read, never owned, never counted as managed.
	Data = "data"
)

// State is what a state file says, without the attributes of its resources.
type State struct {
	// Version is the format version, always FormatVersion.
	Version int
	// TerraformVersion is the version of the program that wrote the file, as
	// written: OpenTofu writes its own version here.
	TerraformVersion string
	// Serial grows with every write of one lineage; a missing one is 0.
	Serial int64
	// Lineage names the history the state belongs to; old files have none.
	Lineage string
	// Outputs are the root module's outputs in order of name.
	Outputs []Output
	// Resources are in the order of the file.
	Resources []Resource
}

// Resource is one resource of a state file with all its instances. A module
// with count or for_each has one Resource per instance of the module.
type Resource struct {
	// Module is the address of the module instance, "" for the root module.
	Module string
	// Mode is Managed or Data.
	Mode string
	// Type is the resource type, such as "null_resource".
	Type string
	// Name is the name in the configuration.
	Name string
	// Provider is the provider configuration's address as in the file.
	Provider string
	// Instances holds each instance once, whatever number of objects it has.
	Instances []Instance
}

// Instance is one instance of a resource. A deposed object (the old one of a
// replacement that did not finish) belongs to the instance of its key and is
// no instance of its own: that is how the command line keeps them, and how
// `state list` counts. An instance with only deposed objects still counts,
// because something real still stands behind it.
type Instance struct {
	// Key is the count index or for_each key.
	Key Key
	// Provider is set only where it differs per instance (OpenTofu's for_each
	// of providers); else the resource's holds.
	Provider string
	// sum tells attributes apart; only an outline has it.
	sum uint64
}

// ManagedCount is the number of instances of managed resources: the
// workspace's resource-count. Data sources never count.
func (s *State) ManagedCount() int {
	n := 0
	for i := range s.Resources {
		if s.Resources[i].Mode == Managed {
			n += len(s.Resources[i].Instances)
		}
	}
	return n
}

// TypeAddress is the type as documents show it: data sources have the prefix
// "data.".
func (r *Resource) TypeAddress() string {
	if r.Mode == Data {
		return "data." + r.Type
	}
	return r.Type
}

// InstanceProvider is the provider configuration of the resource's i-th
// instance.
func (r *Resource) InstanceProvider(i int) string {
	if p := r.Instances[i].Provider; p != "" {
		return p
	}
	return r.Provider
}

// Listed is one row of a workspace's list of resources: one instance.
type Listed struct {
	// Address is the absolute address of the instance, without the words "module.".
	Address string `json:"address"`
	// Name is the name in the configuration.
	Name string `json:"name"`
	// Module is the names of the module, such as "net.subnets", "root" for the root module.
	Module string `json:"module"`
	// Provider is the provider's source, such as "hashicorp/random".
	Provider string `json:"provider"`
	// ProviderType is the resource type, such as "random_pet".
	ProviderType string `json:"provider-type"`
	// Mode is Managed or Data.
	Mode string `json:"mode"`
	// NameIndex is the instance key: null, a number or a string.
	NameIndex Key `json:"name-index"`
}

// List gives one row per instance in the order of the file.
func (s *State) List() []Listed {
	rows := []Listed{}
	for i := range s.Resources {
		r := &s.Resources[i]
		module, prefix := listedModule(r.Module)
		for j := range r.Instances {
			rows = append(rows, Listed{
				Address:      prefix + r.TypeAddress() + "." + r.Name + r.Instances[j].Key.String(),
				Name:         r.Name,
				Module:       module,
				Provider:     ProviderSource(r.InstanceProvider(j)),
				ProviderType: r.Type,
				Mode:         r.Mode,
				NameIndex:    r.Instances[j].Key,
			})
		}
	}
	return rows
}

// Output is one output of the root module. Sensitive values are here in full:
// hiding them is the caller's duty.
type Output struct {
	// Name is the output's name.
	Name string
	// Sensitive says that the value must be hidden by default.
	Sensitive bool
	// Value is the value as compact JSON; null where the file has none.
	Value json.RawMessage
	// Type is the type as compact cty JSON, such as "string" or
	// ["object",{…}]; nil where the file has none.
	Type json.RawMessage
}
