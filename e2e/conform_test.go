package e2e_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// schemas writes what kubeconform reads for some kinds, made of Kubernetes' own description of
// its API: the schemas that it fetches by itself are made of the same.
func schemas(t *testing.T, swagger string, kinds ...string) (folder string) {
	t.Helper()
	raw, err := os.ReadFile(swagger)
	must(t, err)
	var all struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	must(t, json.Unmarshal(raw, &all))
	folder = t.TempDir()
	named := map[string]string{}
	for name, definition := range all.Definitions {
		strictly(definition)
		for _, kind := range versions(definition) {
			named[kind] = name
		}
	}
	for _, kind := range kinds {
		if named[kind] == "" {
			t.Fatalf("Kubernetes has no %s", kind)
		}
		whole, err := json.Marshal(map[string]any{"$ref": "#/definitions/" + named[kind], "definitions": all.Definitions})
		must(t, err)
		must(t, os.WriteFile(filepath.Join(folder, kind+".json"), whole, 0o600))
	}
	return folder
}

// versions is what kubeconform calls a definition that is of a kind, such as deployment-apps-v1.
func versions(definition map[string]any) (names []string) {
	list, _ := definition["x-kubernetes-group-version-kind"].([]any)
	for _, one := range list {
		of, _ := one.(map[string]any)
		part := func(name string) string { text, _ := of[name].(string); return strings.ToLower(text) }
		group, _, _ := strings.Cut(part("group"), ".")
		names = append(names, strings.ReplaceAll(part("kind")+"-"+group+"-"+part("version"), "--", "-"))
	}
	return names
}

// strictly has a schema refuse fields that it does not name, and take what Kubernetes reads as
// a number or as a text.
func strictly(schema map[string]any) {
	described, _ := schema["description"].(string)
	if schema["format"] == "int-or-string" || strings.HasPrefix(described, "Quantity is a fixed-point") {
		maps.DeleteFunc(schema, func(string, any) bool { return true })
		schema["type"] = []string{"string", "number"}
		return
	}
	if _, open := schema["additionalProperties"]; schema["properties"] != nil && !open {
		schema["additionalProperties"] = false
	}
}

// TestChartAndManifestsConform holds what Helm renders, and the manifests, to the schemas of
// Kubernetes, and sees that a mistake is found.
func TestChartAndManifestsConform(t *testing.T) {
	slow(t)
	helm, kubeconform, swagger := tool(t, "BELAY_HELM"), tool(t, "BELAY_KUBECONFORM"), tool(t, "BELAY_KUBERNETES")
	t.Parallel()
	folder := schemas(t, swagger, "deployment-apps-v1", "statefulset-apps-v1", "service-v1", "serviceaccount-v1", "secret-v1", "configmap-v1",
		"namespace-v1", "persistentvolumeclaim-v1", "ingress-networking-v1", "networkpolicy-networking-v1", "role-rbac-v1", "rolebinding-rbac-v1",
		"poddisruptionbudget-policy-v1", "job-batch-v1")
	conforms := func(manifest string) (string, error) {
		// What KEDA brought to the cluster is none of Kubernetes'.
		command := exec.Command(kubeconform, "-strict", "-summary", "-verbose", "-skip", "ScaledObject",
			"-schema-location", filepath.Join(folder, "{{ .ResourceKind }}{{ .KindSuffix }}.json"))
		command.Stdin = strings.NewReader(manifest)
		said, err := command.CombinedOutput()
		return string(said), err
	}
	const chart = "../deploy/helm/belay"
	whole := map[string]string{}
	for name, args := range map[string][]string{"SQLite": nil, "PostgreSQL": {"-f", chart + "/ci-postgres.yaml"}} {
		raw, err := exec.Command(helm, append([]string{"template", "belay", chart}, args...)...).Output()
		must(t, err)
		whole[name] = string(raw)
	}
	for _, name := range []string{"runner.yaml", "autoscale.yaml"} {
		raw, err := os.ReadFile(filepath.Join("../deploy/kubernetes", name))
		must(t, err)
		whole[name] = string(raw)
	}
	for name, manifest := range whole {
		if said, err := conforms(manifest); err != nil || !strings.Contains(said, "Invalid: 0, Errors: 0") || strings.Contains(said, "Valid: 0, ") && name != "autoscale.yaml" {
			t.Errorf("%s: %v: %s", name, err, said)
		}
	}
	for right, wrong := range map[string]string{"replicas: 3": "replicas: three", "replicas: 3 ": "copies: 3", "kind: StatefulSet": "kind: StatefullSet"} {
		right = strings.TrimSpace(right)
		if !strings.Contains(whole["PostgreSQL"], right) {
			t.Fatalf("the chart has no %q", right)
		}
		if said, err := conforms(strings.Replace(whole["PostgreSQL"], right, wrong, 1)); err == nil {
			t.Errorf("%q is taken: %s", wrong, said)
		}
	}
}
