package egress

import (
	"errors"
	"net/netip"
	"testing"
)

func TestGuardLetsThroughThePublicInternetOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "93.184.216.34": true, "172.15.255.255": true, "172.32.0.0": true,
		"100.63.255.255": true, "100.128.0.0": true, "169.253.255.255": true, "169.255.0.0": true,
		"192.167.255.255": true, "192.169.0.0": true, "11.0.0.0": true, "9.255.255.255": true, "126.255.255.255": true,
		"128.0.0.0": true, "198.17.255.255": true, "198.20.0.0": true, "223.255.255.255": true, "1.0.0.0": true,
		"2606:4700:4700::1111": true, "2a00:1450:4001::1": true, "64:ff9b::8.8.8.8": true, "::ffff:8.8.8.8": true,

		"127.0.0.1": false, "127.255.255.255": false, "0.0.0.0": false, "0.255.255.255": false,
		"10.0.0.0": false, "10.255.255.255": false, "172.16.0.0": false, "172.31.255.255": false,
		"192.168.0.0": false, "192.168.255.255": false, "169.254.0.0": false, "169.254.169.254": false, "169.254.255.255": false,
		"100.64.0.0": false, "100.127.255.255": false, "100.100.100.200": false, "168.63.129.16": false,
		"192.0.0.0": false, "192.0.0.192": false, "192.0.2.1": false, "198.51.100.1": false, "203.0.113.1": false,
		"192.88.99.1": false, "198.18.0.0": false, "198.19.255.255": false,
		"224.0.0.0": false, "239.255.255.255": false, "240.0.0.0": false, "255.255.255.255": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false,
		"::ffff:0:127.0.0.1": false, "64:ff9b::127.0.0.1": false, "64:ff9b::10.0.0.1": false, "64:ff9b::169.254.169.254": false,
		"64:ff9b:1::8.8.8.8": false, "2002:7f00:1::": false, "2002:808:808::1": false, "2001::1": false, "2001:db8::1": false,
		"fc00::1": false, "fd00:ec2::254": false, "fdff:ffff::1": false, "fe80::1": false, "fe80::1%eth0": false, "febf::1": false,
		"fec0::1": false, "ff02::1": false, "ff0e::1": false, "100::1": false, "3fff::1": false, "5f00::1": false,
	} {
		if got := (Policy{}).Allows(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if (Policy{}).Allows(netip.Addr{}) {
		t.Error("no address is let through")
	}
}

func TestGuardOpensWhatTheOperatorAllows(t *testing.T) {
	t.Parallel()
	g, err := Parse("10.1.0.0/16, 127.0.0.1,fd00::/8")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "64:ff9b::10.1.2.3": true, "10.2.0.0": false, "127.0.0.1": true,
		"127.0.0.2": false, "fd12::1": true, "fc12::1": false, "8.8.8.8": true,
	} {
		if got := g.Allows(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if g, err = Parse("all"); err != nil || !g.Allows(netip.MustParseAddr("169.254.169.254")) {
		t.Errorf("all: %v", err)
	}
	for _, bad := range []string{"everything", "10.0.0.0/33", "10.0.0", "10.0.0.0/8,x"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestGuardIsAskedAboutTheDialedAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, address string
		ok               bool
	}{
		{"tcp4", "8.8.8.8:443", true}, {"tcp6", "[2606:4700::1]:443", true},
		{"tcp4", "127.0.0.1:80", false}, {"tcp6", "[::ffff:127.0.0.1]:80", false}, {"tcp6", "[fe80::1%lo]:80", false},
		{"udp4", "8.8.8.8:53", false}, {"unix", "/run/docker.sock", false}, {"tcp4", "localhost:80", false},
	} {
		if err := (Policy{}).Control(c.network, c.address, nil); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.network, c.address, err)
		}
	}
}

func TestPrivateOpensNetworksAndNotTheMachine(t *testing.T) {
	t.Parallel()
	g, err := Parse("private")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"10.0.0.1": true, "172.16.5.5": true, "192.168.1.1": true, "fd12::1": true, "8.8.8.8": true,
		"127.0.0.1": false, "::1": false, "169.254.169.254": false, "fe80::1": false, "fd00:ec2::254": false, "100.100.100.200": false, "0.0.0.0": false,
	} {
		if got := g.Allows(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if _, err := g.Resolve(t.Context(), "127.0.0.1"); !errors.Is(err, ErrPrivate) {
		t.Errorf("loopback resolves: %v", err)
	}
}
