// Package seal owns the keys that protect what Belay keeps at rest, and the two
// shapes in which sealed bytes lie: a line of text for a small value (a variable,
// a token) and a stream of chunks for a file (a state). Everything is AES-256-GCM;
// each use has a key of its own, derived with HKDF from a key of the ring.
//
// It also signs messages (upload and download URLs) with those keys.
//
// It never decides who may read, never logs, and never hands out a key or a byte
// that failed authentication.
//
// # Rotating keys
//
// Put a new key first (in the environment value or as the first line of the key
// file), keep the old ones after it, restart: new data is sealed with the first
// key, old data still opens. An old key may go once nothing sealed with it is left.
package seal

import (
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrDamaged says that sealed bytes are cut, changed, or belong to another context.
	ErrDamaged = errors.New("sealed data is damaged, cut or not what it claims to be")
	// ErrUnknownKey says that the ring lacks the key some bytes were sealed with.
	ErrUnknownKey = errors.New("sealed with a key this server does not have")
)

const valueVersion = "v1"

// Seal encrypts a small value into one line of text. The context (say, the id of
// the row that holds it) is not stored but must be given again to open it, so a
// sealed value moved to another row does not open.
func (r *Ring) Seal(plain []byte, context string) string {
	k := r.keys[0]
	head := valueVersion + "." + k.hexID() + "."
	sealed := k.values.Seal(nil, nil, plain, []byte(head+context)) //nolint:gosec // the cipher draws its own nonces
	return head + base64.RawURLEncoding.EncodeToString(sealed)
}

// Unseal opens what Seal made, with any key of the ring.
func (r *Ring) Unseal(sealed string, context string) ([]byte, error) {
	version, rest, _ := strings.Cut(sealed, ".")
	id, text, ok := strings.Cut(rest, ".")
	if version != valueVersion || !ok {
		return nil, fmt.Errorf("not a sealed value: %w", ErrDamaged)
	}
	k := r.find(func(k *key) bool { return k.hexID() == id })
	if k == nil {
		return nil, fmt.Errorf("key %.8q: %w", id, ErrUnknownKey)
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, ErrDamaged
	}
	return open(k.values, raw, []byte(version+"."+id+"."+context))
}

// open hides the cipher's own error: it says no more than ErrDamaged does.
func open(values cipher.AEAD, raw, context []byte) ([]byte, error) {
	plain, err := values.Open([]byte{}, nil, raw, context)
	if err != nil {
		return nil, ErrDamaged
	}
	return plain, nil
}
