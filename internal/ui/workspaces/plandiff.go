package workspaces

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/planjson"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// planDiff is a plan as what it does to each resource.
type planDiff struct {
	Path, Search, Shows string
	File                string     // its JSON
	Ways                frame.Segs // between it and its text
	Hidden              bool       // its text is shown
	Sums                []sumLink
	Groups              []planGroup
	Found, Same, Rest   int
	Destroys            string // what is lost, in words; empty: nothing
	TooLarge            bool

	addresses []string // of what it changes; the first of many
}

// toCome is what an apply of a plan works on.
func (p *planDiff) toCome() []string {
	if p == nil {
		return nil
	}
	return p.addresses
}

// sumLink is how many resources one action is taken on; it shows them alone.
type sumLink struct {
	Class, Icon, Text, Path string
	Count                   int
	Here                    bool
}

// planGroup is changes that belong together.
type planGroup struct {
	Title, Icon string
	Rows        []planRow
}

// planRow is what becomes of one resource or output.
type planRow struct {
	Class, Icon, Word, Scope, Name, Note string
	Open                                 bool
	Path                                 string // where its values are; empty: here
	Rows                                 []diffRow
	Same                                 int
	More                                 bool

	action  planjson.Action
	group   planjson.Group
	address string
}

// diffRow is one value, before and after; what both share stands around what differs.
type diffRow struct {
	planjson.Difference
	Before, Between, After string // of Was
	Changed                string // what stands between in Now
}

// The most of a plan that one page shows, and how large the file may be that is read for it.
const (
	largestPlan  = 32 << 20
	changesShown = 500
	valuesOfEach = 60
	valuesOfOne  = 500 // of the resource that the address opens
	valuesOfAll  = 400
	openChanges  = 20 // so few stand open
)

// planWord is how an action looks, and what it is called.
type planWord struct{ show, class, icon, sum, word string }

var planWords = map[planjson.Action]planWord{
	planjson.Create:  {"add", "add", "plus", "add", "added"},
	planjson.Update:  {"change", "chg", "tilde", "change", "changed"},
	planjson.Replace: {"replace", "rep", "swap", "replace", "replaced"},
	planjson.Delete:  {"destroy", "del", "minus", "destroy", "destroyed"},
	planjson.Read:    {"read", "read", "search", "read", "read"},
	planjson.Move:    {"move", "read", "right", "move", "moved"},
	planjson.Import:  {"import", "read", "down", "import", "imported"},
	planjson.Forget:  {"forget", "del", "x", "forget", "no longer managed, and left as it is"},
}

// worksOn is the actions that take time when they are applied.
var worksOn = map[planjson.Action]bool{planjson.Create: true, planjson.Update: true, planjson.Replace: true, planjson.Delete: true}

// sumOrder is the order in which the actions are counted.
var sumOrder = []planjson.Action{planjson.Create, planjson.Update, planjson.Replace, planjson.Delete, planjson.Forget, planjson.Import, planjson.Move, planjson.Read}

// planReasons is why the engine does something, where it does not follow from the values.
var planReasons = map[string]string{
	"replace_because_tainted": "it is tainted", "replace_by_request": "as it was asked for", "replace_by_triggers": "by its triggers",
	"delete_because_no_resource_config": "not in the configuration any more", "delete_because_no_module": "its module is not in the configuration any more",
	"delete_because_count_index": "its index is beyond the count", "delete_because_each_key": "its key is not in for_each any more",
	"delete_because_wrong_repetition": "it is repeated in another way", "delete_because_no_move_target": "it is moved to nothing",
	"read_because_config_unknown": "its configuration is known after apply", "read_because_dependency_pending": "what it depends on changes",
}

// openPlan opens the redacted JSON of a plan that is done; there may be none.
func openPlan(v *frame.Visit, r *runs.View) (file io.ReadCloser, about run.JobFile, err error) {
	if v.UI.Plans == nil || r.Plan.Status != run.PhaseFinished {
		return file, about, belay.ErrNotFound
	}
	return v.UI.Plans(v.Context(), &r.Run)
}

