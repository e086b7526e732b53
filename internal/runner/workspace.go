package runner

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// workspaceName is what terraform.workspace says in a module: the name with a cloud
// block, what follows the prefix with the remote backend's prefix, and else "default", as
// users of each see it elsewhere.
func workspaceName(module, name string) string {
	entries, err := os.ReadDir(module)
	if err != nil {
		return defaultWorkspace
	}
	found := defaultWorkspace
	for _, entry := range entries {
		read := settingsOf(entry)
		if read == nil {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(module, entry.Name()))
		if err != nil {
			continue
		}
		if s := read(raw); s.cloud {
			found = name
		} else if rest, ok := strings.CutPrefix(name, s.prefix); ok && s.prefix != "" && rest != "" {
			found = rest
		}
	}
	return found
}

// settings is what a file says in its terraform blocks of where the state is.
type settings struct {
	cloud  bool
	prefix string // of the remote backend
}

// settingsOf is how a file of a module is read; nil: engines do not read it.
func settingsOf(entry os.DirEntry) func(raw []byte) settings {
	file := entry.Name()
	switch {
	case strings.HasPrefix(file, ".") || strings.HasPrefix(file, "~") || entry.IsDir():
		return nil
	case strings.HasSuffix(file, ".tf.json") || strings.HasSuffix(file, ".tofu.json"):
		return jsonSettings
	case strings.HasSuffix(file, ".tf") || strings.HasSuffix(file, ".tofu"):
		return scanSettings
	}
	return nil
}

func jsonSettings(raw []byte) (s settings) {
	var file struct {
		Terraform json.RawMessage `json:"terraform"`
	}
	if json.Unmarshal(raw, &file) != nil {
		return s
	}
	for _, block := range each(file.Terraform) {
		var terraform struct{ Cloud, Backend json.RawMessage }
		if json.Unmarshal(block, &terraform) != nil {
			continue
		}
		s.cloud = s.cloud || terraform.Cloud != nil
		for _, backend := range each(terraform.Backend) {
			var remote struct{ Remote json.RawMessage }
			if json.Unmarshal(backend, &remote) != nil {
				continue
			}
			s.prefix += jsonPrefix(remote.Remote)
		}
	}
	return s
}

func jsonPrefix(remote json.RawMessage) string {
	for _, block := range each(remote) {
		var r struct{ Workspaces json.RawMessage }
		if json.Unmarshal(block, &r) != nil {
			continue
		}
		for _, block := range each(r.Workspaces) {
			var w struct{ Prefix string }
			if json.Unmarshal(block, &w) == nil && w.Prefix != "" {
				return w.Prefix
			}
		}
	}
	return ""
}

// each is a block, or each of an array of blocks.
func each(raw json.RawMessage) []json.RawMessage {
	var many []json.RawMessage
	if raw == nil {
		return nil
	}
	if json.Unmarshal(raw, &many) == nil {
		return many
	}
	return []json.RawMessage{raw}
}

// scanSettings finds the blocks by their words and braces. It is no parser of the
// language: what it does not understand it passes over.
func scanSettings(raw []byte) (s settings) {
	var path []string // the blocks that are open, each by its words
	var words []string
	for t := (tokens{rest: raw}); t.next(); {
		switch {
		case t.token == "{":
			path, words = append(path, strings.Join(words, " ")), nil
		case t.token == "}":
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
			words = nil
		case t.token == "\n":
			words = nil
		default:
			words = append(words, t.token)
		}
		switch at := strings.Join(path, "/"); {
		case at == "terraform/cloud":
			s.cloud = true
		case (at == "terraform/backend remote/workspaces" || at == "terraform/backend remote/workspaces =") &&
			len(words) == 3 && words[0] == "prefix" && words[1] == "=":
			s.prefix = words[2]
		}
	}
	return s
}

// tokens cuts a file into words, braces and ends of lines, without comments; a string is
// a word without its quotes.
type tokens struct {
	rest  []byte
	token string
}

func (t *tokens) next() bool {
	for len(t.rest) > 0 {
		switch c := t.rest[0]; {
		case c == ' ' || c == '\t' || c == '\r':
			t.rest = t.rest[1:]
		case c == '#' || bytes.HasPrefix(t.rest, []byte("//")):
			t.skip(bytes.IndexByte(t.rest, '\n'))
		case bytes.HasPrefix(t.rest, []byte("/*")):
			end := bytes.Index(t.rest, []byte("*/"))
			if end >= 0 {
				end += 2
			}
			t.skip(end)
		case bytes.HasPrefix(t.rest, []byte("<<")):
			t.heredoc()
		case c == '"':
			t.quoted()
			return true
		case strings.IndexByte("{}\n=", c) >= 0:
			t.token, t.rest = string(c), t.rest[1:]
			return true
		default:
			t.word()
			return true
		}
	}
	return false
}

// skip goes to a place; below zero is the end.
func (t *tokens) skip(to int) {
	if to < 0 {
		to = len(t.rest)
	}
	t.rest = t.rest[to:]
}

func (t *tokens) word() {
	end := bytes.IndexAny(t.rest, " \t\r\n{}=\"#")
	if end < 0 {
		end = len(t.rest)
	}
	end = max(end, 1)
	t.token, t.rest = string(t.rest[:end]), t.rest[end:]
}

// quoted reads a string; templates in it are passed over by their braces.
func (t *tokens) quoted() {
	var out []byte
	depth := 0
	for i := 1; i < len(t.rest); i++ {
		switch c := t.rest[i]; {
		case c == '\\' && depth == 0 && i+1 < len(t.rest):
			i++
			out = append(out, t.rest[i])
			continue
		case c == '{' && (depth > 0 || t.rest[i-1] == '$' || t.rest[i-1] == '%'):
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '"' && depth == 0:
			t.token, t.rest = string(out), t.rest[i+1:]
			return
		}
		out = append(out, t.rest[i])
	}
	t.token, t.rest = string(out), nil
}

// heredoc passes over a text up to its mark.
func (t *tokens) heredoc() {
	line, rest, _ := bytes.Cut(t.rest, []byte("\n"))
	mark := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("<<")), []byte("-")))
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if bytes.Equal(bytes.TrimSpace(line), mark) {
			break
		}
	}
	t.rest = rest
}
