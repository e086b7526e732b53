package frame

// Seg is one of a few pages that are one.
type Seg struct {
	Name, Path string
	Here       bool
}

// Segs is all of them.
type Segs []Seg

// Draw writes them without the bar that they lie in.
func (s Segs) Draw(m *Markup) {
	for i := range s {
		m.way(s[i].Path, s[i].Here).Add(">").Text(s[i].Name).Add("</a>")
	}
}

// Doorway is a way to a list of the organization.
type Doorway struct {
	Name, Icon, Path, Count string
	Here                    bool
	What                    string // that are counted, for those who hear the page
	Hot, Live               bool   // the count asks for somebody; it goes on
	Rare                    bool   // not among the tabs of a telephone
	Phone                   bool   // only there
	Named                   bool   // by somebody: where there is no room for all of it, it is told
}

// Doorways is some of the side bar.
type Doorways []Doorway

// Draw writes them as the items of a list.
func (ways Doorways) Draw(m *Markup) {
	for i := range ways {
		ways[i].draw(m)
	}
}

func (w *Doorway) draw(m *Markup) {
	switch {
	case w.Rare:
		m.Add(`<li class="off">`)
	case w.Phone:
		m.Add(`<li class="more">`)
	default:
		m.Add("<li>")
	}
	if m.way(w.Path, w.Here); w.Named {
		m.Add(` title="`).Text(w.Name).Add(`"`)
	}
	m.Add(">").Icon(w.Icon).Add("<span>").Text(w.Name).Add("</span>")
	if w.Count != "" {
		w.drawCount(m)
	}
	m.Add("</a></li>\n")
}

func (w *Doorway) drawCount(m *Markup) {
	switch {
	case w.Hot:
		m.Add(`<span class="n hot">`)
	case w.Live:
		m.Add(`<span class="n live">`)
	default:
		m.Add(`<span class="n">`)
	}
	if m.Text(w.Count); w.What != "" {
		m.Add(`<span class="hidden"> `).Text(w.What).Add("</span>")
	}
	m.Add("</span>")
}

// way begins a link to one of several pages, and says which of them this is.
func (m *Markup) way(path string, here bool) *Markup {
	if m.Add(`<a href="`).Path(path).Add(`"`); here {
		m.Add(` aria-current="true"`)
	}
	return m
}
