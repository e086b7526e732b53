package workspaces

import (
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
)

// statePage is the states of a workspace: their history, one of them, and what became of it
// since another.
type statePage struct {
	Path     string
	Versions versionsPart
	Ways     stateWays
	Acts     stateActs
	Shown    *shownState // nil: there is none, or the list of all is asked for
	RollBack *rollBackPart
	Waiting  *waitingState
	Readers  *readersPart // nil where nobody could: there is no state
	Outputs  []outputRow
	More     int // outputs that are not shown
	OnlyOutputs,
	None bool
}

// versionsPart is the history of a state as a rope.
type versionsPart struct {
	Line    template.HTML
	Rows    []versionRow
	Total   int
	All     bool // the whole list is shown
	AllPath string
	Turns   frame.Turns
}

type versionRow struct {
	Serial              int64
	Path, Compare       string
	By, Run, RunPath    string
	Knot, Word          string
	At                  time.Time
	Size                int64
	Managed, Difference int
	Readable, Opens     bool // it can be looked into; its page has something to do
	Here, Compared      bool
}

// shownState is one state, its resources, and one of them.
type shownState struct {
	Serial                  int64
	Problem                 string
	From                    string // the serial it is compared with; empty: none
	Added, Changed, Removed int
	Search                  string
	ByValue                 map[string]string // what has the search as a value, and where
	NoValues                bool              // values are not searched: the state is too large
	ChangedOnly             bool
	Total                   int
	Tree                    treePart
	One                     *resourcePart
	Graph                   *graphPart
	Outputs                 *outputChanges // nil: it is not compared
}

// The most that a page of states shows.
const (
	versionsShown   = 6
	versionsPerPage = 50
	previewed       = 100
	shortestValue   = 3
	largestSearched = 50 << 20 // bytes of a state whose values are searched
)

// state is the page of a workspace's states.
func (t *tabVisit) state() (any, error) {
	page := &statePage{Path: t.path + "/state"}
	if page.OnlyOutputs = !t.w.Can.Has(belay.ReadState); page.OnlyOutputs {
		list, err := t.UI.App.CurrentStateOutputs(t.Context(), t.s, t.ref())
		if belay.KindOf(err) == belay.NotFound {
			page.None, err = true, nil
		}
		page.Outputs, page.More = t.outputRows(list), len(list)-min(len(list), mostOutputs)
		return page, err
	}
	all := t.URL.Query().Has("all")
	serial, err := t.serial()
	if err != nil {
		return nil, err
	}
	if page.Waiting, err = t.waitingState(); err != nil {
		return nil, err
	}
	if t.w.CurrentStateVersionID == "" && serial < 0 {
		all = true
	}
	if !all {
		if err := t.fillShown(page, serial); err != nil {
			return nil, err
		}
	}
	err = t.fillVersions(page, all)
	if page.None = page.Versions.Total == 0; page.Shown == nil {
		page.Acts = t.acts(page, nil)
	}
	if err == nil && !page.None && !all {
		page.Readers, err = t.readers()
	}
	return page, err
}

// serial is the serial that the address names; negative for the current state.
func (t *tabVisit) serial() (int64, error) {
	text := t.PathValue("serial")
	if text == "" {
		return -1, nil
	}
	serial, err := strconv.ParseInt(text, 10, 64)
	if err != nil || serial < 0 {
		return 0, belay.ErrNotFound
	}
	return serial, nil
}

// fillVersions adds the history, the newest ones or all in pages.
func (t *tabVisit) fillVersions(page *statePage, all bool) error {
	part := &page.Versions
	at := belay.Page{Number: 1, Size: mostMarks}
	if all {
		at = t.Page(versionsPerPage)
	}
	marks, err := t.UI.App.StateMarks(t.Context(), t.s, t.ref(), at)
	total := t.beside.States
	if err != nil {
		return err
	}
	part.Total, part.All, part.AllPath = total, all, page.Path+"?all"
	shown := marks
	if all {
		part.Turns = t.Turns(page.Path, at, total)
	} else {
		if len(marks) > 0 {
			part.Line = lineOf(page, marks)
		}
		shown = marks[:min(len(marks), versionsShown)]
	}
	ids := make([]string, len(shown))
	for i := range shown {
		ids[i] = shown[i].CreatedBy
	}
	page.Ways = t.waysFrom(page, marks)
	names, err := t.Names(ids...)
	for i := range shown {
		row := t.versionRow(page, &shown[i])
		row.By = names[shown[i].CreatedBy]
		if i+1 < len(marks) {
			row.Difference = row.Managed - marks[i+1].Managed
		}
		part.Rows = append(part.Rows, row)
	}
	return err
}

