package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// replicaSpaces is how many workspaces there are where several servers are measured.
const replicaSpaces = 1000

// replicated is what is measured on several servers: reads, a page, and what is written.
var replicated = []string{"show", "list page 1", "lock or unlock", "PATCH", "create"}

// replicas measures one server on a database, then more of them beside it, each with its share of
// the connections.
func (p *plan) replicas(ctx context.Context, engine string, _ []int) error {
	if engine != "postgres" {
		return nil // a file has one server
	}
	return p.onShipped(ctx, engine, func(targets []*target) error {
		t := targets[0]
		if err := t.fill(replicaSpaces); err != nil {
			return err
		}
		if err := pgExec(ctx, t.url, "VACUUM ANALYZE"); err != nil {
			return err
		}
		for range p.servers - 1 {
			other, err := t.beside()
			if err != nil {
				return err
			}
			defer other.stop()
			t.others = append(t.others, other)
		}
		return p.byReplicas(t)
	})
}

// beside starts one more server on the database of another, with its keys.
func (t *target) beside() (*target, error) {
	dir := filepath.Join(t.dir, fmt.Sprintf("replica-%d", len(t.others)+2))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := os.ReadFile(filepath.Join(t.dir, "encryption.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "encryption.key"), key, 0o600)
	}
	if err != nil {
		return nil, err
	}
	return serve(t.url, dir, t.program...)
}

// byReplicas measures everything with one server, with two, and so on, in turns.
func (p *plan) byReplicas(t *target) error {
	all := t.others
	defer func() { t.others = all }()
	fmt.Printf("\n### %d workspaces, %d connections, on one to %d servers\n\n", replicaSpaces, p.clients, p.servers)
	fmt.Println("| what | servers | requests/s | by one server's | p50 | p99 | CPU of the servers | of the database |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, w := range t.work() {
		if !slices.Contains(replicated, w.name) || !strings.Contains(w.name, p.only) {
			continue
		}
		found := make([][]result, p.servers)
		for range p.repeats {
			for n := range p.servers {
				t.others = all[:n]
				r, err := t.run(p.clients, p.each, w.do)
				if err != nil {
					return fmt.Errorf("%s on %d servers: %w", w.name, n+1, err)
				}
				found[n] = append(found[n], r)
			}
		}
		one := 0.0
		for n, list := range found {
			slices.SortFunc(list, func(a, b result) int { return int(a.perSecond - b.perSecond) })
			r := list[len(list)/2]
			if n == 0 {
				one = r.perSecond
			}
			us := func(d time.Duration) time.Duration { return d.Round(time.Microsecond) }
			fmt.Printf("| %s | %d | %.0f | %.2f | %s | %s | %s | %s |\n", w.name, n+1, r.perSecond, r.perSecond/one,
				us(r.p50), us(r.p99), us(r.cpu-r.database), us(r.database))
		}
	}
	return nil
}

// every is the figures of a server and of those beside it.
func (t *target) every() (sum used, err error) {
	for _, one := range append([]*target{t}, t.others...) {
		u, failed := one.figures()
		err = errors.Join(err, failed)
		sum.statements += u.statements
		sum.resident += u.resident
		sum.cpu += u.cpu - u.database
		sum.database = u.database // which all of them ask
	}
	sum.cpu += sum.database
	return sum, err
}
