package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies is the addresses of proxies whose word is taken for where a request came from.
type Proxies []netip.Prefix

// ParseProxies reads ranges and addresses with commas between them.
func ParseProxies(text string) (list Proxies, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			address, single := netip.ParseAddr(part)
			if single != nil {
				return nil, fmt.Errorf("%q is no range of addresses such as 10.0.0.0/8", part)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

func (p Proxies) trust(address netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// Handler gives requests the address of the client in place of that of a trusted proxy, and
// takes what others say of themselves off them. Without proxies it changes nothing.
func (p Proxies) Handler(next http.Handler) http.Handler {
	if len(p) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !p.trust(peer.Addr().Unmap()) {
			r.Header.Del("X-Forwarded-For")
			r.Header.Del("X-Forwarded-Proto")
		} else if client := p.client(r.Header.Values("X-Forwarded-For")); client.IsValid() {
			r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
		}
		next.ServeHTTP(w, r)
	})
}

// client is the last address of a chain that no trusted proxy has: what stands before it,
// anybody may have written.
func (p Proxies) client(forwarded []string) (client netip.Addr) {
	chain := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(chain) - 1; i >= 0; i-- {
		text := strings.TrimSpace(chain[i])
		address, err := netip.ParseAddr(text)
		if err != nil {
			withPort, portErr := netip.ParseAddrPort(text)
			if portErr != nil {
				return client
			}
			address = withPort.Addr()
		}
		if client = address.Unmap(); !p.trust(client) {
			return client
		}
	}
	return client
}
