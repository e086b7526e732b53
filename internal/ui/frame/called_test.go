package frame

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// TestWhatIsWrongIsSaidOfFieldsThatPagesHave gives fields the names of pages, and leaves all other words alone.
func TestWhatIsWrongIsSaidOfFieldsThatPagesHave(t *testing.T) {
	t.Parallel()
	_, blank := run.CheckComment(" ")
	for _, one := range []struct {
		err  error
		want string
	}{
		{blank, "Comment can't be blank"},
		{problem("email-addresses", "Email addresses: at most 2 can be given"), "E-mail addresses: at most 2 can be given"},
		{problem("email", "Email is invalid"), "E-mail address is invalid"},
		{problem("name", "Name can't be blank"), "Name can't be blank"},
		{problem("archs/0/url", "Urls are odd"), "Urls are odd"},
		{belay.Refuse(belay.Invalid, "Body can't be blank"), "Body can't be blank"},
	} {
		var v Visit
		if _, said := v.Describe(one.err); said != one.want {
			t.Errorf("%q, not %q", said, one.want)
		}
	}
}

func problem(place, detail string) error {
	var problems belay.Problems
	problems.Attribute(place, "%s", detail)
	return problems
}
