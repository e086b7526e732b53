package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Place is where an archive is restored to.
type Place struct {
	DatabaseURL string // as store.Open takes it
	Blobs       blob.Store
	Ring        *seal.Ring // the keys that its server will have
	Replace     bool       // give up the database that is there, if there is one
}

// Refusal says why a place is not restored to. Nothing was changed.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Restore restores an archive into a place: the objects first, then the database, all of it or
// nothing. A server may be started on it when Restore has returned, and never before.
func Restore(ctx context.Context, from io.Reader, to Place) (*Head, *Manifest, error) {
	r, err := NewReader(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	if err := to.fits(ctx, &r.Head); err != nil {
		return &r.Head, nil, err
	}
	err = r.Objects(func(key string, from io.Reader) error { return to.Blobs.PutSealed(ctx, key, from) })
	if err != nil {
		return &r.Head, nil, err
	}
	var m *Manifest
	err = store.Load(ctx, to.DatabaseURL, r.Head.Schema, to.Replace, func(l *store.Loader) error {
		if err := r.Tables(l.Table); err != nil {
			return err
		}
		if err := l.Forget(); err != nil {
			return err
		}
		m, err = r.End()
		return err
	})
	return &r.Head, m, err
}

// fits refuses a place that the archive can't be restored to, before anything is written.
func (p Place) fits(ctx context.Context, head *Head) error {
	if err := store.KnowsSchema(head.Schema); err != nil {
		return err
	}
	if err := opens(p.Ring, head); err != nil {
		return err
	}
	if p.Replace {
		return nil
	}
	there, err := store.Occupied(ctx, p.DatabaseURL)
	if err != nil {
		return err
	}
	if there {
		return Refusal("there is a database already: restore into an empty place, or say --replace to give it up")
	}
	some := errors.New("some")
	err = p.Blobs.Walk(ctx, func(string, time.Time) error { return some })
	if errors.Is(err, some) {
		return Refusal("there are objects already: restore into an empty place, or say --replace to write beside and over them")
	}
	return err
}

// opens refuses keys that do not open what the archive holds.
func opens(ring *seal.Ring, head *Head) error {
	mine := ring.Fingerprints()
	for _, fingerprint := range head.Leading {
		if !slices.Contains(mine, fingerprint) {
			id, _, _ := strings.Cut(fingerprint, ".")
			return Refusal(fmt.Sprintf("the backup is sealed with the key %s, which is not among those of this server (%s): "+
				"give the right one in BELAY_ENCRYPTION_KEY or encryption.key", id, ids(mine)))
		}
	}
	for _, id := range head.SealedWith {
		if !slices.ContainsFunc(mine, func(f string) bool { return strings.HasPrefix(f, id+".") }) {
			return Refusal(fmt.Sprintf("some of the backup is sealed with the older key %s, which is not among those of this server (%s)", id, ids(mine)))
		}
	}
	return nil
}

// ids is the names of keys.
func ids(fingerprints []string) string {
	names := make([]string, len(fingerprints))
	for i, f := range fingerprints {
		names[i], _, _ = strings.Cut(f, ".")
	}
	return strings.Join(names, ", ")
}
