// Command manifests decodes manifests of Kubernetes strictly, with the types of its API: an
// unknown field is an error. Files of Nomad it parses. It prints the kinds that it found.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2/hclparse"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func check(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.HasSuffix(path, ".hcl") {
		if _, wrong := hclparse.NewParser().ParseHCL(raw, path); wrong.HasErrors() {
			return wrong
		}
		fmt.Println("hcl")
		return nil
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(raw)))
	for {
		one, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = decode(one)
		}
		if err != nil {
			return err
		}
	}
}

// decode reads one object into the type that it says it is of. What another system brought to
// the cluster has no type here, and only its shape is looked at.
func decode(raw []byte) error {
	var is struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := strict.Unmarshal(raw, &is); err != nil {
		return err
	}
	known := map[string]any{
		"v1/Namespace": &core.Namespace{}, "v1/ServiceAccount": &core.ServiceAccount{}, "v1/Secret": &core.Secret{},
		"batch/v1/Job": &batch.Job{}, "apps/v1/Deployment": &apps.Deployment{}, "networking.k8s.io/v1/NetworkPolicy": &network.NetworkPolicy{},
		"rbac.authorization.k8s.io/v1/Role": &rbac.Role{}, "rbac.authorization.k8s.io/v1/RoleBinding": &rbac.RoleBinding{},
	}
	into := known[is.APIVersion+"/"+is.Kind]
	switch {
	case into == nil && strings.HasPrefix(is.APIVersion, "keda.sh/"):
		into = &map[string]any{}
	case into == nil:
		return fmt.Errorf("%s/%s is not known here", is.APIVersion, is.Kind)
	}
	if err := strict.UnmarshalStrict(raw, into); err != nil {
		return fmt.Errorf("%s: %w", is.Kind, err)
	}
	fmt.Println(is.Kind)
	return nil
}
