package main

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
)

// stateWriter is a workspace of one client's own, locked by it, and where its states stand.
type stateWriter struct {
	id     string
	serial int
}

// writeStates makes a step that writes a new state version with some resources, whole in the body.
func writeStates(resources string) step {
	all := contentsOf(resources)
	var mu sync.Mutex
	writers := map[int]*stateWriter{}
	return func(c *connection, client, n int) (int, error) {
		mu.Lock()
		w := writers[client]
		mu.Unlock()
		if n == 0 && w == nil {
			var err error
			if w, err = newStateWriter(c, fmt.Sprintf("state-%d-%d", created.Add(1), client)); err != nil {
				return 0, err
			}
			mu.Lock()
			writers[client] = w
			mu.Unlock()
		}
		w.serial++
		status, _, err := c.do("POST", v2+"/workspaces/"+w.id+"/state-versions", w.body(all)...)
		return status, err
	}
}

func newStateWriter(c *connection, name string) (*stateWriter, error) {
	id, err := c.create(v2+"/organizations/bench/workspaces", fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":%q}}}`, name))
	if err != nil {
		return nil, err
	}
	status, body, err := c.do("POST", v2+"/workspaces/"+id+"/actions/lock", "")
	if err == nil && status != 200 {
		err = fmt.Errorf("lock: status %d: %s", status, body)
	}
	return &stateWriter{id: id}, err
}

// padded is one resource with a text of a size.
func padded(size int) string {
	return fmt.Sprintf(`{"mode":"managed","type":"null_resource","name":"a","provider":"provider[\"registry.opentofu.org/hashicorp/null\"]",`+
		`"instances":[{"schema_version":0,"attributes":{"id":"1","padding":%q}}]}`, strings.Repeat("x", size))
}

// usual is resources of a size as providers write them: some two thirds of a kilobyte each, with texts, numbers, lists and an escaped policy.
func usual(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(",\n    ")
		}
		fmt.Fprintf(&b, `{"module": "module.site[\"eu-%05d\"]", "mode": "managed", "type": "aws_instance", "name": "web", "provider": "provider[\"registry.opentofu.org/hashicorp/aws\"]",
      "instances": [{"schema_version": 1, "attributes": {"id": "i-%08x", "ami": "ami-0123456789abcdef0", "ebs_optimized": false, "ratio": 0.5, "user_data": null,
        "policy": "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":[\"s3:GetObject\",\"s3:PutObject\"]}]}",
        "tags": {"Name": "web-%d", "team": "platform"}, "security_groups": ["sg-0a", "sg-0b"], "root_block_device": [{"size": 8, "iops": 3000, "encrypted": true}]},
        "sensitive_attributes": [], "dependencies": ["module.net.aws_vpc.main", "data.aws_ami.linux"]}]}`, i, i, i)
	}
	return b.String()
}

// contents is all of a state behind what is its own, and the same encoded: to make that anew for each takes longer than the server does.
type contents struct{ plain, encoded string }

func contentsOf(resources string) contents {
	plain := resources + "]}"
	return contents{plain, base64.StdEncoding.EncodeToString([]byte(plain))}
}

// body is the document of the writer's next state, in parts.
func (w *stateWriter) body(rest contents) []string {
	head := fmt.Sprintf(`{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":"%s","outputs":{},"resources":[`, w.serial, w.id)
	head += strings.Repeat(" ", 2-(len(head)+2)%3) // so that what follows is encoded by itself
	sum := md5.New()
	for _, part := range []string{head, rest.plain} {
		for piece := range pieces(part) {
			_, _ = io.WriteString(sum, piece)
		}
	}
	return []string{fmt.Sprintf(`{"data":{"type":"state-versions","attributes":{"serial":%d,"lineage":%q,"md5":%q,"state":"%s`,
		w.serial, w.id, hex.EncodeToString(sum.Sum(nil)), base64.StdEncoding.EncodeToString([]byte(head))), rest.encoded, `"}}}`}
}

// readState makes a step that downloads a current state of a size.
func readState(size int) step {
	var once sync.Once
	var path string
	var failed error
	return func(c *connection, _, _ int) (int, error) {
		once.Do(func() { path, failed = stateDownload(c, size) })
		if failed != nil {
			return 0, failed
		}
		status, _, err := c.do("GET", path, "")
		return status, err
	}
}

func stateDownload(c *connection, size int) (path string, err error) {
	w, err := newStateWriter(c, fmt.Sprintf("state-read-%d", created.Add(1)))
	if err != nil {
		return "", err
	}
	w.serial = 1
	if _, err := c.create(v2+"/workspaces/"+w.id+"/state-versions", w.body(contentsOf(padded(size)))...); err != nil {
		return "", err
	}
	if status, body, err := c.do("POST", v2+"/workspaces/"+w.id+"/actions/unlock", ""); err != nil || status != 200 {
		return "", fmt.Errorf("unlock: %d %s %w", status, body, err)
	}
	_, body, err := c.do("GET", v2+"/workspaces/"+w.id+"/current-state-version", "")
	if err != nil {
		return "", err
	}
	var current struct {
		Data struct {
			Attributes struct {
				URL string `json:"hosted-state-download-url"`
			}
		}
	}
	if err := json.Unmarshal(body, &current); err != nil {
		return "", err
	}
	u, err := url.Parse(current.Data.Attributes.URL)
	if err != nil {
		return "", err
	}
	return u.RequestURI(), nil
}

// create posts a document and gives the id of what it made.
func (c *connection) create(path string, body ...string) (id string, err error) {
	status, answer, err := c.do("POST", path, body...)
	if err != nil {
		return "", err
	}
	if status >= 300 {
		return "", fmt.Errorf("POST %s: status %d: %s", path, status, answer)
	}
	var made struct{ Data struct{ ID string } }
	err = json.Unmarshal(answer, &made)
	return made.Data.ID, err
}
