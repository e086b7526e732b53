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

// options are the choices of a field that drops down.
type options []Choice

// Draw writes them.
func (o options) Draw(m *Markup) {
	for _, c := range o {
		if m.Add(`<option value="`).Text(c.Value).Add(`"`); c.On {
			m.Add(" selected")
		}
		m.Add(">").Text(c.Text).Add("</option>")
	}
}

// ticks are choices that are ticked, under a name.
type ticks struct {
	name    string
	choices []Choice
}

// Draw writes them.
func (t ticks) Draw(m *Markup) {
	for _, c := range t.choices {
		Facet{Param: t.name}.drawChoice(m, "checkbox", FacetChoice{Choice: c})
	}
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

// Draw writes it as choices that drop down.
func (f Facet) Draw(m *Markup) {
	chosen, kind := f.Chosen(), ours("checkbox")
	if m.Add(`<details class="facet`); chosen != "" {
		m.Add(" on")
	}
	if m.Add(`"><summary>`).Text(f.Name); chosen != "" {
		m.Add(": ").Text(chosen)
	}
	m.Icon("down").Add(`</summary><div class="drop"><fieldset><legend class="hidden">`).Text(f.Name).Add("</legend>\n")
	if f.One {
		kind = "radio"
		f.drawChoice(m, kind, FacetChoice{Choice: Choice{Text: "any", On: chosen == ""}})
	}
	for _, c := range f.Choices {
		f.drawChoice(m, kind, c)
	}
	if m.Add("</fieldset>"); f.Type != "" {
		m.Add(`<input name="`).Text(f.Param).Add(`" aria-label="`).Text(f.Name).Add(`: a version or a constraint" placeholder="`).Text(f.Type)
		m.Add(`" maxlength="255" autocapitalize="none" autocomplete="off" spellcheck="false">`)
	}
	m.Add(`<button class="btn">Show</button></div></details>`)
}

func (f Facet) drawChoice(m *Markup, kind ours, c FacetChoice) {
	m.Add(`<label><input type="`).Add(kind).Add(`" name="`).Text(f.Param).Add(`" value="`).Text(c.Value).Add(`"`)
	if c.On {
		m.Add(" checked")
	}
	if m.Add(">").Text(c.Text); c.Count != "" {
		things := ours("workspaces")
		if c.Count == "1" {
			things = "workspace"
		}
		m.Add(`<span class="faint">`).Text(c.Count).Add(`<span class="hidden"> `).Add(things).Add("</span></span>")
	}
	m.Add("</label>\n")
}
