package vcs_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/vcs"
)

func sum256(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func sum1(secret, body string) string {
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func basic(user, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+secret))
}

// proof is the header and value with which each service proves that it knows a secret.
func proof(service, secret, body string) (name, value string) {
	switch service {
	case "github", "github_enterprise":
		return "X-Hub-Signature-256", "sha256=" + sum256(secret, body)
	case "bitbucket_hosted", "bitbucket_data_center", "bitbucket_server", "bitbucket_server_legacy":
		return "X-Hub-Signature", "sha256=" + sum256(secret, body)
	case "gitea":
		return "X-Gitea-Signature", sum256(secret, body)
	case "forgejo":
		return "X-Forgejo-Signature", sum256(secret, body)
	case "ado_services", "ado_server":
		return "Authorization", basic("belay", secret)
	}
	return "X-Gitlab-Token", secret
}

var services = []string{
	"github", "github_enterprise", "gitlab_hosted", "gitlab_community_edition", "gitlab_enterprise_edition",
	"bitbucket_hosted", "bitbucket_data_center", "bitbucket_server", "bitbucket_server_legacy", "gitea", "forgejo",
	"ado_services", "ado_server",
}

// TestVerify holds for every service that its own proof is taken, with the newer secret and with the
// older, and that nothing else is.
func TestVerify(t *testing.T) {
	t.Parallel()
	body, now, before := `{"a":1}`, []byte("the secret of now"), []byte("the secret before")
	for _, service := range services {
		name, good := proof(service, string(now), body)
		_, old := proof(service, string(before), body)
		_, wrong := proof(service, "another", body)
		_, none := proof(service, "", body)
		_, elsewhere := proof(service, string(now), body+" ")
		bodied := elsewhere != good // some prove the secret alone
		for called, c := range map[string]struct {
			header  http.Header
			secrets [][]byte
			want    bool
		}{
			"good":                      {http.Header{name: {good}}, [][]byte{now}, true},
			"the older secret":          {http.Header{name: {old}}, [][]byte{now, before}, true},
			"the older secret is over":  {http.Header{name: {old}}, [][]byte{now}, false},
			"wrong":                     {http.Header{name: {wrong}}, [][]byte{now, before}, false},
			"missing":                   {http.Header{}, [][]byte{now}, false},
			"empty":                     {http.Header{name: {""}}, [][]byte{now}, false},
			"twice":                     {http.Header{name: {wrong, good}}, [][]byte{now}, false},
			"nothing to compare with":   {http.Header{name: {good}}, nil, false},
			"the secret is empty":       {http.Header{name: {none}}, [][]byte{{}}, false},
			"cut":                       {http.Header{name: {good[:len(good)-1]}}, [][]byte{now}, false},
			"longer":                    {http.Header{name: {good + "00"}}, [][]byte{now}, false},
			"of another body":           {http.Header{name: {elsewhere}}, [][]byte{now}, !bodied},
			"the right one, older type": {http.Header{"X-Hub-Signature": {"sha1=" + sum1(string(now), body)}}, [][]byte{now}, false},
			"an older type by the name": {http.Header{name: {"sha1=" + sum1(string(now), body)}}, [][]byte{now}, false},
		} {
			if got := vcs.Verify(service, c.header, []byte(body), c.secrets); got != c.want {
				t.Errorf("%s, %s: %v, want %v", service, called, got, c.want)
			}
		}
	}
	if vcs.Verify("sourceforge", http.Header{"X-Hub-Signature-256": {"sha256=" + sum256("s", body)}}, []byte(body), [][]byte{[]byte("s")}) {
		t.Error("a service that is not known was believed")
	}
}

func TestVerifyOtherUsersOfBasicAuthentication(t *testing.T) {
	t.Parallel()
	for _, value := range []string{basic("admin", "s"), basic("", "s"), "Bearer s", "Basic !", "Basic " + base64.StdEncoding.EncodeToString([]byte("belay"))} {
		if vcs.Verify("ado_services", http.Header{"Authorization": {value}}, nil, [][]byte{[]byte("s")}) {
			t.Errorf("%q was believed", value)
		}
	}
}

// TestAnUnsignedPingIsAPing holds that the one delivery that needs no proof brings nothing, whatever is in it.
func TestAnUnsignedPingIsAPing(t *testing.T) {
	t.Parallel()
	header, secrets := http.Header{"X-Event-Key": {"diagnostics:ping"}}, [][]byte{[]byte("s")}
	if !vcs.Verify("bitbucket_data_center", header, []byte(`{"test":true}`), secrets) {
		t.Error("the connection test is refused")
	}
	for _, service := range services {
		if !strings.HasPrefix(service, "bitbucket_data") && !strings.HasPrefix(service, "bitbucket_server") && vcs.Verify(service, header, nil, secrets) {
			t.Errorf("%s takes an unsigned ping", service)
		}
	}
	header.Set("X-Hub-Signature", "sha256="+sum256("wrong", ""))
	if vcs.Verify("bitbucket_data_center", header, nil, secrets) {
		t.Error("a ping with a wrong signature is taken")
	}
	if vcs.Verify("bitbucket_data_center", http.Header{"X-Event-Key": {"diagnostics:ping", "repo:refs_changed"}}, nil, secrets) {
		t.Error("two keys of an event are taken for a ping")
	}
}
