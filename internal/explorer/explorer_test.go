package explorer_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
)

func TestFormsOfOneQuestion(t *testing.T) {
	t.Parallel()
	const want = `{"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["dev","prod"]},{"field":"resource_count","operator":"gt","value":["3"]}],"fields":["workspace_name","tags"],"sort":["-resource_count","workspace_name"]}`
	for _, body := range []string{
		want,
		`{"type":"workspaces","filter":[{"workspace_name":{"contains":["dev","prod"]}},{"resource_count":{"gt":3}}],"fields":"workspace_name, tags","sort":"-resource_count,workspace_name"}`,
		`{"filter":{"1":{"resource_count":{"gt":{"0":"3"}}},"0":{"workspace_name":{"contains":{"0":"dev","1":"prod"}}}},"fields":["workspace_name","tags","tags"],"sort":["-resource_count","workspace_name","resource_count"]}`,
	} {
		q, err := explorer.FromJSON([]byte(body), "workspaces", "/query")
		if err != nil || string(q.JSON()) != want {
			t.Errorf("%s\nis  %s %v", body, q.JSON(), err)
		}
	}
	values, err := url.ParseQuery("type=workspaces&filter[0][workspace_name][contains][0]=dev&filter[0][workspace_name][contains][1]=prod" +
		"&filter[1][resource_count][gt][0]=3&fields=workspace_name,tags&sort=-resource_count,workspace_name&page[size]=3&other=x")
	if err != nil {
		t.Fatal(err)
	}
	q, err := explorer.FromURL(values)
	if err != nil || len(q.Filters) != 2 {
		t.Fatalf("%s %v", q.JSON(), err)
	}
	slices.Sort(q.Filters[0].Texts) // of one filter's values any will do: they have no order
	if string(q.JSON()) != want {
		t.Errorf("is %s", q.JSON())
	}
}

func TestEveryOperatorOnEveryKind(t *testing.T) {
	t.Parallel()
	samples := map[explorer.Kind]string{explorer.String: "x", explorer.Number: "3", explorer.Boolean: "true", explorer.Datetime: "2026-01-02", explorer.Version: "1.9.8"}
	takes := map[explorer.Kind]string{
		explorer.String:   "is is_not contains does_not_contain is_empty is_not_empty",
		explorer.Number:   "is is_not gt lt gteq lteq is_empty is_not_empty",
		explorer.Boolean:  "is is_empty is_not_empty",
		explorer.Datetime: "is_before is_after",
		explorer.Version:  "is is_not satisfies contains does_not_contain is_empty is_not_empty",
	}
	all := strings.Fields("is is_not contains does_not_contain is_empty is_not_empty gt lt gteq lteq is_before is_after satisfies like")
	for _, view := range explorer.Views {
		for _, field := range view.Fields() {
			for _, operator := range all {
				_, err := explorer.FromURL(url.Values{
					"type": {string(view)}, "filter[0][" + field.Name + "][" + operator + "][0]": {samples[field.Kind]},
				})
				if taken := slices.Contains(strings.Fields(takes[field.Kind]), operator); taken != (err == nil) {
					t.Errorf("%s %s %s: %v", view, field.Name, operator, err)
				}
			}
		}
	}
}

