package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// migrated runs statements on a database with a schema of the past, and brings it up to date.
func migrated(t *testing.T, engine string, version int64, statements string) *store.DB {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "old.db")
	if engine == "postgres" {
		url = storetest.URL(t, engine)
		fresh, err := sql.Open("pgx", url)
		must(t, err)
		_, err = fresh.ExecContext(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		must(t, err)
		must(t, fresh.Close())
	}
	old, err := store.OldSchema(t.Context(), url, version)
	must(t, err)
	for _, statement := range strings.Split(statements, ";\n") {
		if _, err := old.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	must(t, old.Close())
	db, err := store.Open(t.Context(), store.Options{URL: url})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// organizationRow writes an organization that has nothing but its id.
func organizationRow(id string) string {
	return `INSERT INTO organizations (id, name, email, collaborator_auth, session_timeout, session_remember, cost_estimation,
		send_passing_statuses, aggregated_statuses, speculative_management, allow_force_delete, assessments_enforced,
		default_execution_mode, default_agent_pool_id, global_remote_state, owners_team_saml_role_id, user_tokens_enabled,
		default_project_id, service_user_id, created_at)
		VALUES ('` + id + `', '` + id + `', '', '', 0, 0, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, 'remote', '', FALSE, '', TRUE, '', '', 0);
`
}

func userRow(id string) string {
	return `INSERT INTO users (id, username, email, password_hash, is_admin, is_service_account, suspended, created_at)
		VALUES ('` + id + `', '` + id + `', '` + id + `@example.com', '', FALSE, FALSE, FALSE, 0);
`
}

func membershipRow(id, organization, user, email, status string) string {
	return `INSERT INTO organization_memberships (id, organization_id, user_id, email, status, created_at)
		VALUES ('` + id + `', '` + organization + `', '` + user + `', '` + email + `', '` + status + `', 0);
`
}

func teamRow(id, organization, access string) string {
	return `INSERT INTO teams (id, organization_id, name, description, sso_team_id, visibility, allow_member_token_management, organization_access, created_at)
		VALUES ('` + id + `', '` + organization + `', '` + id + `', '', '', 'secret', TRUE, '` + access + `', 0);
`
}

func tokenRow(hash, kind, owner, organization string) string {
	return `INSERT INTO tokens (id, hash, owner_kind, owner_id, organization_id, purpose, description, created_by, created_at, last_used_at, expired_at)
		VALUES ('at-` + hash + `', '` + hash + `', '` + kind + `', '` + owner + `', '` + organization + `', '', '', '', 0, 0, 0);
`
}

// TestWhatWasLeftWithoutItsOwnerGoesAtMigration begins with what the races of the past
// left behind.
func TestWhatWasLeftWithoutItsOwnerGoesAtMigration(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, engine, 51, organizationRow("org-1")+userRow("in")+userRow("out")+teamRow("team-1", "org-1", "")+
				membershipRow("ou-1", "org-1", "in", "in@example.com", "active")+membershipRow("ou-2", "org-1", "in", "old@example.com", "invited")+
				"INSERT INTO team_members (team_id, user_id) VALUES ('team-1', 'in');\n"+
				"INSERT INTO team_members (team_id, user_id) VALUES ('team-1', 'out');\n"+
				tokenRow("kept", "team", "team-1", "org-1")+tokenRow("left", "agent", "apool-gone", "org-1"))
			must(t, db.View(t.Context(), func(v *store.View) error {
				found, err := v.TeamMembers([]string{"team-1"})
				must(t, err)
				if len(found) != 1 || found[0].UserID != "in" || found[0].MembershipID != "ou-1" {
					t.Errorf("in the team: %+v", found)
				}
				_, err = v.Token("at-kept")
				must(t, err)
				if _, err := v.Token("at-left"); belay.KindOf(err) != belay.NotFound {
					t.Errorf("a token of a pool that is gone: %v", err)
				}
				return nil
			}))
			must(t, db.Update(t.Context(), func(tx *store.Tx) error {
				m, err := tx.Membership("ou-1")
				must(t, err)
				must(t, tx.DropMembership(&m))
				found, err := tx.TeamMembers([]string{"team-1"})
				if len(found) > 0 {
					t.Errorf("the place in the team outlives the membership: %+v", found)
				}
				return err
			}))
		})
	}
}

// TestWhatFollowsFromASwitchIsNotKept begins with switches that were turned on with others.
func TestWhatFollowsFromASwitchIsNotKept(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, engine, 51, organizationRow("org-1")+
				teamRow("all", "org-1", `{"manage-workspaces":true,"manage-projects":true,"read-workspaces":true,"read-projects":true,"manage-teams":true}`)+
				teamRow("some", "org-1", `{"manage-workspaces":true,"read-workspaces":true}`)+
				teamRow("seen", "org-1", `{"read-workspaces":true}`))
			must(t, db.View(t.Context(), func(v *store.View) error {
				for id, want := range map[string]belay.OrganizationAccess{
					"all": {ManageProjects: true, ManageTeams: true}, "some": {ManageWorkspaces: true}, "seen": {ReadWorkspaces: true},
				} {
					team, err := v.Team(id)
					must(t, err)
					if team.Access != want {
						t.Errorf("%s: %+v", id, team.Access)
					}
				}
				return nil
			}))
		})
	}
}

// TestEveryMigrationHasANumberOfItsOwn keeps two that were written side by side apart.
func TestEveryMigrationHasANumberOfItsOwn(t *testing.T) {
	files, err := os.ReadDir("migrations")
	must(t, err)
	taken := map[string]string{}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if other := taken[number]; other != "" {
			t.Errorf("%s and %s have one number", other, file.Name())
		}
		taken[number] = file.Name()
	}
}
