// Package egress owns which addresses the server may be sent to by those who configure it: no
// webhook and no connection reaches what only the server can.
//
// It dials nothing itself, and knows no noun.
package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// Policy says which addresses may be dialed. Its zero value lets through public
// addresses only: whoever configures a webhook must not reach what only the server can.
type Policy struct {
	everything bool
	allowed    []netip.Prefix
}

// Parse reads the operator's list of further addresses: CIDR ranges or single
// addresses with commas between them, "private" for the ranges of private networks, or
// "all".
func Parse(text string) (Policy, error) {
	var p Policy
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		if part == "all" {
			p.everything = true
			continue
		}
		if part == "private" {
			p.allowed = append(p.allowed, private...)
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			address, err := netip.ParseAddr(part)
			if err != nil {
				return Policy{}, fmt.Errorf("%q is not a range such as 10.0.0.0/8, nor an address, nor private, nor all", part)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		p.allowed = append(p.allowed, prefix.Masked())
	}
	return p, nil
}

// ErrPrivate is told to whoever configured the destination; it names no address.
var ErrPrivate = errors.New("the name resolves to an address that may not be reached from here")

// private is the networks that people have for themselves.
var private = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")

// never is what "private" does not open: the metadata of a cloud.
var never = prefixes("fd00:ec2::/32")

// Control is asked before every connection, after the name was resolved: a name can't
// say one thing when it is checked and another when it is dialed.
func (p Policy) Control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return ErrPrivate
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil || !p.Allows(at.Addr()) {
		return ErrPrivate
	}
	return nil
}

// Allows says whether an address may be dialed.
func (p Policy) Allows(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if p.everything || within(p.allowed, address) && (!within(never, address) || p.names(address)) {
		return true
	}
	if embedded, ok := translated(address); ok {
		return p.Allows(embedded)
	}
	return address.IsValid() && !within(closed, address)
}

// names says whether a range that holds the address was given itself, and not by "private".
func (p Policy) names(address netip.Addr) bool {
	for _, r := range p.allowed {
		if r.Contains(address) && r != private[len(private)-1] {
			return true
		}
	}
	return false
}

// Resolve is the addresses of a host that may be dialed. Whoever dials must use one of these, and not the name again.
func (p Policy) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, errors.New("the name of the service could not be resolved")
	}
	var allowed []netip.Addr
	for _, address := range found {
		if p.Allows(address) {
			allowed = append(allowed, address.Unmap())
		}
	}
	if len(allowed) == 0 {
		return nil, ErrPrivate
	}
	return allowed, nil
}

func within(ranges []netip.Prefix, address netip.Addr) bool {
	for _, r := range ranges {
		if r.Contains(address) {
			return true
		}
	}
	return false
}

// nat64 is the well-known range in which a translator keeps an IPv4 address.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// translated is the IPv4 address that a translator would send on to.
func translated(address netip.Addr) (netip.Addr, bool) {
	if !nat64.Contains(address) {
		return netip.Addr{}, false
	}
	raw := address.As16()
	return netip.AddrFrom4([4]byte(raw[12:])), true
}

// closed is every range that is not the public internet: the registries of special
// addresses, and the addresses at which clouds give their secrets to their machines.
var closed = prefixes(
	"0.0.0.0/8",        // this network; 0.0.0.0 reaches the machine itself
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared by carriers; a cloud's metadata at 100.100.100.200
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // a cloud's metadata
	"169.254.0.0/16",   // link-local; metadata of most clouds at 169.254.169.254
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments; a cloud's metadata at 192.0.0.192
	"192.0.2.0/24",     // documentation
	"192.31.196.0/24",  // AS112
	"192.52.193.0/24",  // AMT
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"192.175.48.0/24",  // AS112
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
	"::/96",            // unspecified, loopback, and IPv4-compatible
	"::ffff:0:0/96",    // IPv4-mapped, where it was not unmapped
	"::ffff:0:0:0/96",  // IPv4-translated
	"64:ff9b:1::/48",   // translators of one's own
	"100::/64",         // discard
	"2001::/23",        // protocol assignments, Teredo among them
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: carries an IPv4 address
	"3fff::/20",        // documentation
	"5f00::/16",        // segment routing
	"fc00::/7",         // private; a cloud's metadata at fd00:ec2::254
	"fe80::/10",        // link-local
	"fec0::/10",        // site-local
	"ff00::/8",         // multicast
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}
