package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestATokenIsToldAnewAndEndsEarlier changes tokens of every owner: what they are for, and when
// they end, which is never later than it was.
func TestATokenIsToldAnewAndEndsEarlier(t *testing.T) {
	issuers(t, func(t *testing.T, w *issuing) {
		now := time.Now().UTC()
		in := func(days int) string { return now.AddDate(0, 0, days).Format(time.RFC3339) }
		pool := w.make("/organizations/acme/agent-pools", `{"data":{"attributes":{"name":"builders"}}}`)
		user := w.make("/admin/users", `{"data":{"attributes":{"username":"ann","email":"ann@example.com"}}}`)
		for what, path := range map[string]string{
			"a user": "/users/" + user + "/authentication-tokens", "a team": "/teams/" + w.team + "/authentication-tokens",
			"an agent": "/agent-pools/" + pool + "/authentication-tokens",
		} {
			id, value := w.made(w.admin, path, `"description":"<unique>","expired-at":"`+in(9)+`"`)
			edits := []struct {
				attributes string
				status     int
				says       string
			}{
				{`"description":"another"`, http.StatusOK, `"another"`},
				{`"expired-at":"` + in(10) + `"`, http.StatusUnprocessableEntity, "at the latest"},
				{`"expired-at":null`, http.StatusUnprocessableEntity, "at the latest"},
				{`"expired-at":"` + in(-1) + `"`, http.StatusUnprocessableEntity, "in the future"},
				{`"expired-at":"` + in(9) + `"`, http.StatusOK, now.AddDate(0, 0, 9).Format(time.DateOnly)},
				{`"expired-at":"` + in(3) + `"`, http.StatusOK, now.AddDate(0, 0, 3).Format(time.DateOnly)},
				{`"description":"` + strings.Repeat("x", 5000) + `"`, http.StatusUnprocessableEntity, "/data/attributes/description"},
				{`"expired-at":"` + in(4) + `","description":"lost"`, http.StatusUnprocessableEntity, "at the latest"},
			}
			for _, e := range edits {
				status, answer := w.edit(w.admin, id, e.attributes)
				if status != e.status || !strings.Contains(answer, e.says) {
					t.Errorf("of %s: %.60s: %d %.300s", what, e.attributes, status, answer)
				}
			}
			_, answer := w.send(http.MethodGet, "/api/v2/authentication-tokens/"+id, w.admin, "")
			if textAt(answer, "data.attributes.description") != "another" || !strings.Contains(answer, in(3)[:10]) || strings.Contains(answer, value) {
				t.Errorf("of %s: %s", what, answer)
			}
		}
	})
}

func (w *issuing) edit(token, id, attributes string) (int, string) {
	w.t.Helper()
	return w.send(http.MethodPatch, "/api/v2/authentication-tokens/"+id, token, `{"data":{"type":"authentication-tokens","attributes":{`+attributes+`}}}`)
}

// TestATokenThatIsToEndSoonEnds gives a token an end that comes while the test waits.
func TestATokenThatIsToEndSoonEnds(t *testing.T) {
	issuers(t, func(t *testing.T, w *issuing) {
		id, value := w.made(w.admin, "/teams/"+w.team+"/authentication-tokens", `"description":"job","expired-at":null`)
		w.answers("before", http.StatusOK, http.MethodGet, "/workspaces/"+w.workspace, value)
		var end time.Time
		for left := time.Second; ; left *= 2 { // what has come by the time it is read is refused
			end = time.Now().Add(left)
			status, answer := w.edit(w.admin, id, fmt.Sprintf(`"expired-at":%q`, end.UTC().Format(time.RFC3339Nano)))
			if status == http.StatusOK {
				break
			}
			if left > time.Minute || !strings.Contains(answer, "in the future") {
				t.Fatalf("%d %s", status, answer)
			}
		}
		time.Sleep(time.Until(end) + 100*time.Millisecond)
		w.answers("after", http.StatusUnauthorized, http.MethodGet, "/workspaces/"+w.workspace, value)
	})
}

// TestDescriptionsTellTheTokensOfATeamApart refuses one that another token of the team has, any at
// the one token that is told by having none, and every change by who may not manage the token.
func TestDescriptionsTellTheTokensOfATeamApart(t *testing.T) {
	issuers(t, func(t *testing.T, w *issuing) {
		path := "/teams/" + w.team + "/authentication-tokens"
		w.made(w.admin, path, `"description":"build"`)
		id, _ := w.made(w.admin, path, `"description":"deploy"`)
		if status, answer := w.edit(w.admin, id, `"description":"build"`); status != http.StatusUnprocessableEntity || !strings.Contains(answer, "already been taken") {
			t.Errorf("taken: %d %s", status, answer)
		}
		if status, answer := w.edit(w.admin, id, `"description":"deploy"`); status != http.StatusOK {
			t.Errorf("the same again: %d %s", status, answer)
		}
		only, _ := w.made(w.admin, "/teams/"+w.team+"/authentication-token", "")
		if status, answer := w.edit(w.admin, only, `"description":"named"`); status != http.StatusUnprocessableEntity {
			t.Errorf("the one token: %d %s", status, answer)
		}
		user := w.make("/admin/users", `{"data":{"attributes":{"username":"eve","email":"eve@example.com"}}}`)
		own, eve := w.made(w.admin, "/users/"+user+"/authentication-tokens", "")
		if status, answer := w.edit(eve, id, `"description":"mine"`); status != http.StatusNotFound {
			t.Errorf("another's: %d %s", status, answer)
		}
		if status, answer := w.edit(eve, own, `"description":"mine"`); status != http.StatusOK {
			t.Errorf("one's own: %d %s", status, answer)
		}
	})
}
