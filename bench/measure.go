package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const v2 = "/api/v2"

// ceiling begins the name of what is served from memory.
const ceiling = "ceiling"

// result is what one measurement found.
type result struct {
	name       string
	perSecond  float64
	p50, p99   time.Duration
	statements float64
	cpu        time.Duration // of the server and its database, for each
	database   time.Duration // of the database alone
	byList     float64       // its p50 by that of the API's list beside it, of a page
	cpuByList  float64
}

// prepare makes the organization that is filled.
func (t *target) prepare() error {
	c, err := t.connect()
	if err != nil {
		return err
	}
	_, err = c.create(v2+"/organizations", `{"data":{"type":"organizations","attributes":{"name":"bench","email":"bench@example.com"}}}`)
	return err
}

// fill creates workspaces through the API until there are size of them.
func (t *target) fill(size int) error {
	var next atomic.Int64
	next.Store(int64(len(t.ids)))
	var mu sync.Mutex
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	for range 64 {
		all.Go(func() {
			ids, err := t.fillFrom(&next, size)
			if err != nil {
				failed.Store(&err)
			}
			mu.Lock()
			defer mu.Unlock()
			t.ids = append(t.ids, ids...)
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (t *target) fillFrom(next *atomic.Int64, size int) (ids []string, err error) {
	c, err := t.connect()
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.conn.Close() }()
	for {
		i := int(next.Add(1))
		if i > size {
			return ids, nil
		}
		environment := []string{"prod", "stage", "dev", "test"}[i%4]
		engine := fmt.Sprintf("1.%d.0", i%10)
		id, err := c.create(v2+"/organizations/bench/workspaces",
			fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":"%s-workspace-%06d","terraform-version":"%s"}}}`, environment, i, engine))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
}

// created numbers the workspaces that the create measurement makes, and the questions
// that are asked once.
var created atomic.Int64

// work is something that is measured.
type work struct {
	name string
	do   step
}

// asMember is what the measurements have in their names that a member asks for.
const asMember = ", member who sees"

// settle waits where another user asks for what is next than for what was before: for a second that one counts as being there, and each
// rests for the other.
func (p *plan) settle(name string) {
	if member := strings.Contains(name, asMember); member != p.member {
		p.member = member
		time.Sleep(1200 * time.Millisecond)
	}
}

// work is everything that is measured, in the order that it is measured and shown.
func (t *target) work() []work {
	get := func(path func(client, n int) string) step {
		return func(c *connection, client, n int) (int, error) {
			status, _, err := c.do("GET", path(client, n), "")
			return status, err
		}
	}
	fixed := func(path string) step { return get(func(int, int) string { return path }) }
	id := func(client, n int) string { return t.ids[(client*7919+n*104729)%len(t.ids)] }
	own := func(client int) string { return t.ids[client%len(t.ids)] }
	const list = v2 + "/organizations/bench/workspaces"
	explore := func(filters string) string {
		return v2 + "/organizations/bench/explorer?type=workspaces&" + strings.NewReplacer("[", "%5B", "]", "%5D").Replace(filters)
	}
	const engine = "filter[0][workspace_terraform_version][is][0]=1.9.0"
	return []work{
		{"ceiling: show from memory", fixed("/ceiling/show")},
		{"show", get(func(client, n int) string { return v2 + "/workspaces/" + id(client, n) })},
		{"ceiling: page from memory", fixed("/ceiling/page")},
		{"list page 1", fixed(list)},
		{"list last page", fixed(fmt.Sprintf("%s?page%%5Bnumber%%5D=%d", list, max(1, len(t.ids)/20)))},
		{"list by latest change", fixed(list + "?sort=-latest-change-at")},
		{"list page 1, member who sees 500", func(c *connection, _, _ int) (int, error) {
			c.token = t.member
			status, _, err := c.do("GET", list, "")
			return status, err
		}},
		{"search, many found", fixed(list + "?search%5Bname%5D=prod")},
		{"search, one found", fixed(list + "?search%5Bname%5D=workspace-000042")},
		{"explorer, by engine version", fixed(explore(engine))},
		{"explorer, by engine version, never asked before", get(func(int, int) string {
			return explore(fmt.Sprintf("%s&filter[0][workspace_terraform_version][is][1]=%d", engine, created.Add(1)))
		})},
		{"explorer, by part of a name, never asked before", get(func(int, int) string {
			return explore(fmt.Sprintf("filter[0][workspace_name][contains][0]=%04d", created.Add(1)))
		})},
		{"explorer, both, never asked before", get(func(int, int) string {
			return explore(fmt.Sprintf("%s&filter[1][workspace_name][contains][0]=%04d", engine, created.Add(1)))
		})},
		{"lock or unlock", func(c *connection, client, n int) (int, error) {
			action := []string{"lock", "unlock"}[n%2]
			status, _, err := c.do("POST", v2+"/workspaces/"+own(client)+"/actions/"+action, "")
			if status == 409 && n == 0 { // left over from the measurement before
				status = 200
			}
			return status, err
		}},
		{"PATCH", func(c *connection, client, n int) (int, error) {
			status, _, err := c.do("PATCH", v2+"/workspaces/"+own(client), fmt.Sprintf(
				`{"data":{"type":"workspaces","attributes":{"description":"change %d"}}}`, n))
			return status, err
		}},
		{"create", func(c *connection, _, _ int) (int, error) {
			status, _, err := c.do("POST", list, fmt.Sprintf(
				`{"data":{"type":"workspaces","attributes":{"name":"zz-created-%d"}}}`, created.Add(1)))
			return status, err
		}},
		{"create and search, many found", func(c *connection, _, _ int) (int, error) { // a name comes before each
			if _, err := c.create(list, fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":"zz-created-%d"}}}`, created.Add(1))); err != nil {
				return 0, err
			}
			status, _, err := c.do("GET", list+"?search%5Bname%5D=prod", "")
			return status, err
		}},
		{"state version of 4 KiB", writeStates(padded(4 << 10))},
		{"state version of 1 MiB", writeStates(padded(1 << 20))},
		{"state version of 1 MiB, of many resources", writeStates(usual(1 << 20))},
		{"download a state of 1 MiB", readState(1 << 20)},
	}
}

// wanted says whether something is to be measured of a server.
func (p *plan) wanted(t *target, name string) bool {
	switch {
	case strings.Contains(name, asMember) && t.member == "":
		return false
	case strings.HasPrefix(name, ceiling):
		return t.ceiling != nil
	case name == listed:
		return true
	default:
		return strings.Contains(name, p.only)
	}
}

// measure takes every measurement in turn, as often as asked, and keeps the medians.
func (p *plan) measure(t *target, work []work) ([]result, error) {
	found := make([][]result, len(work))
	for round := range p.repeats {
		for i, w := range work {
			if !p.wanted(t, w.name) {
				continue
			}
			on := t
			if strings.HasPrefix(w.name, ceiling) {
				on = t.ceiling
			}
			var r result
			measure := func() (err error) {
				r, err = on.run(p.clients, p.each, w.do)
				return err
			}
			p.settle(w.name)
			var err error
			if p.profile != "" && on == t {
				err = t.profile(p.profile, fmt.Sprintf("%s %d %s %d", p.engineName, len(t.ids), w.name, round), measure)
			} else {
				err = measure()
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			r.name = w.name
			if p.pages {
				if err := p.byList(on, work[0].do, &r); err != nil {
					return nil, err
				}
			}
			found[i] = append(found[i], r)
		}
	}
	var medians []result
	for _, list := range found {
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b result) int { return int(a.perSecond - b.perSecond) })
		r := list[len(list)/2]
		r.byList = median(list, func(r *result) float64 { return r.byList })
		r.cpuByList = median(list, func(r *result) float64 { return r.cpuByList })
		medians = append(medians, r)
	}
	return medians, nil
}

// report prints a table, with what each thing reaches of its ceiling.
func report(results []result) {
	fmt.Println("| what | requests/s | of ceiling | p50 | p99 | CPU each | statements |")
	fmt.Println("|---|---|---|---|---|---|---|")
	var most float64
	for _, r := range results {
		share := ""
		switch {
		case strings.HasPrefix(r.name, ceiling):
			most = r.perSecond
		case r.name == "show" || strings.HasPrefix(r.name, "list"):
			share = fmt.Sprintf("%.0f %%", 100*r.perSecond/most)
		}
		fmt.Printf("| %s | %.0f | %s | %s | %s | %s | %.1f |\n", r.name, r.perSecond, share,
			r.p50.Round(10*time.Microsecond), r.p99.Round(10*time.Microsecond), r.cpu.Round(time.Microsecond), r.statements)
	}
}
