package frame

import (
	"testing"
	"time"
)

// TestEveryPageIsReadable: a page is read when it is first asked for, and that must not be when its fault is found.
func TestEveryPageIsReadable(t *testing.T) {
	t.Parallel()
	all, err := allPages(time.Now)
	if err != nil || len(all) < 30 {
		t.Fatalf("%d pages: %v", len(all), err)
	}
	for name, page := range all {
		whole, err := page()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if whole.Lookup("frame") == nil || whole.Lookup("content") == nil {
			t.Errorf("%s has no frame or no content%s", name, whole.DefinedTemplates())
		}
	}
}
