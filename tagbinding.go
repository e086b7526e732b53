package belay

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// TagBinding is a key with a value that is bound to a workspace or to a project.
type TagBinding struct {
	ID        string
	Key       string
	Value     string // may be empty
	CreatedAt time.Time
}

// EffectiveTagBinding is a tag binding in force for a workspace: its own, or one that it
// inherits from its project.
type EffectiveTagBinding struct {
	TagBinding
	WorkspaceID string
	ProjectID   string // the project that it is inherited from; empty for an own one
}

// TagBindings is the tag bindings of one workspace or project.
type TagBindings []TagBinding

// The limits of tag bindings (docs/limits.md).
const (
	MaxTagBindings     = 10
	maxTagBindingKey   = 128
	maxTagBindingValue = 256
)

var (
	bindingText     = regexp.MustCompile(`^[A-Za-z0-9_.=+@:-]+$`)
	reservedKeyText = regexp.MustCompile(`^[A-Za-z0-9_.=+@: -]+$`)
	platformKey     = regexp.MustCompile(`(?i)^hcp?:`) // keys of the platform itself
)

// Replaced is the bindings after asked has taken the place of all of them. A key that was
// there keeps its id.
func (b TagBindings) Replaced(asked TagBindings, now time.Time) TagBindings {
	after := slices.Clone(asked)
	for i := range after {
		after[i].ID, after[i].CreatedAt = NewID("tb"), now
		if at := b.find(after[i].Key); at >= 0 {
			after[i].ID, after[i].CreatedAt = b[at].ID, b[at].CreatedAt
		}
	}
	return after
}

// Merged is the bindings after asked has been added: keys that are there take its values.
func (b TagBindings) Merged(asked TagBindings, now time.Time) TagBindings {
	after := b.Replaced(asked, now)
	for _, old := range b {
		if after.find(old.Key) < 0 {
			after = append(after, old)
		}
	}
	return after
}

// Beyond is those bindings that are not in before, or have another value there.
func (b TagBindings) Beyond(before TagBindings) (changed TagBindings) {
	for _, binding := range b {
		if at := before.find(binding.Key); at < 0 || before[at].Value != binding.Value {
			changed = append(changed, binding)
		}
	}
	return changed
}

// Without is the keys of those bindings that after lacks.
func (b TagBindings) Without(after TagBindings) (gone []string) {
	for _, binding := range b {
		if after.find(binding.Key) < 0 {
			gone = append(gone, binding.Key)
		}
	}
	return gone
}

// Same says that after has the same keys with the same values.
func (b TagBindings) Same(after TagBindings) bool {
	return len(after.Beyond(b)) == 0 && len(b.Without(after)) == 0
}

func (b TagBindings) find(key string) int {
	return slices.IndexFunc(b, func(binding TagBinding) bool { return binding.Key == key })
}

// CheckTagBindings says all that is wrong with bindings that a request asks for. after is
// what the resource would have, and fixed the keys whose value its project decides.
// place is that of the list.
func CheckTagBindings(asked, before, after TagBindings, fixed []string, place Place) error {
	if len(asked) > MaxListed { // the others need no reading, each against all
		return CheckListed(len(asked), place)
	}
	var problems Problems
	for i, binding := range asked {
		at := place.Item(i)
		checkBindingKey(&problems, binding.Key, bindingText, at.Field("key"))
		if binding.Value != "" && !bindingText.MatchString(binding.Value) {
			problems.At(at.Field("value"), "Value is invalid")
		}
		if len(binding.Value) > maxTagBindingValue {
			problems.At(at.Field("value"), "Value is too long (maximum is %d characters)", maxTagBindingValue)
		}
		if asked.find(binding.Key) < i {
			problems.At(at.Field("key"), "Key has already been taken")
		}
		if slices.Contains(fixed, binding.Key) && len(TagBindings{binding}.Beyond(before)) > 0 {
			problems.At(at.Field("key"), "Key is reserved, and the value of the project can't be overridden")
		}
	}
	if len(after) > MaxTagBindings {
		problems.At(place, "cannot exceed %d bindings per resource", MaxTagBindings)
	}
	return problems.Err()
}

func checkBindingKey(problems *Problems, key string, allowed *regexp.Regexp, place Place) {
	switch {
	case key == "":
		problems.At(place, "Key can't be blank")
	case !allowed.MatchString(key):
		problems.At(place, "Key is invalid")
	case len(key) > maxTagBindingKey:
		problems.At(place, "Key is too long (maximum is %d characters)", maxTagBindingKey)
	case platformKey.MatchString(key):
		problems.At(place, "Key is invalid: it can't begin with hc: or hcp:")
	}
}

// BindingFacts is what the rules of tag bindings need to know besides the request.
type BindingFacts struct {
	Before TagBindings // what the resource has
	Fixed  []string    // the keys whose value the project of a workspace decides
}

var relatedBindings = RelatedList("tag-bindings")

// checkReplacing says what is wrong with bindings that take the place of all there are.
func (f BindingFacts) checkReplacing(asked patch.Field[TagBindings]) error {
	if !asked.Given() {
		return nil
	}
	return CheckTagBindings(asked.Value, f.Before, asked.Value, f.Fixed, relatedBindings)
}

// ReservedTagKey is a key that an organization sets aside for tag bindings.
type ReservedTagKey struct {
	ID               string
	OrganizationID   string
	Key              string
	DisableOverrides bool // a workspace can't give the key another value than its project
	CreatedAt        time.Time
	UpdatedAt        time.Time

	Organization Organization // read with the row
}

// ReservedTagKeyPatch is a change of a reserved tag key.
type ReservedTagKeyPatch struct {
	Key              patch.Field[string]
	DisableOverrides patch.Field[bool]
}

// Apply changes the reserved key, or says all that is wrong with the patch.
func (k *ReservedTagKey) Apply(p ReservedTagKeyPatch, now time.Time) error {
	var problems Problems
	p.Key.Into(&k.Key)
	p.DisableOverrides.Into(&k.DisableOverrides)
	k.UpdatedAt = now
	checkBindingKey(&problems, k.Key, reservedKeyText, "key")
	if strings.TrimSpace(k.Key) != k.Key {
		problems.Attribute("key", "Key can't begin or end with a space")
	}
	return problems.Err()
}
