package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

const (
	keySize = 32
	idSize  = 4
)

// Ring holds the current key, which seals, and older ones, which only open.
// It never changes after it was made and is safe for concurrent use.
type Ring struct {
	keys []*key // the first is the current one
}

// key is one key of the ring with what is derived from it once.
type key struct {
	id     [idSize]byte
	secret []byte
	values cipher.AEAD
}

// GenerateKey makes a new random key in the text form Open reads.
func GenerateKey() string {
	secret := make([]byte, keySize)
	rand.Read(secret) // never returns an error
	return base64.StdEncoding.EncodeToString(secret)
}

// Parse makes a ring of keys in base64, separated by commas, spaces or line ends.
func Parse(text string) (*Ring, error) {
	r := &Ring{}
	words := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	for i, word := range words {
		k, err := parseKey(word)
		if err != nil {
			return nil, fmt.Errorf("encryption key %d: %w", i+1, err)
		}
		if r.find(func(other *key) bool { return other.id == k.id }) != nil {
			return nil, fmt.Errorf("encryption key %d is given twice", i+1)
		}
		r.keys = append(r.keys, k)
	}
	if len(r.keys) == 0 {
		return nil, errors.New("no encryption key")
	}
	return r, nil
}

// ID names the current key; it may be logged.
func (r *Ring) ID() string { return r.keys[0].hexID() }

// Fingerprints tells the keys of the ring from all others, the current one first. Each
// begins with what ID names its key by. They may be kept in the open.
func (r *Ring) Fingerprints() []string {
	list := make([]string, len(r.keys))
	for i, k := range r.keys {
		list[i] = k.hexID() + "." + k.mac("fingerprint", "")
	}
	return list
}

func (r *Ring) find(is func(*key) bool) *key {
	for _, k := range r.keys {
		if is(k) {
			return k
		}
	}
	return nil
}

// parseKey takes base64 of either alphabet, padded or not; its errors never
// repeat the key.
func parseKey(word string) (*key, error) {
	word = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(word, "="))
	secret, err := base64.RawStdEncoding.DecodeString(word)
	if err != nil {
		return nil, errors.New("not base64")
	}
	if len(secret) != keySize {
		return nil, fmt.Errorf("%d bytes long, must be %d", len(secret), keySize)
	}
	k := &key{secret: secret}
	sum := sha256.Sum256(secret)
	copy(k.id[:], sum[:])
	return k, k.deriveValues()
}

func (k *key) deriveValues() error {
	block, err := k.block(nil, "belay values v1")
	if err != nil {
		return err
	}
	k.values, err = cipher.NewGCMWithRandomNonce(block)
	return err
}

// derive gives the key for one purpose, so that no two uses share one.
func (k *key) derive(salt []byte, purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, k.secret, salt, purpose, keySize)
}

func (k *key) block(salt []byte, purpose string) (cipher.Block, error) {
	derived, err := k.derive(salt, purpose)
	if err != nil {
		return nil, err
	}
	return aes.NewCipher(derived)
}

func (k *key) hexID() string { return hex.EncodeToString(k.id[:]) }
