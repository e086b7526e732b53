package site

import (
	"cmp"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

func (t *siteVisit) engines() (*frame.Sheet, error) {
	at := t.Page(enginesAtOnce)
	list, total, err := t.UI.App.EngineVersions(t.Context(), t.s, t.Asked("search"), at)
	if err != nil {
		return nil, err
	}
	known, err := t.UI.App.EnginesNow(t.Context())
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of engine versions", "Version", "State", "+Workspaces", "-Share of the most used", "-Official", "+-Builds")
	most, oldest := int64(0), run.SupportedFrom(known)
	for i := range list {
		most = max(most, int64(list[i].Usage))
	}
	for i := range list {
		e := &list[i]
		state, of := frame.Pill("on", "ok"), []frame.Setting{{Name: "engine", Value: e.ID}}
		forms := []frame.RowForm{{Do: "disable", Text: "Turn off", Of: e.Version, Hidden: of}}
		switch {
		case !e.Enabled:
			state, forms = frame.Pill("off", ""), []frame.RowForm{{Do: "enable", Text: "Turn on", Of: e.Version, Hidden: of}}
		case e.Deprecated:
			state = frame.Pill("deprecated", "wait")
		case e.Beta:
			state = frame.Pill("beta", "run")
		}
		if e.Usage == 0 {
			forms = append(forms, frame.RowForm{Do: "delete", Text: "Forget", Of: e.Version, Hidden: of, Risk: true})
		}
		version, word := frame.Words(e.Version), ""
		switch e.Version {
		case known.Newest():
			word = "what workspaces get that name none"
		case oldest:
			word = "the oldest that is supported"
		default:
			forms = append(forms, frame.RowForm{Do: "support", Text: "Support from here", Of: e.Version, Hidden: of})
		}
		version.Sub = cmp.Or(e.DeprecatedReason, word)
		g.Row(forms, version, state, frame.Amount(e.Usage), frame.Cell{HTML: shareBar(int64(e.Usage), most)}, frame.Words(frame.YesNo(e.Official)), frame.Amount(len(e.Archs)))
	}
	return &frame.Sheet{Sub: frame.Many(total, "version", "versions") + supported(known), Search: t.Asked("search"), Searchable: true, Main: []frame.Card{{
		ID: "engines", Title: "Engine versions", Grid: g, Empty: "No version fits.", Turns: t.Turns(t.path, at, total), Closed: true,
		Form: &frame.FormPart{Do: "new", Submit: "New version", Fields: []frame.FormField{
			{Kind: "text", Name: "version", Label: "Version", Max: 90, Required: true, Code: true}, {Kind: "text", Name: "url", Label: "Address of the archive", Hint: "for Linux on amd64", Max: 2048, Code: true},
			{Kind: "text", Name: "sha", Label: "SHA-256", Max: 64, Code: true}, {Kind: "check", Name: "enabled", Label: "Workspaces may use it", On: true},
		}},
	}}}, nil
}

// enginesAtOnce is fewer than of other things: each has three buttons.
const enginesAtOnce = 40

// supported says from which version on engines are supported, where that was said.
func supported(known belay.Engines) string {
	if from := run.SupportedFrom(known); from != "" {
		return ", supported from " + from
	}
	return ""
}

func (t *siteVisit) supportFrom() error {
	return t.UI.App.SupportEnginesFrom(t.Context(), t.s, t.PostFormValue("engine"))
}

func (t *siteVisit) newEngine() error {
	p := app.EngineVersionPatch{Version: patch.Of(t.Given("version")), Enabled: t.Ticked("enabled")}
	if t.Given("url")+t.Given("sha") != "" {
		p.URL, p.SHA = patch.Of(t.Given("url")), patch.Of(t.Given("sha"))
	}
	_, err := t.UI.App.CreateEngineVersion(t.Context(), t.s, p)
	return err
}

func enabling(is bool) func(*siteVisit) error {
	return func(t *siteVisit) error {
		_, err := t.UI.App.UpdateEngineVersion(t.Context(), t.s, t.PostFormValue("engine"), app.EngineVersionPatch{Enabled: patch.Of(is)})
		return err
	}
}

func (t *siteVisit) deleteEngine() error {
	return t.UI.App.DeleteEngineVersion(t.Context(), t.s, t.PostFormValue("engine"))
}
