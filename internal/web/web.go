// Package web owns what every request passes before either door: the headers that each
// answer carries, and the end of bodies that come too slowly or too many at once. It knows
// no noun and no route.
package web

import (
	"net"
	"net/http"
	"strings"
)

// hsts has browsers come by TLS alone for a year.
const hsts = "max-age=31536000"

// Guarded puts headers on every answer: a browser takes nothing for what it is not called,
// and comes back by TLS when it came by TLS. public is the address that people reach the
// server by; empty when each request says it.
func Guarded(next http.Handler, public string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		secure := r.TLS != nil || strings.HasPrefix(public, "https://")
		if secure && !isLocalhost(r.Host) {
			head.Set("Strict-Transport-Security", hsts)
		}
		next.ServeHTTP(w, r)
	})
}

// isLocalhost says whether a browser would keep what it is told for every program on the
// machine: a name has one such rule for all its ports.
func isLocalhost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost"
}

// Address is where a request comes from.
func Address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