func TestRefusalsNameThePart(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`[]`:                    {"", `query: must be an object`},
		`"x"`:                   {"", `query: must be an object`},
		`{"nope":7}`:            {"/nope", `query: "nope" is no member`},
		`{"type":7}`:            {"/type", `type: must be a string`},
		`{"type":"x"}`:          {"/type", `type: must be workspaces`},
		`{"filter":7}`:          {"/filter", `filter: must be a list`},
		`{"filter":{"a":{}}}`:   {"/filter", `filter: must be a list`},
		`{"filter":[7]}`:        {"/filter/0", `filter[0]: must be an object`},
		`{"filter":[{}]}`:       {"/filter/0", `filter[0]: must name a field`},
		`{"filter":[{"x":7}]}`:  {"/filter/0/x", `filter[0]: "x" must be an object of operators`},
		`{"filter":[{"x":{}}]}`: {"/filter/0/x", `filter[0]: "x" must have an operator`},
		`{"filter":[{"tags":{"is":["a"]}},{"x":{"is":["y"]}}]}`:                                               {"/filter/1/x", `filter[1]: "x" is no field`},
		`{"filter":{"7":{"tags":{"gt":{"0":"y"}}}}}`:                                                          {"/filter/7/tags/gt", `filter[7]: "gt" is no operator of tags`},
		`{"filter":[{"field":"tags","operator":7}]}`:                                                          {"/filter/0/operator", `filter[0]: field and operator must be strings`},
		`{"filter":[{"field":"tags","operator":"gt","value":["1"]}]}`:                                         {"/filter/0/operator", `filter[0]: "gt" is no operator of tags`},
		`{"filter":[{"field":"tags","operator":"is"}]}`:                                                       {"/filter/0/value", `filter[0]: is needs a value`},
		`{"filter":[{"field":"tags","operator":"is","values":["x"]}]}`:                                        {"/filter/0/values", `filter[0]: "values" is no member of a filter`},
		`{"filter":[{"field":"tags","operator":"is","value":[["x"]]}]}`:                                       {"/filter/0/value", `filter[0]: value must be a list of strings`},
		`{"filter":[{"field":"tags","operator":"is_empty"},{"field":"x","operator":"is","value":"y"}]}`:       {"/filter/1/field", `filter[1]: "x" is no field`},
		`{"filter":[{"field":"tags","operator":"contains","value":["a",""]}]}`:                                {"/filter/0/value", `filter[0]: contains needs a value that is not empty`},
		`{"filter":[{"field":"workspace_terraform_version","operator":"satisfies","value":["1.9.8","abc"]}]}`: {"/filter/0/value", `filter[0]: "abc" is not a version or a constraint`},
		`{"filter":[{"field":"workspace_name","operator":"satisfies","value":["< 1.9"]}]}`:                    {"/filter/0/operator", `filter[0]: "satisfies" is no operator of workspace_name`},
		`{"sort":{}}`:        {"/sort", `sort: must be a list of names`},
		`{"sort":["-nope"]}`: {"/sort/0", `sort: "nope" is no field`},
		`{"fields":[7]}`:     {"/fields", `fields: must be a list of names`},
	} {
		_, err := explorer.FromJSON([]byte(body), "workspaces", "/data/query")
		problems, ok := err.(belay.Problems) //nolint:errorlint // it is given as it is
		if !ok || problems[0].Kind != belay.Invalid || problems[0].Place != belay.Place("/data/query"+want[0]) || !strings.HasPrefix(problems[0].Detail, want[1]) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// plain demands that a refusal is of its kind and says something, and that a question
// which is taken has known parts only and can be told again.
func plain(t *testing.T, q explorer.Query, err error, kind belay.Kind) {
	t.Helper()
	if err != nil {
		problems, ok := err.(belay.Problems) //nolint:errorlint // it is given as it is
		if !ok || len(problems) == 0 {
			t.Fatalf("refused by %T: %v", err, err)
		}
		for _, p := range problems {
			if p.Kind != kind || !strings.Contains(p.Detail, ": ") {
				t.Errorf("unclear: %v", p)
			}
		}
		return
	}
	for _, f := range q.Filters {
		if known, ok := q.View.Field(f.Field.Name); !ok || known != f.Field {
			t.Errorf("an unknown field passed: %+v", f)
		}
		if f.Operator.TakesValues() && len(f.Texts) == 0 {
			t.Errorf("no values: %+v", f)
		}
	}
	again, err := explorer.FromJSON(q.JSON(), "", "")
	if err != nil || string(again.JSON()) != string(q.JSON()) {
		t.Errorf("%s is told again as %s, %v", q.JSON(), again.JSON(), err)
	}
}

func FuzzFromURL(f *testing.F) {
	for _, seed := range []string{
		"", "type=workspaces", "type=workspaces&filter[0][workspace_name][contains][0]=x", "type=modules&sort=-name,source&fields=name",
		"type=workspaces&filter[0][drifted][is_empty]=", "type=workspaces&filter[0][tags][does not contain][0]=a:b&filter[1][resource_count][gteq][0]=-1",
		"type=workspaces&filter[][][][]=", "type=workspaces&filter[0]]]][[[=x", "type=workspaces&filter[0][workspace_created_at][is_after][0]=2026-01-02T15:04:05%2B02:00",
		"type=workspaces&fields[workspaces]=tags", "type=tf_versions&filter[18446744073709551616][version][is][0]=1", "type=workspaces&filter[0][workspace_name][is][0]=%00%ff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		q, err := explorer.FromURL(values)
		plain(t, q, err, belay.BadRequest)
	})
}

func FuzzFromJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `{"type":"workspaces"}`, `{"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["x"]}]}`,
		`{"type":"workspaces","filter":[{"workspace_name":{"contains":["dev"],"is_not":"x"}}]}`, `{"type":"modules","filter":{"0":{"name":{"is":{"0":"x"}}}}}`,
		`{"type":"workspaces","filter":[{"operator":null}]}`, `{"type":"workspaces","filter":[null]}`, `{"type":"workspaces","sort":"-","fields":","}`,
		`{"type":"workspaces","filter":[{"field":"resource_count","operator":"is","value":[1e9]}]}`, `{"type":"workspaces","filter":[{"field":"drifted","operator":"is","value":true}]}`,
		`{"type":"workspaces","filter":[{"field":"workspace_name","operator":"is","value":["\u0000"]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		q, err := explorer.FromJSON(body, "", "/data/query")
		plain(t, q, err, belay.Invalid)
	})
}