func (t *tabVisit) versionRow(page *statePage, m *belay.StateMark) versionRow {
	serial := strconv.FormatInt(m.Serial, 10)
	row := versionRow{
		Serial: m.Serial, Path: page.Path + "/" + serial, At: m.CreatedAt, Size: m.Size, Managed: m.Managed,
		Readable: m.Status == belay.StateFinalized && m.Problem == "",
	}
	row.Here = page.Shown != nil && page.Shown.Serial == m.Serial
	row.Compared = page.Shown != nil && page.Shown.From == serial
	if page.Shown != nil && !row.Here && row.Readable {
		row.Compare = page.Path + "/" + strconv.FormatInt(page.Shown.Serial, 10) + "?from=" + serial
	}
	row.Opens = row.Readable || m.Status == belay.StateSoftDeleted && t.o.Can.Has(belay.DeleteOrganization)
	if m.RunID != "" && t.w.Can.Has(belay.ReadRuns) {
		row.Run, row.RunPath = m.RunID, RunPath(t.o.Name, t.w.Name, m.RunID)
	}
	switch {
	case row.Here:
		row.Knot = "ok"
	case row.Compared:
		row.Knot = "lock"
	}
	row.Word = standing(m)
	return row
}

// standing is what is to be said of a version beside its numbers; most need no word.
func standing(m *belay.StateMark) string {
	switch {
	case m.Status == belay.StatePending:
		return "its upload is not finished"
	case m.Status != belay.StateFinalized:
		return "its data was deleted"
	case m.Problem != "":
		return "it can't be looked into: " + m.Problem
	case m.RollbackID != "":
		return "rolled back"
	default:
		return ""
	}
}

// lineOf draws how many resources the states had, the newest at the right.
func lineOf(page *statePage, marks []belay.StateMark) template.HTML {
	past, picked := make([]draw.Past, len(marks)), []int{-1, -1}
	for i, m := range marks {
		at, serial := len(marks)-1-i, strconv.FormatInt(m.Serial, 10)
		past[at] = draw.Past{Value: m.Managed, Name: "#" + serial + ", " + m.CreatedAt.Format("2 Jan"), Label: "#" + serial + ": " + frame.Many(m.Managed, "resource", "resources")}
		if m.Status == belay.StateFinalized && m.Problem == "" {
			past[at].Path = page.Path + "/" + serial
		}
		if page.Shown != nil && m.Serial == page.Shown.Serial {
			picked[0] = at
		}
		if page.Shown != nil && serial == page.Shown.From {
			picked[1] = at
		}
	}
	return draw.History("Resources of the newest states, the newest at the right", frame.Many(marks[0].Managed, "resource", "resources"), past, picked[0], picked[1])
}

// fillShown adds one state, compared with another where the address says so.
func (t *tabVisit) fillShown(page *statePage, serial int64) error {
	if from, err := strconv.ParseInt(t.Asked("from"), 10, 64); err == nil && serial >= 0 && from >= 0 && from != serial {
		if err := t.UI.App.Together(t.Context(), t.s, t.ref(), serial, from); err != nil {
			return err
		}
	}
	if t.Asked("view") == "history" && serial >= 0 {
		if err := t.UI.App.SeatHistory(t.Context(), t.s, t.ref(), serial, t.historyFrom(serial), belay.Page{Number: 1, Size: mostMarks}); err != nil {
			return err
		}
	}
	now, err := t.UI.App.StateOutline(t.Context(), t.s, t.ref(), serial)
	if belay.KindOf(err) == belay.Damaged {
		err, now.Problem = nil, "its file is damaged, or the key that opens it is not loaded; whoever runs this server finds more in its log"
	}
	if err != nil {
		return err
	}
	shown := &shownState{Serial: now.Serial, Problem: now.Problem, Search: t.Asked("q"), ChangedOnly: t.Asked("changed") != "", Total: len(now.Rows)}
	page.Shown, page.Acts = shown, t.acts(page, &now.StateVersion)
	if !now.Readable() {
		switch {
		case page.Acts.PutBack:
			shown.Problem = "its data was put aside, and is deleted for good later"
		case shown.Problem == "":
			shown.Problem = "its data is not there"
		}
		return nil
	}
	return t.fillReadable(page, shown, &now)
}

