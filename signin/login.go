package signin

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"regexp"
	"strconv"
	"time"
)

// What the command lines are told, and must then send ("login.v1" of the discovery).
const (
	LoginClientID  = "belay-cli"
	LoginFirstPort = 10000
	LoginLastPort  = 10010
)

// LoginCodeLifetime is how long a code waits to be exchanged for a token.
const LoginCodeLifetime = 5 * time.Minute

// GrantError is a refusal in the words of RFC 6749: a code that programs know, and a
// text for people.
type GrantError struct{ Code, Detail string }

func (e *GrantError) Error() string { return e.Code + ": " + e.Detail }

// Authorization is what a command line asks for in a person's browser.
type Authorization struct {
	ClientID, RedirectURI, ResponseType string
	State                               string // handed back as it came
	Challenge, ChallengeMethod          string // PKCE (RFC 7636)
}

var (
	redirectHosts = regexp.MustCompile(`^http://(?:localhost|127\.0\.0\.1):([0-9]{5})/login$`)
	challengeS256 = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	plainVerifier = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
)

// CheckClient says whether the answer may be sent where it was asked for. When it may
// not, only the person in front of the browser may hear of it.
func (a *Authorization) CheckClient() error {
	if a.ClientID != LoginClientID {
		return &GrantError{"invalid_client", "the client is not known here"}
	}
	found := redirectHosts.FindStringSubmatch(a.RedirectURI)
	if found == nil {
		return &GrantError{"invalid_request", "the redirect address is not one of a command line on this computer"}
	}
	if port, _ := strconv.Atoi(found[1]); port < LoginFirstPort || port > LoginLastPort {
		return &GrantError{"invalid_request", "the redirect address has a port outside the agreed range"}
	}
	return nil
}

// Check is the rest of the rule: a code, and a challenge by SHA-256.
func (a *Authorization) Check() error {
	switch {
	case a.ResponseType != "code":
		return &GrantError{"unsupported_response_type", "response_type must be code"}
	case a.ChallengeMethod != "S256":
		return &GrantError{"invalid_request", "code_challenge_method must be S256"}
	case !challengeS256.MatchString(a.Challenge):
		return &GrantError{"invalid_request", "code_challenge must be a SHA-256 sum in base64url"}
	default:
		return nil
	}
}

// Page is the address of the page, under a path, that asks a person for the same.
func (a *Authorization) Page(path string) string {
	return path + "?" + url.Values{
		"client_id": {a.ClientID}, "redirect_uri": {a.RedirectURI}, "response_type": {a.ResponseType}, "state": {a.State},
		"code_challenge": {a.Challenge}, "code_challenge_method": {a.ChallengeMethod},
	}.Encode()
}

// Granted is the address that hands the code to the command line.
func (a *Authorization) Granted(code string) string { return a.back(url.Values{"code": {code}}) }

// Refused is the address that tells the command line why there is no code.
func (a *Authorization) Refused(e *GrantError) string {
	return a.back(url.Values{"error": {e.Code}, "error_description": {e.Detail}})
}

func (a *Authorization) back(answer url.Values) string {
	if a.State != "" {
		answer.Set("state", a.State)
	}
	return a.RedirectURI + "?" + answer.Encode()
}

// LoginCode lets a command line fetch a token, once, for the person who allowed it.
// Its value travels through the browser; what is kept is a hash.
type LoginCode struct {
	Hash        string
	UserID      string
	ClientID    string
	RedirectURI string
	Challenge   string
	TokenID     string // the token it was exchanged for
	IdentityID  string // of the session that allowed it
	CreatedAt   time.Time
	ExpiredAt   time.Time
	UsedAt      time.Time // zero: not yet
}

// Redemption is what a command line sends to exchange a code.
type Redemption struct{ Code, ClientID, RedirectURI, Verifier string }

// ErrGrant is the answer to every code that gives no token: which rule was broken is
// nobody's business but the right client's, who breaks none.
var ErrGrant = &GrantError{"invalid_grant", "the code is unknown, used, expired, or not for this client"}

// Redeem uses the code up. It is good for one try, whatever comes of it.
func (c *LoginCode) Redeem(r Redemption, now time.Time) error {
	fresh := c.UsedAt.IsZero() && now.Before(c.ExpiredAt)
	if c.UsedAt.IsZero() {
		c.UsedAt = now
	}
	if !fresh || c.ClientID != r.ClientID || c.RedirectURI != r.RedirectURI || !proves(r.Verifier, c.Challenge) {
		return ErrGrant
	}
	return nil
}

// proves says whether the verifier is what the challenge was made from.
func proves(verifier, challenge string) bool {
	if !plainVerifier.MatchString(verifier) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(made), []byte(challenge)) == 1
}
