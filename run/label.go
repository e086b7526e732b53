package run

import (
	"regexp"
	"strings"

	"github.com/belayhq/belay"
)

// maxLabels is how many labels a runner may have.
const maxLabels = 32

// label is what one looks like.
var label = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}=[A-Za-z0-9._/:@ -]{0,63}$`)

// CheckLabels refuses labels of a runner that are not KEY=VALUE, too many, or of one key. They are for
// people and dashboards: nothing is chosen by them.
func CheckLabels(labels []string) error {
	if len(labels) > maxLabels {
		return belay.Refuse(belay.Invalid, "a runner has at most %d labels", maxLabels)
	}
	keys := map[string]bool{}
	for _, text := range labels {
		key, _, _ := strings.Cut(text, "=")
		switch {
		case !label.MatchString(text):
			return belay.Refuse(belay.Invalid, "a label is KEY=VALUE of letters, digits and ._/-, at most 63 of each, not %q", text)
		case keys[key]:
			return belay.Refuse(belay.Invalid, "two labels are called %s", key)
		}
		keys[key] = true
	}
	return nil
}
