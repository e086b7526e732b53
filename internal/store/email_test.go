package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestAddressesThatDifferInCapitals brings a database up to date whose users have the same address
// but for capitals: each is found by its exact spelling, the first by any other, and nobody joins
// them.
func TestAddressesThatDifferInCapitals(t *testing.T) {
	t.Parallel()
	row := func(id, email string, at int) string {
		return fmt.Sprintf(`INSERT INTO users (id, username, email, password_hash, is_admin, is_service_account, suspended, created_at)
			VALUES ('%s', '%s', '%s', '', FALSE, FALSE, FALSE, %d);
`, id, id, email, at)
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, engine, 230, row("user-2", "ANN@example.com", 2)+row("user-1", "Ann@example.com", 1)+row("user-3", "bob@example.com", 3)+
				strings.TrimSuffix(row("user-4", "", 4), ";\n"))
			must(t, db.View(t.Context(), func(v *store.View) error {
				for email, want := range map[string]string{
					"ANN@example.com": "user-2", "Ann@example.com": "user-1", "ann@example.com": "user-1", "BOB@EXAMPLE.COM": "user-3", "": "",
				} {
					if u, err := v.UserMailed(email); u.ID != want {
						t.Errorf("%q finds %q, %v", email, u.ID, err)
					}
				}
				return nil
			}))
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				return tx.AddUser(&belay.User{ID: "user-5", Username: "user-5", Email: "aNN@example.com"})
			})
			if belay.KindOf(err) != belay.Invalid {
				t.Errorf("a third one: %v", err)
			}
			must(t, db.Update(t.Context(), func(tx *store.Tx) error { // it keeps what it has
				u, err := tx.User("user-2")
				must(t, err)
				u.Suspended = true
				return tx.SaveUser(&u)
			}))
		})
	}
}

// TestAddressesAreFoundByAnIndex looks for users and memberships among many by their addresses.
func TestAddressesAreFoundByAnIndex(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putWorkspaces(t, db, 1)
		many := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
		for _, statement := range []string{
			"INSERT INTO users (id, username, email, password_hash, is_admin, is_service_account, suspended, created_at) " + many +
				"SELECT 'user-' || i, 'u' || i, 'U' || i || '@example.com', '', FALSE, FALSE, FALSE, 0 FROM n",
			"INSERT INTO organization_memberships (id, organization_id, user_id, email, status, created_at) " + many +
				"SELECT 'ou-' || i, '" + o.ID + "', 'user-' || i, 'U' || i || '@example.com', 'active', 0 FROM n",
			"ANALYZE",
		} {
			put(t, db, statement)
		}
		plans, err := db.Plans(t.Context(), func(v *store.View) error {
			u, err := v.UserMailed("u2999@example.com")
			if err == nil && u.ID != "user-2999" {
				t.Errorf("found %s", u.ID)
			}
			must(t, err)
			list, _, err := v.Memberships(o, belay.MembershipQuery{Emails: []string{"u7@EXAMPLE.com"}, Page: belay.Page{Number: 1, Size: 20}})
			if len(list) != 1 || list[0].ID != "ou-7" {
				t.Errorf("found %v", list)
			}
			return err
		})
		must(t, err)
		for _, name := range []string{"users_email_folded", "organization_memberships_folded"} {
			if !slices.ContainsFunc(plans, func(plan string) bool { return strings.Contains(plan, name) }) {
				t.Errorf("%s is not used:\n%s", name, strings.Join(plans, "\n"))
			}
		}
	})
}
