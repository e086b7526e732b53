package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// kept is what "belay login" keeps: servers by a name. Their tokens lie where OpenTofu and
// Terraform look for them.
type kept struct {
	Current  string           `json:"current"`
	Contexts map[string]place `json:"contexts"`
}

// place is one server, and the organization that commands mean there.
type place struct {
	Address      string `json:"address"`
	Organization string `json:"organization,omitempty"`
}

func (k kept) now() place { return k.Contexts[k.Current] }

// home is the folder of the user, as the other command lines find it.
func (p *program) home() (string, error) {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if folder := p.Getenv(name); folder != "" {
			return folder, nil
		}
	}
	return "", errors.New("HOME is not set")
}

func (p *program) keptPath() (string, error) {
	if path := p.Getenv("BELAY_CONFIG"); path != "" {
		return path, nil
	}
	if folder := p.Getenv("XDG_CONFIG_HOME"); folder != "" {
		return filepath.Join(folder, "belay", "config.json"), nil
	}
	home, err := p.home()
	return filepath.Join(home, ".config", "belay", "config.json"), err
}

// kept reads what is kept; nothing is fine.
func (p *program) kept() (k kept, err error) {
	path, err := p.keptPath()
	if err != nil {
		return k, nil //nolint:nilerr // nobody's folder holds nothing
	}
	err = readJSON(path, &k)
	return k, err
}

func (p *program) keep(k kept) error {
	path, err := p.keptPath()
	if err != nil {
		return err
	}
	return writeJSON(path, k)
}

// credentialsPath is the file that "tofu login" and "terraform login" write.
func (p *program) credentialsPath() (string, error) {
	home, err := p.home()
	return filepath.Join(home, ".terraform.d", "credentials.tfrc.json"), err
}

// credentials is that file. What else is in it stays.
type credentials map[string]json.RawMessage

type hostToken struct {
	Token string `json:"token"`
}

func (c credentials) hosts() (hosts map[string]hostToken, err error) {
	hosts = map[string]hostToken{}
	if raw, there := c["credentials"]; there {
		err = json.Unmarshal(raw, &hosts)
	}
	return hosts, err
}

// keptToken is the token for a server; empty when there is none.
func (p *program) keptToken(address string) (string, error) {
	path, err := p.credentialsPath()
	if err != nil {
		return "", nil //nolint:nilerr // nobody's folder holds nothing
	}
	c := credentials{}
	if err := readJSON(path, &c); err != nil {
		return "", err
	}
	hosts, err := c.hosts()
	return hosts[host(address)].Token, err
}

// keepToken keeps a token for a server, or forgets it when it is empty.
func (p *program) keepToken(address, token string) error {
	path, err := p.credentialsPath()
	if err != nil {
		return err
	}
	c := credentials{}
	if err := readJSON(path, &c); err != nil {
		return err
	}
	hosts, err := c.hosts()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if hosts[host(address)] = (hostToken{token}); token == "" {
		delete(hosts, host(address))
	}
	if c["credentials"], err = json.Marshal(hosts); err != nil {
		return err
	}
	return writeJSON(path, c)
}

// host is what the other command lines know a server by.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON writes a file that only its owner reads, whole or not at all.
func writeJSON(path string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".belay-*") // readable by its owner alone
	if err != nil {
		return err
	}
	_, err = file.Write(append(raw, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
