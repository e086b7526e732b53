package changes

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// condition is one filter of a question as a row of its form.
type condition struct {
	Field, Operator, Value string
	Word                   string // before it: where, and
	Operators              []frame.Choice
	Takes                  bool // it compares with something
	Kind                   string
	Wrong                  bool
	noVersion              string // of its values, what is none where one is asked for
}

// operatorNames is what the operators are called.
var operatorNames = map[explorer.Operator]string{
	explorer.Is: "is", explorer.IsNot: "is not", explorer.Contains: "contains", explorer.DoesNotContain: "does not contain",
	explorer.IsEmpty: "is empty", explorer.IsNotEmpty: "is not empty", explorer.Greater: "is more than", explorer.Less: "is less than",
	explorer.GreaterOrEqual: "is at least", explorer.LessOrEqual: "is at most", explorer.IsBefore: "is before", explorer.IsAfter: "is after",
	explorer.Satisfies: "fits",
}

// filterParameter is a filter of an address as the API has it.
var filterParameter = regexp.MustCompile(`^filter\[(\d{1,9})\]\[([^\]]*)\]\[([^\]]*)\](?:\[(\d{1,9})\])?$`)

// conditionsOf is the filters of an address, right or wrong, and the fields that wait for a value.
func conditionsOf(kind explorer.View, q url.Values) []condition {
	type found struct {
		index, item     int
		field, operator string
		values          []string
	}
	var list []found
	for name, values := range q {
		if m := filterParameter.FindStringSubmatch(name); m != nil {
			index, _ := strconv.Atoi(m[1])
			item, _ := strconv.Atoi(m[4])
			list = append(list, found{index, item, m[2], m[3], values})
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(a.index-b.index, cmp.Compare(a.field, b.field), cmp.Compare(a.operator, b.operator), a.item-b.item)
	})
	var rows []condition
	for i, f := range list {
		if i > 0 && f.index == list[i-1].index && f.field == list[i-1].field && f.operator == list[i-1].operator {
			rows[len(rows)-1].add(f.values)
			continue
		}
		rows = append(rows, conditionOf(kind, f.field, f.operator))
		rows[len(rows)-1].add(f.values)
	}
	for _, field := range q["add"] {
		rows = append(rows, conditionOf(kind, field, ""))
	}
	for i := range rows {
		if rows[i].Word = "and"; i == 0 {
			rows[i].Word = "where"
		}
	}
	return rows
}

func conditionOf(kind explorer.View, name, operator string) condition {
	c := condition{Field: name, Operator: strings.ReplaceAll(operator, " ", "_")}
	field, known := kind.Field(name)
	c.Kind, c.Wrong = string(field.Kind), !known
	operators := field.Operators()
	if !slices.Contains(operators, explorer.Operator(c.Operator)) && len(operators) > 0 {
		c.Wrong = c.Wrong || operator != ""
		c.Operator = string(operators[0])
	}
	c.Takes = explorer.Operator(c.Operator).TakesValues()
	for _, o := range operators {
		c.Operators = append(c.Operators, frame.Choice{Value: string(o), Text: operatorNames[o], On: string(o) == c.Operator})
	}
	return c
}

// add adds values to those that it compares with.
func (c *condition) add(values []string) {
	for _, value := range values {
		switch o := explorer.Operator(c.Operator); {
		case c.Value == "":
			c.Value = value
		case o == explorer.Satisfies: // a constraint may have commas in it
			c.Value += or + value
		default:
			c.Value += ", " + value
		}
		if c.Kind == string(explorer.Version) && value != "" && !isVersion(explorer.Operator(c.Operator), value) {
			c.noVersion, c.Wrong = value, true
		}
	}
}

// or stands between constraints.
const or = " or "

// isVersion says whether an operator can compare versions with a text. Those that look for a part can with any.
func isVersion(o explorer.Operator, text string) bool {
	switch o {
	case explorer.Is, explorer.IsNot:
		return belay.AsksForReleases(text) && !isConstraint(text)
	case explorer.Satisfies:
		return belay.AsksForReleases(text)
	default:
		return true
	}
}

// isConstraint says whether a text is a constraint and not a version.
func isConstraint(text string) bool {
	return belay.AsksForReleases(text) && strings.ContainsAny(text, "<>=!~")
}

// tellVersions refuses conditions on versions that compare with none, of a question that found so much: they would find nothing,
// or everything, and not say why. One that names what a workspace has nevertheless is right.
func tellVersions(list []condition, found int) error {
	for _, c := range list {
		switch {
		case c.noVersion == "" || c.Operator == string(explorer.Is) && found > 0:
		case isConstraint(c.noVersion):
			return belay.Refuse(belay.BadRequest, "%s: “%s” is a constraint. Ask what fits it.", fieldName(c.Field), frame.Cut(c.noVersion, frame.LongestValue))
		default:
			return belay.Refuse(belay.BadRequest, "%s: “%s” is not a version or a constraint such as < 1.9.", fieldName(c.Field), frame.Cut(c.noVersion, frame.LongestValue))
		}
	}
	return nil
}

// nextIndex is the index of one filter more.
func nextIndex(q url.Values) string {
	next := 0
	for name := range q {
		if m := filterParameter.FindStringSubmatch(name); m != nil {
			index, _ := strconv.Atoi(m[1])
			next = max(next, index+1)
		}
	}
	return strconv.Itoa(next)
}

