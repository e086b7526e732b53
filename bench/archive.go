package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// uploads is where the addresses begin that files are uploaded to.
const uploads = "/_objects/"

// writeArchives makes a step that uploads a configuration of a size. It is packed before anybody connects: the server closes
// a connection that says nothing for ten seconds, which is less than packing may take where the machine is busy.
func writeArchives(size int) step {
	content, failed := packed(size)
	var mu sync.Mutex
	of := map[int]string{}
	return func(c *connection, client, _ int) (int, error) {
		mu.Lock()
		id := of[client]
		mu.Unlock()
		err := failed
		if err == nil && id == "" {
			id, err = c.create(v2+"/organizations/bench/workspaces", fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":"archive-%d"}}}`, created.Add(1)))
			mu.Lock()
			of[client] = id
			mu.Unlock()
		}
		if err != nil {
			return 0, err
		}
		_, answer, err := c.do("POST", v2+"/workspaces/"+id+"/configuration-versions", `{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`)
		if err != nil {
			return 0, err
		}
		_, address, found := strings.Cut(string(answer), uploads)
		if !found {
			return 0, fmt.Errorf("no address to upload to: %s", answer)
		}
		address, _, _ = strings.Cut(address, `"`)
		status, _, err := c.do("PUT", uploads+address, content)
		return status, err
	}
}

// packed is a configuration of one file that can't be made smaller.
func packed(size int) (string, error) {
	var b bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&b, gzip.NoCompression) // which is a level
	archive := tar.NewWriter(zip)
	if err := archive.WriteHeader(&tar.Header{Name: "main.tf", Mode: 0o600, Size: int64(size)}); err != nil {
		return "", err
	}
	content := make([]byte, size)
	_, _ = rand.Read(content) // which does not fail
	if _, err := archive.Write(content); err != nil {
		return "", err
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		return "", err
	}
	return b.String(), nil
}