// fillPlan adds what the plan does to each resource, if there is a plan to be read.
func fillPlan(v *frame.Visit, r *runs.View, page *runPage) error {
	file, about, err := openPlan(v, r)
	if belay.KindOf(err) == belay.NotFound {
		return nil // it is not there yet, of an engine that tells no JSON, or gone by now
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	part := &planDiff{Path: page.Path, Search: frame.Cut(strings.TrimSpace(v.Asked("q")), frame.LongestAsk), Shows: v.Asked("show"), File: page.Path + "?as=json"}
	if page.Plan.Begun {
		part.Hidden = v.Asked("view") == "text"
		part.Ways = frame.Segs{{Name: "Diff", Path: Link(v, page.Path, "view", "") + "#plan", Here: !part.Hidden}, {Name: "Text", Path: Link(v, page.Path, "view", "text") + "#log-plan", Here: part.Hidden}}
	}
	if part.Hidden {
		page.Plan.Ways = part.Ways
	}
	if part.TooLarge = about.Size > largestPlan; part.TooLarge {
		page.Diff = part
		return nil
	}
	g := gathering{v: v, part: part, at: v.Asked("at"), counts: map[planjson.Action]int{}}
	if err := planjson.Changes(file, g.wanted, g.take); err != nil {
		return err
	}
	g.finish()
	page.Diff = part
	return nil
}

// planFile answers with the redacted JSON of the plan, which ends short where the browser has gone.
func planFile(v *frame.Visit, s belay.Principal) {
	r, err := runOf(v, s)
	if err != nil {
		v.Refuse(err)
		return
	}
	file, _, err := openPlan(v, &r)
	if err != nil {
		v.Refuse(err)
		return
	}
	defer func() { _ = file.Close() }()
	v.Download("application/json", "plan.json")
	_, _ = io.Copy(v.Writer, file)
}

// gathering is a plan while it is read.
type gathering struct {
	v      *frame.Visit
	part   *planDiff
	at     string
	rows   []planRow
	values int
	counts map[planjson.Action]int
}

// wanted says how many values of a change are compared: those that are found by their values
// have to be read, the others as long as there is room.
func (g *gathering) wanted(_ planjson.Group, c *planjson.Change) int {
	switch {
	case c.Action == planjson.Keep:
		return 0
	case c.Address == g.at:
		return valuesOfOne
	case g.part.Search != "", g.values < valuesOfAll, dangerous(c.Action):
		return valuesOfEach
	default:
		return 0
	}
}

func dangerous(a planjson.Action) bool {
	return a == planjson.Delete || a == planjson.Replace || a == planjson.Forget
}

func (g *gathering) take(group planjson.Group, c planjson.Change) {
	switch {
	case c.Action == planjson.Keep:
		if group == planjson.Resources {
			g.part.Same++
		}
		return
	case group == planjson.Resources:
		if g.counts[c.Action]++; len(g.part.addresses) < changesShown && worksOn[c.Action] {
			g.part.addresses = append(g.part.addresses, c.Address)
		}
	}
	if g.part.Shows != "" && (group != planjson.Resources || planWords[c.Action].show != g.part.Shows) || !fits(&c, g.part.Search) {
		return
	}
	if g.part.Found++; len(g.rows) == changesShown && c.Address != g.at && !dangerous(c.Action) {
		g.part.Rest++
		return
	}
	g.rows = append(g.rows, g.row(group, &c))
}

// fits says whether a search finds a change, by its address or by what it changes.
func fits(c *planjson.Change, search string) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(search)) }
	return search == "" || has(c.Address) || slices.ContainsFunc(c.Values.Rows, func(d planjson.Difference) bool {
		return has(d.Path) || has(d.Was) || has(d.Now)
	})
}

