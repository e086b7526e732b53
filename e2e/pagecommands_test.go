package e2e_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// TestTheChartAsThePageSays installs the chart by the command of docs/install.md, as far as helm goes
// without a cluster: it renders and checks what it would send.
func TestTheChartAsThePageSays(t *testing.T) {
	slow(t)
	helm := tool(t, "BELAY_HELM")
	t.Parallel()
	r := newReader(t)
	deploy, err := filepath.Abs("../deploy")
	must(t, err)
	must(t, os.Symlink(deploy, filepath.Join(r.folder, "deploy")))
	must(t, os.WriteFile(filepath.Join(r.folder, "bin", "helm"), []byte("#!/bin/sh\nexec '"+helm+"' \"$@\" --dry-run=client\n"), 0o700))
	r.knows("KUBECONFIG", os.DevNull)
	said := ""
	for _, block := range commands(t, "docs/install.md", "") {
		if strings.HasPrefix(block, "helm ") {
			said += r.does(block)
		}
	}
	for _, want := range []string{"STATUS: pending-install", "kind: StatefulSet", "https://belay.example.com"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing said %q: %s", want, said)
		}
	}
}

// TestABackupIntoABucketAsThePageSays runs the line of docs/backup.md that has a bucket, with a real S3
// server for it, and reads the archive there again.
func TestABackupIntoABucketAsThePageSays(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			g, s := newGateway(t, folder), start(t, engine)
			must(t, os.Mkdir(filepath.Join(folder, "buckets", "vault"), 0o700))
			s.organization("acme")
			page, err := os.ReadFile("../docs/backup.md")
			must(t, err)
			line := regexp.MustCompile(`(?m)^belay backup 's3://.*\n`).FindString(string(page))
			r := newReader(t, "region=eu-central-1", "region=us-east-1&endpoint=http://127.0.0.1:"+g.port)
			r.env = append(s.env[:len(s.env):len(s.env)], r.env...)
			r.knows("BELAY_DATA_DIR", s.args[4])
			if line == "" {
				t.Fatal("docs/backup.md has no line with a bucket")
			}
			r.does(line)
			if said := r.does(strings.Replace(line, "backup", "verify", 1)); !strings.Contains(said, "is whole") {
				t.Errorf("verify: %s", said)
			}
		})
	}
}

// developing is the commands of a page for developers: those of its blocks, and those that stand
// within a line.
func developing(t *testing.T, page string) (list []string) {
	t.Helper()
	raw, err := os.ReadFile("../" + page)
	must(t, err)
	for _, block := range commands(t, page, "") {
		for line := range strings.Lines(block) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	for _, found := range regexp.MustCompile("`((?:BELAY_[A-Z_]+=\\S+ )*(?:make|go|scripts/\\S+) [^`\n]+)`").FindAllStringSubmatch(string(raw), -1) {
		list = append(list, found[1])
	}
	return list
}

// TestCommandsForDevelopersAreThere looks whether what pages tell developers to run is there, since
// a test can't run the tests, the benches of hours and what is fetched: targets of make, packages,
// tests by their patterns, flags of bench, and what the environment says.
func TestCommandsForDevelopersAreThere(t *testing.T) {
	if raced() {
		t.Skip("it asks programs for their flags alone, and would compile them all anew")
	}
	t.Parallel()
	known, helps, all := source(t), map[string]string{}, 0
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/performance.md"} {
		for _, command := range developing(t, page) {
			said := page + ": " + command
			command, _, _ = strings.Cut(command, " #")
			words := strings.Fields(command)
			for len(words) > 0 && strings.HasPrefix(words[0], "BELAY_") {
				name, _, _ := strings.Cut(words[0], "=")
				if !strings.Contains(known, `"`+name+`"`) && !strings.Contains(known, "${"+name) {
					t.Errorf("%s: nothing reads %s", said, name)
				}
				words = words[1:]
			}
			if len(words) > 0 && strings.HasPrefix(words[0], "scripts/") {
				if info, err := os.Stat("../" + words[0]); err != nil || info.Mode()&0o100 == 0 {
					t.Errorf("%s: %v", said, err)
				}
				words = words[1:]
			}
			if len(words) > 1 {
				isThere(t, said, command, words, helps)
				all++
			}
		}
	}
	if all < 15 {
		t.Errorf("the pages have %d commands", all)
	}
}

