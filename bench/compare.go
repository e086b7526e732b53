package main

import (
	"fmt"
	"slices"
	"time"
)

// turn is one measurement of the same thing on two programs, one after the other.
type turn struct{ ours, theirs result }

// compare measures everything on two programs in turns, so that what else the machine does
// meets both, and prints ours by theirs: the median of the turns, with the least and the most.
func (p *plan) compare(ours, theirs *target) error {
	mine, err := p.work(ours)
	if err != nil {
		return err
	}
	other, err := p.work(theirs)
	if err != nil {
		return err
	}
	turns := make([][]turn, len(mine))
	for round := range p.repeats {
		for i := range mine {
			if !p.wanted(ours, mine[i].name) {
				continue
			}
			p.settle(mine[i].name)
			var t turn
			for _, first := range []bool{round%2 == 0, round%2 != 0} {
				on, do, into := theirs, other[i].do, &t.theirs
				if first {
					on, do, into = ours, mine[i].do, &t.ours
				}
				r, err := on.run(p.clients, p.each, do)
				if err != nil {
					return fmt.Errorf("%s: %w", mine[i].name, err)
				}
				*into = r
			}
			turns[i] = append(turns[i], t)
		}
	}
	fmt.Println("| what | requests/s | theirs | ours by theirs | CPU each | theirs | ours by theirs | p99 | theirs | statements | theirs |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for i, list := range turns {
		if len(list) == 0 {
			continue
		}
		rate := func(r *result) float64 { return r.perSecond }
		cpu := func(r *result) float64 { return float64(r.cpu) }
		p99 := func(r *result) float64 { return float64(r.p99) }
		statements := func(r *result) float64 { return r.statements }
		us := func(f float64) time.Duration { return time.Duration(f).Round(time.Microsecond) }
		a, b := middles(list, rate)
		c, d := middles(list, cpu)
		e, f := middles(list, p99)
		g, h := middles(list, statements)
		fmt.Printf("| %s | %.0f | %.0f | %s | %s | %s | %s | %s | %s | %.1f | %.1f |\n", mine[i].name,
			a, b, ratio(list, rate), us(c), us(d), ratio(list, cpu), us(e).Round(10*time.Microsecond), us(f).Round(10*time.Microsecond), g, h)
	}
	return nil
}

// middles are the medians of what was measured of ours and of theirs.
func middles(list []turn, of func(*result) float64) (ours, theirs float64) {
	return median(list, func(t *turn) float64 { return of(&t.ours) }), median(list, func(t *turn) float64 { return of(&t.theirs) })
}

// median is the middle one of what was measured.
func median[T any](list []T, of func(*T) float64) float64 {
	all := make([]float64, len(list))
	for i := range list {
		all[i] = of(&list[i])
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// ratio is ours by theirs in each turn: median, least and most.
func ratio(list []turn, of func(*result) float64) string {
	var all []float64
	for i := range list {
		all = append(all, of(&list[i].ours)/of(&list[i].theirs))
	}
	slices.Sort(all)
	return fmt.Sprintf("%.2f (%.2f–%.2f)", all[len(all)/2], all[0], all[len(all)-1])
}
