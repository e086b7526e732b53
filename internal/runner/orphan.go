package runner

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/belayhq/belay/run"
)

// event is a line of what an engine writes of its own doings.
type event struct {
	Type string `json:"type"`
	Hook struct {
		Action   string `json:"action"`
		IDKey    string `json:"id_key"`
		IDValue  string `json:"id_value"`
		Resource struct {
			Address string `json:"addr"`
		} `json:"resource"`
	} `json:"hook"`
}

// orphans is what the engine says it made and its last state does not hold: an engine
// that is killed had no time to write it down.
func (j *job) orphans(state string) []run.Orphan {
	file, err := j.folder.open(j.folder.real(outFolder, eventsName))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	var known []byte
	if kept, err := j.folder.open(state); err == nil {
		known, _ = io.ReadAll(kept)
		_ = kept.Close()
	}
	var found []run.Orphan
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil && e.Type == "apply_complete" && e.Hook.Action == "create" && !holds(known, e.Hook.IDValue) {
			found = append(found, run.Orphan{Address: e.Hook.Resource.Address, IDKey: e.Hook.IDKey, IDValue: e.Hook.IDValue})
		}
		if err != nil {
			return found
		}
	}
}

// holds says whether a state names an id.
func holds(state []byte, id string) bool {
	quoted, _ := json.Marshal(id)
	return id == "" || bytes.Contains(state, quoted)
}

// tellOrphans writes them into the log, with what takes them into a state again.
func (j *job) tellOrphans(all []run.Orphan) {
	j.say("Error: %d resources were made that the state does not hold", len(all))
	var b strings.Builder
	for _, o := range all {
		b.WriteString("belay: import {\nbelay:   to = " + o.Address + "\nbelay:   id = " + quoteHCL(o.IDValue) + "\nbelay: }\n")
	}
	j.say("%s", strings.TrimRight(b.String(), "\n"))
}
