package client

// A resource is one row of this table: its verbs, flags, examples and columns come from it.
type noun struct {
	use, what string // the command, and the thing in words
	typ       string // of documents
	owner     string // flag that names what it belongs to: organization, workspace or ""
	list      string // path of the list; %s is the owner
	one       string // path of one; %s is its id
	below     bool   // one has the owner before the id
	by        string // attribute that names it
	byPath    string // path of one by its name, below the owner, where there is such
	columns   []string
	flags     []flag
	sample    string // a name for examples
	verbs     string // those that it has: l, s, c, e, d
}

// flag is an attribute with a flag of its own; every other has --set.
type flag struct {
	name, attribute, usage string
	truth                  bool
}

// nouns is the resources that the command line manages.
var nouns = []noun{
	{
		use: "org", what: "organization", typ: "organizations", list: "organizations", one: "organizations/%s", by: "name", byPath: "organizations/%s",
		columns: []string{"name", "email", "default-execution-mode", "created-at"}, sample: "acme", verbs: "lsed",
		flags: []flag{
			{name: "email", attribute: "email", usage: "e-mail address"},
			{name: "execution-mode", attribute: "default-execution-mode", usage: "where runs go: remote, local or agent"},
		},
	},
	{
		use: "project", what: "project", typ: "projects", owner: "organization", list: "organizations/%s/projects", one: "projects/%s", by: "name",
		columns: []string{"name", "id", "workspace-count", "description"}, sample: "Network", verbs: "lsced",
		flags: []flag{{name: "description", attribute: "description", usage: "what it is for"}},
	},
	{
		use: "workspace", what: "workspace", typ: "workspaces", owner: "organization", list: "organizations/%s/workspaces", one: "workspaces/%s",
		by: "name", byPath: "organizations/%s/workspaces/%s", columns: []string{"name", "id", "execution-mode", "resource-count", "locked", "updated-at"},
		sample: "net", verbs: "lsced",
		flags: []flag{
			{name: "description", attribute: "description", usage: "what it is for"},
			{name: "execution-mode", attribute: "execution-mode", usage: "where runs go: remote, local or agent"},
			{name: "working-directory", attribute: "working-directory", usage: "folder of the configuration that runs begin in"},
			{name: "engine-version", attribute: "engine-version", usage: "version of OpenTofu or Terraform"},
			{name: "auto-apply", attribute: "auto-apply", usage: "apply without asking", truth: true},
		},
	},
	{
		use: "variable", what: "variable", typ: "vars", owner: "workspace", list: "workspaces/%s/vars", one: "workspaces/%s/vars/%s", below: true, by: "key",
		columns: []string{"key", "category", "value", "sensitive", "hcl", "description"}, sample: "region", verbs: "lsced",
		flags: []flag{
			{name: "value", attribute: "value", usage: "its value; a sensitive one is asked for, unseen"},
			{name: "category", attribute: "category", usage: "terraform, or env for the environment; terraform when empty"},
			{name: "description", attribute: "description", usage: "what it is for"},
			{name: "sensitive", attribute: "sensitive", usage: "shown to nobody", truth: true},
			{name: "hcl", attribute: "hcl", usage: "the value is an expression", truth: true},
		},
	},
	{
		use: "team", what: "team", typ: "teams", owner: "organization", list: "organizations/%s/teams", one: "teams/%s", by: "name",
		columns: []string{"name", "id", "users-count", "visibility", "sso-team-id"}, sample: "engineers", verbs: "lsced",
		flags: []flag{
			{name: "visibility", attribute: "visibility", usage: "secret or organization"},
			{name: "sso-team-id", attribute: "sso-team-id", usage: "group of the identity provider"},
			{name: "description", attribute: "description", usage: "what it is for"},
		},
	},
	{
		use: "member", what: "member", typ: "organization-memberships", owner: "organization", list: "organizations/%s/organization-memberships",
		one: "organization-memberships/%s", by: "email", columns: []string{"email", "id", "status", "created-at"}, sample: "ann@example.com", verbs: "lsd",
	},
	{
		use: "token", what: "token of yours", typ: "authentication-tokens", owner: "account", list: "users/%s/authentication-tokens",
		one: "authentication-tokens/%s", by: "id", columns: []string{"id", "description", "created-at", "last-used-at", "expired-at"},
		sample: "at-1a2b3c4d5e6f7g8h", verbs: "lsed",
		flags: []flag{
			{name: "description", attribute: "description", usage: "what it is for"},
			{name: "expired-at", attribute: "expired-at", usage: "when it ends, such as 2030-01-31T00:00:00Z; not later than before"},
		},
	},
	{
		use: "user", what: "user of the site", typ: "users", list: "admin/users", one: "admin/users/%s", by: "username",
		columns: []string{"username", "id", "email", "is-admin", "is-suspended"}, sample: "ann", verbs: "lsed",
		flags: []flag{
			{name: "email", attribute: "email", usage: "e-mail address"},
			{name: "admin", attribute: "is-admin", usage: "a site admin", truth: true},
		},
	},
}
