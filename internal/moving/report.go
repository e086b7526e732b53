package moving

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Note is one thing and what there is to say of it.
type Note struct {
	Thing string `json:"thing"`
	Why   string `json:"why"`
}

// Count is how many things of a kind there are on both sides, and what became of them.
type Count struct {
	Source  int `json:"source"`
	Target  int `json:"target"`
	Made    int `json:"made"`
	Changed int `json:"changed"`
}

// Report is what came of a walk. It is safe for concurrent use.
type Report struct {
	mu     sync.Mutex
	tell   func(line string) // told of every plan at once; may be nil
	counts map[string]*Count

	Left        []Note // what could not come along, and why
	Give        []Note // secrets that no server tells
	Differences []Note
	planned     int

	expected, steps, stateCount int // of the progress
	bytes                       int64
}

// NewReport is an empty report. Every step of a dry run is told at once.
func NewReport(tell func(string)) *Report {
	return &Report{tell: tell, counts: map[string]*Count{}}
}

func (r *Report) count(kind string) *Count {
	if r.counts[kind] == nil {
		r.counts[kind] = &Count{}
	}
	return r.counts[kind]
}

func (r *Report) seen(kind string, source, target int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.count(kind)
	c.Source += source
	c.Target += target
}

func (r *Report) made(kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(kind).Made++
}

func (r *Report) changed(kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(kind).Changed++
}

// Touched is how many things were made and changed.
func (r *Report) Touched() (made, changed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.counts {
		made += c.Made
		changed += c.Changed
	}
	return made, changed
}

func (r *Report) left(thing, why string) { r.note(&r.Left, thing, why) }
func (r *Report) give(thing, why string) { r.note(&r.Give, thing, why) }

func (r *Report) differ(thing, why string) { r.note(&r.Differences, thing, why) }

func (r *Report) note(list *[]Note, thing, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if note := (Note{thing, why}); !slices.Contains(last(*list, 64), note) { // a step that is done again says the same
		*list = append(*list, note)
	}
}

func last(list []Note, n int) []Note { return list[max(0, len(list)-n):] }

func (r *Report) plan(kind, thing, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned++
	if r.tell != nil {
		r.tell(fmt.Sprintf("%s %s: %s", kind, thing, what))
	}
}

// Planned is how many steps a dry run would take.
func (r *Report) Planned() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.planned
}

// JSON writes the report for programs.
func (r *Report) JSON(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	document := map[string]any{
		"counts": r.counts, "planned": r.planned, "could-not-come": some(r.Left),
		"to-be-given": some(r.Give), "differences": some(r.Differences),
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

func some(list []Note) []Note {
	if list == nil {
		return []Note{}
	}
	return sorted(list)
}

func sorted(list []Note) []Note {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.Thing, b.Thing), cmp.Compare(a.Why, b.Why))
	})
	return list
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kinds := make([]string, 0, len(r.counts))
	for kind := range r.counts {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	if len(kinds) > 0 {
		_, _ = fmt.Fprintf(w, "%-28s %9s %9s %9s %9s\n", "", "source", "target", "made", "changed")
	}
	for _, kind := range kinds {
		c := r.counts[kind]
		_, _ = fmt.Fprintf(w, "%-28s %9d %9d %9d %9d\n", kind, c.Source, c.Target, c.Made, c.Changed)
	}
	section(w, "Could not come along", r.Left)
	section(w, "To be given by you: no server tells them", r.Give)
	section(w, "Differences", r.Differences)
}

func section(w io.Writer, title string, notes []Note) {
	if len(notes) == 0 {
		return
	}
	_, _ = fmt.Fprintf(w, "\n%s (%d):\n", title, len(notes))
	for _, n := range sorted(notes) {
		_, _ = fmt.Fprintf(w, "  %s: %s\n", n.Thing, n.Why)
	}
}
