package workspaces

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// runPage is the page of one run.
type runPage struct {
	Path, Organization, Workspace string
	Status                        StatusWord
	By, Engine                    string
	At                            time.Time
	Error                         string
	Steps                         []runStep
	Decided                       string // who decided last, in a sentence; empty: nobody
	Phases                        []phaseStep
	Times                         []timeBar  // of its phases
	Works                         *worksPart // nil: its apply has not said anything
	Diff                          *planDiff  // nil: there is no plan to be read
	Kinds                         []string   // what sets it apart from a plain plan and apply
	Plan, Apply                   phasePart
	Act                           actPart
	InTheWay                      string
	TypeName                      bool // to confirm it, the name of the workspace is typed
	TypedName                     string
	Checks                        []checkRow
	Facts                         []frame.Setting
	Origins                       []origin      // of its commit
	Requests                      []frame.Crumb // the change requests that it is for
	Comments                      []commentRow
	MayComment, Over              bool
	TypedComment                  string
	Again                         *againPart // nil: it can't be done once more
	OfCommit                      []runOfCommit
	AllOfCommit                   string // where all runs of its commit are; empty: all are shown
	works                         *works
	Who                           string // may confirm it; empty: it does not wait, or nobody whom the visitor sees
}

// actPart is what the visitor may do now.
type actPart struct{ Confirm, Discard, Cancel, ForceCancel bool }

// Any says whether there is one.
func (a actPart) Any() bool { return a.Confirm || a.Discard || a.Cancel || a.ForceCancel }

// StatusWord is a status as people say it.
type StatusWord struct{ Class, Icon, Text string }

// Draw writes it in a pill.
func (w StatusWord) Draw(m *frame.Markup) { m.Pill(w.Class, w.Icon, w.Text) }

// StatusWords is the words for statuses of runs.
var StatusWords = map[run.Status]StatusWord{
	run.Pending:            {"", "clock", "Waits for its turn"},
	run.Fetching:           {"run", "spin", "Fetching the configuration"},
	run.PlanQueued:         {"", "clock", "Waits for a runner"},
	run.Planning:           {"run", "spin", "Planning"},
	run.Planned:            {"wait", "pause", "Waiting for confirmation"},
	run.PlannedAndSaved:    {"wait", "pause", "Saved plan"},
	run.PlannedAndFinished: {"ok", "check", "Planned"},
	run.Confirmed:          {"run", "spin", "Confirmed"},
	run.ApplyQueued:        {"", "clock", "Waits for a runner"},
	run.Applying:           {"run", "spin", "Applying"},
	run.Applied:            {"ok", "check", "Applied"},
	run.Discarded:          {"", "x", "Discarded"},
	run.Errored:            {"bad", "alert", "Failed"},
	run.Canceled:           {"", "x", "Canceled"},
}

func wordOf(r *run.Run) StatusWord {
	word := StatusWords[r.Status]
	if r.Status == run.PlannedAndFinished && !r.Plan.HasChanges {
		word.Text = "No changes"
	}
	return word
}

// shortWordOf is wordOf in a list, where what waits for somebody asks them.
func shortWordOf(r *run.Run) StatusWord {
	word := wordOf(r)
	if r.Status == run.Planned {
		word.Text = "Confirm?"
	}
	return word
}

// RunPath is the address of a run's page.
func RunPath(organization, workspace, id string) string {
	return frame.RunPath(organization, workspace, id)
}

// ShowRun shows a run.
func ShowRun(v *frame.Visit) {
	switch s, ok := v.SignedIn(); {
	case !ok:
	case v.Asked("as") == "json":
		planFile(v, s)
	default:
		showRunTo(v, s, http.StatusOK, "")
	}
}

// runOf is the run that the address names, of the workspace that it names.
func runOf(v *frame.Visit, s belay.Principal) (runs.View, error) {
	r, err := v.UI.Runs.Show(v.Context(), s, v.PathValue("id"))
	if err == nil && (r.Organization != v.PathValue("organization") || r.Workspace != v.PathValue("name")) {
		err = belay.ErrNotFound
	}
	return r, err
}

