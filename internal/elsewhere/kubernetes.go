package elsewhere

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// KubernetesConfig is where Jobs are made, and what they look like.
type KubernetesConfig struct {
	URL       string // of the API; empty: this pod's cluster
	Account   string // folder with token, ca.crt and namespace; the usual one when empty
	Namespace string // of the Jobs; this pod's when empty
	Runner    string // the name of whoever starts them: each sees its own alone

	Image          string
	Args           []string // of the runner there
	ServiceAccount string   // of the pods, whose token they don't get; empty: the namespace's default
	Requests       map[string]string
	Limits         map[string]string
	RuntimeClass   string
	Deadline       time.Duration // of a Job
}

// serviceAccount is where a pod finds who it is.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// Kubernetes makes a Job and a Secret for each job.
type Kubernetes struct {
	KubernetesConfig
	rest rest
}

// NewKubernetes finds the cluster.
func NewKubernetes(c KubernetesConfig) (*Kubernetes, error) {
	c.Account = cmp.Or(c.Account, serviceAccount)
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second}
	if c.URL == "" {
		host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
		if host == "" {
			return nil, errors.New("this is no pod: --kubernetes-url names the API, such as http://127.0.0.1:8001 of kubectl proxy")
		}
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		c.URL = "https://" + host + ":" + port
		pem, err := os.ReadFile(filepath.Join(c.Account, "ca.crt"))
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, errors.New("ca.crt of the service account has no certificate")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	if c.Namespace == "" {
		raw, err := os.ReadFile(filepath.Join(c.Account, "namespace"))
		if err != nil {
			return nil, fmt.Errorf("--namespace is needed outside a pod: %w", err)
		}
		c.Namespace = strings.TrimSpace(string(raw))
	}
	k := &Kubernetes{KubernetesConfig: c}
	k.rest = rest{base: strings.TrimRight(c.URL, "/"), client: &http.Client{Transport: transport}, authorize: k.authorize}
	return k, nil
}

// authorize reads the token of the service account, which the cluster replaces every hour.
func (k *Kubernetes) authorize(r *http.Request) error {
	raw, err := os.ReadFile(filepath.Join(k.Account, "token"))
	if errors.Is(err, os.ErrNotExist) {
		return nil // kubectl proxy has its own
	}
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(raw)))
	}
	return err
}

// The labels and annotations of what is made.
const (
	labelManager = "app.kubernetes.io/managed-by"
	labelRunner  = "belay.dev/runner"
	noteJob      = "belay.dev/job-id"
	noteRun      = "belay.dev/run-id"
	manager      = "belay-runner"
	fileName     = "job.json"
	fileFolder   = "/var/run/belay"
)

// JobFilePath is where the runner in a pod finds its job.
const JobFilePath = fileFolder + "/" + fileName

// nameOf is the name of what is made for a job: ours tell upper from lower case, theirs can't.
func nameOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "belay-" + hex.EncodeToString(sum[:10])
}

// labelOf is a text as the value of a label.
func labelOf(text string) string { return nameOf(text)[len("belay-"):] }

func (k *Kubernetes) path(group, kind, name string) string {
	path := "/" + group + "/namespaces/" + url.PathEscape(k.Namespace) + "/" + kind
	if name != "" {
		path += "/" + name
	}
	return path
}

func (k *Kubernetes) jobs(name string) string    { return k.path("apis/batch/v1", "jobs", name) }
func (k *Kubernetes) secrets(name string) string { return k.path("api/v1", "secrets", name) }

// Start makes the Job, and then the Secret that it owns: its pod waits for that, and with the
// Job it goes.
func (k *Kubernetes) Start(ctx context.Context, w Work) error {
	name := nameOf(w.ID)
	var made kubeJob
	err := k.rest.do(ctx, http.MethodPost, k.jobs(""), k.job(w), &made)
	if is(err, http.StatusConflict) { // its answer was lost, or the runner began anew
		err = k.rest.do(ctx, http.MethodGet, k.jobs(name), nil, &made)
	}
	if err != nil {
		return err
	}
	err = k.rest.do(ctx, http.MethodPost, k.secrets(""), k.secret(w, made.Metadata.UID), nil)
	if is(err, http.StatusConflict) {
		return nil
	}
	if err != nil && !Passing(err) {
		return errors.Join(err, k.Stop(ctx, Place{Name: name}))
	}
	return err
}

// Stop deletes the Job with all that it owns.
func (k *Kubernetes) Stop(ctx context.Context, p Place) error {
	err := k.rest.do(ctx, http.MethodDelete, k.jobs(p.Name)+"?propagationPolicy=Background", nil, nil)
	if is(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// File reads the Secret of a Job.
func (k *Kubernetes) File(ctx context.Context, p Place) ([]byte, error) {
	var s kubeSecret
	err := k.rest.do(ctx, http.MethodGet, k.secrets(p.Name), nil, &s)
	return s.Data[fileName], err
}

// pageOfJobs is how many Jobs one call lists.
const pageOfJobs = 500

// List lists the Jobs by their labels, and why pods of theirs don't begin.
func (k *Kubernetes) List(ctx context.Context) ([]Place, error) {
	selector := url.QueryEscape(labelManager + "=" + manager + "," + labelRunner + "=" + labelOf(k.Runner))
	pods, err := pages[kubePod](ctx, &k.rest, k.path("api/v1", "pods", "")+"?labelSelector="+selector)
	if err != nil {
		return nil, err
	}
	of := map[string]kubePod{}
	for _, pod := range pods {
		of[pod.Metadata.Labels["job-name"]] = pod
	}
	all, err := pages[kubeJob](ctx, &k.rest, k.jobs("")+"?labelSelector="+selector)
	if err != nil {
		return nil, err
	}
	var list []Place
	for i := range all {
		job := &all[i]
		p := Place{ID: job.Metadata.Annotations[noteJob], Name: job.Metadata.Name, Made: job.Metadata.Created, Ended: job.ended()}
		if pod, there := of[p.Name]; there {
			p.Began, p.Problem = pod.began(), pod.problem()
		}
		p.Began = p.Began || job.Status.Succeeded > 0
		if p.Ended && !p.Began && p.Problem == "" {
			p.Problem = job.problem()
		}
		list = append(list, p)
	}
	return list, nil
}

// pages reads a list to its end.
func pages[T any](ctx context.Context, r *rest, path string) (list []T, err error) {
	for next := ""; ; {
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []T `json:"items"`
		}
		if err := r.do(ctx, http.MethodGet, fmt.Sprintf("%s&limit=%d&continue=%s", path, pageOfJobs, url.QueryEscape(next)), nil, &page); err != nil {
			return nil, err
		}
		list = append(list, page.Items...)
		if next = page.Metadata.Continue; next == "" {
			return list, nil
		}
	}
}
