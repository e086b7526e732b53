package door

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// TestALockInTheWayIsShown: whoever is refused sees who holds it, since when and why.
func TestALockInTheWayIsShown(t *testing.T) {
	t.Parallel()
	var w belay.Workspace
	at := time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)
	if err := w.TakeLock(belay.Holder{Type: "users", ID: "user-1", Name: "ann"}, "night", at); err != nil {
		t.Fatal(err)
	}
	status, found := describe(w.TakeLock(belay.Holder{Type: "users", Name: "bob"}, "", at))
	const want = `"meta":{"lock":{"locked-at":"2026-03-04T05:06:07.008Z","locked-by":"User ann","reason":"night"}}`
	if got := string(jsonapi.AppendErrors(nil, found)); status != http.StatusConflict || !strings.Contains(got, want) {
		t.Errorf("it is answered %d %s", status, got)
	}
}
