package run

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// Wanted is what somebody asks of a new run.
type Wanted struct {
	WorkspaceID                string
	ConfigurationVersionID     patch.Field[string] // null or omitted: the workspace's own
	Message, EngineVersion     patch.Field[string]
	AutoApply, IsDestroy       patch.Field[bool]
	Refresh, RefreshOnly       patch.Field[bool]
	PlanOnly, SavePlan         patch.Field[bool]
	AllowEmptyApply, Debugging patch.Field[bool]
	AllowConfigGeneration      patch.Field[bool]
	Targets, Replaces          patch.Field[[]string]
	PolicyPaths, InvokeActions patch.Field[[]string]
	Variables                  patch.Field[[]WantedVariable]
	ChangeRequests             []string // that the run is for
	ArchiveChangeRequests      patch.Field[bool]
	Origin                     Origin
	DefaultMessage             string // where none is given
	DefaultConfigGeneration    bool
}

// WantedVariable is a variable of a run as it is asked for.
type WantedVariable struct {
	Key, Value patch.Field[string]
}

// Given is what the rules of a new run need to know of the rest.
type Given struct {
	Workspace     *belay.Workspace
	Configuration *ConfigurationVersion // nil: there is none
	ByID          bool                  // the configuration was named
	MayApply      bool                  // whoever asks
	Engines       belay.Engines
	AtHand        []EngineBinary // engines that the runners of the workspace have
	DefaultEngine string         // tofu, terraform, or auto

	ChangeRequests []string // those of the workspace, among what was asked for, that whoever asks may read
	MayArchive     bool     // them
}

// The most that the parts of a run may have.
const (
	maxMessage   = 4096
	maxAddresses = 1000
	maxAddress   = 1024
	maxArguments = 100
	maxVariables = 1000
	maxKey       = 128
	maxValue     = 256 << 10
	maxRequests  = 100
)

