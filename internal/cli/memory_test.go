package cli

import (
	"runtime/debug"
	"testing"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/cli/data"
)

func TestABudgetOfMemoryIsShared(t *testing.T) {
	for _, c := range []struct {
		arguments   []string
		pages, heap int
		refused     bool
	}{
		{nil, 64, 0, false},
		{[]string{"--memory", "128"}, 21, 63, false},
		{[]string{"--memory", "128", "--sqlite-cache", "5"}, 5, 79, false},
		{[]string{"--memory", "1024"}, 64, 916, false},
		{[]string{"--memory", "128", "--database-url", "postgres://db/belay"}, 64, 84, false}, // which has no pages here
		{[]string{"--memory", "95"}, 0, 0, true},
		{[]string{"--memory", "-1"}, 0, 0, true},
		{[]string{"--sqlite-cache", "0"}, 0, 0, true},
	} {
		var m memory
		var d data.Database
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		m.flags(flags)
		d.Flags(flags)
		if err := flags.Parse(c.arguments); err != nil {
			t.Fatal(err)
		}
		if err := m.check(); (err != nil) != c.refused {
			t.Errorf("%q: %v", c.arguments, err)
		}
		if pages, heap := m.shares(&d); !c.refused && (pages != c.pages || heap != c.heap) {
			t.Errorf("%q: %d MiB of pages and %d of heap, want %d and %d", c.arguments, pages, heap, c.pages, c.heap)
		}
	}
}

// TestTheCollectorKeepsToTheBudget has no other test beside it: what it sets is the whole process's.
func TestTheCollectorKeepsToTheBudget(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(percent) })
	environment := map[string]string{"GOMEMLIMIT": "1GiB"}
	m := memory{budget: 256, sqliteCache: 64}
	getenv := func(name string) string { return environment[name] }
	if m.take(&data.Database{}, getenv); debug.SetMemoryLimit(-1) != limit {
		t.Error("the environment does not go before the flag")
	}
	delete(environment, "GOMEMLIMIT")
	if pages := m.take(&data.Database{}, getenv); pages != 53 || debug.SetMemoryLimit(-1) != 159<<20 {
		t.Errorf("%d MiB of pages, a limit of %d", pages, debug.SetMemoryLimit(-1)>>20)
	}
}
