package site_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay/site"
)

func TestWhatTheSiteNeedsIsTold(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	well := site.Health{
		At: now, Database: "sqlite", Schema: 1, Key: "3f9a", Keys: 1, Replicas: []site.Replica{{Name: "a", Version: "1.0", SeenAt: now}, {Name: "b", Version: "1.0", SeenAt: now.Add(-time.Minute)}}, LastBackup: site.Backup{At: now.Add(-time.Hour)},
		ServerFacts: site.ServerFacts{DiskFree: 1 << 40, CertificateEnds: now.Add(90 * 24 * time.Hour)},
		OldestDue:   now.Add(-time.Second), OldestRun: now.Add(-time.Minute), ConnectionsAtMost: 10,
	}
	if got := well.Status(); got != site.OK {
		t.Errorf("a server that has all it needs is %s: %+v", got, well.Checks())
	}
	for name, c := range map[string]struct {
		ails func(*site.Health)
		want site.Status
	}{
		"database":       {func(h *site.Health) { h.ConnectionsInUse = 10 }, site.Warn},
		"objects":        {func(h *site.Health) { h.ObjectsFail = "no" }, site.Fail},
		"encryption key": {func(h *site.Health) { h.Keys = 2 }, site.Warn},
		"deliveries":     {func(h *site.Health) { h.DeadLettered = 1 }, site.Warn},
		"runs":           {func(h *site.Health) { h.Starved = 1 }, site.Warn},
		"replicas":       {func(h *site.Health) { h.At = now.Add(time.Second) }, site.Warn},
		"backup":         {func(h *site.Health) { h.LastBackup = site.Backup{} }, site.Warn},
		"disk":           {func(h *site.Health) { h.DiskFree = 1 << 20 }, site.Warn},
		"certificate":    {func(h *site.Health) { h.CertificateEnds = now.Add(-time.Hour) }, site.Fail},
	} {
		h := well
		c.ails(&h)
		if got := h.Status(); got != c.want {
			t.Errorf("%s: the server is %s, not %s", name, got, c.want)
		}
		for _, check := range h.Checks() {
			if ails := check.Status != site.OK; ails != (check.Name == name) || ails && check.Remedy == "" {
				t.Errorf("%s ails, and of %s is told %+v", name, check.Name, check)
			}
		}
	}
	few := well
	few.Starved, few.DeadLettered, few.LastBackup.At = 1, 1, now.Add(-75*time.Hour)
	for name, want := range map[string]string{"runs": "1 job waits in pools without a runner", "deliveries": "1 was given up in the last hour", "backup": "none for 3 days"} {
		for _, check := range few.Checks() {
			if check.Name == name && check.Says != want {
				t.Errorf("%s: %q, want %q", name, check.Says, want)
			}
		}
	}
	unknown := well
	unknown.DiskFree, unknown.CertificateEnds = -1, time.Time{}
	if n := len(unknown.Checks()); n != 7 {
		t.Errorf("without a disk and a certificate %d things are told", n)
	}
}

// TestServersOfOneDatabaseAreTold with those of other versions, and those that say nothing any more.
func TestServersOfOneDatabaseAreTold(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	one := func(name, version string, ago time.Duration) site.Replica {
		return site.Replica{Name: name, Version: version, SeenAt: now.Add(-ago)}
	}
	for want, c := range map[string]struct {
		status site.Status
		list   []site.Replica
		silent int
	}{
		"1 server, of version 1.1":                                 {site.OK, nil, 0},
		"1 server, of version 1.0":                                 {site.OK, []site.Replica{one("a", "1.0", 0)}, 0},
		"3 servers, all of version 1.0":                            {site.OK, []site.Replica{one("a", "1.0", 0), one("b", "1.0", time.Second), one("c", "1.0", time.Minute)}, 0},
		"3 servers, of versions 1.0 and 1.1":                       {site.Warn, []site.Replica{one("a", "1.1", 0), one("b", "1.0", 0), one("c", "1.1", 0)}, 0},
		"host-2 said nothing for 4 minutes":                        {site.Warn, []site.Replica{one("a", "1.0", 0), one("host-2", "0.9", 4*time.Minute)}, 1},
		"host-2 said nothing for 3 hours, nor 1 other for a while": {site.Warn, []site.Replica{one("host-2", "1.0", 3*time.Hour), one("c", "1.0", 4*time.Minute), one("d", "1.0", 0)}, 2},
		"host-2 said nothing for 2 minutes":                        {site.Warn, []site.Replica{one("host-2", "1.0", 2*time.Minute)}, 1},
	} {
		h := site.Health{At: now, Replicas: c.list, ServerFacts: site.ServerFacts{Version: "1.1"}}
		for _, check := range h.Checks() {
			if check.Name == "replicas" && (check.Says != want || check.Status != c.status || check.Metric != "belay_replicas" || (check.Remedy == "") != (c.status == site.OK)) {
				t.Errorf("want %q, got %+v", want, check)
			}
		}
		silent, all := 0, 0
		for of, n := range site.CountReplicas(c.list, "1.1", now) {
			if all += n; of.State == "silent" {
				silent += n
			}
		}
		if silent != c.silent || all != max(1, len(c.list)) {
			t.Errorf("%q: %d are counted, %d of them silent", want, all, silent)
		}
	}
}