// showRunTo shows the run that the address names, and what went wrong before.
func showRunTo(v *frame.Visit, s belay.Principal, status int, problem string) {
	r, err := runOf(v, s)
	if err != nil {
		v.Refuse(err)
		return
	}
	page := runPage{
		Path: RunPath(r.Organization, r.Workspace, r.ID), Organization: r.Organization, Workspace: r.Workspace,
		Status: wordOf(&r.Run), Engine: r.Engine + " " + r.EngineVersion, At: r.CreatedAt, Error: r.Error,
		Kinds: kindsOf(&r.Run), Act: ActsOf(&r), MayComment: run.PermissionsOf(r.Can).Comment, Over: r.Status.Final(), Again: againOf(&r),
	}
	if problem != "" {
		page.TypedComment, page.TypedName = v.PostFormValue("comment"), v.PostFormValue("name")
	}
	began, err := v.UI.Logs.Together(v.Context(), &r.Run, r.ProjectID)
	if err != nil {
		v.Refuse(err)
		return
	}
	for _, fill := range []func(*frame.Visit, *runs.View, *runPage) error{fillHappened, fillLogs, fillPlan, fillChecks} {
		if err := fill(v, &r, &page); err != nil {
			v.Refuse(err)
			return
		}
	}
	if first(r.Stamps, run.Confirmed, run.ApplyQueued, run.Applying).IsZero() {
		page.Apply.Begun = false // the log of an apply that is not reached says only that
	}
	page.Works = page.works.show(&r, page.Diff.toCome(), v.UI.Now())
	if page.Who, err = whoConfirms(v, s, &r); err != nil {
		v.Refuse(err)
		return
	}
	page.Facts, page.Origins, page.Phases, page.Times = append(factsOf(&r), inputOf(&r, began.Serial, began.Variables)...), originsOf(r.Ingress), phasesOf(&r, v.UI.Now(), page.Who), timesOf(&r, v.UI.Now())
	if err := fillCommit(v, s, &r, &page); err != nil {
		v.Refuse(err)
		return
	}
	if r.Now.Confirmable {
		page.InTheWay = r.InTheWay
	}
	page.TypeName = page.Act.Confirm && asksName(v, &r)
	if r.Can.Has(belay.ReadChangeRequests) {
		for _, id := range r.ChangeRequests {
			page.Requests = append(page.Requests, frame.Crumb{Name: id, Path: frame.OnePath(id)})
		}
	}
	at, err := v.PlaceOf(s, r.Organization, "workspaces")
	if err != nil {
		v.Refuse(err)
		return
	}
	v.Show(status, "run", frame.Frame{
		Title: TitleOf(&r.Run), OwnHead: true, Error: page.refusal(v, &r, status, problem), Visitor: s.Name, Place: at, Page: page, Live: page.live(&r),
		Crumbs: []frame.Crumb{
			{Name: "Workspaces", Path: frame.OrganizationPath(r.Organization, "workspaces")}, {Name: r.Workspace, Path: frame.WorkspacePath(r.Organization, r.Workspace)},
			{Name: "Runs", Path: runsPath(r.Organization, r.Workspace)},
		},
	})
}

// live is where the changes of a run that is not over are told.
func (p *runPage) live(r *runs.View) string {
	if p.Over {
		return ""
	}
	return frame.Watching("run", r.ID, runRevision(r, p.Plan.size, p.Apply.size))
}

// WorkspacePath is the address of the workspace.
func (p runPage) WorkspacePath() string { return frame.WorkspacePath(p.Organization, p.Workspace) }

// TitleOf is what a run is called: its message, or its id where it has none.
func TitleOf(r *run.Run) string {
	if r.Message == "" {
		return r.ID
	}
	return r.Message
}

