package runner

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"sync"
)

// InMemory is a way to a handler of this process: no socket, no TLS, and otherwise what
// goes over the network. Handlers stream in both directions.
func InMemory(handler http.Handler) http.RoundTripper { return inMemory{handler} }

type inMemory struct{ handler http.Handler }

// RoundTrip calls the handler, and returns when its answer begins.
func (m inMemory) RoundTrip(request *http.Request) (*http.Response, error) {
	served := request.Clone(request.Context())
	served.RequestURI = request.URL.RequestURI()
	served.RemoteAddr = "127.0.0.1:0"
	served.Host = request.URL.Host
	if request.URL.Scheme == "https" {
		served.TLS = &tls.ConnectionState{} // as whoever writes addresses into an answer sees it
	}
	if served.Body == nil {
		served.Body = http.NoBody
	}
	reader, writer := io.Pipe()
	w := &answer{header: http.Header{}, body: writer, began: make(chan struct{})}
	go func() {
		defer func() {
			var err error
			if p := recover(); p != nil {
				err = errors.New("the handler gave up")
			}
			w.WriteHeader(http.StatusOK)
			_ = served.Body.Close()
			_ = writer.CloseWithError(err)
		}()
		m.handler.ServeHTTP(w, served)
	}()
	select {
	case <-w.began:
	case <-request.Context().Done():
		_ = reader.CloseWithError(request.Context().Err())
		return nil, request.Context().Err()
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: reader, ContentLength: -1, Request: request,
	}, nil
}

// answer is what a handler writes.
type answer struct {
	header, sent http.Header
	body         *io.PipeWriter
	once         sync.Once
	began        chan struct{}
	status       int
}

// Header is what may still be set.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader begins the answer.
func (a *answer) WriteHeader(status int) {
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.began)
	})
}

// Write waits until the caller read it.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush begins the answer; nothing is held back.
func (a *answer) Flush() { a.WriteHeader(http.StatusOK) }
