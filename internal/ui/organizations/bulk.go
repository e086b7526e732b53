package organizations

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/frame"
)

// bulkPart is what may be done with the workspaces of a list that are ticked.
type bulkPart struct {
	Form, Here      string
	Lock, Tag, File bool
	Projects        []frame.Choice // that they may be moved to; none: they may not be moved
	Typed           string         // the tags that were typed
	All             int            // how many the whole list has; 0: one, or too many to act on at once
	AllTicked       bool           // in the form that came back
}

// mostMatching is how many workspaces of a list can be acted on at once.
const mostMatching = 1000

// bulk is what the visitor may do with some of the workspaces of a list; nil: nothing. They
// may go to those projects. The whole list has so many in total.
func bulk(v *frame.Visit, o *app.OrganizationView, list []app.WorkspaceView, total int, projects []app.ProjectView) *bulkPart {
	part := &bulkPart{Form: v.FormSecret(), Here: listed(v, ""), Typed: v.PostFormValue("tags"), File: v.UI.OffersRequests() && o.Can.Has(belay.CreateChangeRequests)}
	if total > 1 && total <= mostMatching {
		part.All, part.AllTicked = total, v.PostForm.Has("all")
	}
	somewhere := func(right belay.Permission) bool {
		return slices.ContainsFunc(list, func(w app.WorkspaceView) bool { return w.Can.Has(right) })
	}
	part.Tag, part.Lock = somewhere(belay.ManageTags), somewhere(belay.LockWorkspace)
	for i := range projects {
		if p := &projects[i]; p.Can.Has(belay.ReadProject.And(belay.MoveWorkspace)) {
			part.Projects = append(part.Projects, frame.Choice{Value: p.ID, Text: p.Name, On: p.ID == v.PostFormValue("project")})
		}
	}
	if len(list) == 0 || !part.Tag && !part.Lock && !part.File && len(part.Projects) == 0 {
		return nil
	}
	return part
}

// listed is the address of the list as it is asked for, with what was done there.
func listed(v *frame.Visit, did string, values ...string) string {
	query := v.URL.Query()
	for _, name := range []string{"did", "n", "not"} {
		query.Del(name)
	}
	if did != "" {
		query["did"], query["n"], query["not"] = []string{did}, values[:1], values[1:2]
	}
	return (&url.URL{Path: v.URL.Path, RawQuery: query.Encode()}).String()
}

// done is what was done with the workspaces that were ticked, in words; empty: nothing.
func done(v *frame.Visit) string {
	n, err := strconv.Atoi(v.Asked("n"))
	not, errNot := strconv.Atoi(v.Asked("not"))
	words := map[string][2]string{
		"tag": {" tagged", "you may not do that there"}, "move": {" moved", ""},
		"lock": {" locked", "locked already, or you may not"}, "unlock": {" unlocked", "held by another, not locked, or you may not"},
	}[v.Asked("did")]
	if err != nil || errNot != nil || words[0] == "" || n < 0 || not < 0 {
		return ""
	}
	text := frame.Many(n, "workspace", "workspaces") + words[0]
	if not > 0 {
		text += ", " + frame.Count(not) + " refused: " + words[1]
	}
	return text + "."
}

// ticked is a workspace of the list.
type ticked struct{ id, name string }

// bulkActs is what is done with those that are ticked, and leads on to an address.
var bulkActs = map[string]func(*frame.Visit, belay.Principal, []ticked) (string, error){
	"tag": tagTicked, "move": moveTicked, "file": fileOnTicked,
	"lock": lockTicked, "unlock": unlockTicked,
}

// ActOnWorkspaces does something with the workspaces that are ticked.
func ActOnWorkspaces(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
		if err != nil {
			return "", err
		}
		if keep := viewActs[v.PostFormValue("do")]; keep != nil {
			return keep(v, s, &o)
		}
		act := bulkActs[v.PostFormValue("do")]
		if act == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		if v.PostForm.Has("all") {
			list, err := matching(v, s, &o)
			if err != nil {
				return "", err
			}
			return act(v, s, list)
		}
		var list []ticked
		for _, value := range v.PostForm["id"] {
			if id, name, ok := strings.Cut(value, " "); ok && len(list) < frame.PageSize {
				list = append(list, ticked{id, name})
			}
		}
		if len(list) == 0 {
			return "", belay.Refuse(belay.Invalid, "Tick the workspaces first.")
		}
		return act(v, s, list)
	}, func(s belay.Principal, status int, problem string) { listWorkspaces(v, s, status, problem) })
}

