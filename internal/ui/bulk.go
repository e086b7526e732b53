package ui

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
)

// bulkPart is what may be done with the workspaces of a list that are ticked.
type bulkPart struct {
	Form, Here      string
	Lock, Tag, File bool
	Projects        []choice // that they may be moved to; none: they may not be moved
	Typed           string   // the tags that were typed
	All             int      // how many the whole list has; 0: no more than are shown, or too many to act on at once
	AllTicked       bool     // in the form that came back
}

// mostMatching is how many workspaces of a list can be acted on at once.
const mostMatching = 1000

// bulk is what the visitor may do with some of the workspaces of a list; nil: nothing. They
// may go to those projects. The whole list has so many in total.
func (v *visit) bulk(o *app.OrganizationView, list []app.WorkspaceView, total int, projects []app.ProjectView) *bulkPart {
	part := &bulkPart{Form: v.formSecret(), Here: v.listed(""), Typed: v.PostFormValue("tags"), File: v.ui.offersRequests() && o.Can.Has(belay.CreateChangeRequests)}
	if total > len(list) && total <= mostMatching {
		part.All, part.AllTicked = total, v.PostForm.Has("all")
	}
	somewhere := func(right belay.Permission) bool {
		return slices.ContainsFunc(list, func(w app.WorkspaceView) bool { return w.Can.Has(right) })
	}
	part.Tag, part.Lock = somewhere(belay.ManageTags), somewhere(belay.LockWorkspace)
	for i := range projects {
		if p := &projects[i]; p.Can.Has(belay.ReadProject | belay.MoveWorkspace) {
			part.Projects = append(part.Projects, choice{p.ID, p.Name, p.ID == v.PostFormValue("project")})
		}
	}
	if len(list) == 0 || !part.Tag && !part.Lock && !part.File && len(part.Projects) == 0 {
		return nil
	}
	return part
}

// listed is the address of the list as it is asked for, with what was done there.
func (v *visit) listed(did string, values ...string) string {
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
func (v *visit) done() string {
	n, err := strconv.Atoi(v.asked("n"))
	not, errNot := strconv.Atoi(v.asked("not"))
	words := map[string][2]string{
		"tag": {" tagged", "you may not do that there"}, "move": {" moved", ""},
		"lock": {" locked", "locked already, or you may not"}, "unlock": {" unlocked", "held by another, not locked, or you may not"},
	}[v.asked("did")]
	if err != nil || errNot != nil || words[0] == "" || n < 0 || not < 0 {
		return ""
	}
	text := many(n, "workspace", "workspaces") + words[0]
	if not > 0 {
		text += ", " + count(not) + " refused: " + words[1]
	}
	return text + "."
}

// ticked is a workspace of the list.
type ticked struct{ id, name string }

// bulkActs is what is done with those that are ticked, and leads on to an address.
var bulkActs = map[string]func(*visit, belay.Principal, []ticked) (string, error){
	"tag": (*visit).tagTicked, "move": (*visit).moveTicked, "file": (*visit).fileOnTicked,
	"lock": (*visit).lockTicked, "unlock": (*visit).unlockTicked,
}

// actOnWorkspaces does something with the workspaces that are ticked.
func (u *UI) actOnWorkspaces(v *visit) {
	v.submitted(func(s belay.Principal) (string, error) {
		o, err := u.App.Organization(v.Context(), s, v.PathValue("organization"))
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
			list, err := v.matching(s, &o)
			if err != nil {
				return "", err
			}
			return act(v, s, list)
		}
		var list []ticked
		for _, value := range v.PostForm["id"] {
			if id, name, ok := strings.Cut(value, " "); ok && len(list) < pageSize {
				list = append(list, ticked{id, name})
			}
		}
		if len(list) == 0 {
			return "", belay.Refuse(belay.Invalid, "Tick the workspaces first.")
		}
		return act(v, s, list)
	}, func(s belay.Principal, status int, problem string) { u.listWorkspaces(v, s, status, problem) })
}

// matching is every workspace that fits what the address asks for: as many as the visitor was
// shown, or nothing is done with any.
func (v *visit) matching(s belay.Principal, o *app.OrganizationView) (list []ticked, err error) {
	want, err := v.wanted(s, o, &workspacesPage{Requests: v.ui.offersRequests()})
	for left := true; left && err == nil && len(list) < mostMatching; {
		want.Page = belay.Page{Number: len(list)/rowsOfFile + 1, Size: rowsOfFile}
		var found []app.WorkspaceView
		var total int
		if found, total, err = v.ui.App.Workspaces(v.Context(), s, o.Name, want); err != nil {
			break
		}
		if shown, _ := strconv.Atoi(v.PostFormValue("all")); total != shown {
			return nil, belay.Refuse(belay.Conflict, "%s matched when you looked, and %s do now. Look again.", count(shown), count(total))
		}
		for i := range found {
			list = append(list, ticked{found[i].ID, found[i].Name})
		}
		left = len(found) == rowsOfFile
	}
	return list, err
}

// oneByOne does something with one after the other: where that may not be, with the others.
func (v *visit) oneByOne(list []ticked, did string, do func(belay.WorkspaceRef) error) (string, error) {
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
	return v.listed(did, strconv.Itoa(n), strconv.Itoa(len(list)-n)), nil
}

func (v *visit) lockTicked(s belay.Principal, list []ticked) (string, error) {
	return v.oneByOne(list, "lock", func(ref belay.WorkspaceRef) error {
		_, err := v.ui.App.LockWorkspace(v.Context(), s, ref, "")
		return err
	})
}

func (v *visit) unlockTicked(s belay.Principal, list []ticked) (string, error) {
	return v.oneByOne(list, "unlock", func(ref belay.WorkspaceRef) error {
		_, err := v.ui.App.UnlockWorkspace(v.Context(), s, ref)
		return err
	})
}

// tagTicked gives them flat tags.
func (v *visit) tagTicked(s belay.Principal, list []ticked) (string, error) {
	var tags []belay.TagRef
	for _, name := range commas(v.PostFormValue("tags")) {
		tags = append(tags, belay.TagRef{Name: name})
	}
	if len(tags) == 0 {
		return "", belay.Refuse(belay.Invalid, "Write the tags that they get.")
	}
	return v.oneByOne(list, "tag", func(ref belay.WorkspaceRef) error { return v.ui.App.AddTags(v.Context(), s, ref, tags) })
}

// moveTicked moves all of them or none.
func (v *visit) moveTicked(s belay.Principal, list []ticked) (string, error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	if err := v.ui.App.MoveWorkspaces(v.Context(), s, v.PostFormValue("project"), ids); err != nil {
		return "", err
	}
	return v.listed("move", strconv.Itoa(len(list)), "0"), nil
}

// fileOnTicked leads to where change requests are filed, with the question that finds these.
func (v *visit) fileOnTicked(s belay.Principal, list []ticked) (string, error) {
	if len(list) > pageSize { // their names would make an address too long
		return "", belay.Refuse(belay.Invalid, "On more than %s, file change requests from the explorer: it asks for them by question.", count(pageSize))
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].name
	}
	question, err := explorer.WorkspacesWhoseName(explorer.Is, names...)
	return organizationPath(v.PathValue("organization"), "change-requests/new?query=") + url.QueryEscape(string(question.JSON())), err
}
