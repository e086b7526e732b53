package e2e_test

import (
	"fmt"
	"testing"
)

// TestVariablesOfAWorkspacePage shows what a run gets and from where, and changes what is the workspace's own.
func TestVariablesOfAWorkspacePage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page = networkPage + "/variables"
		owner.get(page).want(t, 200).has(t, "No variables")
		add := owner.get(page+"?new").want(t, 200).has(t, "A new variable").inert(t)
		if found := add.actions(); len(found) != 3 { // a run, the lock, and the form
			t.Errorf("an owner is offered %v", found)
		}
		form := add.form("id", "", "sealed", "", "key", "region", "value", "eu\r\nwest", "category", "terraform", "description", "where <it> is")
		owner.post(page, form).want(t, 303)
		owner.get(page).want(t, 200).has(t, "region", "eu\nwest", "where &lt;it&gt; is", "this workspace", `Variables <span class="count">1</span>`).inert(t)
		// What is wrong comes back with what was typed, but never a secret.
		bad := add.form("id", "", "key", "a b", "value", "kept", "category", "terraform")
		owner.post(page, bad).want(t, 422).has(t, "Key can only contain", `value="a b"`, "kept")
		bad.Set("sensitive", "yes")
		owner.post(page, bad).want(t, 422).hasNot(t, "kept")
		owner.post(page, add.form("form", "x", "key", "y", "category", "terraform")).want(t, 403)
		owner.post(page, form).want(t, 422).has(t, "taken")
		owner.post(page, add.form("id", "", "key", "sizes", "value", "{ a = \r\n", "hcl", "yes", "category", "terraform")).want(t, 422).has(t, "Line 1: a list or a map has no end.", "{ a = ")
		// A secret is written, changed without being typed again, and never read.
		owner.post(page, add.form("id", "", "key", "password", "value", "hunter2", "category", "env", "sensitive", "yes")).want(t, 303)
		secret := s.variableOf(id, "password")
		change := owner.get(page+"?edit="+secret).want(t, 200).has(t, "Change password", "nobody reads its value").hasNot(t, "hunter2")
		owner.post(page, change.form("id", secret, "sealed", "yes", "key", "password", "value", "", "category", "env", "description", "of the door")).want(t, 303)
		owner.get(page).want(t, 200).has(t, "of the door", "hidden: it is sensitive").hasNot(t, "hunter2")
		// A set with priority wins over the workspace, and another does not.
		for name, priority := range map[string]bool{"wide": false, "strong": true} {
			s.do("POST", "/organizations/acme/varsets", s.Token, fmt.Sprintf(`{"data":{"type":"varsets","attributes":{"name":%q,"global":true,"priority":%t},"relationships":{"vars":{"data":[
				{"type":"vars","attributes":{"key":"region","value":"from-%s","category":"terraform"}},{"type":"vars","attributes":{"key":"seal-%s","value":"hunter3","sensitive":true,"category":"terraform"}}]}}}}`, name, priority, name, name)).want(t, 201)
		}
		owner.get(page).want(t, 200).has(t, "from-wide", "from-strong", "not used: the set strong wins", "in its set").hasNot(t, "hunter3", "this workspace wins").inert(t)
		// Who reads may not write, and who may not read finds nothing.
		reader.get(page+"?new").want(t, 200).has(t, "region").hasNot(t, "A new variable", "Add a variable", page+"/delete", "hunter")
		reader.post(page, reader.get(page).form("key", "mine", "value", "x", "category", "terraform")).want(t, 404)
		lockOf := owner.get(networkPage).form("id", secret)
		reader.post(page+"/delete", reader.get(organizationsPath).form("id", secret)).want(t, 404)
		stranger.get(page).want(t, 404)
		stranger.post(page, stranger.get(organizationsPath).form("key", "mine", "category", "env")).want(t, 404)
		owner.post(page+"/delete", lockOf).want(t, 303)
		owner.post(page+"/delete", lockOf).want(t, 404)
		owner.get(page).want(t, 200).hasNot(t, "of the door")
		for _, vector := range vectors {
			owner.post(page, add.form("id", "", "sealed", "", "key", "vector", "value", vector, "description", vector, "category", "terraform")).want(t, 303)
			shown := owner.get(page).want(t, 200).inert(t)
			one := s.variableOf(id, "vector")
			owner.get(page+"?edit="+one).want(t, 200).inert(t)
			owner.post(page+"/delete", shown.form("id", one)).want(t, 303)
		}
	})
}

// variableOf is the id of a variable of a workspace.
func (s *server) variableOf(workspaceID, key string) string {
	s.t.Helper()
	list := s.do("GET", "/workspaces/"+workspaceID+"/vars", s.Token, "").want(s.t, 200)
	for i := 0; list.at(fmt.Sprintf("data.%d", i)) != nil; i++ {
		if list.text(fmt.Sprintf("data.%d.attributes.key", i)) == key {
			return list.text(fmt.Sprintf("data.%d.id", i))
		}
	}
	s.t.Fatalf("there is no variable %s", key)
	return ""
}