// matching is every workspace that fits what the address asks for: as many as the visitor was
// shown, or nothing is done with any.
func matching(v *frame.Visit, s belay.Principal, o *app.OrganizationView) (list []ticked, err error) {
	want, err := wanted(v, s, o.Name, &workspacesPage{Requests: v.UI.OffersRequests()})
	for left := true; left && err == nil && len(list) < mostMatching; {
		want.Page = belay.Page{Number: len(list)/rowsOfFile + 1, Size: rowsOfFile}
		var found []app.WorkspaceView
		var total int
		if found, total, err = v.UI.App.Workspaces(v.Context(), s, o.Name, want); err != nil {
			break
		}
		if shown, _ := strconv.Atoi(v.PostFormValue("all")); total != shown {
			return nil, belay.Refuse(belay.Conflict, "%s matched when you looked, and %s do now. Look again.", frame.Count(shown), frame.Count(total))
		}
		for i := range found {
			list = append(list, ticked{found[i].ID, found[i].Name})
		}
		left = len(found) == rowsOfFile
	}
	return list, err
}

// oneByOne does something with one after the other: where that may not be, with the others.
func oneByOne(v *frame.Visit, list []ticked, did string, do func(belay.WorkspaceRef) error) (string, error) {
	n := 0
	for _, w := range list {
		switch err := do(belay.WorkspaceRef{ID: w.id}); belay.KindOf(err) {
		case belay.NotFound, belay.Forbidden, belay.Conflict, belay.NotReady:
		default:
			if err != nil {
				return "", err
			}
			n++
		}
	}
	return listed(v, did, strconv.Itoa(n), strconv.Itoa(len(list)-n)), nil
}

func lockTicked(v *frame.Visit, s belay.Principal, list []ticked) (string, error) {
	return oneByOne(v, list, "lock", func(ref belay.WorkspaceRef) error {
		_, err := v.UI.App.LockWorkspace(v.Context(), s, ref, "")
		return err
	})
}

func unlockTicked(v *frame.Visit, s belay.Principal, list []ticked) (string, error) {
	return oneByOne(v, list, "unlock", func(ref belay.WorkspaceRef) error {
		_, err := v.UI.App.UnlockWorkspace(v.Context(), s, ref)
		return err
	})
}

// tagTicked gives them flat tags.
func tagTicked(v *frame.Visit, s belay.Principal, list []ticked) (string, error) {
	var tags []belay.TagRef
	for _, name := range frame.Commas(v.PostFormValue("tags")) {
		tags = append(tags, belay.TagRef{Name: name})
	}
	if len(tags) == 0 {
		return "", belay.Refuse(belay.Invalid, "Write the tags that they get.")
	}
	return oneByOne(v, list, "tag", func(ref belay.WorkspaceRef) error { return v.UI.App.AddTags(v.Context(), s, ref, tags) })
}

// moveTicked moves all of them or none.
func moveTicked(v *frame.Visit, s belay.Principal, list []ticked) (string, error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	if err := v.UI.App.MoveWorkspaces(v.Context(), s, v.PostFormValue("project"), ids); err != nil {
		return "", err
	}
	return listed(v, "move", strconv.Itoa(len(list)), "0"), nil
}

// fileOnTicked leads to where change requests are filed, with the question that finds these. It asks for what the list was narrowed
// by, which says later when one is done, and for their names unless all that it finds are ticked.
func fileOnTicked(v *frame.Visit, s belay.Principal, list []ticked) (string, error) {
	page := workspacesPage{Requests: v.UI.OffersRequests()}
	want, err := wanted(v, s, v.PathValue("organization"), &page)
	if err != nil {
		return "", err
	}
	filters, whole := asFilters(want, page.asked)
	if !whole || !v.PostForm.Has("all") {
		if len(list) > frame.PageSize { // their names would make an address too long
			return "", belay.Refuse(belay.Invalid, "On more than %s, narrow the list by name, run, project, engine or drift alone and tick all, or file change requests from the explorer: both ask for them by question.", frame.Count(frame.PageSize))
		}
		names := make([]string, len(list))
		for i := range list {
			names[i] = list[i].name
		}
		filters = append(filters, explorer.Asked{Field: "workspace_name", Operator: explorer.Is, Values: names})
	}
	question, err := explorer.WorkspacesWith(filters...)
	return frame.OrganizationPath(v.PathValue("organization"), "change-requests/new?query=") + url.QueryEscape(string(question.JSON())), err
}
