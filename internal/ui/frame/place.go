package frame

import (
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/site"
)

// Place is the organization that a page is of, and what of it the visitor may open.
type Place struct {
	Organization string
	Main, More   Doorways
	Views        Doorways // saved views of the list of workspaces
}

// Part is a list of an organization, and which right opens it.
type Part struct {
	Path, Name, Icon string
	Other            string           // what it is called in an address that is somebody else's
	Need             belay.Permission // any of these; none is for every member
	Main             bool
	Rare, Phone      bool
	Feature          site.Feature

	Page func(*OrgVisit) (*View, error) // nil: it has routes of its own
	Acts map[string]Act                 // what its forms do, by the name that they send
}

// lastKept is for how many seconds a browser remembers the organization that it was in last.
const lastKept = 400 * 24 * 60 * 60

// Place is where in an organization the page is.
func (v *Visit) Place(o *app.OrganizationView, here string) *Place {
	at := &Place{Organization: o.Name}
	for _, p := range v.UI.parts {
		if !v.opens(p, o) {
			continue
		}
		way := Doorway{Name: p.Name, Icon: p.Icon, Path: strings.TrimSuffix(p.address(o.Name), "/"), Here: p.Path == here, Rare: p.Rare, Phone: p.Phone}
		if p.Path == "workspaces" && o.Can.Has(belay.ReadWorkspace) {
			way.Count = Count(o.WorkspaceCount)
		}
		if p.Main {
			at.Main = append(at.Main, way)
		} else {
			at.More = append(at.More, way)
		}
	}
	if v.principal.ID != "" {
		at.tellSide(v.side(o), v.ListAsked(o.Name))
	}
	v.place = at
	if v.Method == http.MethodGet && v.principal.ID != "" && v.ReadCookie(LastCookie) != o.Name {
		v.SetCookie(LastCookie, o.Name, lastKept)
	}
	return at
}

// address is where the list of an organization is.
func (p Part) address(organization string) string {
	if path := OrganizationPath(organization, p.Path); path != TokensPath {
		return path
	}
	return OrganizationPath(organization, p.Other) // an organization may be called settings
}

// PlaceOf is place for a page that knows only its organization's name.
func (v *Visit) PlaceOf(s belay.Principal, organization, here string) (*Place, error) {
	o, err := v.UI.App.Organization(v.Context(), s, organization)
	if err != nil {
		return nil, err
	}
	return v.Place(&o, here), nil
}

// More is the rest of the side bar as a page, for telephones.
func (t *OrgVisit) More() (*View, error) {
	if t.ID != "" {
		return nil, belay.ErrNotFound
	}
	g := NewGrid("Table of pages", "Page")
	at := t.Place(&t.Org, "more")
	for _, way := range append(at.Main, at.More...) {
		if way.Rare || !slices.Contains(at.Main, way) {
			g.Row(nil, Cell{Text: way.Name, Path: way.Path, Icon: way.Icon})
		}
	}
	return t.Sheet(&Sheet{Title: "More", Main: []Card{{ID: "pages", Title: "Organization", Grid: g}}})
}
