package changes

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/changes"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/markdown"
	"github.com/belayhq/belay/internal/ui/frame"
)

// filingPage is the page that files change requests: first its form, then what would come of it.
type filingPage struct {
	Path, Backlog          string
	Subject, Message, Name string // as typed; Name is part of the workspaces' names
	Query                  string // the question that chooses the workspaces; empty: their names do
	Asked                  []string
	question               explorer.Query // that of Query
	Preview                bool
	Key                    string // of this filing, so that sending it twice files once
	Rendered               template.HTML
	Total                  int
	First                  []string // workspaces that it is for
	More                   int
}

// mostPreviewed is how many workspaces a preview names.
const mostPreviewed = 20

// filer is who may file change requests, and where; ok is false where the answer is given.
func filer(v *frame.Visit) (s belay.Principal, o app.OrganizationView, page filingPage, ok bool) {
	if s, ok = v.SignedIn(); !ok {
		return s, o, page, false
	}
	o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err == nil && !o.Can.Has(belay.CreateChangeRequests) {
		err = belay.ErrNotFound
	}
	if err != nil {
		v.Refuse(err)
		return s, o, page, false
	}
	page.Backlog = frame.OrganizationPath(o.Name, "change-requests")
	page.Path = page.Backlog
	page.Subject, page.Name = strings.TrimSpace(v.PostFormValue("subject")), strings.TrimSpace(v.PostFormValue("workspace"))
	page.Message, page.Query = v.Typed("message"), v.PostFormValue("query")
	if v.Method != http.MethodPost {
		page.Query = v.URL.Query().Get("query")
	}
	if page.Query == "" {
		return s, o, page, true
	}
	question, err := explorer.FromJSON([]byte(page.Query), "", "")
	if err != nil || question.View != explorer.Workspaces { // without it, the form would be for all workspaces
		v.Problem(http.StatusUnprocessableEntity, "The question that chooses the workspaces can't be read. Ask it anew in the explorer, and file from there.")
		return s, o, page, false
	}
	page.Query, page.Asked, page.question = string(question.JSON()), questionText(question), question
	return s, o, page, true
}

func showFiling(v *frame.Visit, status int, problem string, s belay.Principal, o *app.OrganizationView, page filingPage) {
	title := "File change requests"
	if page.Preview {
		title = "Look before you file"
	}
	v.Show(status, "filing", frame.Frame{
		Title: title, Error: problem, Visitor: s.Name, Crumbs: []frame.Crumb{{Name: "Change requests", Path: page.Backlog}}, Place: v.Place(o, "changes"), Page: page,
	})
}

// ShowFiling shows the form that files change requests.
func ShowFiling(v *frame.Visit) {
	if s, o, page, ok := filer(v); ok {
		showFiling(v, http.StatusOK, "", s, &o, page)
	}
}

// order is what the form asks for.
func (p *filingPage) order() (changes.BulkOrder, error) {
	question := p.question
	if p.Query == "" {
		var err error
		if question, err = explorer.WorkspacesWhoseName(p.Name); err != nil {
			return changes.BulkOrder{}, err
		}
	}
	action := backlog.ChangeRequestsAction
	return changes.BulkOrder{
		ActionType: &action, Subject: p.Subject, Message: p.Message, Query: &question, IdempotencyKey: p.Key,
		RequestHash: belay.HashToken(p.Subject + "\x00" + p.Message + "\x00" + string(question.JSON())),
	}, nil
}

// PreviewFiling shows what would be filed, and where. It files nothing.
func PreviewFiling(v *frame.Visit) {
	status, problem := v.ReadForm()
	s, o, page, ok := filer(v)
	if !ok {
		return
	}
	if problem != "" || v.PostFormValue("answer") == "change" {
		showFiling(v, status, problem, s, &o, page)
		return
	}
	order, err := page.order()
	if err == nil {
		page.First, page.Total, err = v.UI.App.PreviewBulkAction(v.Context(), s, o.Name, order, mostPreviewed)
	}
	if err != nil {
		filingRefused(v, err, s, &o, page)
		return
	}
	page.More = page.Total - len(page.First)
	page.Preview, page.Key, page.Rendered = true, "page-"+belay.RandomText(32), markdown.HTML(page.Message)
	showFiling(v, http.StatusOK, "", s, &o, page)
}

// FileRequests files the change requests, and leads to them.
func FileRequests(v *frame.Visit) {
	status, problem := v.ReadForm()
	s, o, page, ok := filer(v)
	if !ok {
		return
	}
	page.Key = v.PostFormValue("key")
	if problem == "" && !strings.HasPrefix(page.Key, "page-") {
		status, problem = http.StatusUnprocessableEntity, "Look at what would be filed first."
	}
	if problem != "" {
		showFiling(v, status, problem, s, &o, page)
		return
	}
	order, err := page.order()
	var b backlog.BulkAction
	if err == nil {
		b, _, err = v.UI.App.CreateBulkAction(v.Context(), s, o.Name, order)
	}
	if err != nil {
		filingRefused(v, err, s, &o, page)
		return
	}
	if o.Can.Has(belay.ReadExplorer) {
		v.Redirect(frame.OrganizationPath(o.Name, "changes/") + b.ID + "?filed")
		return
	}
	v.Redirect(page.Backlog + "?filed=" + b.ID)
}

func filingRefused(v *frame.Visit, err error, s belay.Principal, o *app.OrganizationView, page filingPage) {
	status, problem := v.Describe(err)
	if status == http.StatusNotFound || status == http.StatusInternalServerError {
		v.Refuse(err)
		return
	}
	showFiling(v, status, problem, s, o, page)
}
