package e2e_test

import (
	"encoding/base64"
	"fmt"
	"testing"
)

// TestStatesUnderOneLockAreAllKept brings states that are each the workspace's at once: none is
// overtaken, and the lock stays. One that is intermediate goes as ever.
func TestStatesUnderOneLockAreAllKept(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		bring := func(serial int64, more string) reply {
			t.Helper()
			raw := stateWith(serial, int(serial))
			return s.do("POST", "/workspaces/"+id+"/state-versions", s.Token, fmt.Sprintf(
				`{"data":{"type":"state-versions","attributes":{"serial":%d,"md5":%q,"lineage":%q,"state":%q%s}}}`,
				serial, md5Of(raw), lineage, base64.StdEncoding.EncodeToString(raw), more))
		}
		now := func(versions int, current, resources string) {
			t.Helper()
			list := s.do("GET", "/state-versions?filter[organization][name]=acme&filter[workspace][name]=network", s.Token, "").want(t, 200)
			if got := fmt.Sprint(list.at("meta.pagination.total-count")); got != fmt.Sprint(versions) {
				t.Errorf("%s versions, want %d", got, versions)
			}
			w := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
			if got := w.text("data.relationships.current-state-version.data.id"); got != current || fmt.Sprint(w.at("data.attributes.resource-count")) != resources {
				t.Errorf("current is %s with %s resources, want %s with %s", got, w.at("data.attributes.resource-count"), current, resources)
			}
		}
		bring(1, `,"intermediate":false`).want(t, 409)
		s.lock(id)
		first := bring(1, `,"intermediate":false`).want(t, 201)
		if first.at("data.attributes.intermediate") != false {
			t.Errorf("the answer: %s", first.Body)
		}
		now(1, first.text("data.id"), "1")
		overtaken := bring(2, `,"intermediate":null`).want(t, 201)
		if overtaken.at("data.attributes.intermediate") != true {
			t.Errorf("the answer: %s", overtaken.Body)
		}
		now(2, first.text("data.id"), "1")
		third := bring(3, `,"intermediate":false`).want(t, 201)
		now(2, third.text("data.id"), "3")
		s.do("GET", "/state-versions/"+overtaken.text("data.id"), s.Token, "").want(t, 404)
		bring(2, `,"intermediate":false`).want(t, 409)
		if got := s.do("POST", "/workspaces/"+id+"/state-versions", s.Token, `{"data":{"type":"state-versions","attributes":{"serial":4,"md5":"`+
			md5Of(stateWith(4, 4))+`","intermediate":false}}}`).want(t, 422); got.pointers() != "attributes/intermediate" {
			t.Errorf("without its file: %s", got.Body)
		}
		s.unlock(id)
		now(2, third.text("data.id"), "3")
	})
}
