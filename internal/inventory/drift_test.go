package inventory_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/store"
)

// change is one entry of a plan.
func change(mode, address, action string, more ...string) string {
	name, _ := json.Marshal(address)
	return fmt.Sprintf(`{"mode":%q,"address":%s,"change":{"actions":[%q],"before":{"secret":"x"}}%s}`, mode, name, action, strings.Join(more, ""))
}

// plan is one that finds resources otherwise, and would act on some.
func plan(otherwise, acts []string) string {
	return fmt.Sprintf(`{"format_version":"1.2","planned_values":{"root_module":{}},"resource_drift":[%s],"resource_changes":[%s],"checks":[]}`,
		strings.Join(otherwise, ","), strings.Join(acts, ","))
}

// drifts is a plan in which some addresses have drifted.
func drifts(addresses ...string) string {
	var entries []string
	for _, address := range addresses {
		entries = append(entries, change("managed", address, "update"))
	}
	return plan(entries, entries)
}

// TestWhichInstancesHaveDrifted finds each instance by the address that the plan gives it.
func TestWhichInstancesHaveDrifted(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		eu := `module.net["eu"].module.data[0]`
		h.save(
			managed("", "plain"), managed("", "still"), managed("", "moves"), managed("", "gone"),
			managed("", "count", `"index_key":0`, `"index_key":1`),
			managed("", "each", `"index_key":"a.b"`, `"index_key":"q\"\\${x}"`),
			managed(eu, "deep", `"index_key":"a"`, `"index_key":"b"`),
			managed("module.data", "same"), resource("data", "", "same"), resource("data", eu, "read"),
			managed("", "both", `"schema_version":0`, `"deposed":"00000001"`), managed("", "left", `"deposed":"00000002"`),
		)
		h.read()
		said := func(drifted ...string) (lines []string) {
			for _, address := range []string{
				"a.plain", "a.still", "a.moves", "a.gone", "a.count[0]", "a.count[1]", `a.each["a.b"]`, `a.each["q\"\\$${x}"]`, eu + `.a.deep["a"]`, eu + `.a.deep["b"]`,
				"module.data.a.same", "data.a.same", eu + ".data.a.read", "a.both", "a.left",
			} {
				word := " " + fmt.Sprint(slices.Contains(drifted, address))
				if drifted == nil || strings.Contains(address, "data.a.") && address != "module.data.a.same" {
					word = " <nil>"
				}
				lines = append(lines, address+word)
			}
			return lines
		}
		h.tells("before an assessment", said()...)
		h.assess(plan(
			[]string{
				change("managed", "a.plain", "update"), change("managed", "a.still", "update"), change("managed", "a.new", "update", `,"previous_address":"a.moves"`),
				change("managed", "a.gone", "delete"), change("managed", "a.count[1]", "update"), change("managed", `a.each["q\"\\$${x}"]`, "update"),
				change("managed", eu+`.a.deep["a"]`, "update"), change("data", "data.a.same", "update"), change("data", eu+".data.a.read", "update"),
				change("managed", "a.both", "delete", `,"deposed":"00000001"`), change("managed", "a.elsewhere", "update"), change("managed", "module.x", "update"),
			},
			[]string{
				change("managed", "a.plain", "delete"), change("managed", "a.still", "no-op"), change("managed", "a.new", "update", `,"previous_address":"a.moves"`),
				change("managed", "a.gone", "create"), change("managed", "a.count[0]", "update"), change("managed", "a.count[1]", "update"),
				change("managed", `a.each["q\"\\$${x}"]`, "update"), change("managed", eu+`.a.deep["a"]`, "update"), change("managed", "module.data.a.same", "create"),
				change("data", "data.a.same", "read"), change("data", eu+".data.a.read", "update"), change("managed", "a.both", "delete", `,"deposed":"00000001"`),
				change("managed", "a.elsewhere", "create"), change("managed", "module.x", "update"),
			}))
		h.tells("before the plan is read", said()...)
		h.read()
		h.tells("after an assessment", said("a.plain", "a.moves", "a.gone", "a.count[1]", `a.each["q\"\\$${x}"]`, eu+`.a.deep["a"]`, "a.both")...)
		h.answers()
		h.assess(drifts("a.still"))
		h.read()
		h.tells("after another", said("a.still")...)
		h.assess(drifts())
		h.read()
		h.tells("when all is well", said("")...)
		h.ask("")
		h.tells("after one that failed", said()...)
	})
}

