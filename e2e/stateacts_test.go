package e2e_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// upload posts a form with a file.
func (b *browser) upload(path string, form map[string]string, name string, file []byte) reply {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for field, value := range form {
		must(b.t, w.WriteField(field, value))
	}
	if name != "" {
		part, err := w.CreateFormFile("state", name)
		must(b.t, err)
		_, err = part.Write(file)
		must(b.t, err)
	}
	must(b.t, w.Close())
	request, err := http.NewRequest(http.MethodPost, b.base+path, &body)
	must(b.t, err)
	request.Header.Set("Content-Type", w.FormDataContentType())
	return b.send(request)
}

var asksForItself = regexp.MustCompile(`data-self="([^"]*)"`)

// TestWaysFromAState lead to the versions beside it and to the comparison, and the page says when a newer
// one came, and stays.
func TestWaysFromAState(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, stranger := s.signIn("olga"), s.signIn("stan")
		for n := 1; n <= 3; n++ {
			s.hold(id, n, thing("", "one", fmt.Sprintf(`"id":"i-1","size":%d`, n), "")+","+instances("random_pet", 19+n), "")
		}
		const older, newer, compare = `href="/app/acme/workspaces/network/state/1?at=aws_thing.one" data-key="ArrowLeft"`, `state/3?at=aws_thing.one" data-key="ArrowRight"`, `state/2?at=aws_thing.one&amp;from=1" data-key="c"`
		shown := owner.get(statePath+"/2?at=aws_thing.one").want(t, 200).has(t, older, newer, compare).inert(t)
		owner.get(statePath+"/2?at=aws_thing.one&from=1").want(t, 200).has(t, older, newer, "compare</a>", `state/2?at=aws_thing.one" data-key="c"`)
		owner.get(statePath).want(t, 200).has(t, `state/2" data-key="ArrowLeft"`).hasNot(t, "ArrowRight", "arrived")
		owner.get(statePath+"/1").want(t, 200).has(t, `state/2" data-key="ArrowRight"`).hasNot(t, "ArrowLeft", `data-key="c"`)
		// Of more than twenty instances the resource is one row; one of them that is opened stands open.
		const folded = `<span>some</span><span class="n">21</span>`
		shown.has(t, folded)
		owner.get(statePath+"/1").hasNot(t, folded).has(t, `>some[19]`)
		if at := owner.get(statePath+"/2?at=random_pet.some%5B7%5D").want(t, 200); !regexp.MustCompile(`<details open><summary>(?s:.{0,200})<span>some</span>`).MatchString(at.Body) {
			t.Error("what is opened is folded away")
		}
		latest := owner.get(statePath).want(t, 200)
		found := asksForItself.FindStringSubmatch(latest.Body)
		if found == nil || found[1] != statePath+"/3?seen=3" {
			t.Fatalf("the page asks for itself at %v", found)
		}
		owner.get(statePath+"/3?seen=3").want(t, 200).hasNot(t, "arrived")
		s.hold(id, 4, thing("", "one", `"id":"i-1","size":4`, ""), "")
		owner.get(statePath+"/3?seen=3").want(t, 200).has(t, "<b>#4</b> arrived", "Showing <b>#3</b>", `data-self="/app/acme/workspaces/network/state/3?seen=3"`).inert(t)
		owner.get(statePath+"/4?seen=3").want(t, 200).hasNot(t, "arrived")
		owner.get(statePath+"/3?seen=x").want(t, 200).hasNot(t, "arrived")
		stranger.get(statePath+"/3?seen=3").want(t, 404)
	})
}

// TestAHiddenValueIsShownOnce to who reads the state and asks twice; that it was is an event, and what it is stays out of it.
func TestAHiddenValueIsShownOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		s.hold(id, 1, thing("", "one", `"id":"i-1","password":"hunter<2>","keys":{"api_key":"k-1"}`, ""), "")
		const at = "?at=aws_thing.one"
		owner.get(statePath+"/1"+at).want(t, 200).has(t, "reveal=password").hasNot(t, "hunter", "The audit trail keeps")
		asked := reader.get(statePath+"/1"+at+"&reveal=password").want(t, 200).has(t, "The audit trail keeps that you saw it.", "Show password").hasNot(t, "hunter").inert(t)
		action := statePath + "/1/show" + at
		reader.post(action, asked.form("path", "password")).want(t, 200).has(t, "hunter&lt;2&gt;", "shown once", `name="at" value="`+statePath+"/1"+at+`"`).hasNot(t, "k-1", "~/theme").inert(t)
		owner.post(action, owner.get(statePath).form("path", "keys.api_key")).want(t, 200).has(t, "k-1").hasNot(t, "hunter")
		reader.get(statePath+"/1"+at).want(t, 200).hasNot(t, "hunter")
		reader.post(action, asked.form("path", "nothing")).want(t, 404)
		reader.post(statePath+"/9/show"+at, asked.form("path", "password")).want(t, 404)
		reader.post(statePath+"/1/show?at=aws_thing.two", asked.form("path", "password")).want(t, 404)
		stranger.post(action, stranger.get(organizationsPath).form("path", "password")).want(t, 404).hasNot(t, "hunter")
		form := asked.form("path", "password")
		form.Del("form")
		reader.post(action, form).want(t, 403).hasNot(t, "hunter")
		trail := owner.get("/app/acme/workspaces/network/activity").want(t, 200)
		if n := strings.Count(trail.Body, "value_shown") + strings.Count(trail.Body, "value shown"); n != 2 {
			t.Errorf("%d events of values that were shown: %s", n, trail.Body)
		}
		trail.hasNot(t, "hunter", "k-1")
	})
}

