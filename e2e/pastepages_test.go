package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// valuesOf is the variables of a workspace as the API shows them.
func (s *server) valuesOf(id string) map[string]string {
	s.t.Helper()
	found := map[string]string{}
	list := s.do("GET", "/workspaces/"+id+"/vars", s.Token, "").want(s.t, 200)
	for i := 0; list.at(fmt.Sprintf("data.%d", i)) != nil; i++ {
		at := fmt.Sprintf("data.%d.attributes.", i)
		found[list.text(at+"key")] = fmt.Sprint(list.at(at+"value"), " ", list.at(at+"category"), " hcl=", list.at(at+"hcl"), " sensitive=", list.at(at+"sensitive"))
	}
	return found
}

// TestPastedVariables: a text shows what it would write, nothing is written before that is said, and then all of it is.
func TestPastedVariables(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page, paste = networkPage + "/variables", networkPage + "/variables/paste"
		set := func(key, value, more string) {
			s.do("POST", "/workspaces/"+id+"/vars", s.Token, fmt.Sprintf(`{"data":{"type":"vars","attributes":{"key":%q,"value":%q,"category":"terraform"%s}}}`, key, value, more)).want(t, 201)
		}
		set("region", "old", "")
		set("same", "as it is", "")
		set("secret", "hunter2", `,"sensitive":true`)
		form := owner.get(page+"?paste").want(t, 200).has(t, "Paste variables", "a .tfvars file").inert(t)
		text := "region = \"new <b>\"\nsame = \"as it is\"\nsecret = \"hunter3\"\nzones = [\n  \"a\",\n]\n"
		before := fmt.Sprint(s.valuesOf(id))
		look := owner.post(paste, form.form("text", strings.ReplaceAll(text, "\n", "\r\n"), "category", "terraform")).want(t, 200).inert(t)
		look.has(t, "new &lt;b&gt;", `was <del class="mono">old</del>`, `ok">added`, `wait">overwritten`, `plain">unchanged`, "Write 3 variables", "nothing is written yet", "Input, HCL").hasNot(t, "hunter")
		if after := fmt.Sprint(s.valuesOf(id)); after != before {
			t.Errorf("a look wrote %s", after)
		}
		owner.post(paste, look.form()).want(t, 303)
		want := map[string]string{
			"region": "new <b> terraform hcl=false sensitive=false", "same": "as it is terraform hcl=false sensitive=false",
			"secret": "<nil> terraform hcl=false sensitive=true", "zones": "[\n  \"a\",\n] terraform hcl=true sensitive=false",
		}
		if got := s.valuesOf(id); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("written is %v", got)
		}
		// What somebody else has changed since is looked at again.
		owner.post(paste, look.form()).want(t, 409).has(t, "changed since you looked")
		// The environment, sealed: the text is on no page.
		sealed := owner.post(paste, form.form("text", "export TOKEN='hunter4'\nAWS_REGION=eu # here", "category", "env", "sensitive", "yes")).want(t, 200).has(t, "Write 2 variables").hasNot(t, "hunter4", "eu #")
		owner.post(paste, sealed.form()).want(t, 303)
		if got := s.valuesOf(id); got["TOKEN"] != "<nil> env hcl=false sensitive=true" || got["AWS_REGION"] != "<nil> env hcl=false sensitive=true" {
			t.Errorf("written is %v", got)
		}
		nothing := owner.post(paste, form.form("text", "same = \"as it is\"", "category", "terraform")).want(t, 200).has(t, "There is nothing to write.").hasNot(t, "Write ")
		owner.post(paste, nothing.form()).want(t, 303)
		// What is refused says the line, and comes back, but no secret.
		owner.post(paste, form.form("text", "a = 1\nb = var.x", "category", "terraform")).want(t, 422).has(t, "Line 2: the value of b", "b = var.x").inert(t)
		owner.post(paste, form.form("text", "A=1\nhunter5", "category", "env", "sensitive", "yes")).want(t, 422).has(t, "Line 2: it is not KEY=VALUE").hasNot(t, "hunter5")
		owner.post(paste, form.form("text", "A="+strings.Repeat("x", 200)+"\nB"+strings.Repeat("y", 128)+"=1", "category", "env")).want(t, 422).has(t, "Line 2: Key is too long")
		many := ""
		for i := range 101 {
			many += fmt.Sprintf("V%d=1\n", i)
		}
		owner.post(paste, form.form("text", many, "category", "env")).want(t, 422).has(t, "There are 101 variables in it: no more than 100")
		// What the next step could not carry is refused before it.
		large := ""
		for i := range 4 {
			large += fmt.Sprintf("L%d='%s'\n", i, strings.Repeat("x", 200<<10))
		}
		owner.post(paste, form.form("text", large, "category", "env")).want(t, 422).has(t, "too much at once")
		// Nobody else, and no sealed text of somebody else or of another workspace.
		reader.get(page).hasNot(t, "?paste")
		for _, b := range []*browser{reader, stranger} {
			b.post(paste, b.get(organizationsPath).form("text", "a = 1", "category", "terraform")).want(t, 404)
			b.post(paste, b.get(organizationsPath).form("sealed", look.form().Get("sealed"))).want(t, 404)
		}
		s.newWorkspace("acme", "other", func(*tfe.WorkspaceCreateOptions) {})
		owner.post("/app/acme/workspaces/other/variables/paste", owner.get(organizationsPath).form("sealed", look.form().Get("sealed"))).want(t, 409).has(t, "too long ago")
		owner.post(paste, look.form("form", "x")).want(t, 403)
		for _, vector := range vectors {
			owner.post(paste, form.form("text", "v = "+vector, "category", "terraform")).inert(t)
			owner.post(paste, form.form("text", "V='"+vector+"'", "category", "env")).inert(t)
		}
	})
}