func (g *gathering) row(group planjson.Group, c *planjson.Change) planRow {
	word := planWords[c.Action]
	row := planRow{Class: word.class, Icon: word.icon, Word: word.word, action: c.Action, group: group, address: c.Address, Name: c.Address, Same: c.Values.Same, More: c.Values.More}
	if rest, ok := strings.CutPrefix(c.Address, c.Module+"."); ok && c.Module != "" {
		row.Scope, row.Name = c.Module+".", rest
	}
	row.Note = planReasons[c.Reason]
	switch {
	case c.From != "":
		row.Note = "moved from " + c.From
	case c.Action == planjson.Replace && c.CreateFirst:
		row.Note = join(row.Note, "create, then destroy")
	case c.Action == planjson.Replace:
		row.Note = join(row.Note, "destroy, then create")
	}
	for _, d := range c.Values.Rows {
		row.Rows = append(row.Rows, diffOf(d))
	}
	shown := len(row.Rows) > 0 || c.Values.Same > 0
	if g.values += len(row.Rows); !shown && group == planjson.Resources || c.Values.More && c.Address != g.at {
		row.Path = Link(g.v, g.part.Path, "at", c.Address) + "#at"
	}
	return row
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ": " + b
}

// diffOf sets apart what differs in a text from what stays around it.
func diffOf(d planjson.Difference) diffRow {
	row := diffRow{Difference: d}
	if d.Hidden || d.Unknown || d.Was == "" || d.Now == "" {
		return row
	}
	was, now := []rune(d.Was), []rune(d.Now)
	first, last := 0, 0
	for first < min(len(was), len(now)) && was[first] == now[first] {
		first++
	}
	for last < min(len(was), len(now))-first && was[len(was)-1-last] == now[len(now)-1-last] {
		last++
	}
	if first+last == 0 {
		return row
	}
	row.Before, row.After = string(was[:first]), string(was[len(was)-last:])
	row.Between, row.Changed = string(was[first:len(was)-last]), string(now[first:len(now)-last])
	return row
}

// finish puts what is lost first, then module by module, then what was found, then outputs.
func (g *gathering) finish() {
	rank := func(r planRow) int {
		if r.group == planjson.Resources && dangerous(r.action) {
			return -1
		}
		return int(r.group)
	}
	slices.SortStableFunc(g.rows, func(a, b planRow) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Scope, b.Scope))
	})
	for _, row := range g.rows {
		row.Open = row.Path == "" && (row.address == g.at || rank(row) < 0 || len(g.rows) <= openChanges)
		title, icon := strings.TrimSuffix(row.Scope, "."), "folder"
		switch {
		case rank(row) < 0:
			title, icon = "Look at these first: what is destroyed or replaced", "alert"
		case row.group == planjson.Outside:
			title, icon = "Changed outside of the configuration", "info"
		case row.group == planjson.Outputs:
			title, icon = "Outputs", "export"
		case title == "":
			title = "root module"
		}
		if n := len(g.part.Groups); n == 0 || g.part.Groups[n-1].Title != title {
			g.part.Groups = append(g.part.Groups, planGroup{Title: title, Icon: icon})
		}
		last := &g.part.Groups[len(g.part.Groups)-1]
		last.Rows = append(last.Rows, row)
	}
	g.sums()
}

// sums counts by action, and says what is lost.
func (g *gathering) sums() {
	all := 0
	for _, action := range sumOrder {
		if n := g.counts[action]; n > 0 {
			word := planWords[action]
			all += n
			g.part.Sums = append(g.part.Sums, sumLink{word.class, word.icon, word.sum, Link(g.v, g.part.Path, "show", word.show, "at", ""), n, g.part.Shows == word.show})
		}
	}
	g.part.Sums = slices.Insert(g.part.Sums, 0, sumLink{"", "list", "in all", Link(g.v, g.part.Path, "show", "", "at", ""), all, g.part.Shows == ""})
	g.part.Destroys = lossText(g.counts[planjson.Replace], g.counts[planjson.Delete])
}

// lossText is what a plan takes away, in words.
func lossText(replaced, destroyed int) string {
	are := func(n int, what string) string {
		if n == 1 {
			return "1 resource is " + what
		}
		return frame.Count(n) + " resources are " + what
	}
	switch {
	case replaced == 0 && destroyed == 0:
		return ""
	case destroyed == 0:
		return are(replaced, "replaced") + "."
	case replaced == 0:
		return are(destroyed, "destroyed") + "."
	default:
		return are(replaced, "replaced") + ", and " + are(destroyed, "destroyed") + "."
	}
}
