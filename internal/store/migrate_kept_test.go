package store_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// TestBareFingerprintsGoAtMigration brings a database up to date that has bare hashes of
// requests, and a bulk action whose key was its organization's: nothing is made a second time.
func TestBareFingerprintsGoAtMigration(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, engine, 261, organizationRow("org-1")+
				`INSERT INTO kept_answers (principal, name, fingerprint, status, answer, created_at) VALUES ('user u at-1', 'k', 'bare', 201, 'sealed', 1000);
INSERT INTO bulk_actions (id, organization_id, subject, message, query, created_count, created_by, created_by_name, idempotency_key, request_hash, created_at)
				VALUES ('eba-1', 'org-1', 's', 'm', '', 0, '', '', 'k', 'h', 0)`)
			must(t, db.View(t.Context(), func(v *store.View) error {
				kept, found, err := v.KeptAnswer("user u at-1", "k", time.UnixMilli(1))
				must(t, err)
				if !found || kept.Status != 0 || kept.Sealed != "" {
					t.Errorf("of the request there is %v %+v", found, kept)
				}
				b, err := v.BulkAction("eba-1")
				must(t, err)
				if b.IdempotencyKey != "k" || b.KeyHolder != "" || b.SealedRequest != "" {
					t.Errorf("the bulk action has the key %q of %q, and is known by %q", b.IdempotencyKey, b.KeyHolder, b.SealedRequest)
				}
				if _, err := v.BulkActionByKey(belay.Organization{ID: "org-1"}, "user u at-1", "k"); belay.KindOf(err) != belay.NotFound {
					t.Errorf("the key of nobody is somebody's: %v", err)
				}
				return nil
			}))
		})
	}
}
