// Command image makes a container image of a program that was built: one layer, no shell, no
// package manager, a user that is not root. It needs no daemon and no network, and gives the
// same bytes for the same program. The archive is an OCI layout that docker load reads, too.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"time"
)

// user is who the program runs as.
const user = 65532

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// file is a file or, where it has no contents, a folder.
type file struct {
	name  string
	mode  int64
	owner int
	raw   []byte
}

func main() {
	binary := flag.String("binary", "bin/belay", "the program, built for linux without cgo")
	certificates := flag.String("certificates", "/etc/ssl/certs/ca-certificates.crt", "authorities that the image trusts")
	arch := flag.String("arch", "amd64", "what it was built for")
	name := flag.String("name", "belay:dev", "name of the image")
	out := flag.String("out", "belay-image.tar", "where to write it")
	flag.Parse()
	if err := write(*binary, *certificates, *arch, *name, *out); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(binary, certificates, arch, name, out string) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	authorities, err := os.ReadFile(certificates)
	if err != nil {
		return err
	}
	plain := pack([]file{
		{"data/", 0o700, user, nil}, {"etc/", 0o755, 0, nil},
		{"etc/group", 0o644, 0, fmt.Appendf(nil, "root:x:0:\nbelay:x:%d:\n", user)},
		{"etc/passwd", 0o644, 0, fmt.Appendf(nil, "root:x:0:0::/:/nologin\nbelay:x:%d:%d::/data:/nologin\n", user, user)},
		{"etc/ssl/", 0o755, 0, nil}, {"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities},
		{"tmp/", 0o1777, 0, nil}, {"usr/", 0o755, 0, nil}, {"usr/bin/", 0o755, 0, nil}, {"usr/bin/belay", 0o755, 0, program},
	})
	layer := squeeze(plain)
	config := asJSON(map[string]any{
		"architecture": arch, "os": "linux", "created": time.Unix(0, 0).UTC(),
		"config": map[string]any{
			"User": fmt.Sprintf("%d:%d", user, user), "Entrypoint": []string{"/usr/bin/belay"}, "Cmd": []string{"serve"},
			"Env":     []string{"PATH=/usr/bin", "BELAY_ADDR=0.0.0.0:8080", "BELAY_DATA_DIR=/data", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
			"Volumes": map[string]any{"/data": map[string]any{}}, "ExposedPorts": map[string]any{"8080/tcp": map[string]any{}}, "WorkingDir": "/data",
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{digest(plain)}},
		"history": []map[string]any{{"created_by": "deploy/image"}},
	})
	manifest := asJSON(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": described("application/vnd.oci.image.config.v1+json", config),
		"layers": []descriptor{described("application/vnd.oci.image.layer.v1.tar+gzip", layer)},
	})
	of := described("application/vnd.oci.image.manifest.v1+json", manifest)
	of.Annotations = map[string]string{"org.opencontainers.image.ref.name": name, "io.containerd.image.name": name}
	archive := pack([]file{
		{"oci-layout", 0o644, 0, []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{"index.json", 0o644, 0, asJSON(map[string]any{"schemaVersion": 2, "manifests": []descriptor{of}})},
		{"manifest.json", 0o644, 0, asJSON([]map[string]any{{"Config": blob(config), "RepoTags": []string{name}, "Layers": []string{blob(layer)}}})},
		{blob(config), 0o644, 0, config}, {blob(manifest), 0o644, 0, manifest}, {blob(layer), 0o644, 0, layer},
	})
	_, _ = fmt.Fprintln(os.Stdout, of.Digest)
	return os.WriteFile(out, archive, 0o644) //nolint:gosec // an image is no secret
}

func blob(raw []byte) string { return path.Join("blobs", "sha256", digest(raw)[len("sha256:"):]) }

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func described(media string, raw []byte) descriptor {
	return descriptor{MediaType: media, Digest: digest(raw), Size: len(raw)}
}

func asJSON(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // maps and texts
	}
	return raw
}

// pack is a tar file in which nothing depends on when or where it was made.
func pack(files []file) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		head := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.raw)), Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0)}
		if f.name[len(f.name)-1] == '/' {
			head.Typeflag = tar.TypeDir
		}
		_ = w.WriteHeader(head) // into memory
		_, _ = w.Write(f.raw)
	}
	_ = w.Close()
	return out.Bytes()
}

func squeeze(raw []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a level there is
	_, _ = w.Write(raw)
	_ = w.Close()
	return out.Bytes()
}
