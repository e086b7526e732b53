package belay_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/belayhq/belay"

// room is what one folder may import of ours, and why not more.
type room struct {
	may  []string // rooms; "" is the root package
	libs []string // libraries outside the standard one; nil: whatever its go.mod row says
	why  string
}

// rooms is the plan of the house. A folder that is not here may not exist.
var rooms = map[string]room{
	"":                     {may: []string{"patch"}, libs: []string{"github.com/hashicorp/go-version", "github.com/bmatcuk/doublestar/v4"}, why: "the domain does no I/O and knows no room"},
	"signin":               {may: []string{"", "patch"}, libs: []string{}, why: "who comes in and how does no I/O and knows no room"},
	"backlog":              {may: []string{"", "patch"}, libs: []string{}, why: "what is asked of workspaces does no I/O and knows no room"},
	"forge":                {may: []string{"", "patch"}, libs: []string{}, why: "repositories and what they tell do no I/O and know no room"},
	"inputs":               {may: []string{"", "patch"}, libs: []string{}, why: "what runs are given does no I/O and knows no room"},
	"notices":              {may: []string{"", "run", "patch"}, libs: []string{}, why: "what people are told does no I/O and knows no room"},
	"site":                 {may: []string{}, libs: []string{}, why: "how the server stands is judged without asking it"},
	"run":                  {may: []string{"", "inputs", "patch"}, libs: []string{"github.com/hashicorp/go-version"}, why: "the rules of runs do no I/O and know no room"},
	"internal/patch":       {libs: []string{}, why: "it is only the field with three answers"},
	"internal/jsonapi":     {libs: []string{}, why: "it is the grammar of JSON:API and knows no noun"},
	"internal/openapi":     {libs: []string{}, why: "it is the grammar of OpenAPI and knows no noun"},
	"internal/seal":        {libs: []string{}, why: "keys need nothing but the standard library"},
	"internal/statefile":   {libs: []string{}, why: "reading a state file needs nothing of ours"},
	"internal/blob":        {may: []string{"fair", "seal"}, why: "bytes know no noun"},
	"internal/object":      {may: []string{"", "blob", "fair", "seal"}, libs: []string{}, why: "it knows kinds of files and no rows"},
	"internal/explorer":    {may: []string{""}, libs: []string{}, why: "a query is parsed and checked without a database"},
	"internal/sqldb":       {may: []string{"", "fair", "trace"}, why: "it runs statements, and knows neither a noun nor a table"},
	"internal/store":       {may: []string{"", "signin", "backlog", "forge", "inputs", "notices", "site", "run", "explorer", "patch", "sqldb", "store/base", "store/events", "store/core", "store/people", "store/repos", "store/runs", "store/plan", "bearer"}, why: "it is the only room that knows our tables, and it decides nothing"},
	"internal/bearer":      {may: []string{""}, libs: []string{}, why: "whether a token opens anything is asked of facts alone"},
	"internal/gate":        {may: []string{"", "run", "store"}, why: "who may is asked in one place"},
	"internal/record":      {may: []string{"", "store"}, libs: []string{}, why: "events are begun in one place, so that they read alike"},
	"internal/background":  {libs: []string{}, why: "when work is done is not asked of what is done"},
	"internal/replicas":    {may: []string{"", "site", "store", "background"}, libs: []string{}, why: "that a server is there is asked of nothing that it does"},
	"internal/archive":     {libs: []string{}, why: "what may be unpacked is asked of bytes alone"},
	"internal/secret":      {may: []string{"run"}, libs: []string{}, why: "the forms of a secret are told to those who look for them"},
	"internal/runs":        {may: []string{"", "forge", "inputs", "notices", "site", "run", "store", "gate", "record", "background", "seal", "secret"}, libs: []string{}, why: "verbs of runs know neither HTTP nor how a job is carried out"},
	"internal/runnerwire":  {may: []string{"", "run", "runs", "trace", "web"}, libs: []string{}, why: "the door for runners turns calls into verbs, and knows no database"},
	"internal/configs":     {may: []string{"", "site", "run", "store", "gate", "record", "background", "object", "archive", "seal"}, why: "verbs of configuration versions know neither HTTP nor how runs are made"},
	"internal/oidc":        {may: []string{"", "signin"}, libs: []string{"github.com/coreos/go-oidc/v3/oidc", "golang.org/x/oauth2"}, why: "what a provider says is checked without knowing what it is believed for"},
	"internal/state":       {may: []string{"", "site", "store", "gate", "record", "background", "fair", "object", "blob", "seal", "statefile"}, libs: []string{}, why: "verbs of states know neither HTTP nor the other verbs"},
	"internal/identity":    {may: []string{"", "signin", "patch", "bearer", "store", "gate", "record", "background", "seal"}, libs: []string{"github.com/hashicorp/golang-lru/v2", "golang.org/x/crypto/bcrypt", "golang.org/x/time/rate"}, why: "who somebody is is found out without knowing what for"},
	"internal/variables":   {may: []string{"", "inputs", "patch", "store", "gate", "record", "seal"}, libs: []string{}, why: "verbs of variables know neither HTTP nor runs"},
	"internal/notify":      {may: []string{"", "notices", "patch", "store", "gate", "record", "seal", "throttle"}, libs: []string{}, why: "who is told is asked without sending anything"},
	"internal/changes":     {may: []string{"", "backlog", "notices", "patch", "store", "gate", "record", "background", "seal", "explorer"}, libs: []string{}, why: "what is asked of workspaces is asked without changing any"},
	"internal/connections": {may: []string{"", "forge", "inputs", "store", "gate", "record", "background", "seal"}, libs: []string{"golang.org/x/crypto/ssh"}, why: "how repositories are reached is kept without reaching any"},
	"internal/tags":        {may: []string{"", "store", "gate", "record", "background"}, libs: []string{}, why: "verbs of tags know neither HTTP nor who finds anything by them"},
	"internal/once":        {may: []string{"", "seal", "store"}, libs: []string{}, why: "how a request goes is asked of no verb"},
	"internal/app":         {may: []string{"", "backlog", "forge", "inputs", "notices", "site", "once", "fair", "run", "patch", "store", "blob", "seal", "object", "gate", "record", "background", "state", "identity", "variables", "notify", "changes", "connections", "tags"}, why: "verbs know neither HTTP nor the program"},
	"internal/api":         {may: []string{"", "app", "configs", "repos", "runs", "runlog", "runfile", "jsonapi", "openapi", "object", "api/doc", "api/door", "api/paths", "api/people", "api/organizations", "api/workspaces", "api/runs", "api/states", "api/changes"}, why: "a door asks app; it never reaches the store"},
	"internal/ui":          {may: []string{"", "inputs", "site", "app", "explorer", "ui/access", "ui/changes", "ui/frame", "ui/organizations", "ui/settings", "ui/site", "ui/variables", "ui/workspaces"}, libs: []string{}, why: "the routes of pages are in one table, and the pages in families"},
	"internal/ui/draw":     {libs: []string{}, why: "a picture is made of numbers"},
	"internal/trace":       {may: []string{}, why: "what is recorded knows no noun"},
	"internal/web":         {may: []string{"", "fair"}, libs: []string{}, why: "what both doors share knows neither of them"},
	"internal/markdown":    {why: "turning text into safe HTML needs nothing of ours"},
	"internal/backup":      {may: []string{"", "site", "store", "blob", "seal"}, libs: []string{}, why: "archives are rows and bytes, and hold no rule"},
	"internal/egress":      {may: []string{}, libs: []string{}, why: "which addresses may be dialed is asked of addresses alone"},
	"internal/git":         {may: []string{"egress", "isolate"}, libs: []string{}, why: "a commit is fetched without knowing who plans it"},
	"internal/repos":       {may: []string{"", "background", "forge", "run", "runs", "store", "gate", "record", "seal", "object", "archive", "vcs", "git", "egress"}, libs: []string{}, why: "what repositories bring about is done by the verbs of runs, and it serves nobody but hooks"},
	"internal/vcs":         {may: []string{}, libs: []string{"github.com/go-jose/go-jose/v4", "github.com/go-jose/go-jose/v4/jwt"}, why: "it speaks with services, and knows neither workspaces nor the store"},
	"internal/deliver":     {may: []string{"", "background", "signin", "backlog", "notices", "run", "store", "seal", "markdown", "egress", "trace"}, why: "deliveries read the store and send; they serve nobody"},
	"internal/isolate":     {may: []string{}, libs: []string{"golang.org/x/sys/unix"}, why: "holding a program apart needs the kernel and nothing of ours"},
	"internal/engine":      {may: []string{}, libs: []string{"github.com/ProtonMail/go-crypto/openpgp"}, why: "an engine is found and proved without knowing what it is for"},
	"internal/elsewhere":   {may: []string{}, libs: []string{}, why: "it speaks the REST of other systems, and nothing of ours"},
	"internal/runner":      {may: []string{"run", "engine", "isolate", "planjson", "secret", "elsewhere", "trace"}, libs: []string{}, why: "it speaks the runner's wire, never the store or the verbs"},
	"internal/planjson":    {may: []string{}, libs: []string{}, why: "reading a plan needs nothing of ours"},
	"internal/remote":      {libs: []string{}, why: "speaking to a server from outside needs no noun and nothing of its inside"},
	"internal/moving":      {may: []string{"remote"}, libs: []string{"github.com/hashicorp/go-tfe"}, why: "it is a client of both sides: what it may do there is asked of their doors"},
	"internal/cli":         {may: []string{"*"}, why: "it assembles the house"},
	"internal/cli/shell":   {may: []string{"remote"}, libs: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"}, why: "what commands run in knows no command"},
	"internal/cli/client":  {may: []string{"blob", "cli/shell", "moving", "remote", "statefile"}, libs: []string{"github.com/spf13/cobra", "golang.org/x/oauth2"}, why: "it speaks to servers from outside, as everybody can"},
	"internal/cli/data":    {may: []string{"app", "backup", "blob", "seal", "store", "cli/shell"}, libs: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/sys/unix"}, why: "it works on the data, whether a server runs or not"},
	"internal/storetest":   {may: []string{"", "store"}, why: "it only opens databases for tests"},
	"internal/forgetest":   {may: []string{}, libs: []string{}, why: "it only plays a service for tests"},
	"internal/giteatest":   {may: []string{}, libs: []string{}, why: "it only starts a service for tests"},
	"internal/sim":         {may: []string{}, libs: []string{}, why: "it is tests alone, which see the whole house"},
	"cmd/belay":            {may: []string{"cli"}, libs: []string{}, why: "main is one line"},
	"deploy/image":         {may: []string{}, libs: []string{}, why: "an image is made of files alone"},
	"bench":                {may: []string{"*"}, why: "it measures the whole house"},
	"internal/runfile":     {may: []string{"", "site", "run", "store", "background", "object", "planjson"}, why: "files of runs are let in and out by those who asked who may"},
	"internal/inventory":   {may: []string{"", "run", "store", "background", "fair", "object", "seal", "statefile", "planjson"}, libs: []string{}, why: "it reads states and plans and writes rows, and serves nobody"},
	"internal/runlog":      {may: []string{"", "run", "store", "background", "object", "runfile", "seal"}, why: "logs are bytes in order, whoever prints them"},

	// The families of the store: each may know those before it.
	"internal/store/base":   {may: []string{"", "sqldb"}, libs: []string{}, why: "it is what all rooms of the store have in common, and knows the columns of none"},
	"internal/store/core":   {may: []string{"", "backlog", "inputs", "notices", "run", "patch", "sqldb", "store/base", "store/events"}, libs: []string{}, why: "workspaces and what they are in know each other, and neither people nor runs"},
	"internal/store/people": {may: []string{"", "signin", "notices", "bearer", "sqldb", "store/base", "store/core"}, libs: []string{}, why: "people are known whatever runs or is fetched"},
	"internal/store/repos":  {may: []string{"", "run", "forge", "sqldb", "store/base", "store/core"}, libs: []string{}, why: "what repositories tell is kept without knowing what comes of it"},
	"internal/store/runs":   {may: []string{"", "run", "sqldb", "store/base", "store/core"}, libs: []string{}, why: "runs are of workspaces, whoever asks for them"},
	"internal/store/plan":   {may: []string{"", "backlog", "explorer", "sqldb", "store/base", "store/core"}, libs: []string{"github.com/hashicorp/golang-lru/v2"}, why: "how lists are found is asked of indexes, whoever asks"},
	"internal/store/events": {may: []string{"", "notices", "sqldb", "store/base"}, libs: []string{}, why: "whatever happens is told by those who do it"},

	// The families of the API: each may know those before it.
	"internal/api/doc":           {may: []string{"", "site", "jsonapi", "openapi", "patch"}, libs: []string{}, why: "how nouns stand in documents is told by tables, of whatever noun, without a request"},
	"internal/api/door":          {may: []string{"", "site", "app", "once", "fair", "jsonapi", "object", "openapi", "throttle", "trace", "web", "api/doc"}, libs: []string{"github.com/go-chi/chi/v5", "github.com/hashicorp/golang-lru/v2"}, why: "the way in knows no noun: families give it their routes"},
	"internal/api/paths":         {may: []string{"", "api/doc", "api/door"}, libs: []string{}, why: "addresses are shared, and nothing that is done there"},
	"internal/api/workspaces":    {may: []string{"", "backlog", "inputs", "site", "app", "jsonapi", "openapi", "patch", "api/doc", "api/door", "api/paths"}, libs: []string{}, why: "every other family speaks of workspaces, so they know none of them"},
	"internal/api/organizations": {may: []string{"", "forge", "inputs", "notices", "site", "app", "jsonapi", "openapi", "patch", "repos", "runs", "throttle", "web", "api/doc", "api/door", "api/paths", "api/workspaces"}, libs: []string{}, why: "organizations hold projects, and know neither people nor runs"},
	"internal/api/people":        {may: []string{"", "signin", "app", "identity", "jsonapi", "openapi", "patch", "api/doc", "api/door", "api/paths", "api/organizations"}, libs: []string{}, why: "people belong to organizations, whatever is done there"},
	"internal/api/runs":          {may: []string{"", "site", "run", "app", "identity", "configs", "jsonapi", "object", "openapi", "patch", "runfile", "runlog", "runs", "api/doc", "api/door", "api/paths", "api/organizations", "api/people", "api/workspaces"}, libs: []string{}, why: "runs name the workspace, and the people who act on them"},
	"internal/api/states":        {may: []string{"", "site", "app", "jsonapi", "object", "openapi", "patch", "state", "api/doc", "api/door", "api/paths", "api/people", "api/runs", "api/workspaces"}, libs: []string{}, why: "states name the run that wrote them, and who did"},
	"internal/api/changes":       {may: []string{"", "backlog", "site", "app", "changes", "explorer", "jsonapi", "openapi", "patch", "api/doc", "api/door", "api/paths", "api/runs"}, libs: []string{}, why: "questions and change requests are about workspaces that app finds"},

	// The families of the pages: each may know those before it.
	"internal/ui/pages":         {libs: []string{}, why: "templates are text"},
	"internal/ui/frame":         {may: []string{"", "signin", "backlog", "forge", "inputs", "notices", "site", "run", "app", "fair", "identity", "patch", "runlog", "runs", "trace", "web", "ui/pages"}, libs: []string{"github.com/klauspost/compress/gzip"}, why: "what pages share knows none of them"},
	"internal/ui/logtext":       {may: []string{"run", "ui/frame"}, libs: []string{}, why: "a log is read line by line, whatever page shows it"},
	"internal/ui/workspaces":    {may: []string{"", "backlog", "inputs", "site", "run", "app", "markdown", "patch", "planjson", "runs", "state", "ui/draw", "ui/frame", "ui/logtext"}, libs: []string{}, why: "every other family shows rows of workspaces and runs, so they know none of them"},
	"internal/ui/settings":      {may: []string{"", "notices", "site", "run", "app", "patch", "ui/draw", "ui/frame", "ui/workspaces"}, libs: []string{}, why: "what is set is apart from what is shown of a workspace"},
	"internal/ui/variables":     {may: []string{"", "inputs", "app", "patch", "ui/frame", "ui/workspaces"}, libs: []string{}, why: "what runs are given is written apart from what they do"},
	"internal/ui/access":        {may: []string{"", "notices", "signin", "app", "explorer", "identity", "patch", "web", "ui/frame", "ui/workspaces"}, libs: []string{}, why: "who may is told of organizations and workspaces, and asked of app"},
	"internal/ui/changes":       {may: []string{"", "backlog", "run", "app", "changes", "explorer", "markdown", "patch", "ui/draw", "ui/frame", "ui/workspaces"}, libs: []string{}, why: "questions and change requests are about workspaces that app finds"},
	"internal/ui/organizations": {may: []string{"", "backlog", "forge", "inputs", "notices", "site", "run", "app", "explorer", "identity", "patch", "runs", "ui/access", "ui/changes", "ui/draw", "ui/frame", "ui/workspaces"}, why: "an organization is shown with all that it has, and never reaches the store"},
	"internal/ui/site":          {may: []string{"", "notices", "site", "run", "app", "identity", "patch", "ui/draw", "ui/frame", "ui/workspaces"}, libs: []string{}, why: "the site's admins see no more of an organization than others"},
	"internal/fair":             {libs: []string{}, why: "who comes next depends on what each has used alone"},
	"internal/throttle":         {may: []string{""}, libs: []string{"github.com/hashicorp/golang-lru/v2", "golang.org/x/time/rate"}, why: "how often somebody may ask depends on a clock alone"},
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	for folder, files := range goFiles(t) {
		plan, known := rooms[folder]
		if !known {
			t.Errorf("the folder %q is in no plan: add it to rooms, with what it may import and why", folder)
			continue
		}
		for _, file := range files {
			for _, path := range imports(t, file) {
				if !plan.allows(path) {
					t.Errorf("%s imports %s, but %s", file, path, plan.why)
				}
			}
		}
	}
}

// TestEveryRoomIsOnThePage: a reader finds every room in docs/architecture.md.
func TestEveryRoomIsOnThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for folder := range rooms {
		name := strings.TrimPrefix(folder, "internal/")
		if folder != "" && !strings.Contains(string(page), "\n"+name+" ") && !strings.Contains(string(page), "\n  "+name+" ") && !strings.Contains(string(page), name+" makes") {
			t.Errorf("docs/architecture.md does not say what the room %s is for", folder)
		}
	}
}

func (r room) allows(path string) bool {
	ours, isOurs := strings.CutPrefix(path, module)
	switch {
	case isOurs:
		name := strings.TrimPrefix(strings.TrimPrefix(ours, "/"), "internal/")
		for _, may := range r.may {
			if may == "*" || may == name {
				return true
			}
		}
		return false
	case !strings.Contains(strings.SplitN(path, "/", 2)[0], "."):
		return true // the standard library
	case r.libs == nil:
		return true
	default:
		for _, lib := range r.libs {
			if path == lib {
				return true
			}
		}
		return false
	}
}

// TestTheDomainKnowsNoJSON: what is read and written as JSON is so at a door or in the store.
func TestTheDomainKnowsNoJSON(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t)[""] {
		for _, path := range imports(t, file) {
			if path == "encoding/json" {
				t.Errorf("%s imports encoding/json: let a door or the store read and write it", file)
			}
		}
	}
}

