package frame

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
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
		{problem("value", "Value can't be blank"), "Private key can't be blank"}, // as the page of keys alone calls it
		{problem("delete-older-than-n-days", "Delete older than n days must be at least 1"), "Days after which they are old must be at least 1"},
		{problem("@sourceable", "Sourceable has already been taken"), "Its applies queue runs here already"},
		{problem("sso-team-id", "Sso team is too long"), "Group of the identity provider is too long"},
		{problem("description", "Validation failed: Description has already been taken"), "Description has already been taken"},
		{belay.Refuse(belay.Invalid, "Body can't be blank"), "Body can't be blank"},
	} {
		v := Visit{called: map[string]string{"Value": "Private key"}}
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

// TestWhatNotificationsTellOfHasWords has no page show what the API calls events and kinds of destinations.
func TestWhatNotificationsTellOfHasWords(t *testing.T) {
	t.Parallel()
	for _, trigger := range append(notices.Triggers(), notices.TriggerVerification) {
		if triggerWords[trigger] == "" {
			t.Errorf("%s has no word", trigger)
		}
	}
	for _, d := range []notices.Destination{notices.GenericDestination, notices.SlackDestination, notices.TeamsDestination, notices.EmailDestination} {
		if !slices.Contains(Destinations, string(d)) || DestinationWord(d) == string(d) {
			t.Errorf("%s has no word", d)
		}
	}
}

// constants are the values of the text constants of a file whose names begin so.
func constants(t *testing.T, file, begin string) (list []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if c, is := n.(*ast.ValueSpec); is && len(c.Values) == 1 && strings.HasPrefix(c.Names[0].Name, begin) {
			if text, is := c.Values[0].(*ast.BasicLit); is && text.Kind == token.STRING {
				value, _ := strconv.Unquote(text.Value)
				list = append(list, value)
			}
		}
		return true
	})
	if len(list) == 0 {
		t.Fatalf("%s has no %s", file, begin)
	}
	return list
}

// TestWhatRunsBeganThroughHasWords has no page show what the API calls sources and reasons of runs.
func TestWhatRunsBeganThroughHasWords(t *testing.T) {
	t.Parallel()
	for _, source := range constants(t, "../../../run/run.go", "Source") {
		if WordOf(source, RunSources...) == source {
			t.Errorf("the source %s has no word", source)
		}
	}
	for _, reason := range append(constants(t, "../../../run/run.go", "Reason"), constants(t, "../../../forge/filetrigger.go", "Trigger")...) {
		if runReasons[reason] == "" {
			t.Errorf("the reason %s has no word", reason)
		}
	}
}