// answers filters and sorts by what has drifted: 15 instances, of which 7 have and 2 can't.
func (h *house) answers() {
	h.t.Helper()
	for question, want := range map[string]int{"[is][0]=true": 7, "[is][0]=false": 6, "[is_empty][0]=": 2, "[is_not_empty][0]=": 13} {
		values, err := url.ParseQuery("filter[0][drifted]" + question)
		h.must(err)
		if got := h.explore(values); len(got) != want {
			h.t.Errorf("drifted%s finds %v, want %d", question, got, want)
		}
	}
	order := map[string]int{"<nil>": 0, "false": 1, "true": 2}
	for _, sort := range []string{"drifted", "-drifted"} {
		lines := h.explore(url.Values{"sort": {sort}})
		if len(lines) != 15 || !slices.IsSortedFunc(lines, func(a, b string) int {
			n := order[a[strings.LastIndex(a, " ")+1:]] - order[b[strings.LastIndex(b, " ")+1:]]
			if sort[0] == '-' {
				return -n
			}
			return n
		}) {
			h.t.Errorf("by %s they come as %v", sort, lines)
		}
	}
}

// TestANewStateIsNotWhatWasAssessed: what is known of a state is not told of the next.
func TestANewStateIsNotWhatWasAssessed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.save(managed("", "one"), managed("", "two"))
		h.read()
		h.assess(drifts("a.one"))
		h.read()
		h.tells("after an assessment", "a.one true", "a.two false")
		h.save(managed("", "one"), managed("", "two"))
		h.tells("with a state that is not read", "a.one <nil>", "a.two <nil>")
		h.read()
		h.tells("with a state that says the same", "a.one <nil>", "a.two <nil>")
		h.assess(drifts("a.two"))
		h.save(managed("", "one"), managed("", "two"), managed("", "three")) // before the plan was read
		h.read()
		h.tells("with a newer state", "a.one <nil>", "a.three <nil>", "a.two <nil>")
		h.must(h.db.View(t.Context(), func(v *store.View) error {
			if next, found, err := v.NextReading(h.now().Add(24 * time.Hour)); err != nil || found {
				t.Errorf("%+v is still to be read, %v", next, err)
			}
			return nil
		}))
	})
}

// TestAReadingIsTheWorkOfTheOrganization is of a state, and of a plan.
func TestAReadingIsTheWorkOfTheOrganization(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		w, err := h.verbs.Workspace(t.Context(), h.admin, h.ws)
		h.must(err)
		read := func(what string) {
			h.readAs = "nobody read"
			if h.read(); h.readAs != w.OrganizationID {
				t.Errorf("the %s was read as %q, want %q", what, h.readAs, w.OrganizationID)
			}
		}
		h.save(managed("", "one"))
		read("state")
		h.files = runfile.New(runfile.Config{DB: h.db, Objects: h.verbs.Objects(), Short: -1}) // which is a file of its own
		h.assess(drifts("a.one"))
		read("plan")
	})
}

// TestAStateThatIsSavedWhileAPlanIsRead makes what the plan tells untrue.
func TestAStateThatIsSavedWhileAPlanIsRead(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.files = runfile.New(runfile.Config{DB: h.db, Objects: h.verbs.Objects(), Short: -1}) // whose reading is watched
		h.save(managed("", "one"), managed("", "two"))
		h.read()
		h.assess(drifts("a.one", "a.two"))
		h.reading = func() { h.save(managed("", "one"), managed("", "three")) }
		h.read()
		h.read() // another was asked for: it is read at the next look
		h.tells("after it", "a.one <nil>", "a.three <nil>")
		h.assess(drifts("a.three"))
		h.reading = func() { h.assess(drifts("a.one")) }
		h.read()
		h.read()
		h.tells("after an assessment while one is read", "a.one true", "a.three false")
	})
}

