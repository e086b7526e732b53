package site_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay/site"
)

// TestWhatIsKnownOfKeys is what was counted, as far as nothing may have been sealed since.
func TestWhatIsKnownOfKeys(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 27, 2, 0, 0, 0, time.UTC)
	loaded := []site.EncryptionKey{{Fingerprint: "bbbb.x"}, {Fingerprint: "aaaa.x", Leads: true}}
	for name, c := range map[string]struct {
		counted site.KeyCount
		want    map[string]site.KeyStatus
	}{
		"never counted":              {site.KeyCount{}, map[string]site.KeyStatus{"aaaa": site.KeyLeads, "bbbb": site.KeyUnknown}},
		"in use":                     {site.KeyCount{At: at, Leads: "aaaa", Uses: map[string]site.KeyUse{"bbbb": {Objects: 1}}}, map[string]site.KeyStatus{"aaaa": site.KeyLeads, "bbbb": site.KeyNeeded}},
		"nothing is left":            {site.KeyCount{At: at, Leads: "aaaa", Uses: map[string]site.KeyUse{"aaaa": {Values: 1}}}, map[string]site.KeyStatus{"aaaa": site.KeyLeads, "bbbb": site.KeyUnused}},
		"counted while the old led":  {site.KeyCount{At: at, Leads: "bbbb"}, map[string]site.KeyStatus{"aaaa": site.KeyLeads, "bbbb": site.KeyUnknown}},
		"with one that nobody loads": {site.KeyCount{At: at, Leads: "aaaa", Uses: map[string]site.KeyUse{"cccc": {Values: 2}}}, map[string]site.KeyStatus{"aaaa": site.KeyLeads, "bbbb": site.KeyUnused, "cccc": site.KeyMissing}},
	} {
		keys := site.Keys{Loaded: loaded, Counted: c.counted, Resealing: site.Resealing{Key: "aaaa", All: 3}}
		list := keys.States()
		if len(list) != len(c.want) || list[0].ID != "aaaa" || list[0].Resealing.All != 3 || list[1].Resealing.All != 0 {
			t.Errorf("%s: %+v", name, list)
		}
		for _, k := range list {
			if k.Status != c.want[k.ID] || (k.Use == nil) != c.counted.At.IsZero() {
				t.Errorf("%s: %+v", name, k)
			}
		}
	}
	r := site.Resealing{BeganAt: at, SeenAt: at}
	if !r.GoesOn(at.Add(time.Second)) || r.GoesOn(at.Add(time.Hour)) {
		t.Error("what says nothing for an hour goes on, or what was just heard of does not")
	}
	if r.EndedAt = at; r.GoesOn(at) {
		t.Error("what has ended goes on")
	}
}
