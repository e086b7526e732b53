package settings

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/notices"
)

// otherRow is another workspace that has to do with this one, or somebody who is told.
type otherRow struct{ ID, Name, Path, Note string }

// triggersPart is whose runs queue runs here, and where runs of this workspace queue some.
type triggersPart struct {
	In, Out  []otherRow
	More     int // that are not shown
	Graph    template.HTML
	MayAdd   bool
	TypedAdd string
}

// mostOthers is how many other workspaces a page of settings names.
const mostOthers = 20

func (t *visit) triggers(p *page) error {
	part := &triggersPart{MayAdd: t.W.Can.Has(belay.Steering)}
	at := belay.Page{Number: 1, Size: mostOthers}
	in, _, err := t.UI.App.RunTriggers(t.Context(), t.Principal, t.Ref(), true, at)
	if err != nil {
		return err
	}
	out, total, err := t.UI.App.RunTriggers(t.Context(), t.Principal, t.Ref(), false, at)
	nodes := []draw.Node{{Name: t.W.Name, Note: "this workspace", Class: "on"}}
	var edges []draw.Edge
	for i := range in {
		row := otherRow{ID: in[i].ID, Name: in[i].SourceName, Path: frame.WorkspacePath(t.Org.Name, in[i].SourceName)}
		part.In, nodes, edges = append(part.In, row), append(nodes, draw.Node{Name: row.Name, Note: "its applies", Path: row.Path}), append(edges, draw.Edge{From: len(nodes), To: 0})
	}
	for i := range out {
		row := otherRow{ID: out[i].ID, Name: out[i].WorkspaceName, Path: frame.WorkspacePath(t.Org.Name, out[i].WorkspaceName)}
		part.Out, nodes, edges = append(part.Out, row), append(nodes, draw.Node{Name: row.Name, Note: "gets a run", Path: row.Path}), append(edges, draw.Edge{From: 0, To: len(nodes)})
	}
	if part.More = total - len(out); len(edges) > 0 {
		part.Graph = draw.Graph("Whose applies queue runs where", nodes, edges)
	}
	if t.refused("trigger") {
		part.TypedAdd = t.Given("workspace")
	}
	p.Triggers = part
	p.Calls = []call{t.call("run triggers", "GET", "/run-triggers?filter[run-trigger][type]=inbound", nil)}
	return err
}

// named is the workspace whose name was typed, as far as the visitor sees it.
func (t *visit) named() (app.WorkspaceView, error) {
	w, err := t.UI.App.Workspace(t.Context(), t.Principal, belay.WorkspaceRef{Organization: t.Org.Name, Name: t.Given("workspace")})
	if belay.KindOf(err) == belay.NotFound {
		err = belay.Refuse(belay.Invalid, "There is no workspace %q that you see.", t.Given("workspace"))
	}
	return w, err
}

func addTrigger(t *visit) error {
	source, err := t.named()
	if err == nil {
		_, err = t.UI.App.CreateRunTrigger(t.Context(), t.Principal, t.Ref(), source.ID)
	}
	return err
}

func dropTrigger(t *visit) error {
	return t.UI.App.DeleteRunTrigger(t.Context(), t.Principal, t.PostFormValue("id"))
}

// sharingPart is whose runs read the state of the workspace.
type sharingPart struct {
	With, TypedAdd string
	Rows           []otherRow
	More           int
	ByList         bool // the list counts
}

func (t *visit) sharing(p *page) error {
	w := &t.W
	part := &sharingPart{ByList: w.SharesByList(), With: t.shares()}
	if t.refused("sharing") {
		part.With = t.again("sharing", part.With)
	}
	list, total, err := t.UI.App.RemoteStateConsumers(t.Context(), t.Principal, t.Ref(), true, belay.WorkspaceQuery{Page: belay.Page{Number: 1, Size: mostOthers}})
	var named []map[string]string
	for i := range list {
		part.Rows = append(part.Rows, otherRow{ID: list[i].ID, Name: list[i].Name, Path: frame.WorkspacePath(t.Org.Name, list[i].Name)})
		named = append(named, map[string]string{"type": "workspaces", "id": list[i].ID})
	}
	if part.More = total - len(list); t.refused("reader") {
		part.TypedAdd = t.Given("workspace")
	}
	p.Sharing = part
	p.Calls = []call{t.patch("who reads its state", map[string]any{"global-remote-state": w.GlobalRemoteState, "project-remote-state": w.ProjectRemoteState})}
	if part.ByList && named != nil {
		p.Calls = append(p.Calls, t.call("the workspaces that read its state", "POST", "/relationships/remote-state-consumers", map[string]any{"data": named}))
	}
	return err
}

