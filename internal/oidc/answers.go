package oidc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
)

// answers reads no more of an answer than an issuer has to say, and gives its keys the octets that it
// left out. RFC 7518, 6.2.1.2 wants all of a coordinate; Gitea leaves leading zeros out, which one key
// in 128 has, and with such a key nobody of that Gitea could ever sign in. The number is the same.
type answers struct{ http.RoundTripper }

const mostAnswered = 1 << 20

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.RoundTripper.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	said, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswered))
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(whole(said)))
	return answer, nil
}

// octets is how long a coordinate of a curve is.
var octets = map[any]int{"P-256": 32, "P-384": 48, "P-521": 66}

// whole is a set of keys with whole coordinates. Whatever else an issuer says stays as it is.
func whole(said []byte) []byte {
	var set struct {
		Keys []map[string]any `json:"keys"`
	}
	if json.Unmarshal(said, &set) != nil {
		return said
	}
	short := false
	for _, key := range set.Keys {
		for _, name := range []string{"x", "y"} {
			text, _ := key[name].(string)
			number, err := base64.RawURLEncoding.DecodeString(text)
			if missing := octets[key["crv"]] - len(number); err == nil && text != "" && missing > 0 {
				key[name] = base64.RawURLEncoding.EncodeToString(append(make([]byte, missing), number...))
				short = true
			}
		}
	}
	if !short {
		return said
	}
	said, _ = json.Marshal(set)
	return said
}
