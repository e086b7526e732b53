// Command bench measures a Belay server: it fills an organization, drives it from many
// connections, and prints tables. It owns no rule and changes nothing but the database
// it is given. docs/performance.md says how to read and repeat its results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

type plan struct {
	engines, sizes, only string
	runs, neighbour      bool
	apart                bool
	pages                bool
	copied               bool
	servers              int
	clients, repeats     int
	each                 time.Duration
	dir                  string
	kept                 string // folder
	filled               string // folders of databases that are measured as they are, ours and the other's
	belay, against       string // programs; empty: that of the code at hand, and none
	profile              string // folder; empty: none is taken
	engineName           string
	member               bool // asked for what was measured last
}

func main() {
	var p plan
	serve := flag.String("serve", "", "internal: serve the database at this URL and do nothing else")
	flag.StringVar(&p.engines, "engines", "sqlite,postgres", "engines to measure; postgres needs BELAY_TEST_POSTGRES")
	flag.StringVar(&p.sizes, "sizes", "100,10000,100000", "how many workspaces to measure with")
	flag.StringVar(&p.only, "only", "", "measure only what has this in its name; of runs: one by one, together, beside logs, waiting")
	flag.BoolVar(&p.runs, "runs", false, "measure runs with an engine that does nothing, instead of workspaces")
	flag.BoolVar(&p.neighbour, "neighbours", false, "measure what one tenant feels of another, instead of workspaces")
	flag.BoolVar(&p.apart, "apart", false, "with -neighbours: let PostgreSQL's processes go before all others, as on a machine of their own; needs the right to")
	flag.BoolVar(&p.pages, "pages", false, "measure the web pages beside the API's list, instead of the API")
	flag.IntVar(&p.servers, "replicas", 0, "measure one to so many servers on one PostgreSQL, instead of sizes")
	flag.BoolVar(&p.copied, "copy", false, "make all workspaces but the first thousand by SQL: a million in minutes; sizes are thousands then")
	flag.IntVar(&p.clients, "clients", 32, "connections at once")
	flag.IntVar(&p.repeats, "repeats", 3, "measurements of each thing, interleaved; the median is shown")
	flag.DurationVar(&p.each, "each", 2*time.Second, "how long one measurement takes")
	flag.StringVar(&p.dir, "dir", "", "folder for the SQLite file; a temporary one when empty")
	flag.StringVar(&p.kept, "keep", "", "folder that is to have what an SQLite database was filled with, for -filled; its last size")
	flag.StringVar(&p.filled, "filled", "", "measure a copy of the SQLite file in this folder, which an earlier program of Belay filled, and after a comma one for the other program")
	flag.StringVar(&p.belay, "belay", "", "program to measure; one is built of the code at hand when empty")
	flag.StringVar(&p.against, "compare", "", "another program, which is measured in turns with ours, each with a database of its own")
	flag.StringVar(&p.profile, "profile", "", "folder for a profile of the server's processor time in each measurement; then the code at hand is measured, and not -belay")
	if len(os.Args) > 1 && os.Args[1] == asBelay {
		os.Exit(profiled(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == asHammer {
		if err := hammerer(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	var err error
	if *serve != "" {
		err = child(*serve, p.dir)
	} else {
		err = p.run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (p *plan) run(ctx context.Context) error {
	var sizes []int
	for _, text := range strings.Split(p.sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-sizes: %w", err)
		}
		sizes = append(sizes, n)
	}
	measure := p.engine
	switch {
	case p.runs:
		measure = p.engineOfRuns
	case p.neighbour:
		measure = p.neighbours
	case p.servers > 0:
		measure = p.replicas
	}
	for _, engine := range strings.Split(p.engines, ",") {
		if err := measure(ctx, engine, sizes); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

// engine measures one engine at every size, growing one database; where another program is to be
// compared with, a second one beside it.
func (p *plan) engine(ctx context.Context, engine string, sizes []int) error {
	return p.onShipped(ctx, engine, func(targets []*target) error {
		if len(targets) == 1 {
			var err error
			if targets[0].ceiling, err = p.startCeiling(ctx); err != nil {
				return err
			}
			defer targets[0].ceiling.stop()
		}
		for _, size := range sizes {
			if err := p.sized(ctx, targets, size, slices.Max(sizes)); err != nil {
				return err
			}
		}
		return nil
	})
}

// onShipped starts what is measured, each with a fresh database of an engine: ours, and the other
// one where there is one to compare with.
func (p *plan) onShipped(ctx context.Context, engine string, measure func([]*target) error) error {
	p.engineName = engine
	ours, remove, err := p.ours()
	if err != nil {
		return err
	}
	defer remove()
	programs := [][]string{ours}
	if p.against != "" {
		programs = append(programs, []string{p.against})
	}
	var targets []*target
	filled := strings.Split(p.filled, ",")
	for i, program := range programs {
		url, dir, cleanup, err := p.database(ctx, engine)
		if err != nil {
			return err
		}
		defer cleanup()
		full := i < len(filled) && filled[i] != ""
		if full {
			if err := takeFilled(filled[i], dir); err != nil {
				return err
			}
		}
		t, err := serve(url, dir, program...)
		if err != nil {
			return err
		}
		defer t.stop()
		if full {
			err = t.takeIDs(ctx)
		} else {
			err = t.prepare()
		}
		if err != nil {
			return err
		}
		targets = append(targets, t)
	}
	return measure(targets)
}

// ours is the program that is measured with its first arguments, and what removes it if it was made for that.
func (p *plan) ours() (program []string, remove func(), err error) {
	remove = func() {}
	if p.profile != "" {
		self, err := os.Executable()
		return []string{self, asBelay}, remove, errors.Join(err, os.MkdirAll(p.profile, 0o750))
	}
	if p.belay != "" {
		return []string{p.belay}, remove, nil
	}
	dir, err := os.MkdirTemp("", "belay-bench")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	binary, err := buildBelay(dir)
	if err != nil {
		remove()
	}
	return []string{binary}, remove, err
}

// sized fills the servers up to a size, of which there is a last, and measures them.
func (p *plan) sized(ctx context.Context, targets []*target, size, last int) error {
	began := time.Now()
	for _, t := range targets {
		if err := p.fillUp(ctx, t, size); err != nil {
			return err
		}
		if p.kept != "" && p.engineName == "sqlite" && t == targets[0] && size == last {
			if err := t.keep(ctx, p.kept); err != nil {
				return err
			}
		}
	}
	fmt.Printf("\n### %s, %d workspaces, %d connections (filled in %s)\n\n", p.engineName, size, p.clients, time.Since(began).Round(time.Second))
	if len(targets) > 1 {
		return p.compare(targets[0], targets[1])
	}
	return p.table(targets[0])
}

// fillUp fills a server up to a size.
func (p *plan) fillUp(ctx context.Context, t *target, size int) (err error) {
	through := size
	if p.copied {
		through = copyFrom
	}
	if len(t.ids) < through {
		err = t.fill(through)
	}
	if err == nil && size > len(t.ids) {
		err = t.copyUpTo(ctx, size)
	}
	if err == nil && t.member == "" && size >= 2*memberSees {
		t.member, err = t.prepareMember()
	}
	if err == nil && p.engineName == "postgres" { // what autovacuum would have done a minute later
		err = pgExec(ctx, t.url, "VACUUM ANALYZE")
	}
	return err
}

// table measures a server and prints what was found.
func (p *plan) table(t *target) error {
	work, err := p.work(t)
	if err != nil {
		return err
	}
	tell := report
	if p.pages {
		tell = reportPages
	}
	results, err := p.measure(t, work)
	if err != nil {
		return err
	}
	tell(results)
	u, err := t.figures()
	fmt.Printf("\nThe server has %.0f MB resident.\n", u.resident/1e6)
	return err
}

// work is what is measured of a server.
func (p *plan) work(t *target) ([]work, error) {
	if p.pages {
		return t.pages()
	}
	return t.work(), nil
}

// startCeiling starts what answers from memory.
func (p *plan) startCeiling(ctx context.Context) (*target, error) {
	_, dir, cleanup, err := p.database(ctx, "sqlite")
	if err != nil {
		return nil, err
	}
	t, err := startServer("sqlite:"+filepath.Join(dir, "belay.db"), dir)
	if err != nil {
		cleanup()
		return nil, err
	}
	t.cleanup = cleanup
	return t, nil
}

// startServer runs this program again as the server, so that the load has a process of its own.
func startServer(url, dir string) (*target, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(self, "-serve", url, "-dir", dir)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		return nil, fmt.Errorf("the server did not start: %w", err)
	}
	return &target{address: address, command: command}, nil
}
