package state

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/statefile"
)

// contents is what reading a state file found in it.
type contents struct {
	belay.StateContents
	lineage string
	serial  int64
	problem string // why the file could not be looked into
	outputs []belay.StateOutput
}

// readState reads a state file. A file that its owner encrypted is no fault: it is kept
// unread. What is no state is refused, without a word of what the file holds.
func (m *Room) readState(r io.Reader, work *fair.Work) (*contents, error) {
	state, err := statefile.Parse(r)
	var encrypted *statefile.EncryptedError
	var large *statefile.TooLargeError
	switch {
	case errors.As(err, &encrypted):
		return &contents{lineage: encrypted.Lineage, serial: encrypted.Serial, problem: encrypted.Error()}, belay.CheckLineage(encrypted.Lineage)
	case errors.As(err, &large):
		return &contents{lineage: large.Lineage, serial: large.Serial, problem: large.Error()}, belay.CheckLineage(large.Lineage)
	case err != nil:
		return nil, unreadable(err)
	}
	if err := belay.CheckLineage(state.Lineage); err != nil {
		return nil, err
	}
	summary := state.Summary(work.Rest)
	if err := keepable(state, &summary); err != nil {
		return nil, err
	}
	found := &contents{lineage: state.Lineage, serial: state.Serial, outputs: m.outputs(state.Outputs)}
	found.StateContents = belay.StateContents{
		Format: summary.StateVersion, EngineVersion: summary.TerraformVersion, ManagedCount: summary.ManagedCount,
		BillableCount: billable(state), Modules: document(summary.Modules), Providers: document(summary.Providers),
		Resources: document(summary.Resources), UsedModules: uses(summary.ModulesUsed), UsedProviders: uses(summary.ProvidersUsed),
	}
	return found, nil
}

// coming is a state file that a client sends, and what was found in it meanwhile, once it is Seen.
type coming struct {
	*object.Incoming
	found *contents
	err   error
}

// comes looks into a state file while it comes. Whoever calls it calls Free.
func (m *Room) comes(ctx context.Context, from io.Reader) *coming {
	c, work := &coming{}, fair.WorkOf(ctx)
	c.Incoming = m.objects.Along(from, seenAlong, func(r io.Reader) { c.found, c.err = m.readState(work.Reader(r), work) })
	return c
}

// look is what is in a state file that was stored just now: found while it came, or read from the store.
func (m *Room) look(ctx context.Context, file belay.StateFile, from *coming) (found *contents, err error) {
	if from.Seen() {
		return from.found, from.err
	}
	err = m.reading(ctx, file, func(r io.Reader) error {
		found, err = m.readState(r, fair.WorkOf(ctx))
		return err
	})
	return found, err
}

// reading reads a state file from the store. Large ones take turns, so that many at once take no more
// memory than one.
func (m *Room) reading(ctx context.Context, file belay.StateFile, read func(io.Reader) error) error {
	if file.Size > SmallState {
		fair.WorkOf(ctx).Yield() // whoever reads may wait for a store that is far
		select {
		case m.turn <- struct{}{}:
			defer func() { <-m.turn }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	rc, err := m.OpenFile(ctx, file)
	if err != nil {
		return err
	}
	defer func() { _ = rc.Close() }()
	return read(rc)
}

// The most bytes of the texts of a state that have columns of their own: indexes hold them,
// and PostgreSQL has no room there for more than 2704 together.
const (
	longestName    = 1024
	longestVersion = 255
)

// keepable refuses a state whose texts can't be kept in their columns.
func keepable(state *statefile.State, summary *statefile.Summary) error {
	if !fits(state.TerraformVersion, longestVersion) {
		return belay.Refuse(belay.Invalid, "state file: terraform_version must be at most %d bytes, without a NUL", longestVersion)
	}
	for _, use := range slices.Concat(summary.ModulesUsed, summary.ProvidersUsed) {
		if !fits(use.Name, longestName) || !fits(use.Source, longestName) {
			return belay.Refuse(belay.Invalid, "state file: the address of a module or provider must be at most %d bytes, without a NUL", longestName)
		}
	}
	return keepableOutputs(state.Outputs)
}

// keepableOutputs refuses outputs whose names can't be kept.
func keepableOutputs(list []statefile.Output) error {
	if slices.ContainsFunc(list, func(o statefile.Output) bool { return !fits(o.Name, longestName) }) {
		return belay.Refuse(belay.Invalid, "the name of an output must be at most %d bytes, without a NUL", longestName)
	}
	return nil
}

// fits says whether a text is not too long, and without the NUL that JSON can write.
func fits(text string, longest int) bool {
	return len(text) <= longest && !strings.ContainsRune(text, 0)
}

// decides is the lineage of the state: the announced one, and else the one inside its file.
func (c *contents) decides(announced string) (string, error) {
	lineage := cmp.Or(announced, c.lineage)
	if lineage == "" {
		return "", belay.Refuse(belay.Invalid, "state file: lineage is missing, and none was announced")
	}
	return lineage, nil
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
func (m *Room) outputs(list []statefile.Output) []belay.StateOutput {
	out := make([]belay.StateOutput, len(list))
	for i, o := range list {
		list[i].Value = nil // not to be held twice
		id := belay.NewID("wsout")
		out[i] = belay.StateOutput{
			ID: id, Name: o.Name, Sensitive: o.Sensitive, Kind: o.TypeWord(),
			DetailedType: string(o.Type), SealedValue: m.ring.Seal(o.Value, id),
		}
	}
	return out
}

// know writes into a state version what reading its file found, except for the outputs.
func (c *contents) know(v *belay.StateVersion) {
	v.Processed, v.Problem, v.Contents = true, c.problem, c.StateContents
}
