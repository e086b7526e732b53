package site

import (
	"html/template"

	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/site"
)

// storage is what organizations keep.
func (t *siteVisit) storage() (*frame.Sheet, error) {
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.SiteStorage(t.Context(), t.s, at)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of what organizations keep", "Organization", "+All", "-Share of the first", "+-Workspaces", "+-States", "+Bytes of states", "+-Configurations", "+-Files of runs", "-Counted")
	for i := range list {
		s := &list[i]
		g.Row(nil, frame.Link(s.Name, frame.HomePath+s.Name), frame.Words(frame.BytesText(s.Bytes())), frame.Cell{HTML: shareBar(s.Bytes(), list[0].Bytes())}, frame.Amount(s.Workspaces), frame.Amount(int(s.States)), frame.Words(frame.BytesText(s.StateBytes)),
			frame.Words(frame.BytesText(s.ConfigurationBytes)), frame.Words(frame.BytesText(s.RunFileBytes)), frame.Moment(s.CountedAt))
	}
	keys, err := t.keyCards()
	if err != nil {
		return nil, err
	}
	return &frame.Sheet{Sub: frame.Many(total, "organization", "organizations"), Main: append([]frame.Card{{
		ID: "storage", Title: "What organizations keep", Note: "counted anew every hour", Grid: g, Turns: t.Turns(t.path, at, total),
		Empty: "Nothing is counted yet. It is, within a minute of the start.",
	}}, keys...)}, nil
}

// shareBar is how much of the largest one is, in thousandths: a bar.
func shareBar(of, all int64) template.HTML {
	if all <= 0 {
		return ""
	}
	part := int(float64(of) / float64(all) * 1000)
	return draw.Bar("meter", "", 1000, draw.Part{Of: part, Fill: "p0"}, draw.Part{Of: 1000 - part, Fill: "track"})
}

var keyPills = map[site.KeyStatus]frame.Cell{
	site.KeyLeads:   {Text: "seals what is new", Pill: "ok", Icon: "key"},
	site.KeyNeeded:  {Text: "still needed", Pill: "wait", Icon: "key"},
	site.KeyUnused:  {Text: "no longer in use", Pill: "plain"},
	site.KeyUnknown: {Text: "not counted", Pill: "plain"},
	site.KeyMissing: {Text: "missing", Pill: "bad", Icon: "alert"},
}

// keyCards are the keys that data is sealed with, and how far sealing anew has come.
func (t *siteVisit) keyCards() ([]frame.Card, error) {
	keys, err := t.UI.App.SiteKeys(t.Context(), t.s)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of keys", "Key", "State", "+Values", "+Objects")
	g.Whole = true
	list := keys.States()
	for i := range list {
		k := &list[i]
		values, objects := frame.Words("–"), frame.Words("–")
		if k.Use != nil {
			values, objects = frame.Amount(k.Use.Values), frame.Amount(k.Use.Objects)
		}
		g.Row(nil, frame.Cell{Text: k.ID, Code: true}, keyPills[k.Status], values, objects)
	}
	card := frame.Card{ID: "keys", Title: "Sealed by which key", Grid: g, Empty: "The server knows of no key.", Foot: "belay keys status counts what each key seals: all that is sealed is looked at, so nobody does while pages are shown."}
	if at := keys.Counted.At; !at.IsZero() {
		card.Note = "counted " + frame.Ago(at, t.UI.Now())
	}
	cards := []frame.Card{card}
	if r := &keys.Resealing; !r.BeganAt.IsZero() {
		cards = append(cards, t.resealCard(r))
	}
	return cards, nil
}

// resealCard is how far belay keys reseal came when it ran last.
func (t *siteVisit) resealCard(r *site.Resealing) frame.Card {
	now := t.UI.Now()
	state := "stopped; begin it again, and it goes on with what is left"
	switch {
	case !r.EndedAt.IsZero():
		state = "ended " + frame.Ago(r.EndedAt, now)
	case r.GoesOn(now):
		state = "goes on"
	}
	card := frame.Card{ID: "reseal", Title: "Sealing anew", Note: "belay keys reseal", Facts: []frame.Setting{
		{Name: "State", Value: state}, {Name: "With the key", Value: r.Key}, {Name: "Begun", Value: frame.Minute(r.BeganAt)},
		{Name: "Looked at", Value: frame.Count(r.Looked) + " of " + frame.Count(max(r.All, r.Looked)) + " values and objects"}, {Name: "Sealed anew", Value: frame.Count(r.Sealed)},
	}}
	if r.EndedAt.IsZero() {
		card.HTML = shareBar(int64(r.Looked), int64(max(r.All, r.Looked)))
	}
	return card
}
