package frame

import "strings"

// Facet is one thing that a list is narrowed by: some of its choices.
type Facet struct {
	Param, Name string
	Choices     []FacetChoice
	One         bool   // no two choices at once
	Type        string // an example of what may be typed beside the choices; empty: nothing
}

// FacetChoice is a choice, and how many it finds beside all else that is asked for.
type FacetChoice struct {
	Choice
	ID    string // of a project
	Count string // empty: not known
}

// Choice is one of the values that a form or a filter offers.
type Choice struct {
	Value, Text string
	On          bool
}

// Chosen is the names of the choices that are on, in words.
func (f Facet) Chosen() string {
	var on []string
	for _, c := range f.Choices {
		if c.On {
			on = append(on, c.Text)
		}
	}
	return strings.Join(on, ", ")
}