// ask leads to the address of the question that the form holds.
func ask(t *frame.OrgVisit) (string, error) {
	kind := explorer.View(t.PostFormValue("type"))
	q := url.Values{"type": {string(kind)}}
	fields, operators, values := t.PostForm["field"], t.PostForm["operator"], t.PostForm["value"]
	drop := t.PostFormValue("drop")
	for i, name := range fields {
		if i >= len(operators) || i >= len(values) || drop == strconv.Itoa(i) {
			continue
		}
		askOne(q, kind, i, name, operators[i], frame.Trimmed(values[i]))
	}
	if add := t.PostFormValue("add"); add != "" {
		q.Add("add", add)
	}
	for _, name := range []string{"sort", "by", "stack", "view"} {
		if kept := t.PostFormValue(name); kept != "" {
			q.Set(name, kept)
		}
	}
	if columns := inOrder(t.PostForm["column"], frame.Commas(t.PostFormValue("shown"))); len(columns) > 0 && !slices.Equal(columns, usualFields[kind]) {
		q.Set("fields", strings.Join(columns, ","))
	}
	return t.Path + "?" + q.Encode(), nil
}

// inOrder is the columns that are ticked: first those that were shown, in their order.
func inOrder(ticked, shown []string) []string {
	columns := slices.DeleteFunc(shown, func(name string) bool { return !slices.Contains(ticked, name) })
	for _, name := range ticked {
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	return columns
}

// askOne adds a condition to the parameters; one that lacks its value waits for it.
func askOne(q url.Values, kind explorer.View, i int, name, operator, value string) {
	field, _ := kind.Field(name)
	if o := explorer.Operator(operator); !slices.Contains(field.Operators(), o) {
		if operator = string(explorer.Is); len(field.Operators()) > 0 {
			operator = string(field.Operators()[0])
		}
	}
	if field.Kind == explorer.Version && operator == string(explorer.Is) && isConstraint(value) {
		operator = string(explorer.Satisfies)
	}
	at := "filter[" + strconv.Itoa(i) + "][" + name + "][" + operator + "]"
	switch {
	case !explorer.Operator(operator).TakesValues():
		q.Set(at+"[0]", "")
	case value == "":
		q.Add("add", name)
	default:
		values := frame.Commas(value)
		if operator == string(explorer.Satisfies) {
			values = strings.Split(value, or)
		}
		for j, one := range values {
			q.Set(at+"["+strconv.Itoa(j)+"]", one)
		}
	}
}

// savedViewsShown is how many saved views the page offers.
const savedViewsShown = 50

// savedViews adds the questions that were kept, and the one that is asked.
func (page *explorerPage) addSaved(t *frame.OrgVisit, list []backlog.SavedView) {
	asked := t.Asked("view")
	for i := range list {
		saved := &list[i]
		page.Saved = append(page.Saved, frame.LinkRow{Name: saved.Name, Note: viewNames[explorer.View(saved.QueryType)], Path: t.One(saved.ID)})
		if saved.ID == asked {
			page.Kept, page.Title = &keptView{saved.ID, saved.Name}, saved.Name
		}
	}
}

// openView leads to the question that was kept under an id.
func openView(t *frame.OrgVisit) error {
	saved, err := t.UI.App.SavedView(t.Context(), t.Principal, t.Org.Name, t.ID)
	if err != nil {
		return err
	}
	want, err := explorer.FromJSON([]byte(saved.Query), "", "")
	if err != nil {
		return err
	}
	q := addressOfQuery(want)
	q.Set("view", saved.ID)
	t.Redirect(t.Path + "?" + q.Encode())
	return nil
}

// addressOfQuery is a question as the parameters of an address.
func addressOfQuery(want explorer.Query) url.Values {
	q := url.Values{"type": {string(want.View)}}
	for i, f := range want.Filters {
		at := "filter[" + strconv.Itoa(i) + "][" + f.Field.Name + "][" + string(f.Operator) + "]"
		if !f.Operator.TakesValues() {
			q.Set(at+"[0]", "")
		}
		for j, text := range f.Texts {
			q.Set(at+"["+strconv.Itoa(j)+"]", text)
		}
	}
	var fields, sort []string
	for _, f := range want.Fields {
		fields = append(fields, f.Name)
	}
	for _, s := range want.Sort {
		name := s.Field.Name
		if s.Descending {
			name = "-" + name
		}
		sort = append(sort, name)
	}
	if !slices.Equal(fields, usualFields[want.View]) {
		q.Set("fields", strings.Join(fields, ","))
	}
	if len(sort) > 0 {
		q.Set("sort", strings.Join(sort, ","))
	}
	return q
}

// keepView keeps the question under a name, or what is asked now under the name it has.
func keepView(t *frame.OrgVisit) (string, error) {
	want, err := explorer.FromJSON([]byte(t.PostFormValue("query")), "", "/query")
	if err != nil {
		return "", err
	}
	p := backlog.SavedViewPatch{Name: patch.Of(t.Given("name")), Query: patch.Of(string(want.JSON())), QueryType: string(want.View)}
	id := t.PostFormValue("view")
	if id == "" || t.PostFormValue("as") == "new" {
		saved, err := t.UI.App.CreateSavedView(t.Context(), t.Principal, t.Org.Name, p)
		return t.One(saved.ID), err
	}
	_, err = t.UI.App.UpdateSavedView(t.Context(), t.Principal, t.Org.Name, id, p)
	return t.One(id), err
}

// forgetView forgets a question that was kept.
func forgetView(t *frame.OrgVisit) (string, error) {
	_, err := t.UI.App.DeleteSavedView(t.Context(), t.Principal, t.Org.Name, t.PostFormValue("view"))
	return t.Path, err
}
