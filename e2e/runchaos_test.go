package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// How large the chaos is: BELAY_CHAOS is the number of runs, BELAY_CHAOS_SEED repeats what is
// done to whom, though not what they were at.
const (
	chaosRuns     = 12
	runsOfOne     = 4 // of a workspace, one after the other
	chaosServers  = 2
	chaosLostTime = "2s"
	chaosLongest  = 10 * time.Minute // of killing; what is left then is carried out in peace
)

// chaos is two replicas on one database, and three runners in two pools, which are killed.
type chaos struct {
	*server // by way of the balancer
	random  *rand.Rand
	servers []*server
	runners []*chaosRunner
	witness *applyWitness
	ids     map[string]string // of the workspaces, by name
	done    map[string]int    // what was done to whom
	opened  map[string]bool   // runs whose locks somebody opened, as the rule wants it
	checks  string            // the file of what every run is checked by
}

// chaosRunner is a runner that is begun again when it was ended.
type chaosRunner struct {
	name, token, folder string
	command             *exec.Cmd
}

// balance is a balancer of connections over those replicas that are there.
func balance(t *testing.T, servers []*server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for n := 0; ; n++ {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = in.Close() }()
				for i := range servers {
					out, err := net.Dial("tcp", servers[(n+i)%len(servers)].args[2])
					if err != nil {
						continue
					}
					go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
					_, _ = io.Copy(in, out)
					_ = out.Close()
					return
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// applyWitness sees who applies: what a run makes holds a connection to it while it is made, which
// ends with whoever had it.
type applyWitness struct {
	t        *testing.T
	listener net.Listener
	mu       sync.Mutex
	inside   map[string]string // run by workspace
	began    map[string]int    // by run
	ended    map[string]int
}

func newApplyWitness(t *testing.T) *applyWitness {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	w := &applyWitness{t: t, listener: listener, inside: map[string]string{}, began: map[string]int{}, ended: map[string]int{}}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go w.sees(c)
		}
	}()
	return w
}

