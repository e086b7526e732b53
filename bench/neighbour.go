package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// neighbourSpaces is how many workspaces the tenant has who sends what is expensive.
const neighbourSpaces = 10_000

// namesAreRead is for how long a server may read the names of so many on SQLite after they came, as fast as it can while one tenant is there.
const namesAreRead = 10 * time.Second

// neighbours measures what one tenant feels of another, who sends its most expensive requests
// without a pause from all connections; where another program is to be compared with, in turns with it.
func (p *plan) neighbours(ctx context.Context, engine string, _ []int) error {
	return p.onShipped(ctx, engine, func(targets []*target) error {
		if p.apart && engine == "postgres" {
			if err := apart(); err != nil {
				return err
			}
		}
		tenants := make([]quiet, len(targets))
		for i, t := range targets {
			err := t.fill(neighbourSpaces)
			if err == nil {
				tenants[i], err = t.quietTenant()
			}
			if err != nil {
				return err
			}
		}
		if engine == "sqlite" {
			time.Sleep(namesAreRead)
		}
		fmt.Printf("\n### %s: one connection of a tenant beside %d of another, who has %d workspaces\n\n", engine, p.clients, neighbourSpaces)
		fmt.Println("| the other sends | show p50 | p99 | by alone | lock p50 | p99 | by alone | the other's requests/s |" +
			strings.Repeat(" theirs: show p50 | p99 | by alone | lock p50 | p99 | by alone | requests/s |", len(targets)-1))
		fmt.Println("|---|" + strings.Repeat("---|---|---|---|---|---|---|", len(targets)))
		for _, w := range append([]work{{name: nothing}}, targets[0].expensive()...) {
			if !strings.Contains(w.name, p.only) && w.do != nil {
				continue
			}
			if err := p.besideOthers(targets, tenants, w); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
		return nil
	})
}

// goesOn is for how long a server may do what is left to do for the other when that sends nothing any more.
const goesOn = 2 * time.Second

// beside is what a tenant felt of another.
type beside struct {
	shows, locks result
	sent         float64 // by the other, a second
}

// besideOthers measures one thing on all targets in turns, each after one in which the tenant is alone: what alone is changes on some
// machines from one to the next. It prints the medians of each.
func (p *plan) besideOthers(targets []*target, tenants []quiet, w work) error {
	felt, alone := make([][]beside, len(targets)), make([][]beside, len(targets))
	for range p.repeats {
		for i, t := range targets {
			before, err := p.besideOther(t, tenants[i], work{name: nothing})
			if err != nil {
				return err
			}
			b, err := p.besideOther(t, tenants[i], w)
			if err != nil {
				return err
			}
			alone[i], felt[i] = append(alone[i], before), append(felt[i], b)
			if w.do != nil {
				time.Sleep(goesOn)
			}
		}
	}
	fmt.Printf("| %s |", w.name)
	for i, list := range felt {
		for _, of := range []func(*beside) result{func(b *beside) result { return b.shows }, func(b *beside) result { return b.locks }} {
			p50 := func(b *beside) float64 { return float64(of(b).p50) }
			p99 := func(b *beside) float64 { return float64(of(b).p99) }
			fmt.Printf(" %s | %s | %.2f |", time.Duration(median(list, p50)).Round(10*time.Microsecond), time.Duration(median(list, p99)).Round(10*time.Microsecond),
				median(list, p99)/median(alone[i], p99))
		}
		fmt.Printf(" %.0f |", median(list, func(b *beside) float64 { return b.sent }))
	}
	fmt.Println()
	return nil
}

// quiet is a tenant of its own: a token and a workspace.
type quiet struct{ token, workspace string }

func (t *target) quietTenant() (q quiet, err error) {
	c, err := t.connect()
	if err != nil {
		return q, err
	}
	defer func() { _ = c.conn.Close() }()
	if _, err = c.create(v2+"/organizations", `{"data":{"type":"organizations","attributes":{"name":"other","email":"other@example.com"}}}`); err != nil {
		return q, err
	}
	if q.workspace, err = c.create(v2+"/organizations/other/workspaces", `{"data":{"type":"workspaces","attributes":{"name":"quiet"}}}`); err != nil {
		return q, err
	}
	team, err := c.create(v2+"/organizations/other/teams", `{"data":{"type":"teams","attributes":{"name":"quiet","organization-access":{"manage-workspaces":true}}}}`)
	if err != nil {
		return q, err
	}
	q.token, err = c.secret(v2 + "/teams/" + team + "/authentication-token")
	return q, err
}

// large is how many bytes the files have that are sent and asked for without a pause, which are larger than nearly all.
const large = 16 << 20

// nothing begins the names of what asks the server for nothing.
const nothing = "nothing"

// compute asks for nothing either, but has so many of the processors that others share: what is felt of that no server can spare
// anybody.
func compute(processors int) step {
	free := make(chan struct{}, processors)
	return func(*connection, int, int) (int, error) {
		free <- struct{}{}
		defer func() { <-free }()
		for began := time.Now(); time.Since(began) < 10*time.Millisecond; {
			continue
		}
		return http.StatusOK, nil
	}
}

// expensive is what a tenant may send that costs the server most, and what a program takes that sends nothing.
func (t *target) expensive() []work {
	all := map[string]work{}
	for _, w := range t.work() {
		all[w.name] = w
	}
	list := []work{{nothing + ", and a program computes", compute(1)}, {nothing + ", and a program computes on two processors", compute(2)}, {"pages of 100", func(c *connection, _, n int) (int, error) {
		status, _, err := c.do("GET", fmt.Sprintf(v2+"/organizations/bench/workspaces?page%%5Bsize%%5D=100&page%%5Bnumber%%5D=%d", 1+n%(neighbourSpaces/100)), "")
		return status, err
	}}, {"the explorer as CSV", func(c *connection, _, _ int) (int, error) {
		status, _, err := c.do("GET", v2+"/organizations/bench/explorer/export/csv?type=workspaces", "")
		return status, err
	}}, {"the explorer as CSV, in an order of its own", func(c *connection, _, _ int) (int, error) {
		status, _, err := c.do("GET", v2+"/organizations/bench/explorer/export/csv?type=workspaces&sort=-workspace_updated_at", "")
		return status, err
	}}}
	list = append(list, work{"states of 16 MiB", writeStates(padded(large))}, work{"states of 16 MiB, of many resources", writeStates(usual(large))},
		work{"downloads of 16 MiB", readState(large)}, work{"configurations of 16 MiB", writeArchives(large)})
	for _, name := range []string{"explorer, both, never asked before", "explorer, by engine version, never asked before", "search, many found", "create", "state version of 1 MiB", "download a state of 1 MiB"} {
		list = append(list, all[name])
	}
	return append(list, work{"moves of 1,000 workspaces", moveMany()}, // what is begun of the last goes on for seconds
		work{"change requests for all workspaces", requestOfAll()})
}

// besideOther measures the quiet tenant while the other is at work, which is a process of its own.
func (p *plan) besideOther(t *target, q quiet, w work) (b beside, err error) {
	var other *hammering
	if w.do != nil {
		if other, err = p.hammering(t, w.name); err != nil {
			return b, err
		}
		defer func() { _ = other.command.Process.Kill() }()
	}
	began := time.Now()
	as := func(do func(c *connection, n int) (int, error)) step {
		return func(c *connection, _, n int) (int, error) {
			if c.token = q.token; n == 0 {
				if err := c.alert(); err != nil {
					return 0, err
				}
			}
			return do(c, n)
		}
	}
	b.shows, err = t.run(1, p.each, as(func(c *connection, _ int) (int, error) {
		status, _, err := c.do("GET", v2+"/workspaces/"+q.workspace, "")
		return status, err
	}))
	if err != nil {
		return b, err
	}
	b.locks, err = t.run(1, p.each, as(func(c *connection, n int) (int, error) {
		status, _, err := c.do("POST", v2+"/workspaces/"+q.workspace+"/actions/"+[]string{"lock", "unlock"}[n%2], "")
		if status == 409 && n == 0 {
			status = 200
		}
		return status, err
	}))
	took := time.Since(began)
	if err != nil || other == nil {
		return b, err
	}
	sent, err := other.stop()
	b.sent = float64(sent) / took.Seconds()
	return b, err
}

// hammer sends without a pause until it is told to stop.
func (t *target) hammer(client int, do step, stop <-chan struct{}) (sent int, err error) {
	c, err := t.connect()
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.conn.Close() }()
	for {
		status, err := do(c, client, sent)
		select {
		case <-stop: // of what was under way then nobody knows how much was done before
			return sent, nil
		default:
		}
		if err != nil {
			return sent, err
		}
		if status >= 300 && status != 429 && status != 503 {
			return sent, fmt.Errorf("status %d: %s", status, c.body.Bytes())
		}
		sent++
	}
}
