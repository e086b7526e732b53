package signin

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// WorkloadRule says which jobs of others get a short-lived token of a team: those whose own
// provider says of them what the rule asks for.
type WorkloadRule struct {
	ID             string
	OrganizationID string
	TeamID         string
	Name           string
	Issuer         string            // whose tokens are taken
	Audience       string            // for whom they must be made
	Claims         map[string]string // what they must say: patterns, by the names of claims
	TokenMinutes   int               // how long the team token lives
	CreatedBy      string
	ByOrganization bool      // made or changed by an organization token: its tokens are never more than that
	EndsAt         time.Time // of the token that made it, or let more in, or for longer; zero: never
	CreatedAt      time.Time

	Organization belay.Organization // read with the row: its name
}

// WorkloadRulePatch is a change of a rule; create is a patch of an empty one.
type WorkloadRulePatch struct {
	Name, Issuer, Audience patch.Field[string]
	Claims                 patch.Field[map[string]string]
	TokenMinutes           patch.Field[int]
}

// The bounds of the life of a token that a rule gives, in minutes.
const (
	DefaultWorkloadMinutes = 15
	mostWorkloadMinutes    = 12 * 60
	mostWorkloadClaims     = 20
)

// ownerClaims are those that say whose a job is, of providers that work for everybody:
// without one of them a rule would let in the jobs of strangers.
var ownerClaims = map[string][]string{
	"https://token.actions.githubusercontent.com": {"sub", "repository", "repository_id", "repository_owner", "repository_owner_id", "job_workflow_ref", "enterprise", "enterprise_id"},
	"https://gitlab.com":                          {"sub", "project_path", "project_id", "namespace_path", "namespace_id"},
}

// Apply changes the rule, or says all that is wrong with the patch.
func (r *WorkloadRule) Apply(p WorkloadRulePatch) error {
	var problems belay.Problems
	p.Name.Into(&r.Name)
	p.Issuer.Into(&r.Issuer)
	p.Audience.Into(&r.Audience)
	p.TokenMinutes.Into(&r.TokenMinutes)
	if p.Claims.Set {
		r.Claims = maps.Clone(p.Claims.Value)
	}
	belay.CheckLabel(&problems, "name", "Name", r.Name)
	belay.CheckLabel(&problems, "audience", "Audience", r.Audience)
	if err := CheckIssuer(r.Issuer); err != nil || len(r.Issuer) > belay.MaxLabel {
		problems.Attribute("issuer", "Issuer is an address such as https://token.actions.githubusercontent.com")
	}
	if r.TokenMinutes < 1 || r.TokenMinutes > mostWorkloadMinutes {
		problems.Attribute("token-minutes", "Token minutes is from 1 to %d", mostWorkloadMinutes)
	}
	r.checkClaims(&problems)
	return problems.Err()
}

func (r *WorkloadRule) checkClaims(problems *belay.Problems) {
	if len(r.Claims) == 0 || len(r.Claims) > mostWorkloadClaims {
		problems.Attribute("claims", "Claims has 1 to %d members, or anybody's job would do", mostWorkloadClaims)
		return
	}
	before := len(*problems)
	for _, name := range slices.Sorted(maps.Keys(r.Claims)) {
		if pattern := r.Claims[name]; name == "" || len(name) > belay.MaxLabel || pattern == "" || len(pattern) > belay.MaxLabel {
			problems.At(belay.Place("claims").Member(name), "Claims has names and patterns of 1 to %d characters", belay.MaxLabel)
		}
	}
	if len(*problems) > before {
		return
	}
	telling := func(name string) bool { return r.Claims[name] != "" && r.Claims[name][0] != '*' }
	owners, shared := ownerClaims[r.Issuer]
	if !shared {
		owners = slices.Collect(maps.Keys(r.Claims))
	}
	switch {
	case slices.ContainsFunc(owners, telling):
	case shared:
		problems.Attribute("claims", "Claims must say whose the job is: one of %s, with a pattern that does not begin with *", strings.Join(owners, ", "))
	default:
		problems.Attribute("claims", "Claims must have a pattern that does not begin with *")
	}
}

// WorkloadToken is what a job's provider says of it, signed and checked.
type WorkloadToken struct {
	Issuer   string
	Audience []string
	Claims   map[string]any
	ID       string // no two tokens have one
	Until    time.Time
}

// Admits says whether a job may have a token of the team.
func (r *WorkloadRule) Admits(t *WorkloadToken) bool {
	if t.Issuer != r.Issuer || !slices.Contains(t.Audience, r.Audience) || len(r.Claims) == 0 {
		return false
	}
	for name, pattern := range r.Claims {
		said, _ := ClaimOf(t.Claims, name)
		if !slices.ContainsFunc(said, claimPattern(pattern).MatchString) {
			return false
		}
	}
	return true
}

// claimPattern matches whole claims: * is any run of characters but / and :, which divide
// what claims are made of; ** is any run at all.
func claimPattern(pattern string) *regexp.Regexp {
	var expression strings.Builder
	for i, part := range strings.Split(pattern, "**") {
		if i > 0 {
			expression.WriteString(".*")
		}
		expression.WriteString(strings.ReplaceAll(regexp.QuoteMeta(part), `\*`, "[^/:]*"))
	}
	return regexp.MustCompile(`(?s)\A(?:` + expression.String() + `)\z`)
}

// EndWith lets the rule end no later than the token that makes it, changes whom it lets in, or
// for how long: else it would make tokens when that can't any more. The zero time is one without an end.
func (r *WorkloadRule) EndWith(token time.Time) {
	if !token.IsZero() && (r.EndsAt.IsZero() || token.Before(r.EndsAt)) {
		r.EndsAt = token
	}
}

// Lasts is how long a token lives that the rule gives now; 0: it gives none any more.
func (r *WorkloadRule) Lasts(now time.Time) time.Duration {
	lasts := time.Duration(r.TokenMinutes) * time.Minute
	if !r.EndsAt.IsZero() {
		lasts = max(0, min(lasts, r.EndsAt.Sub(now).Truncate(time.Millisecond)))
	}
	return lasts
}

// CheckIssuer says whether an address may be the issuer of tokens: https, or http on this
// machine alone.
func CheckIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("issuer is an address such as https://id.example.com, not %q", issuer)
	case u.Scheme == "https" || u.Scheme == "http" && onThisMachine(u.Hostname()):
		return nil
	default:
		return fmt.Errorf("issuer begins with https://, not %q", issuer)
	}
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