// kindsOf says what sets a run apart.
func kindsOf(r *run.Run) (kinds []string) {
	for _, kind := range []struct {
		is   bool
		name string
	}{
		{r.PlanOnly, "plan only"}, {r.IsDestroy, "destroys everything"}, {r.RefreshOnly, "refresh only"}, {r.SavePlan, "saved plan"},
		{r.AutoApply, "applies by itself"}, {len(r.Targets) > 0, "some resources only"},
	} {
		if kind.is {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

// ActsOf is what the visitor may do with a run as it is.
func ActsOf(r *runs.View) actPart {
	may := run.PermissionsOf(r.Can)
	return actPart{
		Confirm: r.Now.Confirmable && may.Apply && r.InTheWay == "", Discard: r.Now.Discardable && may.Discard,
		Cancel: r.Now.Cancelable && may.Cancel, ForceCancel: r.Now.ForceCancelable && may.ForceCancel,
	}
}

func factsOf(r *runs.View) (facts []frame.Setting) {
	for _, fact := range []frame.Setting{
		{Name: "Id", Value: r.ID}, {Name: "Kind", Value: kindOf(&r.Run)}, {Name: "Began", Value: frame.WordOf(r.Source, frame.RunSources...)}, {Name: "Reason", Value: frame.ReasonWord(r.Reason)}, {Name: "Triggered by", Value: r.TriggeringSource},
		{Name: "Folder", Value: r.WorkingDirectory}, {Name: "Planned by", Value: r.Plan.Runner.Name}, {Name: "Applied by", Value: r.Apply.Runner.Name},
	} {
		if fact.Value != "" {
			facts = append(facts, fact)
		}
	}
	return facts
}

// kindOf is what a run was asked to do.
func kindOf(r *run.Run) string {
	switch {
	case r.IsDestroy && r.PlanOnly:
		return "plan to destroy everything"
	case r.IsDestroy:
		return "plan and destroy everything"
	case r.RefreshOnly:
		return "refresh only"
	case r.PlanOnly:
		return "plan only"
	case r.SavePlan:
		return "saved plan, applied later"
	default:
		return "plan and apply"
	}
}

// origin is one thing that is known of the commit of a run, with its page at the service.
type origin struct{ Name, Text, URL string }

// originsOf is what is known of the commit of a run; nothing where it is of none.
func originsOf(i *run.Ingress) (list []origin) {
	if i == nil {
		return nil
	}
	pull := ""
	if i.PullRequestNumber > 0 {
		pull = fmt.Sprintf("#%d %s", i.PullRequestNumber, i.PullRequestTitle)
	}
	for _, o := range []origin{
		{"Repository", i.Identifier, ""}, {"Commit", i.CommitSHA, i.CommitURL}, {"Branch", i.Branch, ""}, {"Tag", i.Tag, ""},
		{"Pull request", pull, i.PullRequestURL}, {"Author", i.SenderUsername, i.SenderHTMLURL}, {"Difference", map[bool]string{true: "compare"}[i.CompareURL != ""], i.CompareURL},
	} {
		if o.URL = webAddress(o.URL); o.Text != "" {
			list = append(list, o)
		}
	}
	return list
}

// webAddress is an address that comes from outside, if it is one that may be gone to; else empty.
func webAddress(address string) string {
	if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
		return address
	}
	return ""
}

// checkRow is what a check came to.
type checkRow struct {
	run.Check
	Word StatusWord
	When string
}

var checkWords = map[run.CheckStatus]StatusWord{
	run.CheckPassed: {"ok", "check", "Passed"}, run.CheckFailed: {"bad", "x", "Failed"}, run.CheckErrored: {"bad", "alert", "Could not be made"},
}

var checkStages = map[run.CheckStage]string{
	run.PrePlan: "before the plan", run.PostPlan: "after the plan", run.PreApply: "before the apply",
}

// fillChecks adds what the checks of the runner came to. What an advisory one found warns.
func fillChecks(v *frame.Visit, r *runs.View, page *runPage) error {
	list, err := v.UI.Runs.ChecksOf(v.Context(), r)
	for _, c := range list {
		word := checkWords[c.Status]
		if c.Status != run.CheckPassed && c.Enforcement == run.Advisory {
			word.Class = "wait"
		}
		page.Checks = append(page.Checks, checkRow{c, word, checkStages[c.Stage]})
	}
	return err
}

// refusal is why what somebody asked for was not done: who decided before them, where that is why.
func (p *runPage) refusal(v *frame.Visit, r *runs.View, status int, problem string) string {
	early := v.PathValue("act") == "force-cancel" && !r.Status.Final() // whoever canceled
	if status != http.StatusConflict || early {
		return problem
	}
	return cmp.Or(p.Decided, problem)
}

// asksName says whether a plan takes so much away that the name of its workspace is typed to confirm
// it. Only people are asked: programs say what they mean.
func asksName(v *frame.Visit, r *runs.View) bool {
	most := v.UI.ConfirmNameAbove
	return most >= 0 && (r.IsDestroy || r.Plan.Counts.Destructions > most)
}

// ActOnRun does what a form of the page asks for, and comes back to the page.
func ActOnRun(v *frame.Visit) {
	act := map[string]func(ctx context.Context, s belay.Principal, id, comment string) error{
		"apply": v.UI.Runs.Apply, "discard": v.UI.Runs.Discard, "cancel": v.UI.Runs.Cancel, "force-cancel": v.UI.Runs.ForceCancel,
		"comment": func(ctx context.Context, s belay.Principal, id, comment string) error {
			_, err := v.UI.Runs.Comment(ctx, s, id, comment)
			return err
		},
	}[v.PathValue("act")]
	if act == nil {
		frame.NoPage(v)
		return
	}
	v.Submitted(func(s belay.Principal) (string, error) {
		r, err := runOf(v, s)
		if err != nil {
			return "", err
		}
		if v.PathValue("act") == "apply" && asksName(v, &r) && v.PostFormValue("name") != r.Workspace {
			return "", belay.Refuse(belay.Invalid, "Type the name of the workspace to confirm a plan that destroys so much.")
		}
		return RunPath(r.Organization, r.Workspace, r.ID), act(v.Context(), s, r.ID, v.PostFormValue("comment"))
	}, func(s belay.Principal, status int, problem string) { showRunTo(v, s, status, problem) })
}
