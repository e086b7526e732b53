package runfile

import (
	"context"
	"encoding/json"
	"io"

	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// overtaken says that a later state of the same run is kept beside its workspace already: this one was
// long on its way, and may not take the place of what came after it.
func (r *Room) overtaken(ctx context.Context, f *store.RunFile) bool {
	var before store.RunFile
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		before, err = v.RunFile(f.RunID, run.RescuedFile)
		return err
	})
	if err != nil || before.SHA256 == f.SHA256 {
		return false
	}
	there, known := r.serial(ctx, &before)
	mine, also := r.serial(ctx, f)
	return known && also && mine < there
}

// serial is that of a state that is kept.
func (r *Room) serial(ctx context.Context, f *store.RunFile) (int64, bool) {
	rc, err := r.Objects.OpenKept(ctx, object.Kept{Key: f.Key, Sealed: f.Sealed, Context: f.SealContext(), SHA256: f.SHA256, Size: f.Size})
	if err != nil {
		return 0, false
	}
	defer func() { _ = rc.Close() }()
	return serialOf(rc)
}

// serialOf reads a state as far as its serial, which engines write near its beginning.
func serialOf(from io.Reader) (serial int64, found bool) {
	state := json.NewDecoder(from)
	if begin, err := state.Token(); err != nil || begin != json.Delim('{') {
		return 0, false
	}
	for state.More() {
		name, err := state.Token()
		if err != nil {
			return 0, false
		}
		if name == "serial" {
			err := state.Decode(&serial)
			return serial, err == nil
		}
		var other json.RawMessage
		if state.Decode(&other) != nil {
			return 0, false
		}
	}
	return 0, false
}
