package run_test

import (
	"fmt"
	"testing"

	"github.com/belayhq/belay/run"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	many := make([]string, 33)
	for i := range many {
		many[i] = fmt.Sprintf("k%d=v", i)
	}
	for _, good := range [][]string{nil, {"region=eu-central-1", "size="}, {"example.com/rack=a 1:2@x"}, many[:32]} {
		if err := run.CheckLabels(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range [][]string{{"region"}, {"=eu"}, {"a=1", "a=2"}, {"a=b\nc=d"}, {"a=<b>"}, {"-a=1"}, many} {
		if run.CheckLabels(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