// TestAStateThatIsSavedWhileAStateIsRead is read too, and what was read before it is written
// over it by nobody.
func TestAStateThatIsSavedWhileAStateIsRead(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.save(managed("", "one"))
		h.reading = func() { h.save(managed("", "two")) }
		h.read()
		h.read()
		h.tells("after it", "a.two <nil>")
	})
}

// TestTheSameStateAskedForAgain is read again, though the clock stands still.
func TestTheSameStateAskedForAgain(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.save(managed("", "one"))
		h.reading = func() {
			h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
				w, err := tx.Workspace(h.ws)
				if err != nil {
					return err
				}
				return tx.AskReading(&w)
			}))
			h.reading = func() { t.Log("read again") }
		}
		h.read()
		h.clock.Add(1000)
		h.read()
		if h.reading != nil {
			t.Error("the state was crossed off by a reading that began before it was asked for")
		}
		h.tells("after it", "a.one <nil>")
	})
}

// TestManyInstancesAreWrittenInParts: no transaction grows with the state, and nobody sees
// some of them before the others.
func TestManyInstancesAreWrittenInParts(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const n = 3*store.RowsAtOnce + 7
		keys, all := make([]string, n), make([]string, n)
		for i := range n {
			keys[i], all[i] = fmt.Sprintf(`"index_key":%d`, i), fmt.Sprintf("a.many[%d]", i)
		}
		h.save(managed("", "many", keys...))
		h.read()
		h.assess(drifts(all[:n-1]...))
		h.db.HeaviestWrite()
		h.read()
		if rows := h.db.HeaviestWrite(); rows > store.RowsAtOnce+20 {
			t.Errorf("one transaction had %d rows", rows)
		}
		h.seen(n-1, 1)
		h.assess(drifts(all[1:]...))
		h.seen(0, 0)
		h.read()
		h.seen(n-1, 1)
	})
}

// seen holds how many instances are said to have drifted, and how many not.
func (h *house) seen(drifted, restored int) {
	h.t.Helper()
	for word, want := range map[string]int{"true": drifted, "false": restored} {
		question := url.Values{"filter[0][drifted][is][0]": {word}}
		if got := h.count(question); got != want {
			h.t.Errorf("%d are said to have drifted = %s, want %d", got, word, want)
		}
	}
}

// TestAPlanThatIsNotThere leaves unknown what has drifted, and is not looked for again.
func TestAPlanThatIsNotThere(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.save(managed("", "one"))
		h.read()
		h.ask("run-gone")
		h.read()
		h.tells("without a plan", "a.one <nil>")
		h.assess("{")
		h.read()
		h.tells("with one that is none", "a.one <nil>")
		h.must(h.db.View(t.Context(), func(v *store.View) error {
			next, found, err := v.NextReading(h.now().Add(2 * time.Hour))
			if err != nil || !found || !strings.HasPrefix(next.RunID, "run-") || next.RunID == "run-gone" {
				t.Errorf("%+v, %v is put off", next, err)
			}
			return nil
		}))
		h.assess(drifts("a.one"))
		h.read()
		h.tells("after the next", "a.one true")
	})
}

// TestADeletedWorkspaceComesBackWithWhatHadDrifted: its state is the same.
func TestADeletedWorkspaceComesBackWithWhatHadDrifted(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		_, err := h.verbs.UpdateOrganization(t.Context(), h.admin, "acme", belay.OrganizationPatch{RecoverableItems: patch.Of(true)})
		h.must(err)
		h.save(managed("", "one"))
		h.read()
		h.assess(drifts("a.one"))
		h.read()
		h.must(h.verbs.ForceDeleteWorkspace(t.Context(), h.admin, h.ws))
		h.tells("while it is deleted")
		items, _, err := h.verbs.RecoverableItems(t.Context(), h.admin, "acme", belay.Page{Number: 1, Size: 20})
		h.must(err)
		h.must(h.verbs.Recover(t.Context(), h.admin, items[0].ID))
		h.read()
		h.tells("when it is back", "a.one true")
	})
}
