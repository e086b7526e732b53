package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/web"
)

func TestEveryKindOfRefusalHasAStatus(t *testing.T) {
	t.Parallel()
	for _, kind := range belay.Kinds() {
		if http.StatusText(web.Status(kind)) == "" {
			t.Errorf("the kind of refusal %d (%q) has no status: add it to statuses", kind, belay.Refuse(kind, "").Title)
		}
	}
}

func TestAddressesThatAreText(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"/a?q=b": true, "/%C3%A9?q=%C3%A9": true, "/?q=a;b": true,
		"/%00": false, "/%FF": false, "/?q=%00": false, "/?q=%FF": false, "/?q=%zz": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := web.Readable(u); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	mine := errors.New("mine")
	if err := web.Recovered(func() error { return mine }); !errors.Is(err, mine) {
		t.Errorf("an error became %v", err)
	}
	err := web.Recovered(func() error { panic("lost") })
	if err == nil || !strings.Contains(err.Error(), "panic: lost\n") || !strings.Contains(err.Error(), "kit_test.go") {
		t.Errorf("a panic became %v", err)
	}
}