var variableKey = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_-]*$`)

// Ask settles what a new run is to do, or says all that is wrong with what is asked.
func (r *Run) Ask(want Wanted, given Given) error {
	var problems belay.Problems
	r.Origin = want.Origin
	r.checkConfiguration(&problems, given)
	r.takeOptions(&problems, want, given)
	r.takeLists(&problems, want)
	r.takeVariables(&problems, want.Variables.Value)
	r.takeChangeRequests(&problems, want, given)
	r.takeEngine(&problems, want, given)
	return problems.Err()
}

// CutMessage is a message that is no longer than one may be.
func CutMessage(message string) string {
	if utf8.RuneCountInString(message) <= maxMessage {
		return message
	}
	return string([]rune(message)[:maxMessage])
}

func (r *Run) checkConfiguration(problems *belay.Problems, given Given) {
	c := given.Configuration
	switch {
	case given.Workspace.Mode() == belay.LocalExecution:
		refuse(problems, "Runs can't be created in a workspace whose execution mode is local")
	case c == nil:
		refuse(problems, "Configuration version is missing")
	case !c.Usable():
		refuse(problems, "Configuration version is not uploaded")
	default:
		r.ConfigurationVersionID = c.ID
		r.WorkingDirectory = given.Workspace.WorkingDirectory
		if c.Ingress != nil {
			r.CommitSHA, r.SenderName = c.Ingress.CommitSHA, c.Ingress.SenderUsername
		}
	}
}

// refuse adds a problem that is no attribute's: clients know it by its title.
func refuse(problems *belay.Problems, detail string) {
	problem := belay.Refuse(belay.Invalid, "%s", detail)
	problem.Title = "unprocessable entity"
	*problems = append(*problems, problem)
}

func (r *Run) takeOptions(problems *belay.Problems, want Wanted, given Given) {
	w := given.Workspace
	speculative := given.Configuration != nil && given.Configuration.Speculative
	r.Message = want.DefaultMessage
	if want.Message.Value != "" {
		r.Message = want.Message.Value
	}
	if utf8.RuneCountInString(r.Message) > maxMessage {
		problems.Attribute("message", "Message is too long (maximum is %d characters)", maxMessage)
	}
	r.IsDestroy, r.RefreshOnly = want.IsDestroy.Value, want.RefreshOnly.Value
	r.SavePlan, r.AllowEmptyApply, r.Debugging = want.SavePlan.Value, want.AllowEmptyApply.Value, want.Debugging.Value
	r.Refresh = !want.Refresh.Given() || want.Refresh.Value
	r.PlanOnly = speculative
	if want.PlanOnly.Given() {
		r.PlanOnly = want.PlanOnly.Value
	}
	r.AllowConfigGeneration = want.DefaultConfigGeneration
	if want.AllowConfigGeneration.Given() {
		r.AllowConfigGeneration = want.AllowConfigGeneration.Value
	}
	r.AutoApply = w.AutoApply
	if want.AutoApply.Given() {
		r.AutoApply = want.AutoApply.Value
	}
	vetted := given.Configuration != nil && given.Configuration.Vetted
	r.AutoApply = r.AutoApply && given.MayApply && vetted && !r.SavePlan && !r.PlanOnly
	r.checkOptions(problems, given, speculative)
}

func (r *Run) checkOptions(problems *belay.Problems, given Given, speculative bool) {
	c := given.Configuration
	if r.IsDestroy && r.RefreshOnly {
		problems.Attribute("refresh-only", "Refresh only can't be combined with is-destroy")
	}
	if !r.Refresh && r.RefreshOnly {
		problems.Attribute("refresh", "Refresh must be true with refresh-only")
	}
	if r.IsDestroy && !given.Workspace.AllowDestroyPlan {
		problems.Attribute("is-destroy", "Destroy plans are not allowed in this workspace")
	}
	r.checkApplying(problems, speculative)
	if c != nil && given.ByID && given.Workspace.VCSRepo != nil && !c.FromRepository() && !r.PlanOnly {
		refuse(problems, "Only speculative plans are possible with this configuration version: the workspace takes its configuration from a repository")
	}
}

// checkApplying refuses options that disagree about whether there is to be an apply, and when.
func (r *Run) checkApplying(problems *belay.Problems, speculative bool) {
	if speculative && !r.PlanOnly {
		problems.Attribute("plan-only", "Plan only must be true with a speculative configuration version")
	}
	switch {
	case r.SavePlan && speculative:
		problems.Attribute("save-plan", "Save plan can't be combined with a speculative configuration version")
	case r.SavePlan && r.PlanOnly:
		problems.Attribute("plan-only", "Plan only can't be combined with save-plan")
	}
}

func (r *Run) takeLists(problems *belay.Problems, want Wanted) {
	for _, list := range []struct {
		name, called string
		given        patch.Field[[]string]
		into         *[]string
		most         int
	}{
		{"target-addrs", "Target addrs", want.Targets, &r.Targets, maxAddresses},
		{"replace-addrs", "Replace addrs", want.Replaces, &r.Replaces, maxAddresses},
		{"policy-paths", "Policy paths", want.PolicyPaths, &r.PolicyPaths, maxArguments},
		{"invoke-action-addrs", "Invoke action addrs", want.InvokeActions, &r.InvokeActions, maxArguments},
	} {
		if len(list.given.Value) > list.most {
			problems.Attribute(list.name, "%s are too many (maximum is %d)", list.called, list.most)
			continue
		}
		for _, text := range list.given.Value {
			if text == "" || utf8.RuneCountInString(text) > maxAddress || strings.ContainsAny(text, "\r\n\x00") {
				problems.Attribute(list.name, "%s must be texts of one line, of 1 to %d characters", list.called, maxAddress)
				break
			}
		}
		if *list.into = list.given.Value; len(list.given.Value) == 0 {
			*list.into = nil
		}
	}
}

func (r *Run) takeVariables(problems *belay.Problems, wanted []WantedVariable) {
	if len(wanted) > maxVariables {
		problems.Attribute("variables", "Variables are too many (maximum is %d)", maxVariables)
		return
	}
	seen := map[string]bool{}
	for i, v := range wanted {
		key, at := v.Key.Value, belay.Place("variables").Member(strconv.Itoa(i))
		switch {
		case !variableKey.MatchString(key) || utf8.RuneCountInString(key) > maxKey:
			problems.At(at.Member("key"), "Variables: %q is no key: letters, digits, _ and -, at most %d", key, maxKey)
		case seen[key]:
			problems.At(at.Member("key"), "Variables: %q is given twice", key)
		}
		switch {
		case !v.Value.Given():
			problems.At(at.Member("value"), "Variables: %q must have a text as its value", key)
		case len(v.Value.Value) > maxValue:
			problems.At(at.Member("value"), "Variables: the value of %q is too long (maximum is %d bytes)", key, maxValue)
		}
		seen[key] = true
		r.Variables = append(r.Variables, Variable{Key: key, Value: v.Value.Value})
	}
}

func (r *Run) takeEngine(problems *belay.Problems, want Wanted, given Given) {
	setting := given.Workspace.EngineVersion
	if want.EngineVersion.Given() && want.EngineVersion.Value != "" {
		setting = want.EngineVersion.Value
		switch {
		case !r.PlanOnly:
			problems.Attribute("terraform-version", "Terraform version can be given only with plan-only")
		case !given.Engines.Knows(setting) && !has(given.AtHand, setting):
			problems.Attribute("terraform-version", "Terraform version %s is not included in the list of versions", setting)
		}
	}
	chosen := ChooseEngine(setting, given.Workspace.Engine, given)
	r.Engine, r.EngineVersion = chosen.Product, chosen.Version
}

func has(engines []EngineBinary, version string) bool {
	for _, e := range engines {
		if e.Version == version {
			return true
		}
	}
	return false
}

// ChooseEngine is the engine that a run will use: exactly. What is no exact version is
// chosen among those that the workspace's runners have, and only where none of these will
// do among all that are known.
func ChooseEngine(setting, product string, given Given) EngineBinary {
	if product == "" {
		product = given.DefaultEngine
	}
	if product != Tofu && product != Terraform {
		product = productAtHand(given.AtHand, setting)
	}
	var versions []string
	for _, e := range given.AtHand {
		if e.Product == product {
			versions = append(versions, e.Version)
		}
	}
	version := given.Engines.Among(setting, versions)
	if version == "" {
		version = given.Engines.Resolve(setting)
	}
	return EngineBinary{Product: product, Version: version}
}

// The engines.
const (
	Tofu      = "tofu"
	Terraform = "terraform"
)

// productAtHand is what the runners have: the product that has exactly the version that is
// asked for; else tofu, unless they have only the other.
func productAtHand(engines []EngineBinary, setting string) string {
	for _, product := range []string{Tofu, Terraform} {
		if slices.Contains(engines, EngineBinary{product, setting}) {
			return product
		}
	}
	product := Tofu
	for _, e := range engines {
		if e.Product == Tofu {
			return Tofu
		}
		product = e.Product
	}
	return product
}

// takeChangeRequests settles which change requests the run is for.
func (r *Run) takeChangeRequests(problems *belay.Problems, want Wanted, given Given) {
	place := belay.RelatedList("change-requests")
	ids := slices.Compact(slices.Sorted(slices.Values(want.ChangeRequests)))
	switch {
	case len(ids) > maxRequests:
		problems.At(place, "Change requests are too many (maximum is %d)", maxRequests)
		return
	case len(ids) > 0 && r.PlanOnly:
		problems.At(place, "A run that only plans can't be for change requests")
		return
	}
	for i, id := range want.ChangeRequests {
		if !slices.Contains(given.ChangeRequests, id) && len(*problems) < maxRequests {
			problems.At(place.Item(i).ID(), "The change request %q was not found on the workspace", id)
		}
	}
	r.ChangeRequests, r.ArchiveChangeRequests = ids, want.ArchiveChangeRequests.Value
	switch {
	case !r.ArchiveChangeRequests:
	case len(ids) == 0:
		problems.Attribute("archive-change-requests", "Archive change requests needs change requests that the run is for")
	case !given.MayArchive:
		problems.Attribute("archive-change-requests", "You may not archive change requests of this workspace")
	}
}
