package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// takes is what a program of before can't go on beside: something that it names is gone.
var takes = regexp.MustCompile(`(?i)\b(DROP (TABLE|COLUMN)|RENAME)\b`)

// TestStepsThatTakeSomethingAwayAreTold holds every step of the schema that the replicas of
// before can't go on beside to a line of the changelog that says so by its number.
func TestStepsThatTakeSomethingAwayAreTold(t *testing.T) {
	t.Parallel()
	told, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, line := range strings.Split(string(told), "\n- ") {
		if strings.Contains(line, "top all replicas") {
			named = append(named, line)
		}
	}
	steps, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(steps) == 0 {
		t.Fatalf("no steps: %v", err)
	}
	for _, step := range steps {
		number, _, _ := strings.Cut(filepath.Base(step), "_")
		text, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		if found := takes.FindString(string(text)); found != "" && !strings.Contains(strings.Join(named, " "), number) {
			t.Errorf("%s has %s, and no entry of CHANGELOG.md has \"stop all replicas\" and %s", step, found, number)
		}
	}
}