// TestPointersAreMadeByTheDoor: the domain names the field, and the door for programs says
// where in a document that stands. A client of other servers reads theirs.
func TestPointersAreMadeByTheDoor(t *testing.T) {
	t.Parallel()
	for folder, files := range goFiles(t) {
		if folder == "internal/api" || strings.HasPrefix(folder, "internal/api/") || folder == "internal/moving" {
			continue
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Clean(file))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte(`"/data/`)) || bytes.Contains(text, []byte(`At("/data"`)) {
				t.Errorf("%s has a JSON pointer: name the field, as a belay.Place", file)
			}
		}
	}
}

func TestEveryPackageSaysWhatItOwns(t *testing.T) {
	t.Parallel()
	for folder, files := range goFiles(t) {
		documented := false
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			documented = documented || parsed.Doc != nil
		}
		if !documented {
			t.Errorf("the package in %q has no comment: say what it owns and what it never does", folder)
		}
	}
}

// TestCommentsCiteWhatIsThere: whoever reads a comment has the document that it names.
func TestCommentsCiteWhatIsThere(t *testing.T) {
	t.Parallel()
	absent := regexp.MustCompile(`"[^"]+" (of [a-z ]+ )?in the (spec|specification|rulings|operating contract)\b`)
	cited := regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.(md|json|golden)\b`)
	decision := regexp.MustCompile(`\bdecisions? (0\d{3})\b`)
	for _, files := range goFiles(t) {
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, comment := range parsed.Comments {
				text := strings.Join(strings.Fields(strings.ReplaceAll(comment.Text(), "\n", " ")), " ")
				if absent.MatchString(text) {
					t.Errorf("%s cites a document by its words: %s", file, text)
				}
				for _, doc := range cited.FindAllString(text, -1) {
					if _, err := os.Stat(filepath.FromSlash(doc)); err != nil {
						t.Errorf("%s cites %s, which is not there", file, doc)
					}
				}
				for _, number := range decision.FindAllStringSubmatch(text, -1) {
					if found, _ := filepath.Glob("docs/decisions/" + number[1] + "-*.md"); len(found) != 1 {
						t.Errorf("%s cites the decision %s, which is not there", file, number[1])
					}
				}
			}
		}
	}
}

// goFiles is every Go file that is no test, by folder; modules of their own are left out.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path == "e2e/tools" || path != "." && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			folder := filepath.ToSlash(filepath.Dir(path))
			if folder == "." {
				folder = ""
			}
			found[folder] = append(found[folder], path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// TestFilesAreShort holds that nobody scrolls through more than 400 lines.
func TestFilesAreShort(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		if n := bytes.Count(raw, []byte("\n")); n > 400 {
			t.Errorf("%s has %d lines", path, n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Most of a room: more files than that nobody looks through, and more lines nobody knows.
const (
	mostFiles = 30
	mostLines = 5000
)

// TestRoomsAreSmall holds that a room can be walked through.
func TestRoomsAreSmall(t *testing.T) {
	t.Parallel()
	for folder, files := range goFiles(t) {
		lines := 0
		for _, file := range files {
			text, err := os.ReadFile(filepath.Clean(file))
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
		if len(files) > mostFiles || lines > mostLines {
			t.Errorf("%q has %d files and %d lines: %d and %d are the most, so give what has a reason of its own a room", folder, len(files), lines, mostFiles, mostLines)
		}
	}
}

// TestTheEngineRoomKnowsNoNoun holds that it takes no more of the domain than pages and refusals.
func TestTheEngineRoomKnowsNoNoun(t *testing.T) {
	t.Parallel()
	takes := map[string]bool{"Page": true, "Refuse": true, "NotReady": true, "Internal": true, "KindOf": true, "ErrNotFound": true}
	for _, file := range goFiles(t)["internal/sqldb"] {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`\bbelay\.([A-Z]\w*)`).FindAllSubmatch(text, -1) {
			if !takes[string(found[1])] {
				t.Errorf("%s speaks of belay.%s: what is asked, and what for, is for those who use the engine room", file, found[1])
			}
		}
	}
}
