package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/storetest"
)

// walk is how the attributes of a noun are written and read back.
type walk struct {
	write string // method and path
	read  string // the path of what was written; <id> is what the answer names
	uses  func(w *world, r *role) things
	with  string // further attributes that every body must have
	rest  string // what else stands in data
	apart bool   // what is used is made for each value anew
	items bool   // the body and the answer are lists
}

// walks is every noun of api.Tables. A body that makes something is sent anew for each value.
var walks = map[string]walk{
	"agent-pools":                 {write: "PATCH /agent-pools/<agent_pool_id>"},
	"authentication-tokens":       {write: "POST /users/<user_id>/authentication-tokens", read: "/authentication-tokens/<id>"},
	"configuration-versions":      {write: "POST /workspaces/<workspace_id>/configuration-versions", read: "/configuration-versions/<id>"},
	"identities":                  {write: "POST /users/<user_id>/identities", read: "/users/<user_id>/identities", with: `"issuer":"https://id.example.com","subject":"<unique>"`},
	"workload-rules":              {write: "PATCH /workload-rules/<rule_id>", uses: freshRule},
	"notification-configurations": {write: "PATCH /notification-configurations/<notification_id>"},
	"oauth-clients":               {write: "PATCH /oauth-clients/<oauth_client_id>"},
	"oauth-tokens":                {write: "PATCH /oauth-tokens/<oauth_token_id>"},
	"organization-memberships":    {write: "POST /organizations/acme/organization-memberships", read: "/organization-memberships/<id>"},
	"organizations":               {write: "PATCH /organizations/<organization_name>", read: "/organizations/<id>", uses: walkedOrganization, apart: true},
	"projects":                    {write: "PATCH /projects/<project_id>", uses: freshProject},
	"reserved-tag-keys":           {write: "PATCH /reserved-tag-keys/<key_id>", read: "/organizations/acme/reserved-tag-keys"},
	"retention":                   {write: "POST /workspaces/<workspace_id>/relationships/data-retention-policy", rest: `"type":"data-retention-policy-delete-olders",`},
	"workspace-views":             {write: "PATCH /workspace-views/<workspace_view_id>", uses: freshWorkspaceView},
	"ssh-keys":                    {write: "PATCH /ssh-keys/<ssh_key_id>"},
	"state-versions":              {write: "POST /workspaces/<workspace_id>/state-versions", read: "/state-versions/<id>", uses: heldWorkspace, apart: true, with: attributesOf(inlineState(1))},
	"tag-bindings":                {write: "PATCH /workspaces/<workspace_id>/tag-bindings", items: true, apart: true, rest: `"type":"tag-bindings",`, with: `"key":"k<unique>"`, uses: freshWorkspace},
	"team-projects":               {write: "PATCH /team-projects/<access_id>", uses: givenProject},
	"team-workspaces":             {write: "PATCH /team-workspaces/<access_id>", uses: givenWorkspace, with: `"access":"custom"`},
	"teams":                       {write: "PATCH /teams/<team_id>", uses: freshTeam},
	"terraform-versions":          {write: "PATCH /admin/terraform-versions/<version_id>", uses: knownVersion},
	"users":                       {write: "PATCH /admin/users/<user_id>", uses: freshMember, read: "/users/<user_id>"},
	"vars":                        {write: "PATCH /workspaces/<workspace_id>/vars/<variable_id>"},
	"varsets":                     {write: "PATCH /varsets/<varset_id>"},
	"workspaces":                  {write: "PATCH /workspaces/<workspace_id>", uses: freshWorkspace},
}

// step is one value of an attribute on the walk, as JSON.
type step struct {
	give  string // what the body holds
	shows string // what GET then shows; as given, when empty
	with  string // further attributes of this body
}

// unseen is what a step shows that can't be read back: it is only taken.
const unseen = "-"

// TestEveryAttributeIsKept writes every attribute that a body may hold, and reads it back
// with a request of its own: the answer of the write would show what was never stored.
func TestEveryAttributeIsKept(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	for noun := range steps {
		table, name, _ := strings.Cut(noun, " ")
		if !slices.ContainsFunc(api.Tables[table], func(row api.Writable) bool { return row.Name == name }) {
			t.Errorf("steps has %q, which is no attribute that a body may hold", noun)
		}
	}
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.Open(t, engine))
			for noun, rows := range api.Tables {
				how, known := walks[noun]
				if !known {
					t.Errorf("%s are in no walk: say in walks how they are written and read", noun)
					continue
				}
				for _, row := range rows {
					w.walk(noun, how, row)
				}
			}
		})
	}
}

func heldWorkspace(w *world, r *role) things {
	made := freshWorkspace(w, r)
	w.do(http.MethodPost, "/workspaces/"+made["workspace_id"]+"/actions/lock", "")
	return made
}

