package ui

import "strings"

// facet is one thing that a list is narrowed by: some of its choices.
type facet struct {
	Param, Name string
	Choices     []facetChoice
	One         bool   // no two choices at once
	Type        string // an example of what may be typed beside the choices; empty: nothing
}

// facetChoice is a choice, and how many it finds beside all else that is asked for.
type facetChoice struct {
	choice
	ID    string // of a project
	Count string // empty: not known
}

type choice struct {
	Value, Text string
	On          bool
}

// Chosen is the names of the choices that are on, in words.
func (f facet) Chosen() string {
	var on []string
	for _, c := range f.Choices {
		if c.On {
			on = append(on, c.Text)
		}
	}
	return strings.Join(on, ", ")
}
