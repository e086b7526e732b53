package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/statefile"
)

// contents is what reading a state file found in it.
type contents struct {
	belay.StateContents
	lineage string
	problem string // why the file could not be looked into
	outputs []belay.StateOutput
}

// readState reads a state file. A file that its owner encrypted is no fault: it is kept
// unread. What is no state is refused, without a word of what the file holds.
func (a *App) readState(r io.Reader) (*contents, error) {
	state, err := statefile.Parse(r)
	var encrypted *statefile.EncryptedError
	if errors.As(err, &encrypted) {
		return &contents{lineage: strings.ReplaceAll(encrypted.Lineage, "\x00", ""), problem: encrypted.Error()}, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	summary := state.Summary()
	if !keepable(state, &summary) {
		return nil, belay.Refuse(belay.Invalid, "state file: a name, a version or the lineage holds a NUL")
	}
	found := &contents{lineage: state.Lineage, outputs: a.outputs(state.Outputs)}
	found.StateContents = belay.StateContents{
		Format: summary.StateVersion, EngineVersion: summary.TerraformVersion, ManagedCount: summary.ManagedCount,
		BillableCount: billable(state), Modules: document(summary.Modules), Providers: document(summary.Providers),
		Resources: document(summary.Resources), UsedModules: uses(summary.ModulesUsed), UsedProviders: uses(summary.ProvidersUsed),
	}
	return found, nil
}

// lineageOf looks through a large state file for no more than its lineage, and refuses what
// is no state. What else is in it is learned behind the request.
func (a *App) lineageOf(ctx context.Context, file belay.StateFile) (*contents, error) {
	select { // one at a time, so that many at once take no more memory than one
	case a.looking <- struct{}{}:
		defer func() { <-a.looking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	rc, err := a.open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rc.Close() }()
	state, err := statefile.Parse(rc)
	var encrypted *statefile.EncryptedError
	switch {
	case errors.As(err, &encrypted):
		return &contents{lineage: encrypted.Lineage}, nil
	case err != nil:
		return nil, unreadable(err)
	case strings.ContainsRune(state.Lineage, 0):
		return nil, belay.Refuse(belay.Invalid, "state file: the lineage holds a NUL")
	default:
		return &contents{lineage: state.Lineage}, nil
	}
}

// keepable says whether the texts of a state that have columns of their own can be kept in
// them: a NUL, which JSON can write, can't.
func keepable(state *statefile.State, summary *statefile.Summary) bool {
	texts := []string{state.TerraformVersion, state.Lineage}
	for _, o := range state.Outputs {
		texts = append(texts, o.Name)
	}
	for _, use := range slices.Concat(summary.ModulesUsed, summary.ProvidersUsed) {
		texts = append(texts, use.Name, use.Source)
	}
	return !slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsRune(text, 0) })
}

// belongs refuses a file of another lineage than the one that is known.
func (c *contents) belongs(lineage string) error {
	if lineage != "" && c.lineage != "" && c.lineage != lineage {
		return belay.ErrOtherLineage
	}
	return nil
}

// unreadable is the refusal of a file that is no state; a failing reader is none.
func unreadable(err error) error {
	var syntax *statefile.SyntaxError
	var version *statefile.VersionError
	var format *statefile.FormatError
	if errors.As(err, &syntax) || errors.As(err, &version) || errors.As(err, &format) {
		return belay.Refuse(belay.Invalid, "%s", err.Error())
	}
	return err
}

// billable is how many managed instances count as managed resources for billing: those of
// the engine's own types do not.
func billable(state *statefile.State) int {
	n := 0
	for i := range state.Resources {
		r := &state.Resources[i]
		if r.Mode == statefile.Managed && r.Type != "null_resource" && r.Type != "terraform_data" {
			n += len(r.Instances)
		}
	}
	return n
}

func document(v any) json.RawMessage {
	raw, _ := json.Marshal(v) // made of plain values only
	return raw
}

func uses(list []statefile.Use) []belay.StateUse {
	out := make([]belay.StateUse, len(list))
	for i, use := range list {
		out[i] = belay.StateUse(use)
	}
	return out
}

// outputs makes the outputs of a state version, their values sealed.
func (a *App) outputs(list []statefile.Output) []belay.StateOutput {
	out := make([]belay.StateOutput, len(list))
	for i, o := range list {
		id := belay.NewID("wsout")
		out[i] = belay.StateOutput{
			ID: id, Name: o.Name, Sensitive: o.Sensitive, Kind: o.TypeWord(),
			DetailedType: string(o.Type), SealedValue: a.ring.Seal(o.Value, id),
		}
	}
	return out
}

// know writes into a state version what reading its file found, outputs included unless
// the client has given them already.
func (c *contents) know(v *belay.StateVersion) (outputs []belay.StateOutput, learned bool) {
	v.Processed, v.Problem, v.Contents = true, c.problem, c.StateContents
	if v.Lineage == "" {
		v.Lineage = c.lineage
	}
	if v.OutputsKnown {
		return nil, false
	}
	own(v, c.outputs)
	return c.outputs, true
}

// own makes outputs those of a state version.
func own(v *belay.StateVersion, outputs []belay.StateOutput) {
	v.OutputsKnown, v.OutputIDs = true, make([]string, len(outputs))
	for i := range outputs {
		outputs[i].StateVersionID = v.ID
		v.OutputIDs[i] = outputs[i].ID
	}
}
