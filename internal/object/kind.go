package object

import "strings"

// Kind is what an object is, as presigned URLs name it.
type Kind string

// The kinds of objects.
const (
	State         Kind = "state"         // of a state version: what the engine reads
	JSONState     Kind = "json-state"    // of a state version: the same for people's programs
	Configuration Kind = "configuration" // the archive of a configuration version
	Log           Kind = "log"           // of a plan or an apply
	PlanJSON      Kind = "plan-json"     // of a plan: what the engine tells of it
	PlanRedacted  Kind = "plan-redacted" // of a plan: the same without what is sensitive
	PlanSchema    Kind = "plan-schema"   // of a plan: the schemas of its providers
	ErroredState  Kind = "errored-state" // of an apply: the state that could not be stored
	RunFile       Kind = "run-file"      // what a runner brings: the plan, and more
)

// trait is what is known of a kind.
type trait struct {
	prefix  string // begins the keys of its objects
	purpose string // what its URLs are signed for, beside the direction
	owner   string // what an object belongs to, in words
	files   string // the objects in words
}

var (
	ofStates         = trait{"states/", "state", "state version", "state files"}
	ofConfigurations = trait{"configurations/", "configuration", "configuration version", "configurations"}
	ofRuns           = trait{"runs/", "run", "run", "files of runs"}
)

var traits = map[Kind]trait{
	State: ofStates, JSONState: ofStates,
	Configuration: ofConfigurations,
	Log:           ofRuns, PlanJSON: ofRuns, PlanRedacted: ofRuns, PlanSchema: ofRuns, ErroredState: ofRuns, RunFile: ofRuns,
}

// Known says whether there is such a kind.
func (k Kind) Known() bool {
	_, known := traits[k]
	return known
}

// traitOf is what is known of the kinds that lie where a key is.
func traitOf(key string) trait {
	for _, t := range []trait{ofStates, ofConfigurations, ofRuns} {
		if strings.HasPrefix(key, t.prefix) {
			return t
		}
	}
	return trait{files: "files", owner: "server"}
}

// swept says whether a key is one that this package gives: nothing else is ever swept.
func swept(key string) bool { return traitOf(key).prefix != "" }
