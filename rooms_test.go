package belay_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
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
	"":                   {may: []string{"patch"}, libs: []string{"github.com/hashicorp/go-version", "github.com/bmatcuk/doublestar/v4"}, why: "the domain does no I/O and knows no room"},
	"internal/patch":     {libs: []string{}, why: "it is only the field with three answers"},
	"internal/jsonapi":   {libs: []string{}, why: "it is the grammar of JSON:API and knows no noun"},
	"internal/seal":      {libs: []string{}, why: "keys need nothing but the standard library"},
	"internal/statefile": {libs: []string{}, why: "reading a state file needs nothing of ours"},
	"internal/blob":      {may: []string{"seal"}, why: "bytes know no noun"},
	"internal/explorer":  {may: []string{""}, libs: []string{}, why: "a query is parsed and checked without a database"},
	"internal/store":     {may: []string{"", "explorer", "patch"}, why: "it is the only room that knows SQL, and it decides nothing"},
	"internal/app":       {may: []string{"", "patch", "store", "blob", "seal", "statefile", "explorer"}, why: "verbs know neither HTTP nor the program"},
	"internal/api":       {may: []string{"", "app", "jsonapi", "patch", "explorer", "markdown"}, why: "a door asks app; it never reaches the store"},
	"internal/ui":        {may: []string{"", "app", "patch", "markdown"}, why: "a door asks app; it never reaches the store"},
	"internal/markdown":  {why: "turning text into safe HTML needs nothing of ours"},
	"internal/deliver":   {may: []string{"", "store", "seal", "markdown"}, why: "deliveries read the store and send; they serve nobody"},
	"internal/cli":       {may: []string{"*"}, why: "it assembles the house"},
	"internal/storetest": {may: []string{"", "store"}, why: "it only opens databases for tests"},
	"cmd/belay":          {may: []string{"cli"}, libs: []string{}, why: "main is one line"},
	"bench":              {may: []string{"*"}, why: "it measures the whole house"},
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
