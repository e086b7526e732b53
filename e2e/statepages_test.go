package e2e_test

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// thing is a resource with one instance of these attributes, in a module.
func thing(module, name, attributes, more string) string {
	if module != "" {
		module = fmt.Sprintf(`"module":%q,`, module)
	}
	return fmt.Sprintf(`{%s"mode":"managed","type":"aws_thing","name":%q,"provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[{"attributes":{%s}%s}]}`, module, name, attributes, more)
}

const statePath = networkPage + "/state"

// TestStatesOfAWorkspacePage walks through the states of a workspace, compares two, and goes back.
func TestStatesOfAWorkspacePage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		owner.get(statePath).want(t, 200).has(t, "It has no state yet")
		marked := `,"sensitive_attributes":[[{"type":"get_attr","value":"pin"}]],"dependencies":["aws_thing.other"]`
		s.hold(id, 1, thing("module.net", "one", `"id":"i-1","pin":"pin:4711","password":"hunter2","size":1`, marked)+","+thing("", "gone", `"id":"g"`, ""), `"zone":{"value":"<a>","type":"string"},"key":{"value":"hunter3","type":"string","sensitive":true}`)
		s.hold(id, 2, thing("module.net", "one", `"id":"i-1","pin":"pin:4712","password":"hunter2","size":2`, marked)+","+thing("module.net", "new", `"id":"n"`, ""), "")
		for _, b := range []*browser{owner, reader} {
			b.get(statePath).want(t, 200).has(t, "Showing <b>#2</b>", "module.net", "#1", "Compare", "All 2", `class="chart history"`, `aria-label="#1: 2 resources"`, statePath+`/2/file">`).hasNot(t, "Roll back to").inert(t)
			shown := b.get(statePath+"/2?from=1").want(t, 200).has(t, "compared with <b>#1</b>", `<span class="good">+1`, `<span class="warn">~1`, `<span class="bad">−1`, "gone").inert(t)
			one := b.get(statePath+"/2?from=1&at=module.net.aws_thing.one").want(t, 200).inert(t)
			one.has(t, "aws_thing.other", `<td class="mono bad">1</td>`, `<td class="mono good">2</td>`, `<th scope="row" class="mono">password</th>`, "hashicorp/aws")
			b.get(statePath+"/2?at=module.net.aws_thing.one&view=history").want(t, 200).has(t, "changed", "#2", "admin")
			b.get(statePath+"/2?from=1&at=aws_thing.gone").want(t, 200).has(t, "removed", "&#34;g&#34;").inert(t)
			first := b.get(statePath+"/1").want(t, 200).has(t, "&lt;a&gt;", "hidden: it is sensitive").inert(t)
			for _, r := range []reply{shown, one, first} {
				r.hasNot(t, "pin:4711", "pin:4712", "hunter2", "hunter3")
			}
			// A hidden value that changed is said to have changed, and one that did not is not.
			if n := strings.Count(one.Body, `<span class="small">changed</span>`); n != 1 {
				t.Errorf("%d hidden values are said to have changed", n)
			}
			b.get(statePath+"/2?q=NEW").want(t, 200).has(t, "1 of 2", ">new").hasNot(t, ">one")
			b.get(statePath+"/2?from=1&changed=yes&q=nothing").want(t, 200).has(t, "No resource fits.")
			b.searchesAndLooksBack(t)
			saved := b.get(statePath+"/1/file").want(t, 200).has(t, `"serial":1`, "hunter2") // who may read a state may have its file
			if saved.Header.Get("Content-Disposition") != `attachment; filename="network-1.tfstate"` {
				t.Errorf("the file is %v", saved.Header)
			}
			b.get(statePath+"?all").want(t, 200).has(t, "#1", "#2", "by admin").inert(t)
		}
		for _, none := range []string{"/3", "/x", "/-1", "/1/2", "/3/file", "/x/file", "/99999999999999999999"} {
			owner.get(statePath+none).want(t, 404)
		}
		owner.get(statePath+"?at=%00").want(t, 200)
		owner.get(statePath+"/2?from=99").want(t, 404)
		owner.get(statePath+"/2?at=nothing&from=x&page=-1&module=zz").want(t, 200)
		for _, path := range []string{"", "/1", "/1/file", "?all"} {
			stranger.get(statePath+path).want(t, 404)
		}
		web := s.workspace("acme", "web")
		owner.get(statePath).want(t, 200).has(t, "The runs of no other workspace that you see may read this state.", "/settings/sharing")
		s.do("POST", "/workspaces/"+id+"/relationships/remote-state-consumers", s.Token, refs(web)).want(t, 204)
		owner.get(statePath).want(t, 200).has(t, "The runs of 1 other workspace may read", `href="/app/acme/workspaces/web"`).inert(t)
		reader.get(statePath).want(t, 200).has(t, "no other workspace that you see").hasNot(t, "/workspaces/web", "#sharing")
		s.setWorkspace(id, `{"global-remote-state":true}`)
		owner.get(statePath).want(t, 200).has(t, "The runs of all workspaces of acme may read", "You see 1 of them").inert(t)
		s.setWorkspace(id, `{"global-remote-state":false,"project-remote-state":true}`)
		owner.get(statePath).want(t, 200).has(t, "all workspaces of its project").inert(t)
		s.rollsBack(t, owner, reader)
	})
}

