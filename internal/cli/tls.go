package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// certificates is the TLS configuration, nil for plain HTTP, and the path of the CA that
// a client must trust when the certificate is one of our own making.
//
// It is taken again when its files change.
func (s *settings) certificates(addr net.Addr, log *slog.Logger) (config *tls.Config, caPath string, err error) {
	cert, key := s.tlsCert, s.tlsKey
	if s.tlsSelfSigned {
		folder := filepath.Join(s.DataDir, "tls")
		if err := ensureSelfSigned(folder, addr, s.names(), time.Now()); err != nil {
			return nil, "", err
		}
		cert, key, caPath = filepath.Join(folder, "server.pem"), filepath.Join(folder, "server-key.pem"), filepath.Join(folder, "ca.pem")
	}
	if cert == "" {
		return nil, "", nil
	}
	pair, err := loadReloaded(cert, key, log)
	if err != nil {
		return nil, "", fmt.Errorf("read the certificate: %w", err)
	}
	return &tls.Config{GetCertificate: pair.get, MinVersion: tls.VersionTLS12}, caPath, nil
}

// names is what a certificate of our own making is for beside localhost and the address that
// the server listens on.
func (s *settings) names() []string {
	names := slices.Clone(s.tlsNames)
	if public, err := url.Parse(s.publicURL); err == nil && public.Hostname() != "" {
		names = append(names, public.Hostname())
	}
	return names
}

// systemRoots is where systems keep the authorities that they trust, in one file.
var systemRoots = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// trusted writes the authorities that engines trust: those that they would have trusted
// anyway, and the server's own. given is a file that is trusted in place of the system's.
func trusted(caPath, given string) (path string, err error) {
	own, err := os.ReadFile(caPath)
	if err != nil {
		return "", err
	}
	roots := systemRoots
	if given != "" {
		roots = []string{given}
	}
	var bundle []byte
	for _, file := range roots {
		if bundle, err = os.ReadFile(file); err == nil {
			break
		}
	}
	if given != "" && err != nil {
		return "", fmt.Errorf("SSL_CERT_FILE: %w", err)
	}
	if path, err = filepath.Abs(filepath.Join(filepath.Dir(caPath), "trusted.pem")); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, append(append(bundle, '\n'), own...), 0o600)
}

// ensureSelfSigned makes a CA and a certificate for localhost once, and a new
// certificate under the kept CA when the old one is about to expire.
func ensureSelfSigned(folder string, addr net.Addr, names []string, now time.Time) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	ca, err := loadPair(folder, "ca")
	if errors.Is(err, fs.ErrNotExist) {
		ca, err = newCA(folder, now)
	}
	if err != nil {
		return err
	}
	server, err := loadPair(folder, "server")
	if err == nil && server.cert.NotAfter.After(now.AddDate(0, 1, 0)) && covers(server.cert, addr, names) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return newServerCertificate(folder, ca, addr, names, now)
}

type pair struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func loadPair(folder, name string) (pair, error) {
	files, err := tls.LoadX509KeyPair(filepath.Join(folder, name+".pem"), filepath.Join(folder, name+"-key.pem"))
	if err != nil {
		return pair{}, err
	}
	key, ok := files.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return pair{}, fmt.Errorf("%s is no key of ours", name)
	}
	return pair{files.Leaf, key}, nil
}

func newCA(folder string, now time.Time) (pair, error) {
	return writePair(folder, "ca", nil, &x509.Certificate{
		Subject: pkix.Name{CommonName: "Belay local CA"}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	})
}

func newServerCertificate(folder string, ca pair, addr net.Addr, names []string, now time.Time) error {
	addresses := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip := listenIP(addr); ip != nil {
		addresses = append(addresses, ip)
	}
	hosts := []string{"localhost"}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			addresses = append(addresses, ip)
		} else {
			hosts = append(hosts, name)
		}
	}
	_, err := writePair(folder, "server", &ca, &x509.Certificate{
		Subject: pkix.Name{CommonName: "localhost"}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: hosts, IPAddresses: addresses,
	})
	return err
}

func covers(cert *x509.Certificate, addr net.Addr, names []string) bool {
	if ip := listenIP(addr); ip != nil {
		names = append(slices.Clone(names), ip.String())
	}
	return !slices.ContainsFunc(names, func(name string) bool { return cert.VerifyHostname(name) != nil })
}

// listenIP is the one address that the server listens on; nil when it is all of them.
func listenIP(addr net.Addr) net.IP {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || tcp.IP.IsUnspecified() {
		return nil
	}
	return tcp.IP
}

// writePair makes a key and a certificate for it, signed by parent or by itself.
func writePair(folder, name string, parent *pair, template *x509.Certificate) (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return pair{}, err
	}
	signer := pair{template, key}
	if parent != nil {
		signer = *parent
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, signer.cert, &key.PublicKey, signer.key)
	if err != nil {
		return pair{}, err
	}
	rawKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return pair{}, err
	}
	if err := writePEM(filepath.Join(folder, name+"-key.pem"), "PRIVATE KEY", rawKey, 0o600); err != nil {
		return pair{}, err
	}
	if err := writePEM(filepath.Join(folder, name+".pem"), "CERTIFICATE", raw, 0o644); err != nil {
		return pair{}, err
	}
	return loadPair(folder, name)
}

func writePEM(path, kind string, raw []byte, mode os.FileMode) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), mode)
}
