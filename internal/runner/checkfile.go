package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/belayhq/belay/run"
)

// Check is one that the operator of a runner wants of every run: a program that reads the plan and
// says by its exit status whether the run may go on.
type Check struct {
	Name        string
	Stage       run.CheckStage
	Enforcement run.Enforcement
	Command     []string // an absolute path and its arguments
	Timeout     time.Duration
	Read        []string // what it reads beside the plan and the configuration

	broken []int // exit statuses that say that it could not be made
}

// contextPlace stands in an argument for the file with what is known of the run.
const contextPlace = "{context}"

const (
	checkWithin    = time.Minute // when nothing is said
	longestCheck   = time.Hour
	defaultQuery   = "data.belay.deny[message]"
	policyBroken   = 2 // what opa ends with that could not evaluate
	policyLanguage = "opa"
)

// checkEntry is a check as a file has it.
type checkEntry struct {
	Name        string          `json:"name"`
	Stage       run.CheckStage  `json:"stage"`
	Enforcement run.Enforcement `json:"enforcement"`
	Command     []string        `json:"command"`
	Policies    string          `json:"policies"` // a folder for opa, in place of a command
	Query       string          `json:"query"`
	Opa         string          `json:"opa"` // the program; that of the PATH when empty
	Timeout     string          `json:"timeout"`
	Read        []string        `json:"read"`
}

// ParseChecks reads the checks of a file, and refuses what could not be made: a check that is not
// made by mistake would let everything pass.
func ParseChecks(raw []byte) ([]Check, error) {
	var file struct {
		Checks []checkEntry `json:"checks"`
	}
	from := json.NewDecoder(bytes.NewReader(raw))
	from.DisallowUnknownFields()
	if err := from.Decode(&file); err != nil {
		return nil, err
	}
	if from.More() {
		return nil, errors.New("something comes after the checks")
	}
	if len(file.Checks) > run.MaxChecks {
		return nil, fmt.Errorf("there are %d checks, and at most %d can be", len(file.Checks), run.MaxChecks)
	}
	var list []Check
	seen := map[string]bool{}
	for _, e := range file.Checks {
		c, err := e.check()
		if err != nil {
			return nil, fmt.Errorf("check %q: %w", e.Name, err)
		}
		if key := string(c.Stage) + " " + c.Name; seen[key] {
			return nil, fmt.Errorf("check %q: there are two of that name at %s", c.Name, c.Stage)
		} else {
			seen[key] = true
		}
		list = append(list, c)
	}
	return list, nil
}

func (e *checkEntry) check() (c Check, err error) {
	c = Check{Name: e.Name, Stage: e.Stage, Enforcement: e.Enforcement, Command: e.Command, Timeout: checkWithin, Read: e.Read}
	if e.Timeout != "" {
		if c.Timeout, err = time.ParseDuration(e.Timeout); err != nil {
			return c, err
		}
	}
	if err := c.valid(); err != nil {
		return c, err
	}
	switch {
	case (e.Policies == "") == (len(e.Command) == 0):
		return c, errors.New("it has either a command or policies")
	case e.Policies != "":
		err = e.evaluated(&c)
	case e.Query != "" || e.Opa != "":
		return c, errors.New("query and opa go with policies")
	}
	if err != nil {
		return c, err
	}
	return c, c.there()
}

// valid refuses what no check may be, whatever it executes.
func (c *Check) valid() error {
	switch {
	case !run.CheckName(c.Name):
		return errors.New("a name is of small letters, digits, - and _")
	case c.Stage != run.PrePlan && c.Stage != run.PostPlan && c.Stage != run.PreApply:
		return fmt.Errorf("stage is %s, %s or %s, not %q", run.PrePlan, run.PostPlan, run.PreApply, c.Stage)
	case c.Enforcement != run.Advisory && c.Enforcement != run.Mandatory:
		return fmt.Errorf("enforcement is %s or %s, not %q", run.Advisory, run.Mandatory, c.Enforcement)
	case c.Timeout < time.Second || c.Timeout > longestCheck:
		return fmt.Errorf("timeout is from 1s to %s, not %s", longestCheck, c.Timeout)
	}
	return nil
}

// evaluated makes a folder of policies a command. Every answer of the query is a reason why not.
func (e *checkEntry) evaluated(c *Check) (err error) {
	query, program := e.Query, e.Opa
	if query == "" {
		query = defaultQuery
	}
	if c.Stage == run.PrePlan {
		return errors.New("policies are about a plan: before it there is none")
	}
	if program == "" {
		if program, err = exec.LookPath(policyLanguage); err != nil {
			return err
		}
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	if _, err := os.ReadDir(e.Policies); err != nil {
		return err
	}
	folder, err := filepath.Abs(e.Policies)
	c.Command = []string{
		program, "eval", "--fail-defined", "--format", "pretty", "--stdin-input", "--data", folder, "--data", contextPlace, query,
	}
	c.Read, c.broken = append(c.Read, folder), []int{policyBroken}
	return err
}

// there refuses a program that can't be executed.
func (c *Check) there() error {
	program := c.Command[0]
	if !filepath.IsAbs(program) {
		return fmt.Errorf("the command begins with an absolute path, not %q", program)
	}
	info, err := os.Stat(program)
	if err == nil && (info.IsDir() || info.Mode()&0o111 == 0) {
		err = fmt.Errorf("%s can't be executed", program)
	}
	return err
}