// searchesAndLooksBack finds resources by what they hold, unless that is hidden, groups them by
// type, and reads of one its history and its document.
func (b *browser) searchesAndLooksBack(t *testing.T) {
	b.get(statePath+"/2?q=i-1").want(t, 200).has(t, "1 of 2", `>one <span class="faint">id</span>`).hasNot(t, ">new").inert(t)
	b.get(statePath+"/2?q=i-").want(t, 200).has(t, "No resource fits.")
	for _, hidden := range []string{"pin:4711", "pin:4712", "hunter2", "hunter3"} {
		b.get(statePath+"/2?from=1&q="+hidden).want(t, 200).has(t, "No resource fits.")
	}
	b.get(statePath+"/2?by=type").want(t, 200).has(t, "<span>aws_thing</span>", `name="by" value="type"`).inert(t)
	one := b.get(statePath+"/2?at=module.net.aws_thing.one&view=json").want(t, 200).inert(t)
	one.has(t, `&#34;size&#34;: 2`, `&#34;pin&#34;: &#34;(sensitive)&#34;`, `&#34;password&#34;: &#34;(sensitive)&#34;`).hasNot(t, "pin:4711", "pin:4712", "hunter2")
	past := b.get(statePath+"/2?at=module.net.aws_thing.one&view=history").want(t, 200).inert(t)
	past.has(t, "/state/2?at=module.net.aws_thing.one&amp;from=1#one", "~ changed", "&#43; added", "by admin", "2 versions looked through. There is none before.")
	b.get(statePath+"/2?from=1&at=aws_thing.gone&view=history").want(t, 200).has(t, "− removed", "&#43; added").inert(t)
	b.get(statePath+"/1?at=aws_thing.gone&view=history&before=2").want(t, 200).has(t, "1 version looked through", "&#43; added").hasNot(t, "removed").inert(t)
}

// TestHistoryOfAResourceGoesOn looks a resource's versions through in steps, past those that can't be read.
func TestHistoryOfAResourceGoesOn(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		for n := range 45 {
			s.hold(id, n+1, thing("", "one", fmt.Sprintf(`"id":"i-1","size":%d`, n/10), ""), "")
		}
		at := statePath + "/45?at=aws_thing.one&view=history"
		page := owner.get(at).want(t, 200).has(t, "#41", "#31", "20 versions looked through").hasNot(t, "There is none before")
		var serials []string
		for steps := 0; ; steps++ {
			for _, m := range regexp.MustCompile(`<span class="knot \w+"></span><span><a href="[^"]*#one"><b>#(\d+)</b>`).FindAllStringSubmatch(page.Body, -1) {
				serials = append(serials, m[1])
			}
			on := regexp.MustCompile(`<a href="([^"#]*)#one">Look further back</a>`).FindStringSubmatch(page.Body)
			if on == nil || steps > 5 {
				break
			}
			page = owner.get(html.UnescapeString(on[1])).want(t, 200).inert(t)
		}
		if got := strings.Join(serials, " "); got != "41 31 21 11 1" {
			t.Errorf("it changed in %s", got)
		}
		s.signIn("stan").get(at).want(t, 404)
	})
}

