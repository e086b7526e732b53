package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const movedMany = 600

// mover moves and tags many workspaces at once on a server that is killed over and over.
type mover struct {
	*server
	body    string // names all the workspaces
	at      [2]string
	project int // the one of the two in which they all are
}

// TestManyMoveAtOnceOrNotAtAll kills the server while it moves and tags many workspaces: of
// each request all is there or nothing, also for whoever looks meanwhile, and what was
// answered is there.
func TestManyMoveAtOnceOrNotAtAll(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		m := newMover(s)
		stop := make(chan struct{})
		var looking sync.WaitGroup
		looking.Go(func() { m.look(t, stop) })
		before, events, kills := m.events(), 0, 8
		for round := range kills {
			tag := fmt.Sprintf("t%d", round)
			s.do("POST", "/workspaces/"+m.first()+"/relationships/tags", s.Token, `{"data":[{"type":"tags","attributes":{"name":"`+tag+`"}}]}`).want(t, 204)
			events += 1 + m.round(t, tag, round%2 == 0)
			s.eventually(func() bool { return m.events()-before == events }, "everything is told once")
		}
		close(stop)
		looking.Wait()
		if events < kills/2*movedMany {
			t.Errorf("%d events after %d kills, half of them after an answer", events, kills)
		}
		t.Logf("%d kills, %d events of what was done", kills, events)
	})
}

func newMover(s *server) *mover {
	s.organization("acme")
	ids := make([]string, movedMany)
	m := &mover{server: s}
	made := together(8, func(i int) int {
		for n := i; n < movedMany; n += 8 {
			ids[n] = s.workspace("acme", fmt.Sprintf("w%03d", n))
		}
		return 201
	})
	if made[201] != 8 {
		s.t.Fatal("not all workspaces were made")
	}
	m.body = `{"data":[{"type":"workspaces","id":"` + strings.Join(ids, `"},{"type":"workspaces","id":"`) + `"}]}`
	m.at[0] = s.do("GET", "/workspaces/"+ids[0], s.Token, "").text("data.relationships.project.data.id")
	m.at[1] = s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"other"}}}`).want(s.t, 201).text("data.id")
	return m
}

// first is the id of the first workspace.
func (m *mover) first() string {
	_, after, _ := strings.Cut(m.body, "ws-")
	return "ws-" + after[:16]
}

// look looks at how many are where, until stop.
func (m *mover) look(t *testing.T, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Millisecond):
		}
		r, err := m.try("GET", "/organizations/acme/workspaces?page[size]=1&filter[project][id]="+m.at[1], m.Token, "")
		if n, _ := r.at("meta.pagination.total-count").(float64); err == nil && r.Status == 200 && n != 0 && n != movedMany {
			t.Errorf("%v of %d workspaces are in the project", n, movedMany)
		}
	}
}

// round moves the workspaces to the other project and tags them, kills the server when one of
// it was answered or some time before, and says how many workspaces something was done to.
func (m *mover) round(t *testing.T, tag string, answered bool) (done int) {
	t.Helper()
	target := 1 - m.project
	id := m.do("GET", "/organizations/acme/tags?q="+tag, m.Token, "").want(t, 200).text("data.0.id")
	status, one := make([]int, 2), make(chan bool, 2)
	var asking sync.WaitGroup
	for i, path := range []string{"/projects/" + m.at[target] + "/relationships/workspaces", "/tags/" + id + "/relationships/workspaces"} {
		asking.Go(func() {
			if r, err := m.try("POST", path, m.Token, m.body); err == nil {
				status[i] = r.Status
			}
			one <- true
		})
	}
	if answered {
		<-one
	} else {
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
	}
	m.kill()
	asking.Wait()
	m.run()
	moved := m.do("GET", "/projects/"+m.at[target], m.Token, "").want(t, 200).at("data.attributes.workspace-count")
	listed := m.do("GET", "/organizations/acme/workspaces?page[size]=1&filter[project][id]="+m.at[target], m.Token, "").want(t, 200).at("meta.pagination.total-count")
	tagged := m.do("GET", "/organizations/acme/tags?q="+tag, m.Token, "").want(t, 200).at("data.0.attributes.instance-count")
	if moved != listed || moved != 0.0 && moved != float64(movedMany) || tagged != 1.0 && tagged != float64(movedMany) {
		t.Errorf("of %d %v moved (%v are listed), and %v are tagged", movedMany, moved, listed, tagged)
	}
	if status[0] == http.StatusNoContent && moved == 0.0 || status[1] == http.StatusNoContent && tagged == 1.0 {
		t.Errorf("answered %v, and %v moved and %v are tagged", status, moved, tagged)
	}
	if moved == float64(movedMany) {
		m.project = target
		done += movedMany
	}
	if tagged == float64(movedMany) {
		done += movedMany - 1
	}
	return done
}

// events is how many there are of the organization.
func (m *mover) events() int {
	n, _ := m.do("GET", "/organizations/acme/audit-trail?page[size]=1", m.Token, "").want(m.t, 200).at("pagination.total_count").(float64)
	return int(n)
}
