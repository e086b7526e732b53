package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestBadInputIsAnsweredExactly holds the status, the title, the detail and the pointer
// of each refusal. Clients retry a 5xx for minutes, so none may come of bad input.
func TestBadInputIsAnsweredExactly(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		workspace := func(attributes string) string {
			return `{"data":{"type":"workspaces","attributes":` + attributes + `}}`
		}
		s.do("POST", "/organizations/acme/workspaces", s.Token, workspace(`{"name":"taken"}`)).want(t, 201)
		const list = "/organizations/acme/workspaces"
		const at = "/data/attributes/"
		for name, c := range map[string]struct {
			path, body     string
			status         int
			detail, source string
		}{
			"not JSON":               {list, `{"data":`, 400, "the body is not valid JSON", ""},
			"no body":                {list, "", 422, "param is missing or the value is empty: data", "/data"},
			"no data":                {list, `{}`, 422, "param is missing or the value is empty: data", "/data"},
			"null data":              {list, `{"data":null}`, 422, "param is missing or the value is empty: data", "/data"},
			"a wrong member":         {list, workspace(`{"name":"a","vcs-repo":{"identifier":5}}`), 422, "vcs-repo.identifier must be a string", at + "vcs-repo/identifier"},
			"a null switch":          {list, workspace(`{"name":"a","setting-overwrites":{"execution-mode":null}}`), 422, "setting-overwrites.execution-mode can't be null", at + "setting-overwrites/execution-mode"},
			"no object":              {list, workspace(`{"name":"a","vcs-repo":[]}`), 422, "vcs-repo must be an object", at + "vcs-repo"},
			"a null in a list":       {list, workspace(`{"name":"a","trigger-patterns":["a",null]}`), 422, "trigger-patterns[1] must be a string", at + "trigger-patterns/1"},
			"a number for a time":    {list, workspace(`{"name":"a","auto-destroy-at":1}`), 422, "auto-destroy-at must be a timestamp such as 2026-01-02T15:04:05Z", at + "auto-destroy-at"},
			"a version with a v":     {list, workspace(`{"name":"a","terraform-version":"v1.5.0"}`), 422, "Engine version must be an exact version, a constraint, or latest", at + "terraform-version"},
			"a foreign relationship": {list, `{"data":{"type":"workspaces","attributes":{"name":"a"},"relationships":{"project":{"data":{"type":"teams","id":"team-1"}}}}}`, 422, "type must be projects", "/data/relationships/project/data/type"},
			"an unreadable query":    {list + "?search[name]=a;b", "", 400, "the address holds what is no text, or a query that can't be read", ""},
			"a foreign lock":         {"/workspaces/ws-1234567890123456/actions/lock", `{"data":{"type":"teams"}}`, 422, "type must be workspaces", "/data/type"},
			"a NUL":                  {list, workspace(`{"name":"a","description":"a\u0000b"}`), 422, "holds a NUL, which no text may", at + "description"},
			"half a character":       {list, workspace(`{"name":"a","description":"a\ud800b"}`), 422, "holds half of a surrogate pair, which is no character", at + "description"},
			"given twice":            {list, workspace(`{"name":"a","auto-apply":true,"auto-apply":false}`), 422, "is given twice, and does not say the same", at + "auto-apply"},
			"another spelling":       {list, workspace(`{"name":"a","auto_apply":"yes"}`), 422, "auto_apply must be a boolean", at + "auto_apply"},
			"its member, too":        {list, workspace(`{"name":"a","vcs_repo":{"tags_regex":7,"identifier":"a/b","oauth-token-id":"ot-1"}}`), 422, "vcs_repo.tags_regex must be a string", at + "vcs_repo/tags_regex"},
			"data is a list":         {list, `{"data":[]}`, 422, "must be a resource object", "/data"},
			"body is a list":         {list, `[]`, 422, "the body must be a JSON object with the member data", ""},
			"another type":           {list, `{"data":{"type":"teams","attributes":{"name":"a"}}}`, 422, "type must be workspaces", "/data/type"},
			"type is a number":       {list, `{"data":{"type":7}}`, 422, "must be a string", "/data/type"},
			"attributes are a text":  {list, `{"data":{"type":"workspaces","attributes":"x"}}`, 422, "must be an object", "/data/attributes"},
			"no name":                {list, workspace(`{}`), 422, "Name can't be blank", at + "name"},
			"blank name":             {list, workspace(`{"name":""}`), 422, "Name can't be blank", at + "name"},
			"name taken":             {list, workspace(`{"name":"taken"}`), 422, "Name has already been taken", at + "name"},
			"bad name":               {list, workspace(`{"name":"a b"}`), 422, "Name can only contain letters, numbers, -, and _", at + "name"},
			"long name":              {list, workspace(`{"name":"` + strings.Repeat("x", 91) + `"}`), 422, "Name is too long (maximum is 90 characters)", at + "name"},
			"name is a number":       {list, workspace(`{"name":7}`), 422, "name must be a string", at + "name"},
			"wrong type":             {list, workspace(`{"name":"a","auto-apply":"yes"}`), 422, "auto-apply must be a boolean", at + "auto-apply"},
			"null boolean":           {list, workspace(`{"name":"a","auto-apply":null}`), 422, "auto-apply can't be null", at + "auto-apply"},
			"bad timestamp":          {list, workspace(`{"name":"a","auto-destroy-at":"soon"}`), 422, "auto-destroy-at must be a timestamp such as 2026-01-02T15:04:05Z", at + "auto-destroy-at"},
			"mode and operations":    {list, workspace(`{"name":"a","execution-mode":"local","operations":false}`), 422, "Operations must not be given together with execution-mode", at + "operations"},
			"unknown mode":           {list, workspace(`{"name":"a","execution-mode":"moon"}`), 422, "Execution mode is not included in the list", at + "execution-mode"},
			"agent without pool":     {list, workspace(`{"name":"a","execution-mode":"agent"}`), 422, "Agent pool must be specified when using 'agent' execution mode", at + "agent-pool-id"},
			"pool without agent":     {list, workspace(`{"name":"a","execution-mode":"remote","agent-pool-id":"apool-1234567890123456"}`), 422, "Agent pool must not be specified unless using 'agent' execution mode", at + "agent-pool-id"},
			"unknown pool":           {list, workspace(`{"name":"a","execution-mode":"agent","agent-pool-id":"apool-1234567890123456"}`), 422, "The provided agent pool does not exist", at + "agent-pool-id"},
			"overwrites differ":      {list, workspace(`{"name":"a","setting-overwrites":{"execution-mode":true,"agent-pool":false}}`), 422, "If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.", at + "setting-overwrites"},
			"unknown engine":         {list, workspace(`{"name":"a","engine-version":"99.0.0"}`), 422, "Engine version 99.0.0 is not included in the list of versions", at + "engine-version"},
			"two engines":            {list, workspace(`{"name":"a","engine-version":"1.5.0","terraform-version":"1.6.0"}`), 422, "terraform-version is given as engine-version too, with another value", at + "terraform-version"},
			"no such engine form":    {list, workspace(`{"name":"a","engine-version":"new"}`), 422, "Engine version must be an exact version, a constraint, or latest", at + "engine-version"},
			"duration":               {list, workspace(`{"name":"a","auto-destroy-activity-duration":"0d"}`), 422, "Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')", at + "auto-destroy-activity-duration"},
			"working directory":      {list, workspace(`{"name":"a","working-directory":"a/../../b"}`), 422, "Working directory must stay inside the repository", at + "working-directory"},
			"remote state twice":     {list, workspace(`{"name":"a","global-remote-state":true,"project-remote-state":true}`), 422, "Project remote state cannot be enabled when global remote state sharing is enabled", at + "project-remote-state"},
			"patterns and prefixes":  {list, workspace(`{"name":"a","trigger-patterns":["a"],"trigger-prefixes":["b"]}`), 422, "Trigger patterns and trigger prefixes cannot be given together", at + "trigger-patterns"},
			"patterns, no triggers":  {list, workspace(`{"name":"a","trigger-patterns":["a"],"file-triggers-enabled":false}`), 422, "File triggers must be enabled when trigger patterns are given", at + "file-triggers-enabled"},
			"repo without token":     {list, workspace(`{"name":"a","vcs-repo":{"identifier":"a/b"}}`), 422, "OAuth token must be given to connect a repository", at + "vcs-repo/oauth-token-id"},
			"repo, unknown token":    {list, workspace(`{"name":"a","vcs-repo":{"identifier":"a/b","oauth-token-id":"ot-1234567890123456"}}`), 422, "The provided OAuth token does not exist", at + "vcs-repo/oauth-token-id"},
			"unknown project":        {list, `{"data":{"type":"workspaces","attributes":{"name":"a"},"relationships":{"project":{"data":{"type":"projects","id":"prj-1234567890123456"}}}}}`, 404, "", ""},
			"unknown organization":   {"/organizations/none/workspaces", workspace(`{"name":"a"}`), 404, "", ""},
			"organization name":      {"/organizations", `{"data":{"type":"organizations","attributes":{"name":"a b","email":"a@example.com"}}}`, 422, "Name can only contain letters, numbers, -, and _", at + "name"},
			"organization email":     {"/organizations", `{"data":{"type":"organizations","attributes":{"name":"ab","email":"nobody"}}}`, 422, "Email is invalid", at + "email"},
			"short project name":     {"/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"ab"}}}`, 422, "Name must be between 3 and 40 characters", at + "name"},
			"bad project name":       {"/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"a.b"}}}`, 422, "Name may only contain letters, numbers, spaces, -, and _, and can't start or end with a space", at + "name"},
			"unknown lock":           {"/workspaces/ws-1234567890123456/actions/lock", "", 404, "", ""},
			"a path that is nowhere": {"/nowhere", "", 404, "", ""},
		} {
			got := s.do("POST", c.path, s.Token, c.body)
			if got.Status != c.status {
				t.Errorf("%s: status %d, want %d: %s", name, got.Status, c.status, got.Body)
				continue
			}
			if got.text("errors.0.status") != fmt.Sprint(c.status) {
				t.Errorf("%s: the status is not told as text: %s", name, got.Body)
			}
			if got.text("errors.0.detail") != c.detail || got.text("errors.0.source.pointer") != c.source {
				t.Errorf("%s: detail %q at %q, want %q at %q", name,
					got.text("errors.0.detail"), got.text("errors.0.source.pointer"), c.detail, c.source)
			}
		}
	})
}

func TestAllProblemsAreToldAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		got := s.do("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{
			"name":"a b","execution-mode":"moon","auto-destroy-activity-duration":"1y"}}}`).want(t, 422)
		for i, want := range []string{"name", "execution-mode", "auto-destroy-activity-duration"} {
			if pointer := got.text(fmt.Sprintf("errors.%d.source.pointer", i)); pointer != "/data/attributes/"+want {
				t.Errorf("problem %d is at %q, want %q", i, pointer, want)
			}
		}
	})
}

func TestBodiesThatAreNotRead(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		post := func(kind, body string) int {
			request, err := http.NewRequest(http.MethodPost, s.URL+"/api/v2/organizations/acme/workspaces", strings.NewReader(body))
			must(t, err)
			request.Header.Set("Authorization", "Bearer "+s.Token)
			if kind != "" {
				request.Header.Set("Content-Type", kind)
			}
			answer, err := http.DefaultClient.Do(request)
			must(t, err)
			must(t, answer.Body.Close())
			return answer.StatusCode
		}
		small := `{"data":{"type":"workspaces","attributes":{"name":"%s"}}}`
		for kind, want := range map[string]int{
			"text/plain": 415, "": 415, "application/x-www-form-urlencoded": 415,
			"application/json": 201, "application/vnd.api+json": 201, "application/vnd.api+json; charset=utf-8": 201,
		} {
			name := "w" + strings.NewReplacer("/", "-", ".", "-", "+", "-", ";", "-", " ", "-", "=", "-").Replace(kind)
			if got := post(kind, fmt.Sprintf(small, name)); got != want {
				t.Errorf("media type %q: status %d, want %d", kind, got, want)
			}
		}
		large := fmt.Sprintf(small, strings.Repeat("x", 1<<20))
		if got := post("application/json", large); got != 413 {
			t.Errorf("a body over 1 MiB: status %d, want 413", got)
		}
	})
}

func TestTokens(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id, token := s.user("ann")
		for name, c := range map[string]struct {
			token string
			want  int
		}{"none": {"", 401}, "unknown": {"x", 401}, "good": {token, 200}} {
			if got := s.do("GET", "/account/details", c.token, ""); got.Status != c.want {
				t.Errorf("%s: status %d, want %d", name, got.Status, c.want)
			}
		}
		if got := s.do("GET", "/account/details", "x", ""); got.text("errors.0.title") != "unauthorized" {
			t.Errorf("title %q", got.text("errors.0.title"))
		}
		list := s.do("GET", "/users/"+id+"/authentication-tokens", token, "").want(t, 200)
		if strings.Contains(list.Body, token) {
			t.Error("a list shows the value of a token")
		}
		s.do("POST", "/admin/users/"+id+"/actions/suspend", s.Token, "").want(t, 200)
		s.do("GET", "/account/details", token, "").want(t, 401)
		s.do("POST", "/admin/users/"+id+"/actions/unsuspend", s.Token, "").want(t, 200)
		s.do("GET", "/account/details", token, "").want(t, 200)
		s.do("DELETE", "/authentication-tokens/"+list.text("data.0.id"), token, "").want(t, 204)
		s.do("GET", "/account/details", token, "").want(t, 401)
		s.do("POST", "/users/"+id+"/authentication-tokens", s.Token,
			`{"data":{"type":"authentication-tokens","attributes":{"expired-at":"2001-01-01T00:00:00Z"}}}`).want(t, 422)
	})
}
