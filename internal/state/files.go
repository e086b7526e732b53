package state

import (
	"context"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
)

// SmallState is up to how many bytes a state is read from the store without waiting for a turn.
const SmallState = 1 << 20

// seenAlong is up to how many bytes a state is looked into while it comes, so that it need not be read again.
const seenAlong = 2 << 20

// storeFile writes what a client sends to a new file of a state version, which is durable
// when it returns.
func (m *Room) storeFile(ctx context.Context, kind object.Kind, workspaceID, id string, from *object.Incoming) (belay.StateFile, error) {
	file, err := m.objects.Put(ctx, object.NewKey(kind, workspaceID, id), from)
	return belay.StateFile{Key: file.Key, MD5: file.MD5, Size: file.Size}, err
}

// OpenFile opens a file of a state version; reading it ends in a refusal unless its bytes are
// the ones that were stored.
func (m *Room) OpenFile(ctx context.Context, file belay.StateFile) (io.ReadCloser, error) {
	return m.objects.OpenSealed(ctx, file.Key, file.Size)
}
