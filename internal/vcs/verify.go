package vcs

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
)

// HookUser is the name that Azure DevOps gives with the secret.
const HookUser = "belay"

// Verify says whether a delivery was sent by somebody who knows one of the secrets. It looks at bytes
// alone: ask it before anything is read, and read nothing when it says no. It takes as long for a secret
// that is nearly right as for any other.
func Verify(service string, header http.Header, body []byte, secrets [][]byte) bool {
	given, check := credential(families[service], header)
	if given == nil {
		return unsignedPing(families[service], header)
	}
	found := 0
	for _, secret := range secrets {
		if len(secret) > 0 {
			found |= check(given, body, secret)
		}
	}
	return found == 1
}

// credential is what a service proves itself with, and how that is checked.
func credential(f family, header http.Header) ([]byte, func(given, body, secret []byte) int) {
	switch f {
	case gitHub:
		return signature(header, "X-Hub-Signature-256", "sha256="), signed
	case bitbucketCloud, bitbucketServer:
		return signature(header, "X-Hub-Signature", "sha256="), signed
	case gitea:
		if given := signature(header, "X-Forgejo-Signature", ""); given != nil {
			return given, signed
		}
		return signature(header, "X-Gitea-Signature", ""), signed
	case gitLab:
		return only(header, "X-Gitlab-Token"), equal
	case azure:
		return password(header), equal
	}
	return nil, nil
}

// only is the value of a header that must be there once.
func only(header http.Header, name string) []byte {
	values := header.Values(name)
	if len(values) != 1 || values[0] == "" {
		return nil
	}
	return []byte(values[0])
}

func signature(header http.Header, name, prefix string) []byte {
	text, ok := strings.CutPrefix(string(only(header, name)), prefix)
	raw, err := hex.DecodeString(text)
	if !ok || err != nil || len(raw) != sha256.Size {
		return nil
	}
	return raw
}

func password(header http.Header) []byte {
	text, ok := strings.CutPrefix(string(only(header, "Authorization")), "Basic ")
	raw, err := base64.StdEncoding.DecodeString(text)
	user, secret, found := strings.Cut(string(raw), ":")
	if !ok || err != nil || !found || user != HookUser || secret == "" {
		return nil
	}
	return []byte(secret)
}

func signed(given, body, secret []byte) int {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return subtle.ConstantTimeCompare(given, mac.Sum(nil))
}

// equal compares sums, so that not even the length shows.
func equal(given, _, secret []byte) int {
	a, b := sha256.Sum256(given), sha256.Sum256(secret)
	return subtle.ConstantTimeCompare(a[:], b[:])
}

// unsignedPing is the one thing that is let through without proof: Bitbucket Data Center does not sign
// the connection test of its settings page. Read makes nothing but a Ping of it.
func unsignedPing(f family, header http.Header) bool {
	return f == bitbucketServer && string(only(header, "X-Event-Key")) == bitbucketPing && len(header.Values("X-Hub-Signature")) == 0
}

const bitbucketPing = "diagnostics:ping"
