package app

import (
	"fmt"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

// TestWhatOrganizationsKeepIsCounted in parts, once an hour, and read without counting.
func TestWhatOrganizationsKeepIsCounted(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a, ctx := newAging(t, engine), t.Context()
			_, err := a.CreateOrganization(ctx, a.admin, belay.OrganizationPatch{Name: patch.Of("beta"), Email: patch.Of("b@example.com")})
			a.must(err)
			first := a.workspace("network", 3)
			a.workspace("web", 2)
			of := func(name string) (s site.OrganizationStorage) {
				t.Helper()
				list, _, err := a.SiteStorage(ctx, a.admin, belay.Page{Number: 1, Size: 10})
				a.must(err)
				for _, s := range list {
					if s.Name == name {
						return s
					}
				}
				return s
			}
			if got := of("acme"); got.Name != "" {
				t.Errorf("before anybody counted: %+v", got)
			}
			a.countStorage(ctx)
			if got := of("acme"); got.States != 5 || got.StateBytes < 500 || got.Workspaces != 2 || got.Bytes() != got.StateBytes {
				t.Errorf("five states of 100 bytes and more are %+v", got)
			}
			if got := of("beta"); got.States != 0 || got.Name == "" {
				t.Errorf("an organization without any has %+v", got)
			}
			if list, _, err := a.SiteStorage(ctx, a.admin, belay.Page{Number: 1, Size: 1}); err != nil || list[0].Name != "acme" {
				t.Errorf("the largest comes first: %+v, %v", list, err)
			}
			a.upload(first, 3)
			a.countStorage(ctx)
			if got := of("acme"); got.States != 5 {
				t.Errorf("counted again within the hour: %+v", got)
			}
			a.pass(time.Hour + time.Minute)
			a.countStorage(ctx)
			if got := of("acme"); got.States != 6 {
				t.Errorf("an hour later: %+v", got)
			}
			if _, _, err := a.SiteStorage(ctx, belay.Principal{Kind: belay.UserPrincipal}, belay.Page{Number: 1, Size: 1}); belay.KindOf(err) != belay.NotFound {
				t.Errorf("somebody else is told %v", err)
			}
		})
	}
}

// TestCountingStorageGoesInParts: what one statement counts is bounded, and all is counted once.
func TestCountingStorageGoesInParts(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a, ctx := newAging(t, engine), t.Context()
			for i := range 5 {
				a.workspace(fmt.Sprintf("w%d", i), 1)
			}
			o, err := a.Organization(ctx, a.admin, "acme")
			a.must(err)
			whole, parts := site.OrganizationStorage{OrganizationID: o.ID}, site.OrganizationStorage{OrganizationID: o.ID}
			a.must(a.db.View(ctx, func(v *store.View) error {
				_, err := v.AddStorage(&whole, "", 100)
				for after, n := "", 0; err == nil && n < 10; n++ {
					if after, err = v.AddStorage(&parts, after, 2); after == "" {
						break
					}
				}
				return err
			}))
			if whole != parts || whole.States != 5 {
				t.Errorf("at once %+v, in parts %+v", whole, parts)
			}
		})
	}
}

// TestSiteHealthIsForSiteAdmins, says what is missing, and is looked up once for many who ask.
func TestSiteHealthIsForSiteAdmins(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a, ctx := newAging(t, engine), t.Context()
			if _, err := a.SiteHealth(ctx, belay.Principal{Kind: belay.UserPrincipal}); belay.KindOf(err) != belay.NotFound {
				t.Errorf("somebody else is told %v", err)
			}
			h, err := a.SiteHealth(ctx, a.admin)
			a.must(err)
			if h.Organizations != 1 || !h.LastBackup.At.IsZero() || h.ObjectsFail != "" || h.Database != engine {
				t.Errorf("found %+v", h)
			}
			if _, err := a.SiteKeys(ctx, belay.Principal{Kind: belay.UserPrincipal}); belay.KindOf(err) != belay.NotFound {
				t.Errorf("somebody else is told of keys %v", err)
			}
			a.must(a.TakeKeys(ctx))
			if keys, err := a.SiteKeys(ctx, a.admin); err != nil || len(keys.States()) != 1 || keys.States()[0].Status != site.KeyLeads {
				t.Errorf("the keys are %+v, %v", keys, err)
			}
			a.must(a.db.Update(ctx, func(tx *store.Tx) error { return tx.NoteBackup(site.Backup{Took: time.Minute, Rows: 7}) }))
			before := a.db.Statements()
			again, err := a.SiteHealth(ctx, a.admin)
			a.must(err)
			if n := a.db.Statements() - before; n != 0 || !again.LastBackup.At.IsZero() {
				t.Errorf("asked at once again it costs %d statements", n)
			}
			a.pass(healthFor)
			h, err = a.SiteHealth(ctx, a.admin)
			a.must(err)
			if b := h.LastBackup; b.Rows != 7 || b.Took != time.Minute || !b.At.Equal(h.At.Add(-healthFor)) {
				t.Errorf("the last backup is %+v", b)
			}
		})
	}
}