// sees hears "WORKSPACE RUN" and answers; "done" and the end of the connection follow.
func (w *applyWitness) sees(c net.Conn) {
	defer func() { _ = c.Close() }()
	lines := bufio.NewScanner(c)
	if !lines.Scan() {
		return
	}
	workspace, run, _ := strings.Cut(lines.Text(), " ")
	w.mu.Lock()
	if other := w.inside[workspace]; other != "" {
		w.t.Errorf("%s and %s apply %s at once", other, run, workspace)
	}
	w.inside[workspace] = run
	w.began[run]++
	w.mu.Unlock()
	_, _ = io.WriteString(c, "go on\n")
	done := lines.Scan() && lines.Text() == "done"
	for lines.Scan() { // until it is gone
		continue
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if done {
		w.ended[run]++
	}
	delete(w.inside, workspace)
}

// configuration is what every workspace applies: every run makes something anew.
func (w *applyWitness) configuration() string {
	_, port, _ := net.SplitHostPort(w.listener.Addr().String())
	return `
variable "TFC_RUN_ID" { type = string }
variable "TFC_WORKSPACE_NAME" { type = string }
resource "terraform_data" "before" {}
resource "terraform_data" "made" {
  triggers_replace = var.TFC_RUN_ID
  depends_on       = [terraform_data.before]
  provisioner "local-exec" {
    interpreter = ["/bin/bash", "-ec"]
    command     = "exec 3<>/dev/tcp/127.0.0.1/` + port + `; echo \"${var.TFC_WORKSPACE_NAME} ${var.TFC_RUN_ID}\" >&3; read -u 3; sleep 1; echo done >&3; echo it was made"
  }
}
output "run" { value = terraform_data.made.triggers_replace }
`
}

func (c *chaos) begin(r *chaosRunner) {
	c.t.Helper()
	r.command = exec.Command(binary, "runner", "--address", c.URL, "--token-file", r.token, "--name", r.name, "--slots", "2",
		"--work-dir", r.folder, "--checks", c.checks, "--engine-dir", c.engines, "--allow-engine-download=false")
	r.command.Stdout, r.command.Stderr = c.logs, c.logs
	must(c.t, r.command.Start())
}

// end ends a runner that is there by a signal.
func (r *chaosRunner) end(s syscall.Signal) {
	_ = r.command.Process.Signal(syscall.SIGCONT)
	_ = r.command.Process.Signal(s)
	_ = r.command.Wait()
}

// act does something bad to somebody.
func (c *chaos) act() {
	c.t.Helper()
	s, r := c.servers[c.random.IntN(len(c.servers))], c.runners[c.random.IntN(len(c.runners))]
	pause := time.Duration(100+c.random.IntN(2000)) * time.Millisecond
	var what string
	switch n := c.random.IntN(20); {
	case n < 6:
		what = "a server is killed"
		s.kill()
		time.Sleep(pause)
		s.run()
	case n < 8:
		what = "a server is stopped"
		s.stop()
		time.Sleep(pause)
		s.run()
	case n < 9:
		what = "all servers are killed"
		for _, s := range c.servers {
			s.kill()
		}
		time.Sleep(pause)
		for _, s := range c.servers {
			s.run()
		}
	case n < 15:
		what = "a runner is killed"
		r.end(syscall.SIGKILL)
		time.Sleep(pause)
		c.begin(r)
	case n < 17:
		what = "a runner sleeps"
		wake := suspend(c.t, r.command)
		time.Sleep(pause)
		wake()
	case n < 18:
		what = "a runner is drained"
		r.end(syscall.SIGTERM)
		c.begin(r)
	default:
		what = "a machine is gone"
		r.end(syscall.SIGKILL)
		gone(c.t, r.folder)
		r.folder = c.t.TempDir()
		time.Sleep(pause)
		c.begin(r)
	}
	c.done[what]++
}

// ask is a request that is made again while nobody answers it, or who answers is ended.
func (c *chaos) ask(method, path, body string) (r reply) {
	c.t.Helper()
	c.awaits(func() bool {
		var err error
		r, err = c.try(method, path, c.Token, body)
		return err == nil && r.Status < 500 && r.Status != http.StatusTooManyRequests
	}, method+" "+path+" is answered")
	return r
}

// chaosRun is a run as it ended.
type chaosRun struct {
	ID         string
	Attributes struct{ Status string }

	Relationships struct {
		Plan, Apply struct{ Data struct{ ID string } }
	}
}

// runsOf are all runs of a workspace.
func (c *chaos) runsOf(name string) []chaosRun {
	c.t.Helper()
	var list struct{ Data []chaosRun }
	must(c.t, json.Unmarshal([]byte(c.ask("GET", "/workspaces/"+c.ids[name]+"/runs?page[size]=100", "").want(c.t, 200).Body), &list))
	return list.Data
}

var overStatus = []string{"applied", "errored"}

// open does what the rule wants of a person: it looks for workspaces that stay locked by a
// run whose runner was lost, and opens them. It says whether all runs are over.
func (c *chaos) open() (over bool) {
	c.t.Helper()
	over = true
	for name, id := range c.ids {
		for _, r := range c.runsOf(name) {
			over = over && slices.Contains(overStatus, r.Attributes.Status)
			if r.Attributes.Status != "errored" || c.opened[r.ID] {
				continue
			}
			w := c.ask("GET", "/workspaces/"+id, "").want(c.t, 200)
			if w.at("data.attributes.locked") == true && w.text("data.relationships.locked-by.data.id") == r.ID {
				if log := c.wholeLog("applies", r.Relationships.Apply.Data.ID); !strings.Contains(log, "stays locked until its state comes home") {
					c.t.Errorf("run %s keeps its lock, and does not say why: %s", r.ID, log)
				}
				c.opened[r.ID] = true
				c.ask("POST", "/workspaces/"+id+"/actions/force-unlock", "")
				over = false
			}
		}
	}
	return over
}

// TestChaos has two replicas and three runners in two pools carry runs out with the real
// engine while all of them are killed, drained and suspended at random: every run ends in a
// status that is true, no workspace is applied by two at once, no run is applied twice, no
// state is lost, and no lock is left but that of an apply whose machine is gone.
func TestChaos(t *testing.T) {
	slow(t)
	t.Parallel()
	tool(t, "BELAY_TOFU")
	runs, _ := strconv.Atoi(os.Getenv("BELAY_CHAOS"))
	if runs < 1 {
		runs = chaosRuns
	}
	seed, err := strconv.ParseUint(os.Getenv("BELAY_CHAOS_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("BELAY_CHAOS=%d BELAY_CHAOS_SEED=%d", runs, seed)
	c := newChaos(t, seed, (runs+runsOfOne-1)/runsOfOne)
	began, asked := time.Now(), 0
	for asked < runs || !c.open() {
		for range 2 { // a request whose answer was lost may have made a run, too
			if asked < runs {
				asked++
				c.ask("POST", "/runs", runOf(c.ids[fmt.Sprintf("w%d", asked%len(c.ids))], `"auto-apply":true`))
			}
		}
		if time.Since(began) < min(time.Duration(runs)*3*time.Second, chaosLongest) {
			c.act()
		}
		time.Sleep(time.Duration(300+c.random.IntN(1200)) * time.Millisecond)
		if time.Since(began) > time.Duration(runs)*time.Minute+3*patience {
			t.Fatalf("not all runs are over after %s", time.Since(began))
		}
	}
	c.look()
	t.Logf("%s: %v, %d locks opened", time.Since(began).Round(time.Second), c.done, len(c.opened))
}

func newChaos(t *testing.T, seed uint64, workspaces int) *chaos {
	t.Helper()
	engines := engineDir(t, "tofu", tool(t, "BELAY_TOFU"))
	first := start(t, "postgres", "--apply-lost-after", chaosLostTime, "--snapshot-interval", "1s")
	c := &chaos{
		random: rand.New(rand.NewPCG(seed, 1)), servers: []*server{first}, witness: newApplyWitness(t),
		ids: map[string]string{}, done: map[string]int{}, opened: map[string]bool{}, checks: checked(t, [][4]string{usual[0], {"planned", "post_plan", "mandatory", `sleep 0.3; grep -q triggers_replace`}, usual[2]}),
	}
	for range chaosServers - 1 {
		other := &server{t: t, Token: first.Token, logs: first.logs, http: first.http, args: slices.Clone(first.args), env: first.env}
		other.args[2] = "127.0.0.1:0"
		other.run()
		t.Cleanup(other.stop)
		c.servers = append(c.servers, other)
	}
	c.server = &server{
		t: t, Token: first.Token, URL: balance(t, c.servers), logs: first.logs, args: first.args, engines: engines,
		http: &http.Client{Transport: &http.Transport{}, Timeout: patience},
	}
	c.organization("acme")
	pools := c.pools(t, "west", "west", "east")
	t.Cleanup(func() {
		for _, r := range c.runners {
			r.end(syscall.SIGTERM)
		}
	})
	c.awaits(func() bool { return strings.Count(c.logs.String(), "the runner takes jobs") == len(c.runners) }, "the runners are there")
	for i := range workspaces {
		c.furnish(fmt.Sprintf("w%d", i), pools[i%len(pools)])
	}
	return c
}

// pools makes the pools, and a runner for each name.
func (c *chaos) pools(t *testing.T, names ...string) (ids []string) {
	t.Helper()
	made := map[string]string{}
	for i, name := range names {
		token := filepath.Join(t.TempDir(), "token")
		if made[name] == "" {
			id := c.do("POST", "/organizations/acme/agent-pools", c.Token, fmt.Sprintf(`{"data":{"type":"agent-pools","attributes":{"name":%q}}}`, name)).want(t, 201).text("data.id")
			made[name], ids = id, append(ids, id)
		}
		secret := c.do("POST", "/agent-pools/"+made[name]+"/authentication-tokens", c.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"chaos"}}}`).want(t, 201).text("data.attributes.token")
		must(t, os.WriteFile(token, []byte(secret), 0o600))
		r := &chaosRunner{name: fmt.Sprintf("build-%d", i), token: token, folder: t.TempDir()}
		c.runners = append(c.runners, r)
		c.begin(r)
	}
	return ids
}

// furnish makes a workspace of a pool with its configuration.
func (c *chaos) furnish(name, pool string) {
	c.t.Helper()
	id := c.do("POST", "/organizations/acme/workspaces", c.Token, fmt.Sprintf(
		`{"data":{"type":"workspaces","attributes":{"name":%q,"execution-mode":"agent","agent-pool-id":%q}}}`, name, pool)).want(c.t, 201).text("data.id")
	made := c.do("POST", "/workspaces/"+id+"/configuration-versions", c.Token, `{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`).want(c.t, 201)
	upload, err := http.NewRequestWithContext(c.t.Context(), http.MethodPut, made.text("data.attributes.upload-url"), bytes.NewReader(archiveOf("main.tf", c.witness.configuration())))
	must(c.t, err)
	c.send(upload).want(c.t, http.StatusOK)
	c.ids[name] = id
}

// look looks at everything when all is over.
func (c *chaos) look() {
	c.t.Helper()
	count := map[string]int{}
	for name, id := range c.ids {
		states := c.statesOf(name)
		for _, r := range c.runsOf(name) {
			count[r.Attributes.Status]++
			c.truth(&r, states)
		}
		if w := c.ask("GET", "/workspaces/"+id, ""); w.at("data.attributes.locked") != false {
			c.t.Errorf("%s is left locked: %s", name, w.Body)
		}
	}
	c.t.Logf("the runs: %v", count)
	if count["applied"] == 0 {
		c.t.Error("nothing was applied: this says little")
	}
}

// statesOf are the states of a workspace by their runs. They are of one lineage, and each has
// a serial of its own that grows.
func (c *chaos) statesOf(name string) map[string]int {
	c.t.Helper()
	var list struct {
		Data []struct {
			Attributes struct {
				Serial  int64
				Lineage string
			}
			Relationships struct {
				Run struct{ Data struct{ ID string } }
			}
		}
	}
	raw := c.ask("GET", "/state-versions?filter[organization][name]=acme&filter[workspace][name]="+name+"&page[size]=100", "").want(c.t, 200).Body
	must(c.t, json.Unmarshal([]byte(raw), &list))
	by := map[string]int{}
	for i, v := range list.Data {
		by[v.Relationships.Run.Data.ID]++
		if i > 0 && (v.Attributes.Serial >= list.Data[i-1].Attributes.Serial || v.Attributes.Lineage != list.Data[i-1].Attributes.Lineage) {
			c.t.Errorf("%s: a state of the serial %d and the lineage %s comes before one of %d and %s", name, v.Attributes.Serial, v.Attributes.Lineage, list.Data[i-1].Attributes.Serial, list.Data[i-1].Attributes.Lineage)
		}
	}
	return by
}

// truth compares what a run says of itself with what the witness saw.
func (c *chaos) truth(r *chaosRun, states map[string]int) {
	c.t.Helper()
	c.witness.mu.Lock()
	began, ended := c.witness.began[r.ID], c.witness.ended[r.ID]
	c.witness.mu.Unlock()
	plan := c.wholeLog("plans", r.Relationships.Plan.Data.ID)
	switch {
	case began > 1:
		c.t.Errorf("run %s was applied %d times", r.ID, began)
	case r.Attributes.Status == "applied":
		log := c.wholeLog("applies", r.Relationships.Apply.Data.ID)
		once(c.t, log, "it was made\n", "Apply complete! Resources:")
		if got := c.checksOf(r.ID); got != "advice failed, planned passed, held passed" {
			c.t.Errorf("run %s was applied, and its checks came to %s", r.ID, got)
		}
		if began != 1 || ended != 1 || states[r.ID] == 0 {
			c.t.Errorf("run %s was applied; it began %d times, ended %d times, and has %d states", r.ID, began, ended, states[r.ID])
		}
	case strings.Contains(plan, "Error: the runner was lost twice"):
		if began != 0 {
			c.t.Errorf("run %s was never planned, and applied: %s", r.ID, plan)
		}
	default:
		log := c.wholeLog("applies", r.Relationships.Apply.Data.ID)
		if !strings.Contains(log, "the runner was lost while applying") && !strings.Contains(log, "the runner was lost twice") {
			c.t.Errorf("run %s is %s for another reason than a lost runner: %s\n%s", r.ID, r.Attributes.Status, lastLines(plan, 15), lastLines(log, 30))
		}
	}
}