// rollsBack goes back to the first state: only who writes states is offered it, and only the holder of the lock does it.
func (s *server) rollsBack(t *testing.T, owner, reader *browser) {
	reader.get(statePath+"/1?rollback").want(t, 200).hasNot(t, "Roll back")
	owner.get(statePath+"/1").want(t, 200).has(t, statePath+`/1?rollback">`)
	preview := owner.get(statePath+"/1?rollback").want(t, 200).has(t, "Roll back to #1", "becomes the current state, as #3", "aws_thing.gone", "module.net.aws_thing.new", "Lock the workspace first").inert(t)
	sv := s.do("GET", "/state-versions?filter[workspace][name]=network&filter[organization][name]=acme", s.Token, "").want(t, 200).text("data.1.id")
	owner.post(statePath+"/rollback", preview.form("id", sv)).want(t, 409)
	if to := owner.post(networkPage+"/lock", preview.form("reason", "back")).want(t, 303).Header.Get("Location"); to != statePath+"/1?rollback" {
		t.Errorf("the lock leads to %s", to)
	}
	ready := owner.get(statePath+"/1?rollback").want(t, 200).hasNot(t, "Lock the workspace first")
	if form := ready.form(); form.Get("id") != sv {
		t.Errorf("the form goes back to %s, not %s", form.Get("id"), sv)
	}
	reader.post(statePath+"/rollback", reader.get(organizationsPath).form("id", sv)).want(t, 404)
	owner.post(statePath+"/rollback", ready.form("id", "sv-nothing")).want(t, 422)
	if to := owner.post(statePath+"/rollback", ready.form()).want(t, 303).Header.Get("Location"); to != statePath {
		t.Errorf("going back leads to %s", to)
	}
	waits := owner.get(statePath).want(t, 200).has(t, "State <b>#3</b> is written as #1 was; it is in force when the workspace is unlocked.", "Showing <b>#2</b>").inert(t)
	reader.get(statePath).want(t, 200).has(t, "State <b>#3</b> is written as #1 was").hasNot(t, "/unlock")
	if to := owner.post(networkPage+"/unlock", waits.form()).want(t, 303).Header.Get("Location"); to != statePath {
		t.Errorf("unlocking leads to %s", to)
	}
	owner.get(statePath).want(t, 200).hasNot(t, "is written").has(t, "Showing <b>#3</b>", "rolled back", "gone")
}

// TestOutputsOfStatesAreCompared where a state differs from another by them alone, without what is sensitive in either.
func TestOutputsOfStatesAreCompared(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		one := thing("", "one", `"id":"i-1"`, "")
		s.hold(id, 1, one, `"x":{"value":1,"type":"number"},"left":{"value":"l-1","type":"string"},"key":{"value":"hunter3","type":"string","sensitive":true},"bare":{"value":"hunter5","type":"string","sensitive":true},"same":{"value":"s-1","type":"string"}`)
		s.hold(id, 2, one, `"x":{"value":{"a":"<b>"},"type":["object",{"a":"string"}]},"came":{"value":"c-1","type":"string"},"key":{"value":"hunter4","type":"string","sensitive":true},"bare":{"value":"hunter5","type":"string"},"same":{"value":"s-1","type":"string"}`)
		s.hold(id, 3, one, `"x":{"value":{"a":"<b>"},"type":["object",{"a":"string"}]},"came":{"value":"c-1","type":"string"},"key":{"value":"hunter4","type":"string","sensitive":true},"bare":{"value":"hunter5","type":"string"},"same":{"value":"s-1","type":"string"}`)
		const counts = `outputs <span class="good">&#43;1<span class="hidden"> added</span></span> <span class="warn">~3<span class="hidden"> changed</span></span> <span class="bad">−1`
		diff := owner.get(statePath+"/2?from=1").want(t, 200).has(t, counts, "Changed outputs", `<pre class="value" tabindex="0">1</pre>`, "&#34;a&#34;: &#34;&lt;b&gt;&#34;").hasNot(t, "differs</span>").inert(t)
		_, table, _ := strings.Cut(diff.Body, `id="changed-outputs"`)
		table, _, _ = strings.Cut(table, "</section>")
		changed := reply{Body: table}
		changed.has(t, ">x ", ">left ", ">came ", ">key ", ">bare ", "l-1", "c-1", `<span class="small">changes</span>`).hasNot(t, "hunter", ">same")
		if n := strings.Count(table, "hidden: it is sensitive"); n != 4 {
			t.Errorf("%d values are hidden", n)
		}
		owner.get(statePath+"/2?from=1&changed=yes").want(t, 200).has(t, `href="#changed-outputs">left`)
		owner.get(statePath+"/2?from=1&q=cam").want(t, 200).has(t, `href="#changed-outputs">came`).hasNot(t, `href="#changed-outputs">left`)
		owner.get(statePath+"/3?from=2").want(t, 200).has(t, "no resource or output differs").hasNot(t, "Changed outputs")
		owner.get(statePath+"/2?rollback").want(t, 200).has(t, "All resources are the same in both, and so are the outputs.")
		owner.get(statePath+"/1?rollback").want(t, 200).has(t, "All resources are the same in both, the outputs are not.", `output <b>left</b>`, "Changed outputs").inert(t)
	})
}

