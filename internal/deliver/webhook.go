package deliver

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/notices"
)

// What is kept of an answer.
const (
	keptBody    = 4 << 10
	keptHeaders = 32
	keptValue   = 1 << 10
)

// newClient is a client that reaches only what the policy lets through, follows no
// redirect and asks no proxy: any of them could lead it elsewhere.
func newClient(policy egress.Policy, timeout time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: timeout, Control: policy.Control}
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: timeout, ResponseHeaderTimeout: timeout,
			MaxResponseHeaderBytes: 32 << 10, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
			ForceAttemptHTTP2: true, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Client is a client for other addresses that people of organizations name.
func (d *Deliverer) Client(timeout time.Duration) *http.Client { return newClient(d.Egress, timeout) }

// Sign is the signature of a body: what the receiver of a generic webhook computes with
// the token that both know.
func Sign(token string, body []byte) string {
	mac := hmac.New(sha512.New, []byte(token))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// post sends a body to a webhook. Only an answer of 2xx is a success.
func (d *Deliverer) post(ctx context.Context, n *notices.Notification, id, token string, body []byte) notices.DeliveryResponse {
	answer := notices.DeliveryResponse{URL: n.URL, SentAt: time.Now().UTC().Truncate(time.Millisecond)}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(body))
	if err != nil {
		answer.Body = "the address of the destination is invalid"
		return answer
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Belay")
	request.Header.Set("X-Delivery-Id", id)
	if n.Destination == notices.GenericDestination && token != "" {
		request.Header.Set("X-TFE-Notification-Signature", Sign(token, body))
	}
	response, err := d.client.Do(request)
	if err != nil {
		answer.Body = unanswered(err)
		return answer
	}
	defer func() { _ = response.Body.Close() }()
	raw, _ := io.ReadAll(io.LimitReader(response.Body, keptBody)) // the status is what counts
	answer.Code = strconv.Itoa(response.StatusCode)
	answer.Body = strings.ToValidUTF8(string(raw), "�")
	answer.Headers = keep(response.Header)
	answer.Successful = response.StatusCode >= 200 && response.StatusCode < 300
	return answer
}

// keep is the headers of an answer in lower case, within limits.
func keep(headers http.Header) map[string][]string {
	kept := make(map[string][]string, min(len(headers), keptHeaders))
	for name, values := range headers {
		if len(kept) == keptHeaders {
			break
		}
		for _, value := range values[:min(len(values), keptHeaders)] {
			value = strings.ToValidUTF8(value[:min(len(value), keptValue)], "�")
			kept[strings.ToLower(name)] = append(kept[strings.ToLower(name)], value)
		}
	}
	return kept
}

// unanswered says in plain words why there was no answer.
func unanswered(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var unknown *net.DNSError
	switch {
	case errors.Is(err, egress.ErrPrivate):
		return "the destination resolves to an address that deliveries may not go to"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return "the destination did not answer in time"
	case errors.As(err, &unknown):
		return "the name of the destination could not be resolved"
	default:
		return "the destination could not be reached, or did not answer in HTTP"
	}
}

func isTimeout(err error) bool {
	var timed net.Error
	return errors.As(err, &timed) && timed.Timeout()
}
