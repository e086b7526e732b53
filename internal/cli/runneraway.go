package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/elsewhere"
	"github.com/belayhq/belay/internal/engine"
)

// Where a runner has its jobs carried out.
const (
	executorProcess    = "process"
	executorKubernetes = "kubernetes"
	executorNomad      = "nomad"
)

// away is where jobs are carried out that are not carried out here.
type away struct {
	executor     string
	startTimeout time.Duration
	engineList   []string

	image, namespace, serviceAccount, runtimeClass string
	kubernetesURL                                  string
	requests, limits                               map[string]string
	deadline                                       time.Duration
	args                                           []string

	nomadURL, nomadJob, nomadTokenFile string
}

func (a *away) flags(flags *pflag.FlagSet) {
	flags.StringVar(&a.executor, "executor", executorProcess, "where jobs are carried out: process, kubernetes or nomad (BELAY_EXECUTOR)")
	flags.DurationVar(&a.startTimeout, "start-timeout", 10*time.Minute, "how long a job elsewhere may take to begin (BELAY_START_TIMEOUT)")
	flags.StringSliceVar(&a.engineList, "engines", nil, "engines that are there elsewhere, such as tofu=1.12.6 (BELAY_ENGINES)")
	flags.StringVar(&a.image, "image", "", "image of the pods, which begins belay (BELAY_IMAGE)")
	flags.StringVar(&a.namespace, "namespace", "", "of the Jobs of Kubernetes or Nomad; this pod's when empty (BELAY_NAMESPACE)")
	flags.StringVar(&a.serviceAccount, "service-account", "", "of the pods, without its token (BELAY_SERVICE_ACCOUNT)")
	flags.StringVar(&a.runtimeClass, "runtime-class", "", "of the pods, such as gvisor (BELAY_RUNTIME_CLASS)")
	flags.StringVar(&a.kubernetesURL, "kubernetes-url", "", "address of the API outside a cluster, such as that of kubectl proxy (BELAY_KUBERNETES_URL)")
	flags.StringToStringVar(&a.requests, "pod-requests", map[string]string{"cpu": "500m", "memory": "512Mi", "ephemeral-storage": "2Gi"}, "what a pod asks for (BELAY_POD_REQUESTS)")
	flags.StringToStringVar(&a.limits, "pod-limits", map[string]string{"memory": "2Gi", "ephemeral-storage": "8Gi"}, "the most that a pod gets (BELAY_POD_LIMITS)")
	flags.DurationVar(&a.deadline, "pod-deadline", 26*time.Hour, "when the cluster ends a pod, whatever it does; longer than any apply (BELAY_POD_DEADLINE)")
	flags.StringSliceVar(&a.args, "pod-args", nil, "more flags of the runner in a pod, such as --engine-dir=/engines (BELAY_POD_ARGS)")
	flags.StringVar(&a.nomadURL, "nomad-url", "http://127.0.0.1:4646", "address of Nomad (BELAY_NOMAD_URL)")
	flags.StringVar(&a.nomadJob, "nomad-job", "belay-job", "parameterized job of Nomad that is dispatched (BELAY_NOMAD_JOB)")
	flags.StringVar(&a.nomadTokenFile, "nomad-token-file", "", "file with the token for Nomad (BELAY_NOMAD_TOKEN_FILE)")
}

func (a *away) check() error {
	switch {
	case a.executor != executorProcess && a.executor != executorKubernetes && a.executor != executorNomad:
		return fmt.Errorf("--executor is process, kubernetes or nomad, not %q", a.executor)
	case a.executor == executorKubernetes && a.image == "":
		return errors.New("--executor kubernetes needs --image")
	case a.startTimeout < time.Second || a.deadline < time.Minute:
		return errors.New("--start-timeout is a second or more, --pod-deadline a minute or more")
	}
	for _, text := range a.engineList {
		if product, version, ok := strings.Cut(text, "="); !ok || version == "" || product != engine.Tofu && product != engine.Terraform {
			return fmt.Errorf("--engines is tofu=VERSION or terraform=VERSION, not %q", text)
		}
	}
	return nil
}

// engines is what the operator says is there elsewhere.
func (a *away) engines() *engine.Finder {
	list := []engine.Binary{}
	for _, text := range a.engineList {
		product, version, _ := strings.Cut(text, "=")
		list = append(list, engine.Binary{Product: product, Version: version})
	}
	return engine.New(engine.Config{Elsewhere: list})
}

// place is the executor that the flags name.
func (a *away) place(runner string) (elsewhere.Executor, error) {
	if a.executor == executorNomad {
		return elsewhere.NewNomad(elsewhere.NomadConfig{URL: a.nomadURL, TokenFile: a.nomadTokenFile, Namespace: a.namespace, Job: a.nomadJob, Runner: runner})
	}
	return elsewhere.NewKubernetes(elsewhere.KubernetesConfig{
		URL: a.kubernetesURL, Namespace: a.namespace, Runner: runner, Image: a.image, Args: a.args, ServiceAccount: a.serviceAccount,
		Requests: a.requests, Limits: a.limits, RuntimeClass: a.runtimeClass, Deadline: a.deadline,
	})
}
