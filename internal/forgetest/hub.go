package forgetest

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// What the App of a Hub is known by.
const (
	AppID     = "4711"
	AppSecret = "the secret of the app"
	hubPrefix = "/hub/"
)

// Installation is one account that the App is installed in, with its repositories.
type Installation struct {
	Account, Kind string
	Repositories  []string
	Suspended     bool
}

// Grant is a token that an installation was given.
type Grant struct {
	Number       int64
	Repositories []string // by their names
	OnlyRead     bool
	Until        time.Time
}

// Hub lets a forge speak the part of GitHub's API that an App uses, and takes its tokens alone. What it
// saw is read under the lock of the forge.
type Hub struct {
	*Forge
	Key           string // of the App, PEM
	Installations map[int64]*Installation
	Granted       map[string]Grant // by the tokens
	Now           func() time.Time // its clock
	Refused       []string         // what was asked without a right to it

	public *rsa.PublicKey
	made   int
}

// Hub begins to speak GitHub's API below the address that it says.
func (f *Forge) Hub() (hub *Hub, api string) {
	f.t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		f.t.Fatal(err)
	}
	hub = &Hub{
		Forge: f, public: &key.PublicKey, Installations: map[int64]*Installation{}, Granted: map[string]Grant{}, Now: time.Now,
		Key: string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
	}
	f.Lock()
	defer f.Unlock()
	f.hub = hub
	return hub, f.URL + strings.TrimSuffix(hubPrefix, "/")
}

func (f *Forge) hubOf() *Hub {
	f.Lock()
	defer f.Unlock()
	return f.hub
}

// serve answers a request of the API.
func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	asked := "/" + strings.TrimPrefix(r.URL.Path, hubPrefix)
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if strings.HasPrefix(asked, "/app/") {
		h.app(w, r, asked, token)
		return
	}
	h.Lock()
	g, known := h.Granted[token]
	known = known && g.Until.After(h.Now())
	repo := strings.HasPrefix(asked+"/", "/repos/"+Repository+"/") && slices.Contains(g.Repositories, path.Base(Repository))
	allowed := known && repo && !g.OnlyRead && !strings.Contains(asked, "/hooks")
	if !allowed {
		h.Refused = append(h.Refused, r.Method+" "+asked)
	}
	h.Unlock()
	switch {
	case !known:
		answer(w, http.StatusUnauthorized, object{"message": "Bad credentials: " + token})
	case !allowed:
		answer(w, http.StatusForbidden, object{"message": "Resource not accessible by integration"})
	default:
		inner := strings.TrimPrefix(asked, "/repos/"+Repository)
		if rest, found := strings.CutPrefix(inner, "/commits/"); found {
			inner = "/git/commits/" + rest
		}
		r.URL.Path = prefix + inner
		r.Header.Set("Authorization", "token "+Token)
		h.API(w, r)
	}
}

// app answers what the App asks for itself.
func (h *Hub) app(w http.ResponseWriter, r *http.Request, asked, claims string) {
	h.Lock()
	defer h.Unlock()
	var number int64
	_, scanned := fmt.Sscanf(asked, "/app/installations/%d/access_tokens", &number)
	at := h.Installations[number]
	switch err := h.proved(claims); {
	case err != nil:
		h.Refused = append(h.Refused, asked+": "+err.Error())
		answer(w, http.StatusUnauthorized, object{"message": "A JSON web token could not be decoded"})
	case r.Method == http.MethodGet && asked == "/app/installations":
		list := []object{}
		for _, n := range slices.Sorted(maps.Keys(h.Installations)) {
			list = append(list, h.described(n))
		}
		answer(w, http.StatusOK, list)
	case r.Method != http.MethodPost || scanned != nil || at == nil:
		answer(w, http.StatusNotFound, object{"message": "Not Found"})
	case at.Suspended:
		answer(w, http.StatusForbidden, object{"message": "This installation has been suspended"})
	default:
		h.grant(w, r, number, at)
	}
}

func (h *Hub) described(number int64) object {
	i := h.Installations[number]
	one := object{
		"id": number, "account": object{"login": i.Account, "type": i.Kind, "avatar_url": h.URL + "/avatars/" + i.Account},
		"html_url": fmt.Sprintf("%s/organizations/%s/settings/installations/%d", h.URL, i.Account, number), "target_type": i.Kind, "suspended_at": nil,
	}
	if i.Suspended {
		one["suspended_at"] = h.Now().UTC().Format(time.RFC3339)
	}
	return one
}

// grant gives a token for an hour, for the repositories that are named and there.
func (h *Hub) grant(w http.ResponseWriter, r *http.Request, number int64, at *Installation) {
	var wanted struct {
		Repositories []string
		Permissions  map[string]string
	}
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &wanted)
	for _, name := range wanted.Repositories {
		if !slices.ContainsFunc(at.Repositories, func(one string) bool { return strings.EqualFold(one, at.Account+"/"+name) }) {
			answer(w, http.StatusUnprocessableEntity, object{"message": "There is at least one repository that does not exist or is not accessible to the parent installation."})
			return
		}
	}
	h.made++
	token := fmt.Sprintf("ghs_%040d", h.made)
	g := Grant{Number: number, Repositories: wanted.Repositories, Until: h.Now().Add(time.Hour), OnlyRead: len(wanted.Permissions) == 1 && wanted.Permissions["contents"] == "read"}
	h.Granted[token] = g
	answer(w, http.StatusCreated, object{"token": token, "expires_at": g.Until.UTC().Format(time.RFC3339), "permissions": wanted.Permissions})
}

// proved checks the claims of the App, as GitHub does.
func (h *Hub) proved(claims string) error {
	parts := strings.Split(claims, ".")
	if len(parts) != 3 {
		return fmt.Errorf("no claims")
	}
	var raw [3][]byte
	for i, part := range parts {
		var err error
		if raw[i], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			return err
		}
	}
	var head struct{ Alg string }
	var body struct {
		Iss      string
		Iat, Exp int64
	}
	if json.Unmarshal(raw[0], &head) != nil || json.Unmarshal(raw[1], &body) != nil {
		return fmt.Errorf("no JSON")
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(h.public, crypto.SHA256, sum[:], raw[2]); err != nil {
		return err
	}
	now := h.Now().Unix()
	if head.Alg != "RS256" || body.Iss != AppID || body.Iat > now || body.Exp <= now || body.Exp > now+600 || body.Exp-body.Iat > 600 {
		return fmt.Errorf("claims %s %s at %d", raw[0], raw[1], now)
	}
	return nil
}

// reads says whether a token lets git read a repository.
func (h *Hub) reads(token, at string) bool {
	if h == nil {
		return false
	}
	h.Lock()
	defer h.Unlock()
	g, known := h.Granted[token]
	name, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), ".git")
	return known && g.OnlyRead && g.Until.After(h.Now()) && slices.Contains(g.Repositories, path.Base(name))
}

// SignedApp is a delivery to the App, of an installation.
func SignedApp(event, delivery string, number int64, body map[string]any) (http.Header, []byte, error) {
	body = maps.Clone(body)
	body["installation"] = object{"id": number}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	mac := hmac.New(sha256.New, []byte(AppSecret))
	mac.Write(raw)
	return http.Header{
		"X-Github-Event": {event}, "X-Github-Delivery": {delivery}, "X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))},
	}, raw, nil
}
