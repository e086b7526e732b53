package elsewhere

import (
	"strings"
	"time"
)

// What Kubernetes is told and tells, as far as it matters here.
type (
	kubeMeta struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace,omitempty"`
		UID         string            `json:"uid,omitempty"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
		Created     time.Time         `json:"creationTimestamp,omitzero"`
		Owners      []kubeOwner       `json:"ownerReferences,omitempty"`
	}
	kubeOwner struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Name       string `json:"name"`
		UID        string `json:"uid"`
	}
	kubeSecret struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   kubeMeta          `json:"metadata"`
		Type       string            `json:"type"`
		Immutable  bool              `json:"immutable"`
		Data       map[string][]byte `json:"data"`
	}
	kubeJob struct {
		APIVersion string      `json:"apiVersion"`
		Kind       string      `json:"kind"`
		Metadata   kubeMeta    `json:"metadata"`
		Spec       kubeJobSpec `json:"spec"`
		Status     struct {
			Succeeded  int             `json:"succeeded"`
			Conditions []kubeCondition `json:"conditions"`
		} `json:"status,omitzero"`
	}
	kubeCondition struct {
		Type    string `json:"type"`
		Status  string `json:"status"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	kubeJobSpec struct {
		BackoffLimit int          `json:"backoffLimit"`
		Deadline     int64        `json:"activeDeadlineSeconds,omitempty"`
		TTL          int          `json:"ttlSecondsAfterFinished"`
		Template     kubeTemplate `json:"template"`
	}
	kubeTemplate struct {
		Metadata struct {
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
		Spec kubePodSpec `json:"spec"`
	}
	kubePodSpec struct {
		Restart        string           `json:"restartPolicy"`
		Token          bool             `json:"automountServiceAccountToken"`
		ServiceAccount string           `json:"serviceAccountName,omitempty"`
		Links          bool             `json:"enableServiceLinks"`
		Grace          int              `json:"terminationGracePeriodSeconds"`
		RuntimeClass   string           `json:"runtimeClassName,omitempty"`
		Security       map[string]any   `json:"securityContext"`
		Containers     []kubeContainer  `json:"containers"`
		Volumes        []map[string]any `json:"volumes"`
	}
	kubeContainer struct {
		Name      string                       `json:"name"`
		Image     string                       `json:"image"`
		Args      []string                     `json:"args"`
		Resources map[string]map[string]string `json:"resources,omitempty"`
		Security  map[string]any               `json:"securityContext"`
		Mounts    []map[string]any             `json:"volumeMounts"`
	}
	kubePod struct {
		Metadata kubeMeta `json:"metadata"`
		Status   struct {
			Phase      string          `json:"phase"`
			Conditions []kubeCondition `json:"conditions"`
			Containers []struct {
				State struct {
					Waiting    *kubeReason `json:"waiting"`
					Running    *struct{}   `json:"running"`
					Terminated *kubeReason `json:"terminated"`
				} `json:"state"`
			} `json:"containerStatuses"`
		} `json:"status"`
	}
	kubeReason struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
)

// How long a pod may take to end, and how long an ended Job stays to be looked at.
const (
	graceSeconds = 600
	keepSeconds  = 3600
)

// job is the Job of a work: one pod, one try, nothing of the cluster's own to be had in it.
func (k *Kubernetes) job(w Work) *kubeJob {
	labels := map[string]string{
		labelManager: manager, labelRunner: labelOf(k.Runner), "app.kubernetes.io/name": "belay-job", "belay.dev/kind": w.Kind,
	}
	name := nameOf(w.ID)
	j := &kubeJob{APIVersion: "batch/v1", Kind: "Job", Metadata: kubeMeta{
		Name: name, Namespace: k.Namespace, Labels: labels, Annotations: map[string]string{noteJob: w.ID, noteRun: w.RunID},
	}}
	j.Spec = kubeJobSpec{BackoffLimit: 0, Deadline: int64(k.Deadline / time.Second), TTL: keepSeconds}
	t := &j.Spec.Template
	t.Metadata.Labels = labels
	t.Metadata.Annotations = map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict": "false", noteJob: w.ID}
	container := kubeContainer{
		Name: "runner", Image: k.Image, Args: append([]string{"runner", "--once", "--job-file", JobFilePath}, k.Args...),
		Resources: map[string]map[string]string{},
		Security: map[string]any{
			"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []string{"ALL"}},
		},
		Mounts: []map[string]any{
			{"name": "job", "mountPath": fileFolder, "readOnly": true}, {"name": "work", "mountPath": "/var/tmp"},
		},
	}
	if len(k.Requests) > 0 {
		container.Resources["requests"] = k.Requests
	}
	if len(k.Limits) > 0 {
		container.Resources["limits"] = k.Limits
	}
	t.Spec = kubePodSpec{
		Restart: "Never", ServiceAccount: k.ServiceAccount, Grace: graceSeconds, RuntimeClass: k.RuntimeClass,
		Security: map[string]any{
			"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532, "seccompProfile": map[string]any{"type": "RuntimeDefault"},
		},
		Containers: []kubeContainer{container},
		Volumes: []map[string]any{
			{"name": "job", "secret": map[string]any{"secretName": name, "defaultMode": 0o440}}, {"name": "work", "emptyDir": map[string]any{}},
		},
	}
	return j
}

// secret holds what the runner in the pod needs. The Job owns it.
func (k *Kubernetes) secret(w Work, uid string) *kubeSecret {
	name := nameOf(w.ID)
	return &kubeSecret{
		APIVersion: "v1", Kind: "Secret", Type: "Opaque", Immutable: true, Data: map[string][]byte{fileName: w.File},
		Metadata: kubeMeta{
			Name: name, Namespace: k.Namespace, Labels: map[string]string{labelManager: manager, labelRunner: labelOf(k.Runner)},
			Owners: []kubeOwner{{"batch/v1", "Job", name, uid}},
		},
	}
}

func (j *kubeJob) condition(types ...string) *kubeCondition {
	for i, c := range j.Status.Conditions {
		for _, is := range types {
			if c.Type == is && c.Status == "True" {
				return &j.Status.Conditions[i]
			}
		}
	}
	return nil
}

func (j *kubeJob) ended() bool { return j.condition("Complete", "Failed") != nil }

func (j *kubeJob) problem() string {
	if c := j.condition("Failed"); c != nil {
		return strings.Trim(c.Reason+": "+c.Message, ": ")
	}
	return ""
}

// began says that the runner in the pod has begun, however it ended.
func (p *kubePod) began() bool {
	for _, c := range p.Status.Containers {
		if c.State.Running != nil || c.State.Terminated != nil {
			return true
		}
	}
	return p.Status.Phase == "Running" || p.Status.Phase == "Succeeded"
}

// problem is why a pod does not begin, once that is more than its turn.
func (p *kubePod) problem() string {
	for _, c := range p.Status.Containers {
		if w := c.State.Waiting; w != nil && w.Reason != "" && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
			return strings.Trim(w.Reason+": "+w.Message, ": ")
		}
	}
	for _, c := range p.Status.Conditions {
		if c.Type == "PodScheduled" && c.Status == "False" {
			return strings.Trim(c.Reason+": "+c.Message, ": ")
		}
	}
	return ""
}