// TestCopiedVariables: variables go to other workspaces as the page told before; sealed values only with who could have
// them told anyway.
func TestCopiedVariables(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page, copies = networkPage + "/variables", networkPage + "/variables/copy"
		ids := map[string]string{}
		for _, name := range []string{"one", "two"} {
			ids[name] = s.newWorkspace("acme", name, func(*tfe.WorkspaceCreateOptions) {}).ID
		}
		for _, v := range []struct{ of, key, more string }{
			{id, "region", `"value":"eu","description":"where"`}, {id, "secret", `"value":"hunter2","sensitive":true`}, {ids["two"], "region", `"value":"us"`},
		} {
			s.do("POST", "/workspaces/"+v.of+"/vars", s.Token, fmt.Sprintf(`{"data":{"type":"vars","attributes":{"key":%q,"category":"terraform",%s}}}`, v.key, v.more)).want(t, 201)
		}
		form := owner.get(page+"?copy").want(t, 200).has(t, "Copy variables to other workspaces", `name="id" value="`+s.variableOf(id, "secret")+`" checked`).inert(t)
		both := form.form("to", "two,\r\n one two")
		both["id"] = []string{s.variableOf(id, "region"), s.variableOf(id, "secret")}
		look := owner.post(copies, both).want(t, 200).has(t, `ok">added`, `wait">overwritten`, "Copy 4 variables", ">one</h3>", ">two</h3>").hasNot(t, "hunter2").inert(t)
		if len(s.valuesOf(ids["one"])) != 0 {
			t.Error("a look copied")
		}
		owner.get(owner.post(copies, look.form()).want(t, 303).Header.Get("Location")).want(t, 200).has(t, "The variables are copied.").inert(t)
		for _, name := range []string{"one", "two"} {
			if got := s.valuesOf(ids[name]); got["region"] != "eu terraform hcl=false sensitive=false" || got["secret"] != "<nil> terraform hcl=false sensitive=true" || len(got) != 2 {
				t.Errorf("%s has %v", name, got)
			}
		}
		owner.post(copies, look.form()).want(t, 409).has(t, "changed since you looked")
		for _, wrong := range []struct{ to, says string }{{"network", "has its variables already"}, {"nowhere", "no workspace"}, {" , ", "Name at least one"}} {
			both.Set("to", wrong.to)
			owner.post(copies, both).want(t, 422).has(t, wrong.says)
		}
		both.Set("to", strings.Repeat("x ", 1)+strings.Join(strings.Split("abcdefghijklmnopqrstuvw", ""), " "))
		owner.post(copies, both).want(t, 422).has(t, "At most 20")
		both.Del("id")
		owner.post(copies, both).want(t, 422).has(t, "Choose at least one")
		// Who writes variables here and steers no run takes what is open, and is told that the rest stays.
		team, _ := s.team("acme", "vera", nil)
		for at, access := range map[string]string{id: `"access":"custom","runs":"plan","variables":"write","state-versions":"none"`, ids["one"]: `"access":"admin"`} {
			s.do("POST", "/team-workspaces", s.Token, fmt.Sprintf(`{"data":{"type":"team-workspaces","attributes":{%s},"relationships":{"workspace":{"data":{"type":"workspaces","id":%q}},"team":{"data":{"type":"teams","id":%q}}}}}`, access, at, team.ID)).want(t, 201)
		}
		s.do("DELETE", "/workspaces/"+ids["one"]+"/vars/"+s.variableOf(ids["one"], "secret"), s.Token, "").want(t, 204)
		vera := s.signIn("vera")
		part := vera.get(page+"?copy").form("to", "one")
		part["id"] = []string{s.variableOf(id, "region"), s.variableOf(id, "secret")}
		vera.post(copies, part).want(t, 200).has(t, `bad">left out`, `plain">unchanged`, "There is nothing to write.").inert(t)
		vera.post(copies, vera.post(copies, part).form()).want(t, 303)
		if got := s.valuesOf(ids["one"]); len(got) != 1 {
			t.Errorf("vera copied %v", got)
		}
		part.Set("to", "two")
		vera.post(copies, part).want(t, 422).has(t, "no workspace")
		// A reader has nowhere to copy to, and a stranger finds nothing.
		mine := reader.get(page+"?copy").form("to", "one")
		mine["id"] = part["id"]
		reader.post(copies, mine).want(t, 422).has(t, "no workspace")
		stranger.post(copies, stranger.get(organizationsPath).form("to", "one", "id", "x")).want(t, 404)
	})
}
