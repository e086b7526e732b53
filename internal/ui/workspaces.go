package ui

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
)

// workspacesPage is the list of an organization's workspaces.
type workspacesPage struct {
	Search, Tags, Sort string
	Filtered           bool
	Requests           bool // the edition has change requests
	Workspaces         []workspaceRow
	Turns              turns
}

type workspaceRow struct {
	Name, Path   string
	Locked       bool
	LockedBy     string
	Resources    int
	Changed      time.Time
	Tags         []string
	MayReadOpen  bool // how many change requests are open
	OpenRequests int
}

// workspaceOrders are the orders that the list offers.
var workspaceOrders = map[string]belay.WorkspaceSort{
	"changed": {Key: "latest-change-at", Descending: true},
	"oldest":  {Key: "latest-change-at"},
}

func (u *UI) showWorkspaces(v *visit) {
	s, ok := v.signedIn()
	if !ok {
		return
	}
	o, err := u.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.refuse(err)
		return
	}
	page := workspacesPage{Search: v.asked("search"), Tags: v.asked("tags"), Sort: v.asked("sort"), Requests: u.offersRequests()}
	page.Filtered = page.Search != "" || page.Tags != ""
	at := v.page(pageSize)
	want := belay.WorkspaceQuery{Search: page.Search, Sort: workspaceOrders[page.Sort], Page: at}
	want.Tags, want.Tagged = tagsAsked(page.Tags)
	list, total, err := u.App.Workspaces(v.Context(), s, o.Name, want)
	if err != nil {
		v.refuse(err)
		return
	}
	for _, w := range list {
		page.Workspaces = append(page.Workspaces, workspaceRow{
			Name: w.Name, Path: workspacePath(o.Name, w.Name),
			Locked: w.Lock.Held(), LockedBy: holderName(w.Lock.Holder),
			Resources: w.ResourceCount, Changed: w.LatestChangeAt, Tags: w.TagNames,
			MayReadOpen: w.Can.Has(belay.ReadChangeRequests), OpenRequests: w.OpenChangeRequests,
		})
	}
	page.Turns = v.turns(organizationPath(o.Name, "workspaces"), at, total)
	v.show(http.StatusOK, "workspaces", frame{Title: "Workspaces", Visitor: s.Name, Place: v.place(o.Name, "workspaces"), Page: page})
}

// tagsAsked reads tags: a name is a flat tag or the key of a binding, key=value a binding.
func tagsAsked(text string) (names []string, bindings []belay.TagFilter) {
	for _, word := range commas(text) {
		key, value, isBinding := strings.Cut(word, "=")
		if filter := (belay.TagFilter{Key: key, Value: value}); isBinding && key != "" {
			if !slices.Contains(bindings, filter) {
				bindings = append(bindings, filter)
			}
		} else if !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names, bindings
}

// holderName is what people call the holder of a lock.
func holderName(h belay.Holder) string {
	switch h.Type {
	case "teams":
		if h.Hidden {
			return "a team"
		}
		return "the team " + h.Name
	case "runs":
		return "the run " + h.ID
	default:
		return h.Name
	}
}