// fillReadable adds what the data of a state says.
func (t *tabVisit) fillReadable(page *statePage, shown *shownState, now *state.StateOutline) error {
	path := page.Path + "/" + strconv.FormatInt(now.Serial, 10)
	was, err := t.compared(now)
	if err != nil {
		return err
	}
	changes, gone := map[string]state.StateChange{}, []state.StateRow(nil)
	if was != nil {
		shown.From = strconv.FormatInt(was.Serial, 10)
		changes, gone = now.Since(was)
		for _, change := range changes {
			shown.count(change)
		}
		err = t.fillOutputsSince(page, shown, now, was)
	} else {
		err = t.fillStateOutputs(page, now.ID)
	}
	if err != nil {
		return err
	}
	if err := t.searchValues(shown, now, was); err != nil {
		return err
	}
	shown.Tree = t.tree(path, shown, slices.Concat(now.Rows, gone), changes)
	if shown.One, err = t.resource(now, was); err != nil {
		return err
	}
	if shown.Graph, err = t.graph(path, now); err != nil {
		return err
	}
	if t.w.Can.Has(belay.WriteState) && now.ID != t.w.CurrentStateVersionID {
		t.back = path + "?rollback"
	}
	if t.URL.Query().Has("rollback") && t.back != "" && was != nil {
		page.RollBack = t.rollBack(page, now, was, changes)
	}
	return nil
}

// searchValues looks for the search of the page among the values of instances, as far as it is
// long enough to say something.
func (t *tabVisit) searchValues(shown *shownState, states ...*state.StateOutline) error {
	if len(shown.Search) < shortestValue {
		return nil
	}
	for _, o := range slices.Backward(states) {
		if o == nil {
			continue
		}
		if shown.NoValues = o.State.Size > largestSearched; shown.NoValues {
			return nil
		}
		found, err := t.UI.App.StateHolding(t.Context(), o, shown.Search)
		if err != nil {
			return err
		}
		if shown.ByValue == nil {
			shown.ByValue = found
			continue
		}
		maps.Copy(shown.ByValue, found)
	}
	return nil
}

// Same says that nothing differs that is compared.
func (p *shownState) Same() bool {
	return p.Added+p.Changed+p.Removed == 0 && (p.Outputs == nil || p.Outputs.Rows == nil)
}

func (p *shownState) count(change state.StateChange) {
	switch change {
	case state.StateAdded:
		p.Added++
	case state.StateChanged:
		p.Changed++
	default:
		p.Removed++
	}
}

// compared is the state that the address compares the shown one with; nil: none. Going back is
// compared with the current one.
func (t *tabVisit) compared(now *state.StateOutline) (*state.StateOutline, error) {
	from := t.Asked("from")
	serial, err := strconv.ParseInt(from, 10, 64)
	if t.URL.Query().Has("rollback") {
		serial, err = -1, nil
	}
	if err != nil || serial == now.Serial {
		return nil, nil //nolint:nilerr // nothing to compare with was asked for
	}
	was, err := t.UI.App.StateOutline(t.Context(), t.s, t.ref(), serial)
	if err != nil || !was.Readable() || was.ID == now.ID {
		return nil, err
	}
	return &was, nil
}

// fillStateOutputs adds the outputs of the shown state.
func (t *tabVisit) fillStateOutputs(page *statePage, id string) error {
	list, total, err := t.UI.App.StateOutputs(t.Context(), t.s, id, belay.Page{Number: 1, Size: mostOutputs})
	page.Outputs, page.More = t.outputRows(list), total-len(list)
	return err
}

// Link is an address with the query of this one, some of it changed: an empty value goes.
func Link(v *frame.Visit, path string, changed ...string) string {
	query := v.URL.Query()
	for i := 0; i+1 < len(changed); i += 2 {
		if query.Del(changed[i]); changed[i+1] != "" {
			query.Set(changed[i], changed[i+1])
		}
	}
	return (&url.URL{Path: path, RawQuery: query.Encode()}).String()
}