func walkedOrganization(w *world, _ *role) things {
	return things{"organization_name": w.make("/organizations", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>","email":"o@example.com"}}}`))}
}

// attributesOf is the attributes of a body, without their braces.
func attributesOf(body string) string {
	_, attributes, _ := strings.Cut(body, `"attributes":{`)
	return strings.TrimRight(attributes, "}")
}

// walk writes every value of a row and reads it back.
func (w *world) walk(noun string, how walk, row api.Writable) {
	values := stepsOf(noun, row)
	if len(values) == 0 {
		w.t.Errorf("the attribute %s of %s has no value to try: add one to steps", row.Name, noun)
	}
	about := w.shared
	if how.uses != nil {
		about = about.with(how.uses(w, nil))
	}
	w.refuses(noun, how, row, about)
	for _, s := range values {
		about := about.with(nil)
		if how.apart {
			about = about.with(how.uses(w, nil))
		}
		method, path, _ := strings.Cut(how.write, " ")
		body := fmt.Sprintf(`{%s"attributes":{%s}}`, how.rest, w.attributes(how.with, s.with, fmt.Sprintf("%q:%s", row.Name, s.give)))
		if how.items {
			body = "[" + body + "]"
		}
		status, answer := w.send(method, "/api/v2"+about.in(path), w.admin, about.in(`{"data":`+body+`}`))
		if status >= 300 {
			w.t.Errorf("the attribute %s of %s = %s: %d %s", row.Name, noun, s.give, status, answer)
			continue
		}
		want := s.shows
		switch want {
		case "":
			want = about.in(s.give)
		case unseen:
			continue
		}
		about["id"] = textAt(answer, "data.id")
		got := w.readBack(about, how, row.Name)
		if !sameJSON(got, want) {
			w.t.Errorf("the attribute %s of %s was given as %s and accepted, but GET shows %s, want %s: does Apply take it, and has it a column?", row.Name, noun, s.give, got, want)
		}
	}
}

// attributes is the members of several objects in one; of those that are given twice the last.
func (w *world) attributes(objects ...string) string {
	all := map[string]json.RawMessage{}
	for _, members := range objects {
		if err := json.Unmarshal([]byte("{"+members+"}"), &all); err != nil {
			w.t.Fatal(err)
		}
	}
	list := make([]string, 0, len(all))
	for name, value := range all {
		list = append(list, fmt.Sprintf("%q:%s", name, value))
	}
	return strings.Join(list, ",")
}

// refuses demands that what a row says is too long, or not among the allowed, is refused.
func (w *world) refuses(noun string, how walk, row api.Writable, about things) {
	var wrong []string
	if row.Allowed != nil {
		wrong = append(wrong, "nonsense")
	}
	if row.Most > 0 {
		wrong = append(wrong, strings.Repeat("x", row.Most+1))
	}
	for _, text := range wrong {
		method, path, _ := strings.Cut(how.write, " ")
		status, answer := w.send(method, "/api/v2"+about.in(path), w.admin, fmt.Sprintf(`{"data":{%s"attributes":{%q:%q}}}`, how.rest, row.Name, text))
		if status != http.StatusUnprocessableEntity || !strings.Contains(answer, "/data/attributes/"+row.Name) {
			w.t.Errorf("the attribute %s of %s takes %.20q, which its row says it does not: %d %s", row.Name, noun, text, status, answer)
		}
	}
}

// readBack is what GET shows of an attribute, as JSON.
func (w *world) readBack(about things, how walk, name string) string {
	path := how.read
	if path == "" {
		_, path, _ = strings.Cut(how.write, " ")
	}
	status, answer := w.send(http.MethodGet, "/api/v2"+about.in(path), w.admin, "")
	var document struct{ Data json.RawMessage }
	if status != http.StatusOK || json.Unmarshal([]byte(answer), &document) != nil {
		w.t.Errorf("GET %s: %d %s", about.in(path), status, answer)
		return "nothing"
	}
	type resource struct {
		ID         string
		Attributes map[string]json.RawMessage
	}
	var one resource
	if json.Unmarshal(document.Data, &one) != nil {
		var list []resource
		if err := json.Unmarshal(document.Data, &list); err != nil || len(list) == 0 {
			w.t.Errorf("GET %s: %s", about.in(path), answer)
			return "nothing"
		}
		one = list[len(list)-1]
		for _, r := range list { // of two that were made within a millisecond either may be the last
			if r.ID == about["id"] {
				one = r
			}
		}
	}
	return string(one.Attributes[name])
}

// sameJSON compares what is shown with what was given. An object may show more members.
func sameJSON(shown, given string) bool {
	var left, right any
	if json.Unmarshal([]byte(shown), &left) != nil || json.Unmarshal([]byte(given), &right) != nil {
		return false
	}
	all, isObject := left.(map[string]any)
	some, areSome := right.(map[string]any)
	if !isObject || !areSome {
		return reflect.DeepEqual(left, right)
	}
	for name, value := range some {
		if !reflect.DeepEqual(all[name], value) {
			return false
		}
	}
	return true
}

// stepsOf is the values to try of a row: those of steps, or some of its type.
func stepsOf(noun string, row api.Writable) (list []step) {
	if given, special := steps[noun+" "+row.Name]; special {
		return given
	}
	shown := func(value string) step {
		if row.Shown {
			return step{give: value}
		}
		return step{give: value, shows: unseen}
	}
	if len(row.Is.Type) == 0 {
		return nil
	}
	switch {
	case row.Allowed != nil:
		for _, text := range row.Allowed {
			list = append(list, shown(fmt.Sprintf("%q", text)))
		}
	case row.Is.Type[0] == "boolean":
		return []step{shown("true"), shown("false"), shown("true")}
	case row.Is.Type[0] == "string" && row.Is.Format == "":
		return []step{shown(`"w<unique>"`), shown(`"x<unique>"`)}
	case row.Is.Type[0] == "integer":
		return []step{shown("17"), shown("18")}
	}
	return list
}

// onAWalk leaves out, in the short form, tests that send thousands of requests one after another:
// the race detector makes them ten times slower and sees nothing in them.
func onAWalk(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long walk")
	}
}