// TestOutputsWithoutState is the page of those who may read outputs and not the state.
func TestOutputsWithoutState(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		team, _ := s.team("acme", "otto", nil)
		only := tfe.StateVersionsPermissionType("read-outputs")
		_, err := s.admin().TeamAccess.Add(context.Background(), tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessCustom), StateVersions: &only, Team: team, Workspace: &tfe.Workspace{ID: id}})
		must(t, err)
		s.hold(id, 1, thing("", "one", `"id":"i-1"`, ""), `"zone":{"value":"eu","type":"string"}`)
		otto := s.signIn("otto")
		otto.get(statePath+"/1/file").want(t, 404)
		otto.get(statePath).want(t, 200).has(t, "and not its state", "zone", "eu").hasNot(t, "aws_thing", "#1", "Roll back").inert(t)
	})
}

// TestLargeStatesComeInParts keeps the page of a large state small, and leads to every part.
func TestLargeStatesComeInParts(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		var parts []string
		for m := range 3 {
			parts = append(parts, strings.Replace(instances("random_id", 700), `{"mode"`, fmt.Sprintf(`{"module":"module.m%d","mode"`, m), 1))
		}
		s.hold(id, 1, strings.Join(parts, ","), "")
		const leaf = `class="leaf"`
		whole := owner.get(statePath).want(t, 200).has(t, "module.m2", "2,100").hasNot(t, leaf).inert(t)
		if len(whole.Body) > 20_000 {
			t.Errorf("the page has %d bytes", len(whole.Body))
		}
		owner.get(statePath+"?module=module.m1").want(t, 200).has(t, "random_id", "700").hasNot(t, leaf)
		kind := owner.get(statePath+"?module=module.m1&type=random_id&page=2").want(t, 200).inert(t)
		if n := strings.Count(kind.Body, leaf); n != 300 {
			t.Errorf("the second page has %d resources", n)
		}
		kind.has(t, "Page 2 of 3", "some[300]", "some[599]").hasNot(t, "some[299]<", "some[600]<")
		owner.get(statePath+"?q=m1.random_id.some%5B69").want(t, 200).has(t, "11 of 2,100", "some[699]")
	})
}

// TestTwentyThousandResourcesOnAPage come in parts: no page of the state grows with it.
func TestTwentyThousandResourcesOnAPage(t *testing.T) {
	s := start(t, "sqlite")
	id := s.people()
	owner := s.signIn("olga")
	var parts []string
	for m := range 40 {
		parts = append(parts, strings.Replace(instances("random_id", 500), `{"mode"`, fmt.Sprintf(`{"module":"module.m%d","mode"`, m), 1))
	}
	s.hold(id, 1, strings.Join(parts, ","), "")
	for _, page := range []struct {
		at   string
		most int
		has  []string
	}{
		{"", 40_000, []string{"20,000", "module.m39", "Draw them"}},
		{"?module=module.m7", 40_000, []string{"random_id"}},
		{"?module=module.m7&type=random_id", 120_000, []string{"some[299]", "Page 1 of 2"}},
		{"?by=type", 40_000, []string{"random_id"}},
		{"?at=module.m7.random_id.some%5B3%5D", 40_000, []string{"random_id-3"}},
		{"?q=random_id-499", 60_000, []string{"40 of 20,000"}},
	} {
		began := time.Now()
		shown := owner.get(statePath+page.at).want(t, 200).has(t, page.has...).inert(t)
		t.Logf("%s: %d bytes in %v", page.at, len(shown.Body), time.Since(began).Round(time.Millisecond))
		if len(shown.Body) > page.most {
			t.Errorf("%s: the page has %d bytes, at most %d are expected", page.at, len(shown.Body), page.most)
		}
	}
}

func TestStatePagesShowNothingThatActs(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		for i, vector := range vectors {
			quoted := fmt.Sprintf("%q", vector)
			s.hold(id, i+1, fmt.Sprintf(`{"mode":"managed","type":%s,"name":%[1]s,"provider":"x","instances":[{"index_key":%[1]s,"attributes":{%[1]s:%[1]s,"id":%[1]s},"dependencies":[%[1]s]}]}`, quoted),
				fmt.Sprintf(`%s:{"value":%[1]s,"type":"string"}`, quoted))
			shown := owner.get(statePath).want(t, 200).inert(t)
			_, at, _ := strings.Cut(shown.Body, `class="leaf" href="`)
			at, _, _ = strings.Cut(at, `"`)
			at, _, _ = strings.Cut(html.UnescapeString(at), "#")
			owner.get(at).want(t, 200).has(t, "Depends on").inert(t)
			owner.get(statePath+"?q="+url.QueryEscape(vector)+"&from="+url.QueryEscape(vector)+"&module="+url.QueryEscape(vector)).want(t, 200).inert(t)
			owner.get(fmt.Sprintf("%s/%d?rollback", statePath, max(1, i))).want(t, 200).inert(t)
		}
	})
}
