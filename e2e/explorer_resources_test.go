package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// instance is one as a plain model keeps it: what it holds, and the serials of the states
// in which it came and was last another.
type instance struct {
	value            int
	created, updated int64
}

// fileOf is a state file with instances by their address below module.net.
func fileOf(serial int64, instances map[string]instance) []byte {
	var list []string
	for _, address := range slices.Sorted(maps.Keys(instances)) {
		kind, name, _ := strings.Cut(address, ".")
		list = append(list, fmt.Sprintf(`{"mode":"managed","type":%q,"name":%q,"module":"module.net","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[{"schema_version":0,"attributes":{"id":"%d"}}]}`,
			kind, name, instances[address].value))
	}
	return fmt.Appendf(nil, `{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":%q,"outputs":{},"resources":[%s],"check_results":null}`,
		serial, lineage, strings.Join(list, ","))
}

// resources asks the explorer for the resources of acme, one line for each.
func (s *server) resources(token string, question url.Values) (lines []string, total int) {
	s.t.Helper()
	question.Set("type", "resources")
	question.Set("fields", "workspace_name,address,created_serial,updated_serial")
	question.Set("page[size]", "100")
	answer := s.do("GET", "/organizations/acme/explorer?"+question.Encode(), token, "").want(s.t, 200)
	rows, _ := answer.at("data").([]any)
	for i := range rows {
		at := fmt.Sprintf("data.%d.attributes.", i)
		lines = append(lines, fmt.Sprint(answer.at(at+"workspace-name"), " ", answer.at(at+"address"), " ", answer.at(at+"created-serial"), " ", answer.at(at+"updated-serial")))
	}
	slices.Sort(lines)
	count, _ := answer.at("meta.pagination.total-count").(float64)
	return lines, int(count)
}

// knowsResources waits until the explorer knows what the states hold: it reads them behind
// the requests.
func (s *server) knowsResources(want []string) {
	s.t.Helper()
	slices.Sort(want)
	var lines []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		var total int
		if lines, total = s.resources(s.Token, url.Values{}); slices.Equal(lines, want) && total == len(want) {
			return
		}
	}
	s.t.Fatalf("the explorer knows\n%s\nand not\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
}

func TestExplorerResources(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("umbrella")
		random := rand.New(rand.NewPCG(7, uint64(len(t.Name()))))
		ids := map[string]string{"one": s.workspace("acme", "one"), "two": s.workspace("acme", "two")}
		states := map[string]map[string]instance{"one": {}, "two": {}}
		known := func() (lines []string) {
			for name, state := range states {
				for address, k := range state {
					lines = append(lines, fmt.Sprintf("%s module.net.%s %d %d", name, address, k.created, k.updated))
				}
			}
			return lines
		}
		for round := range int64(12) {
			name := []string{"one", "two"}[random.IntN(2)]
			state, serial := states[name], round+1
			for _, n := range random.Perm(10)[:4] {
				address := fmt.Sprintf("%s.n%d", []string{"aws_vpc", "aws_subnet"}[n%2], n)
				switch old, there := state[address]; {
				case !there:
					state[address] = instance{random.IntN(100), serial, serial}
				case random.IntN(2) == 0:
					delete(state, address)
				default:
					state[address] = instance{old.value + 1, old.created, serial}
				}
			}
			s.lock(ids[name])
			s.give(ids[name], fileOf(serial, state), serial)
			s.unlock(ids[name])
			s.knowsResources(known())
		}
		s.asksForResources(t, states)

		s.do("PATCH", "/workspaces/"+ids["one"], s.Token, `{"data":{"type":"workspaces","attributes":{"name":"uno"}}}`).want(t, 200)
		states["uno"] = states["one"]
		delete(states, "one")
		s.knowsResources(known())

		s.do("PATCH", "/organizations/acme", s.Token, `{"data":{"type":"organizations","attributes":{"recoverable-items-enabled":true}}}`).want(t, 200)
		shelved := states["uno"]
		delete(states, "uno")
		s.do("DELETE", "/workspaces/"+ids["one"], s.Token, "").want(t, 204)
		if lines, _ := s.resources(s.Token, url.Values{}); !slices.Equal(lines, slices.Sorted(slices.Values(known()))) {
			t.Errorf("with a deleted workspace the explorer knows %v", lines)
		}
		item := s.do("GET", "/organizations/acme/recoverable-items", s.Token, "").want(t, 200).text("data.0.id")
		s.do("POST", "/recoverable-items/"+item+"/actions/recover", s.Token, "").want(t, 204)
		states["uno"] = shelved
		s.knowsResources(known())
	})
}

// asksForResources asks the view of resources in the ways there are.
func (s *server) asksForResources(t *testing.T, states map[string]map[string]instance) {
	t.Helper()
	subnets := 0
	for _, state := range states {
		for address := range state {
			if strings.HasPrefix(address, "aws_subnet.") {
				subnets++
			}
		}
	}
	if lines, _ := s.resources(s.Token, url.Values{"filter[0][type][is][0]": {"aws_subnet"}}); len(lines) != subnets {
		t.Errorf("of %d subnets the explorer finds %v", subnets, lines)
	}
	if lines, _ := s.resources(s.Token, url.Values{"filter[0][workspace_name][is][0]": {"one"}, "filter[1][module][contains][0]": {"net"}}); len(lines) != len(states["one"]) {
		t.Errorf("of %d in one workspace the explorer finds %v", len(states["one"]), lines)
	}
	if lines, _ := s.resources(s.Token, url.Values{"filter[0][provider][is_not][0]": {"hashicorp/aws"}}); len(lines) != 0 {
		t.Errorf("another provider has %v", lines)
	}
	s.do("GET", "/organizations/umbrella/explorer?type=resources", s.Token, "").want(t, 200).has(t, `"total-count":0`)
	csv := s.do("GET", "/organizations/acme/explorer/export/csv?type=resources&fields=address", s.Token, "").want(t, 200).Body
	if n := strings.Count(csv, "module.net."); n != len(states["one"])+len(states["two"]) {
		t.Errorf("the export has %d addresses:\n%s", n, csv)
	}
	_, stranger := s.user("stranger")
	s.do("GET", "/organizations/acme/explorer?type=resources", stranger, "").want(t, 404)
}
