package frame

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/web"
)

// problemPage is a page that tells what is wrong, and where one may go instead.
type problemPage struct {
	Heading, Text string
	Request       string // its id, for who looks into the log; empty: it says nothing there
	Log           bool   // who reads the page reads the log
	Near          []LinkRow
	Ways          []ActLink
}

// Problem answers with a page that tells only what is wrong.
func (v *Visit) Problem(status int, text string) {
	page := &problemPage{Heading: headings[status], Text: text}
	title := "That did not work"
	switch status {
	case http.StatusNotFound:
		page.Heading, page.Text = strings.TrimSuffix(text, "."), ""
		title = "Not found"
		if web.Readable(v.URL) {
			v.lost(page)
		}
	case http.StatusForbidden:
		title = "Not allowed"
	case http.StatusInternalServerError:
		title = "Belay failed"
		page.Request, page.Log = v.Writer.Header().Get("X-Request-Id"), v.Admin
	case http.StatusTooManyRequests:
		if v.Method == http.MethodGet {
			v.Writer.Header().Set("Refresh", v.Writer.Header().Get("Retry-After"))
		}
	case http.StatusServiceUnavailable:
		if v.Method == http.MethodGet && !strings.HasPrefix(v.URL.Path, LivePath) {
			v.Writer.Header().Set("Refresh", "5")
		}
	}
	if page.Heading == "" {
		page.Heading = title
	}
	v.Show(status, "problem", Frame{Title: title, OwnHead: true, Visitor: v.who, Place: v.place, Page: page})
}

// headings is what a page says first, by its status.
var headings = map[int]string{
	http.StatusForbidden:           "You may not do that",
	http.StatusInternalServerError: "Belay failed. It is not you.",
	http.StatusServiceUnavailable:  "Not now",
	http.StatusTooManyRequests:     "Too many requests",
}

// lookFor is how long near names are looked for: a page of them is worth no more.
const lookFor = time.Second

// lost says what of what was asked for is not there, and tells names near to it among those that the
// visitor may see. What it may not see leads to the same words as what is not there.
func (v *Visit) lost(page *problemPage) {
	asked := strings.Split(strings.Trim(strings.TrimPrefix(v.URL.Path, "/app"), "/"), "/")
	if asked[0] == "" || asked[0] == "~" || !strings.HasPrefix(v.URL.Path, HomePath) {
		return
	}
	ctx, cancel := context.WithTimeout(v.Context(), lookFor)
	defer cancel()
	s, ok, err := v.Visitor()
	if err != nil || !ok {
		return
	}
	o, err := v.UI.App.Organization(ctx, s, asked[0])
	switch {
	case belay.KindOf(err) == belay.NotFound:
		v.nearOrganizations(ctx, s, asked[0], page)
	case err == nil && len(asked) == 1:
		v.Place(&o, "")
	case err == nil:
		v.lostIn(ctx, s, &o, asked[1:], page)
	}
}

// nearOrganizations tells the visitor's organizations with names near to one.
func (v *Visit) nearOrganizations(ctx context.Context, s belay.Principal, meant string, page *problemPage) {
	list, _, err := v.UI.App.Organizations(ctx, s, belay.OrganizationQuery{Page: belay.Page{Number: 1, Size: PageSize}})
	if err != nil {
		return
	}
	var names []string
	for i := range list {
		names = append(names, list[i].Name)
	}
	for _, name := range nearest(meant, names) {
		page.Near = append(page.Near, LinkRow{Name: name, Path: OrganizationHomePath(name)})
	}
}

// lostIn is lost within an organization that the visitor sees.
func (v *Visit) lostIn(ctx context.Context, s belay.Principal, o *app.OrganizationView, asked []string, page *problemPage) {
	at := v.Place(o, asked[0])
	page.Ways = []ActLink{{Text: "Search workspaces", Icon: "search", Path: OrganizationPath(o.Name, "workspaces")}, {Text: "Who may give access?", Icon: "shield", Path: OrganizationPath(o.Name, "teams")}}
	if len(asked) < 2 || asked[0] != "workspaces" {
		nearParts(at, asked[0], page)
		ref := belay.WorkspaceRef{Organization: o.Name, Name: asked[0]} // as the way to its runs begins that command lines print
		if _, err := v.UI.App.Workspace(ctx, s, ref); err == nil {
			page.Near = append(page.Near, LinkRow{Name: ref.Name, Path: WorkspacePath(o.Name, ref.Name)})
		}
		return
	}
	name := asked[1]
	if _, err := v.UI.App.Workspace(ctx, s, belay.WorkspaceRef{Organization: o.Name, Name: name}); belay.KindOf(err) != belay.NotFound {
		if err == nil { // else nobody knows in time whether it is there
			page.Near = []LinkRow{{Name: name, Path: WorkspacePath(o.Name, name)}}
		}
		return
	}
	page.Heading = "There is no workspace “" + Cut(name, longestLost) + "” in " + o.Name + " that you may see"
	page.Text = "It may have been renamed or deleted, or your teams have no access to it."
	for _, near := range v.nearWorkspaces(ctx, s, o.Name, name) {
		page.Near = append(page.Near, LinkRow{Name: near, Path: WorkspacePath(o.Name, near)})
	}
}

// longestLost is how many letters are said of a name that is not there.
const longestLost = 90

// nearWorkspaces is the names of workspaces near to one, of those that the visitor may see.
func (v *Visit) nearWorkspaces(ctx context.Context, s belay.Principal, organization, meant string) (near []string) {
	for _, piece := range pieces(Cut(meant, longestLost)) {
		list, _, err := v.UI.App.Workspaces(ctx, s, organization, belay.WorkspaceQuery{Search: piece, Page: belay.Page{Number: 1, Size: PageSize}})
		if err != nil {
			return nil
		}
		names := make([]string, len(list))
		for i := range list {
			names[i] = list[i].Name
		}
		if near = nearest(meant, names); near != nil {
			return near
		}
	}
	return nil
}

// nearParts tells the lists of an organization whose names are near to one.
func nearParts(at *Place, meant string, page *problemPage) {
	ways := map[string]Doorway{}
	var names []string
	for _, way := range slices.Concat(at.Main, at.More) {
		if name := way.Path[strings.LastIndexByte(way.Path, '/')+1:]; !way.Phone && way.Path != OrganizationHomePath(at.Organization) {
			ways[name], names = way, append(names, name)
		}
	}
	for _, name := range nearest(meant, names) {
		page.Near = append(page.Near, LinkRow{Name: ways[name].Name, Path: ways[name].Path})
	}
}
