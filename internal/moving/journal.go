package moving

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// Journal remembers which workspaces are whole, so that an import that was cut off does
// not look at them again. It only saves work: what is on the target is the truth, and
// without the journal nothing is made twice.
type Journal struct {
	mu    sync.Mutex
	path  string
	file  *os.File
	known map[string]entry
	bare  bool // it remembers nothing yet
}

// entry is one line.
type entry struct {
	About  string `json:"about,omitempty"` // first line: which import
	Thing  string `json:"thing,omitempty"`
	Source string `json:"source,omitempty"` // id there
	Stamp  string `json:"stamp,omitempty"`  // what the source said of its last change
	Target string `json:"target,omitempty"` // id there
}

// OpenJournal opens the journal of an import, or begins it. Another import's is refused.
func OpenJournal(path, about string) (*Journal, error) {
	j := &Journal{path: path, known: map[string]entry{}}
	raw, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, j.begin(about)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = raw.Close() }()
	lines := bufio.NewScanner(raw)
	other := ""
	for first := true; lines.Scan(); first = false {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // cut off in the middle of a line
		}
		if first {
			other = e.About
			continue
		}
		j.known[e.Thing] = e
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if j.bare = len(j.known) == 0; other != about && j.bare {
		return j, errors.Join(os.Remove(path), j.begin(about))
	}
	if other != about {
		return nil, fmt.Errorf("%s is the journal of another import (%s): name another with --journal, or remove it", path, other)
	}
	j.file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = j.file.WriteString("\n") // after a line that was cut off
	}
	return j, err
}

func (j *Journal) begin(about string) (err error) {
	j.bare = true
	if j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return err
	}
	return j.write(entry{About: about})
}

func (j *Journal) write(e entry) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(raw, '\n'))
	return err
}

// done is the id of a workspace that is whole, and unchanged on the source since.
func (j *Journal) done(thing, source, stamp string) (id string, ok bool) {
	if j == nil {
		return "", false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e := j.known[thing]
	return e.Target, e.Target != "" && e.Source == source && e.Stamp == stamp
}

// finish remembers a workspace that is whole.
func (j *Journal) finish(thing, source, stamp, target string) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bare = false
	return j.write(entry{Thing: thing, Source: source, Stamp: stamp, Target: target})
}

// Close closes the journal; one of an import that came to its end is removed, and one that
// would save no work.
func (j *Journal) Close(ended bool) error {
	if j == nil {
		return nil
	}
	err := j.file.Close()
	if ended || j.bare {
		err = errors.Join(err, os.Remove(j.path))
	}
	return err
}