// TestDataOfAStateOnItsPage is put aside, taken back and deleted for good by owners alone.
func TestDataOfAStateOnItsPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		old := s.hold(id, 1, thing("", "one", `"id":"i-1"`, ""), "")
		current := s.hold(id, 2, thing("", "one", `"id":"i-2"`, ""), "")
		const offer = "Delete the data of #1"
		page := owner.get(statePath+"/1").want(t, 200).has(t, offer)
		owner.get(statePath).want(t, 200).hasNot(t, "Delete the data")
		reader.get(statePath+"/1").want(t, 200).hasNot(t, offer)
		data := statePath + "/data"
		for _, who := range []*browser{reader, stranger} {
			who.post(data, who.get(organizationsPath).form("id", old, "do", "aside")).want(t, 404)
		}
		owner.post(data, page.form("id", old, "do", "nothing")).want(t, 404)
		owner.post(data, page.form("id", current, "do", "aside")).want(t, 400).has(t, "it is the current state")
		owner.post(data, page.form("id", old, "do", "forever")).want(t, 400)
		for range 2 {
			if to := owner.post(data, page.form("id", old, "do", "aside")).want(t, 303).Header.Get("Location"); to != statePath+"/1" {
				t.Errorf("it leads to %s", to)
			}
			aside := owner.get(statePath+"/1").want(t, 200).has(t, "was put aside", "Take it back", "Delete it for good").hasNot(t, offer).inert(t)
			owner.get(statePath).want(t, 200).has(t, `<a href="`+statePath+`/1"`)
			reader.get(statePath+"/1").want(t, 200).hasNot(t, "Take it back")
			owner.post(data, aside.form("do", "back")).want(t, 303)
			owner.get(statePath+"/1").want(t, 200).has(t, offer, ">one")
		}
		owner.post(data, page.form("id", old, "do", "aside")).want(t, 303)
		owner.post(data, page.form("id", old, "do", "forever")).want(t, 303)
		owner.get(statePath+"/1").want(t, 200).has(t, "its data is not there").hasNot(t, "Take it back")
	})
}

// TestAStateIsUploadedOnItsPage by who holds the lock, and what is none or does not follow is refused.
func TestAStateIsUploadedOnItsPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		s.hold(id, 1, thing("", "one", `"id":"i-1"`, ""), "")
		to, next := statePath+"/upload", stateHolding(2, thing("", "one", `"id":"i-2"`, ""), "")
		page := owner.get(statePath).want(t, 200).has(t, "Upload a state", "Lock the workspace first").hasNot(t, "multipart")
		secret := map[string]string{"form": page.form().Get("form")}
		reader.get(statePath).want(t, 200).hasNot(t, "Upload a state")
		owner.upload(to, secret, "x.tfstate", next).want(t, 409)
		owner.post(networkPage+"/lock", page.form("reason", "upload")).want(t, 303)
		owner.get(statePath).want(t, 200).has(t, `enctype="multipart/form-data"`).inert(t)
		for _, who := range []*browser{reader, stranger} {
			who.upload(to, map[string]string{"form": who.get(organizationsPath).form().Get("form")}, "x.tfstate", next).want(t, 404)
		}
		owner.upload(to, nil, "x.tfstate", next).want(t, 403)
		owner.upload(to, map[string]string{"form": "wrong"}, "x.tfstate", next).want(t, 403)
		owner.upload(to, secret, "", nil).want(t, 422).has(t, "Choose a file first.")
		owner.post(to, page.form()).want(t, 403)
		owner.upload(to, secret, "x.tfstate", []byte(`{"version":3}`)).wantAny(t, 400, 422)
		owner.upload(to, secret, "x.tfstate", stateHolding(0, "", "")).want(t, 409).has(t, "less than the 1 currently known")
		other := bytes.ReplaceAll(next, []byte(lineage), []byte("another"))
		owner.upload(to, secret, "x.tfstate", other).want(t, 409).has(t, "another lineage than the state of this workspace", "downloaded from this workspace").hasNot(t, "Terraform Enterprise", "backend configuration")
		if at := owner.upload(to, secret, "x.tfstate", next).want(t, 303).Header.Get("Location"); at != statePath {
			t.Errorf("it leads to %s", at)
		}
		owner.get(statePath).want(t, 200).has(t, "State <b>#2</b> is written; it is in force when the workspace is unlocked.", "Showing <b>#1</b>").inert(t)
		owner.post(networkPage+"/unlock", page.form()).want(t, 303)
		owner.get(statePath).want(t, 200).has(t, "Showing <b>#2</b>", "by olga")
	})
}