func addReader(t *visit) error {
	w, err := t.named()
	if err == nil {
		err = t.UI.App.ChangeConsumers(t.Context(), t.Principal, t.Ref(), belay.AddConsumers, []string{w.ID})
	}
	return err
}

func dropReader(t *visit) error {
	return t.UI.App.ChangeConsumers(t.Context(), t.Principal, t.Ref(), belay.RemoveConsumers, []string{t.PostFormValue("id")})
}

// notificationsPart is who is told of the workspace alone.
type notificationsPart struct {
	Rows []otherRow
	Make string // where a destination is made
}

func (t *visit) notifications(p *page) error {
	list, err := t.UI.App.Notifications(t.Context(), t.Principal, notices.Notification{WorkspaceID: t.W.ID})
	part := &notificationsPart{Make: frame.OrganizationPath(t.Org.Name, "notifications/") + t.W.ID}
	for i := range list {
		n := &list[i]
		row := otherRow{Name: n.Name, Path: frame.OrganizationPath(t.Org.Name, "notifications/") + n.ID, Note: frame.DestinationWord(n.Destination) + ", " + frame.Many(len(n.Triggers), "event", "events")}
		if !n.Enabled {
			row.Note += ", off"
		}
		part.Rows = append(part.Rows, row)
	}
	p.Notifications, p.Calls = part, []call{t.call("notifications", "GET", "/notification-configurations", nil)}
	return err
}

// retentionPart is how long the bytes of states are kept that are not current.
type retentionPart struct {
	Kinds []frame.Choice
	Days  string
	Now   string // what counts
}

// keptBy is whose policy counts, by what it is set on.
var keptBy = map[string]string{"workspaces": "as this workspace has it", "organizations": "as the organization has it", "": "as the site has it"}

func (t *visit) retention(p *page) error {
	have, part := t.W.Retention, &retentionPart{Now: "They are never deleted: nobody set anything."}
	kind, days := t.keeps()
	part.Days = days
	counts, err := t.UI.App.Retention(t.Context(), t.Principal, app.RetentionTarget{Workspace: t.Ref()})
	switch {
	case belay.KindOf(err) == belay.NotFound:
		err = nil
	case counts.Kind == belay.DontDelete:
		part.Now = "They are never deleted, " + keptBy[counts.TargetType] + "."
	default:
		part.Now = fmt.Sprintf("They are deleted when they are older than %s, %s.", frame.Many(counts.Days, "day", "days"), keptBy[counts.TargetType])
	}
	if t.refused("retention") {
		kind, part.Days = t.again("kind", kind), t.again("days", days)
	}
	part.Kinds = frame.Options(kind, "", "kept as the organization or the site says", string(belay.DontDelete), "never deleted", string(belay.DeleteOlder), "deleted when they are old")
	p.Retention = part
	body := map[string]any{"type": have.Kind}
	if have.Kind == belay.DeleteOlder {
		body["attributes"] = map[string]any{"delete-older-than-n-days": have.Days}
	}
	p.Calls = []call{t.call("old states", "POST", "/relationships/data-retention-policy", map[string]any{"data": body})}
	if !have.Given() {
		p.Calls = []call{t.call("old states", "DELETE", "/relationships/data-retention-policy", nil)}
	}
	return err
}

func saveRetention(t *visit) error {
	if done, err := frame.KeptDays(t.Visit); done {
		return err
	}
	of, kind := app.RetentionTarget{Workspace: t.Ref()}, belay.RetentionKind(t.PostFormValue("kind"))
	if kind == "" {
		if !t.W.Retention.Given() { // there is nothing to take away
			return nil
		}
		return t.UI.App.DropRetention(t.Context(), t.Principal, of)
	}
	want := belay.RetentionPatch{Kind: kind}
	if kind == belay.DeleteOlder {
		days, err := strconv.Atoi(t.Given("days"))
		if err != nil {
			return belay.Refuse(belay.Invalid, "Say after how many days states are old.")
		}
		want.Days = patch.Of(days)
	}
	_, err := t.UI.App.SetRetention(t.Context(), t.Principal, of, want)
	return err
}
