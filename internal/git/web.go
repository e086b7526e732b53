package git

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"os"
	"time"
)

var errElsewhere = errors.New("the service sends elsewhere")

// web is a client that dials what may be dialed, and is led nowhere else with a secret.
func (j *job) web() *http.Client {
	if j.client != nil {
		return j.client
	}
	dialer := &net.Dialer{Timeout: 30 * time.Second, Control: j.Egress.Control}
	transport := &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: 30 * time.Second, ResponseHeaderTimeout: time.Minute,
		MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true, ForceAttemptHTTP2: true,
	}
	if raw, err := os.ReadFile(j.CertFile); err == nil {
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(raw)
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	}
	j.client = &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) > 3 || before[0].Method != http.MethodGet || next.URL.Scheme != "https" && next.URL.Scheme != before[0].URL.Scheme {
			return errElsewhere
		}
		if next.URL.Host != before[0].URL.Host {
			next.Header = http.Header{} //nolint:gosec // nothing is passed on
		}
		return nil
	}}
	return j.client
}
