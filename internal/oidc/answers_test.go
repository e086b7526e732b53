package oidc_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// TestKeyWithoutItsLeadingZeros signs by a key whose set says it as Gitea would: a coordinate that
// begins with a zero is an octet short.
func TestKeyWithoutItsLeadingZeros(t *testing.T) {
	t.Parallel()
	for range 100_000 {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		point, err := key.PublicKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		x, y := bytes.TrimLeft(point[1:33], "\x00"), bytes.TrimLeft(point[33:], "\x00")
		if len(x)+len(y) == 64 {
			continue
		}
		keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			text := base64.RawURLEncoding.EncodeToString
			tell(w, map[string]any{"keys": []any{map[string]any{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "k", "x": text(x), "y": text(y)}}})
		}))
		t.Cleanup(keys.Close)
		i := newIssuer(t)
		i.meta, i.sign = map[string]any{"jwks_uri": keys.URL}, i.with(jose.ES256, key, "k", "JWT")
		r := i.room("")
		if _, err := r.Finish(t.Context(), "id", flow, "code"); err != nil {
			t.Errorf("coordinates of %d and %d octets: %v", len(x), len(y), err)
		}
		other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		i.sign = i.with(jose.ES256, other, "k", "JWT")
		if _, err := r.Finish(t.Context(), "id", flow, "code"); err == nil {
			t.Error("another key is believed")
		}
		return
	}
	t.Fatal("no key begins with a zero")
}