// isThere looks at one command. Helps is what programs said of their flags before.
func isThere(t *testing.T, said, command string, words []string, helps map[string]string) {
	t.Helper()
	switch words[0] + " " + words[1] {
	case "go test":
		testsThere(t, said, words[2:])
	case "go run":
		flagsThere(t, said, words[2:], helps)
	case "go install":
		installs(t, said, command)
	default:
		makefile, err := os.ReadFile("../Makefile")
		must(t, err)
		if words[0] == "make" && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(words[1])+`:`).Match(makefile) {
			t.Errorf("%s: make has no %s", said, words[1])
		}
	}
}

// source is what reads the environment: the scripts, and all that is Go.
func source(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "../scripts/") && !entry.IsDir()) {
			raw, failed := os.ReadFile(path)
			all.Write(raw)
			return failed
		}
		return err
	}))
	return all.String()
}

// testsThere looks whether a pattern names any test, or any bench, of the packages, and whether they are
// there.
func testsThere(t *testing.T, said string, words []string) {
	t.Helper()
	var folders []string
	patterns, found := map[string]string{}, false
	for i, word := range words {
		if word == "-run" || word == "-bench" {
			patterns[word] = strings.Trim(words[i+1], "'")
		} else if strings.HasPrefix(word, ".") {
			folders = append(folders, filepath.Join("..", strings.TrimSuffix(word, "...")))
		}
	}
	for _, folder := range folders {
		_, err := os.Stat(folder)
		must(t, err)
		found = found || tests(t, folder, patterns)
	}
	if !found {
		t.Errorf("%s: no test of that name", said)
	}
}

// tests says whether a package has a test, or with -bench a bench, that the patterns name.
func tests(t *testing.T, folder string, patterns map[string]string) bool {
	t.Helper()
	kind, pattern := "Test", patterns["-run"]
	if bench, asked := patterns["-bench"]; asked {
		kind, pattern = "Benchmark", bench
	}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	must(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(t, err)
		for _, name := range regexp.MustCompile(`(?m)^func (`+kind+`\w+)\(`).FindAllStringSubmatch(string(raw), -1) {
			if named, err := regexp.MatchString(pattern, name[1]); err == nil && named {
				return true
			}
		}
	}
	return false
}

// flagsThere asks a program for its flags.
func flagsThere(t *testing.T, said string, words []string, helps map[string]string) {
	t.Helper()
	if helps[words[0]] == "" {
		help := exec.Command("go", "run", words[0], "-h")
		help.Dir = ".."
		flags, _ := help.CombinedOutput() // 2 is the status of help
		helps[words[0]] = string(flags)
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") && !strings.Contains(helps[words[0]], "\n  "+word) {
			t.Errorf("%s: there is no %s: %s", said, word, helps[words[0]])
		}
	}
}

// installs looks at what would be fetched, once make has said its version.
func installs(t *testing.T, said, command string) {
	t.Helper()
	echo := exec.Command("sh", "-c", "echo "+command)
	echo.Dir = ".."
	module, err := echo.CombinedOutput()
	if err != nil || !regexp.MustCompile(`^go install [a-z0-9./-]+@v\d+\.\d+\.\d+\n$`).Match(module) {
		t.Errorf("%s: %v %s", said, err, module)
	}
}

// TestNoPageHasCommandsThatNoTestReads demands that every page with commands is named by a test.
func TestNoPageHasCommandsThatNoTestReads(t *testing.T) {
	t.Parallel()
	known := source(t)
	pages, err := filepath.Glob("../docs/*.md")
	must(t, err)
	commanding := regexp.MustCompile("(?m)^(```sh$| {4}(curl|belay|tofu|terraform) )")
	for _, page := range append(pages, "../README.md", "../CONTRIBUTING.md") {
		raw, err := os.ReadFile(page)
		must(t, err)
		if commanding.Match(raw) && !strings.Contains(known, `"`+strings.TrimPrefix(page, "../")+`"`) && !strings.Contains(known, `"../`+page+`"`) && !strings.Contains(known, `"`+page+`"`) {
			t.Errorf("no test reads %s, which has commands", page)
		}
	}
}
