package ui

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// place is the organization that a page is of, and what of it the visitor may open.
type place struct {
	Organization string
	Main, More   []doorway
}

// doorway is a way to a list of the organization.
type doorway struct {
	Name, Icon, Path, Count string
	Here                    bool
	Rare                    bool // not among the tabs of a telephone
	Phone                   bool // only there
}

// part is a list of an organization, and which right opens it.
type part struct {
	path, name, icon string
	other            string           // what it is called in an address that is somebody else's
	need             belay.Permission // any of these; 0 is for every member
	main             bool
	rare, phone      bool
	feature          belay.Feature

	page func(*orgVisit) (*view, error) // nil: it has routes of its own
	acts map[string]act                 // what its forms do, by the name that they send
}

// place is where in an organization the page is.
func (v *visit) place(o *app.OrganizationView, here string) *place {
	at := &place{Organization: o.Name}
	for _, p := range v.ui.parts {
		if !v.opens(p, o) {
			continue
		}
		way := doorway{Name: p.name, Icon: p.icon, Path: strings.TrimSuffix(p.address(o.Name), "/"), Here: p.path == here, Rare: p.rare, Phone: p.phone}
		if p.path == "workspaces" && o.Can.Has(belay.ReadWorkspace) {
			way.Count = count(o.WorkspaceCount)
		}
		if p.main {
			at.Main = append(at.Main, way)
		} else {
			at.More = append(at.More, way)
		}
	}
	return at
}

// address is where the list of an organization is.
func (p part) address(organization string) string {
	if path := organizationPath(organization, p.path); path != tokensPath {
		return path
	}
	return organizationPath(organization, p.other) // an organization may be called settings
}

// placeOf is place for a page that knows only its organization's name.
func (v *visit) placeOf(s belay.Principal, organization, here string) (*place, error) {
	o, err := v.ui.App.Organization(v.Context(), s, organization)
	if err != nil {
		return nil, err
	}
	return v.place(&o, here), nil
}

// more is the rest of the side bar as a page, for telephones.
func (t *orgVisit) more() (*view, error) {
	if t.id != "" {
		return nil, belay.ErrNotFound
	}
	g := newGrid("Table of pages", "Page")
	at := t.place(&t.o, "more")
	for _, way := range append(at.Main, at.More...) {
		if way.Rare || !slices.Contains(at.Main, way) {
			g.row(nil, cell{Text: way.Name, Path: way.Path, Icon: way.Icon})
		}
	}
	return t.sheet(&sheet{Title: "More", Main: []card{{ID: "pages", Title: "Organization", Grid: g}}})
}
