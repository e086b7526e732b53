package e2e_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// TestWhatWorkspacesShareSaysWhoHasIt shows how many workspaces a variable set reaches and where its variables are not
// the ones that count, and which workspaces use a key, and how it is told from others.
func TestWhatWorkspacesShareSaysWhoHasIt(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		network := s.people()
		s.workspace("acme", "lake")
		owner, reader := s.signIn("olga"), s.signIn("rita")
		set := func(name, attributes string) string {
			return s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets","attributes":{"name":"`+name+`",`+attributes+`}}}`).want(t, 201).text("data.id")
		}
		variable := func(of, key string) {
			s.do("POST", of, s.Token, fmt.Sprintf(`{"data":{"type":"vars","attributes":{"key":%q,"value":"x","category":"env"}}}`, key)).want(t, 201)
		}
		all, some, first := set("all", `"global":true`), set("some", `"global":false`), set("first", `"global":true,"priority":true`)
		s.do("POST", "/varsets/"+some+"/relationships/workspaces", s.Token, `{"data":[{"type":"workspaces","id":"`+network+`"}]}`).want(t, 204)
		for _, id := range []string{all, some, first} {
			variable("/varsets/"+id+"/relationships/vars", "REGION")
			variable("/varsets/"+id+"/relationships/vars", "ALONE")
		}
		variable("/workspaces/"+network+"/vars", "REGION")
		const sets = "/app/acme/variable-sets"
		owner.get(sets).want(t, 200).has(t, "Reaches", ">2 workspaces<", ">1 workspace<").inert(t)
		owner.get(sets+"/"+all).want(t, 200).has(t, "Reaches 2 workspaces", "Overridden in", `<a href="`+networkPage+`/variables">network</a>`).inert(t)
		owner.get(sets+"/"+some).want(t, 200).has(t, "Reaches 1 workspace", `/variables">network</a>`)
		owner.get(sets+"/"+first).want(t, 200).has(t, "Wins over", `/variables">network</a>`)
		s.do("POST", "/varsets/"+some+"/relationships/projects", s.Token, `{"data":[{"type":"projects","id":"`+s.do("GET", "/workspaces/"+network, s.Token, "").text("data.relationships.project.data.id")+`"}]}`).want(t, 204)
		owner.get(sets+"/"+some).want(t, 200).has(t, "Reaches 2 workspaces") // one of them twice over

		_, private, err := ed25519.GenerateKey(rand.Reader)
		must(t, err)
		block, err := ssh.MarshalPrivateKey(private, "")
		must(t, err)
		signer, err := ssh.NewSignerFromKey(private)
		must(t, err)
		value, _ := json.Marshal(string(pem.EncodeToMemory(block)))
		key := s.do("POST", "/organizations/acme/ssh-keys", s.Token, `{"data":{"type":"ssh-keys","attributes":{"name":"modules","value":`+string(value)+`}}}`).want(t, 201)
		sum := ssh.FingerprintSHA256(signer.PublicKey())
		if got := key.text("data.attributes.fingerprint"); got != sum {
			t.Errorf("the fingerprint is %q, not %q", got, sum)
		}
		s.do("PATCH", "/workspaces/"+network+"/relationships/ssh-key", s.Token, `{"data":{"type":"workspaces","attributes":{"id":"`+key.text("data.id")+`"}}}`).want(t, 200)
		page := owner.get("/app/acme/keys").want(t, 200).has(t, "Fingerprint", `<a href="`+networkPage+`">network</a>`).inert(t)
		if !strings.Contains(strings.ReplaceAll(page.said(), "&#43;", "+"), sum) {
			t.Errorf("the page has no fingerprint: %s", page.Body)
		}
		owner.post("/app/acme/keys", page.form("do", "new", "name", "blank", "secret", "")).want(t, 422).has(t, "Private key can&#39;t be blank")
		owner.post("/app/acme/keys", page.form("do", "new", "name", "no key", "secret", "-----BEGIN nothing")).want(t, 422).has(t, "Private key is invalid")
		reader.get("/app/acme/keys").want(t, 404)
	})
}
