package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver

	"github.com/belayhq/belay/internal/backup"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/site"
)

// tricky is a text that a careless archive would change.
const tricky = "<a & \"b\">\\\n\u2028 ÄÖ\t'"

// place is a database and a store of objects.
type place struct {
	url   string
	db    *store.DB
	blobs blob.Store
	ring  *seal.Ring
	raw   *sql.DB
}

func newRing(t *testing.T) *seal.Ring {
	t.Helper()
	ring, err := seal.Parse(seal.GenerateKey())
	must(t, err)
	return ring
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func emptyURL(t *testing.T, engine string) string {
	t.Helper()
	if engine == "sqlite" {
		return "sqlite:" + filepath.Join(t.TempDir(), "belay.db")
	}
	return storetest.EmptyPostgres(t)
}

func openAt(t *testing.T, url string, ring *seal.Ring) *place {
	t.Helper()
	p := &place{url: url, ring: ring}
	var err error
	p.db, err = store.Open(t.Context(), store.Options{URL: url})
	must(t, err)
	t.Cleanup(func() { _ = p.db.Close() })
	p.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	must(t, err)
	driver, name := "pgx", url
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		driver, name = "sqlite", path
	}
	p.raw, err = sql.Open(driver, name)
	must(t, err)
	t.Cleanup(func() { _ = p.raw.Close() })
	return p
}

// full is a place with a row in every table. All its texts are "x", so every reference holds.
func full(t *testing.T, engine string) *place {
	t.Helper()
	p := openAt(t, storetest.URL(t, engine), newRing(t))
	var tables []string
	must(t, p.db.Snapshot(t.Context(), func(s *store.Snapshot) (err error) { tables, err = s.Tables(); return err }))
	for _, table := range tables {
		p.fill(t, table)
	}
	p.exec(t, "UPDATE encryption_keys SET fingerprint = '"+p.ring.Fingerprints()[0]+"', leads = TRUE")
	_, err := p.blobs.Put(t.Context(), "x", strings.NewReader("an object"))
	must(t, err)
	return p
}

func (p *place) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := p.raw.ExecContext(t.Context(), statement)
	must(t, err)
}

func (p *place) fill(t *testing.T, table string) {
	t.Helper()
	p.exec(t, "DELETE FROM "+table)
	rows, err := p.raw.QueryContext(t.Context(), "SELECT * FROM "+table)
	must(t, err)
	types, err := rows.ColumnTypes()
	must(t, errors.Join(err, rows.Close()))
	var names, values []string
	for _, column := range types {
		value := "'x'"
		switch kind := strings.ToUpper(column.DatabaseTypeName()); {
		case column.Name() == "message" || column.Name() == "description" || column.Name() == "payload":
			value = "'" + strings.ReplaceAll(tricky, "'", "''") + "'"
		case kind == "BOOLEAN" || kind == "BOOL":
			value = "TRUE"
		case strings.Contains(kind, "INT"):
			value = "9007199254740993" // no float64
		case kind == "BYTEA" && strings.HasPrefix(p.url, "sqlite:"):
			value = "x'00ff'"
		case kind == "BYTEA":
			value = `'\x00ff'`
		}
		names, values = append(names, column.Name()), append(values, value)
	}
	p.exec(t, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(values, ", ")+")")
}

// dump is every row as text.
func (p *place) dump(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	must(t, p.db.Snapshot(t.Context(), func(s *store.Snapshot) error {
		tables, err := s.Tables()
		must(t, err)
		for _, table := range tables {
			if table == "leases" || table == "replicas" { // which belong to the servers of then
				continue
			}
			var columns []string
			must(t, s.Rows(table, func(c []string) error { columns = c; return nil }, func(values []any) error {
				row := map[string]any{}
				for i, c := range columns {
					row[c] = store.Portable(values[i])
				}
				raw, err := json.Marshal(row)
				fmt.Fprintf(&out, "%s %s\n", table, raw)
				return err
			}))
		}
		return nil
	}))
	return out.String()
}

func (p *place) archive(t *testing.T, copying func()) ([]byte, *backup.Manifest) {
	t.Helper()
	var raw bytes.Buffer
	m, err := backup.Write(t.Context(), backup.Source{DB: p.db, Blobs: p.blobs, TempDir: t.TempDir(), Now: time.Now, Copying: copying}, &raw)
	must(t, err)
	return raw.Bytes(), m
}

var engines = []string{"sqlite", "postgres"}

func TestEveryTableComesBackOnEitherEngine(t *testing.T) {
	t.Parallel()
	for _, from := range engines {
		for _, to := range engines {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				source := full(t, from)
				raw, m := source.archive(t, nil)
				if m.Objects != 1 || len(m.Missing) > 0 || m.Rows() < len(m.Tables) {
					t.Errorf("%+v", m)
				}
				url := emptyURL(t, to)
				blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), source.ring)
				must(t, err)
				_, _, err = backup.Restore(t.Context(), bytes.NewReader(raw), backup.Place{DatabaseURL: url, Blobs: blobs, Ring: source.ring})
				must(t, err)
				restored := openAt(t, url, source.ring)
				if want, got := source.dump(t), restored.dump(t); got != want {
					t.Errorf("the rows are\n%s\nand were\n%s", got, want)
				}
				rc, err := blobs.Get(t.Context(), "x")
				must(t, err)
				if raw, err := io.ReadAll(rc); err != nil || string(raw) != "an object" {
					t.Errorf("the object is %q, %v", raw, err)
				}
				_ = rc.Close()
			})
		}
	}
}

func TestAChangedArchiveIsNeverTaken(t *testing.T) {
	storetest.NeedsSlow(t)
	t.Parallel()
	source := full(t, "sqlite")
	raw, _ := source.archive(t, nil)
	want := contents(t, raw)
	for at := 0; at < len(raw); at += 61 {
		bad := bytes.Clone(raw)
		bad[at] ^= 1
		if _, _, err := backup.Check(t.Context(), bytes.NewReader(bad)); err == nil && contents(t, bad) != want {
			t.Errorf("a bit of byte %d was changed, and nobody noticed", at)
		} else if err != nil && !errors.Is(err, backup.ErrArchive) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	for cut := 0; cut < len(raw)-2048; cut += 997 {
		if _, _, err := backup.Check(t.Context(), bytes.NewReader(raw[:cut])); !errors.Is(err, backup.ErrArchive) {
			t.Errorf("an archive of %d bytes of %d: %v", cut, len(raw), err)
		}
	}
}

// contents is what a tar file holds, without what lies between.
func contents(t *testing.T, raw []byte) string {
	t.Helper()
	var out strings.Builder
	archive := tar.NewReader(bytes.NewReader(raw))
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		must(t, err)
		fmt.Fprintln(&out, head.Name)
		_, err = io.Copy(&out, archive)
		must(t, err)
	}
}

func TestARestoreIsRefusedBeforeItWritesAnything(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			source := full(t, engine)
			raw, _ := source.archive(t, nil)
			source.exec(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (987654, TRUE)")
			newer, _ := source.archive(t, nil)
			source.exec(t, "DELETE FROM goose_db_version WHERE version_id = 987654")
			fresh := func() backup.Place {
				blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), source.ring)
				must(t, err)
				return backup.Place{DatabaseURL: emptyURL(t, engine), Blobs: blobs, Ring: source.ring}
			}
			wrongKey, occupied, withObjects := fresh(), fresh(), fresh()
			wrongKey.Ring = newRing(t)
			occupied.DatabaseURL = source.url
			_, err := withObjects.Blobs.Put(t.Context(), "other", strings.NewReader("x"))
			must(t, err)
			for says, try := range map[string]struct {
				raw []byte
				to  backup.Place
			}{
				"newer schema": {newer, fresh()}, "sealed with the key": {raw, wrongKey},
				"there is a database already": {raw, occupied}, "there are objects already": {raw, withObjects},
				"no backup": {[]byte("x"), fresh()},
			} {
				if _, _, err := backup.Restore(t.Context(), bytes.NewReader(try.raw), try.to); err == nil || !strings.Contains(err.Error(), says) && says != "no backup" {
					t.Errorf("%v does not say %q", err, says)
				}
			}
			if source.dump(t) == "" {
				t.Error("the database that was there is empty")
			}
		})
	}
}

func TestAnArchiveThatIsCutLeavesNoDatabase(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			source := full(t, engine)
			raw, _ := source.archive(t, nil)
			blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), source.ring)
			must(t, err)
			to := backup.Place{DatabaseURL: emptyURL(t, engine), Blobs: blobs, Ring: source.ring}
			if _, _, err := backup.Restore(t.Context(), bytes.NewReader(raw[:len(raw)-4096]), to); err == nil {
				t.Error("it was taken")
			}
			if there, err := store.Occupied(t.Context(), to.DatabaseURL); err != nil || there {
				t.Errorf("a database is there: %v, %v", there, err)
			}
			to.Replace = true
			_, _, err = backup.Restore(t.Context(), bytes.NewReader(raw), to)
			must(t, err)
			before := openAt(t, to.DatabaseURL, source.ring)
			want := before.dump(t)
			before.exec(t, "DELETE FROM meta")
			_ = before.raw.Close()
			must(t, before.db.Close())
			_, _, err = backup.Restore(t.Context(), bytes.NewReader(raw), to)
			must(t, err)
			if got := openAt(t, to.DatabaseURL, source.ring).dump(t); got != want {
				t.Error("what was replaced is not what it was replaced with")
			}
		})
	}
}

// TestNothingDanglesInABackup deletes, while the objects are copied, what the rows had named.
func TestNothingDanglesInABackup(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			source := full(t, engine)
			held := func() (held bool) {
				must(t, source.db.View(context.Background(), func(v *store.View) (err error) { held, err = v.ObjectsHeld(); return err }))
				return held
			}
			_, m := source.archive(t, func() {
				source.exec(t, "DELETE FROM state_versions")
				source.exec(t, "DELETE FROM run_files")
				source.exec(t, "DELETE FROM configuration_versions")
				if !held() {
					t.Error("objects may be deleted while a backup copies them")
				}
			})
			if m.Objects != 1 || len(m.Missing) > 0 || m.Tables["state_versions"] != 1 {
				t.Errorf("%+v", m)
			}
			if held() {
				t.Error("the hold outlived the backup")
			}
		})
	}
}

func TestVerifyNamesEveryFault(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := openAt(t, storetest.URL(t, engine), newRing(t))
			for _, table := range []string{"organizations", "projects", "workspaces", "state_versions", "variables"} {
				p.fill(t, table)
			}
			written, err := p.blobs.Put(t.Context(), "states/x", strings.NewReader("a state"))
			must(t, err)
			p.exec(t, fmt.Sprintf("UPDATE state_versions SET blob_key = 'states/x', md5 = '%s', size = %d, json_key = ''", written.MD5, written.Size))
			p.exec(t, "UPDATE organizations SET workspace_count = 1")
			p.exec(t, "UPDATE projects SET workspace_count = 1")
			p.exec(t, "UPDATE workspaces SET module_count = 0, provider_count = 0")
			p.exec(t, "UPDATE variables SET value = '"+p.ring.Seal([]byte("secret"), "x")+"'")
			p.verifies(t, p.ring)
			p.exec(t, "UPDATE projects SET workspace_count = 2")
			p.verifies(t, p.ring, "workspaces of the project x says 2, and there are 1")
			p.exec(t, "UPDATE projects SET workspace_count = 1")
			p.verifies(t, newRing(t), "state version x: the object states/x is sealed with a key", "variable x is sealed with a key")
			flip(t, p, "states/x")
			p.verifies(t, p.ring, "state version x: the object states/x is damaged")
			_, err = p.blobs.Put(t.Context(), "states/x", strings.NewReader("another"))
			must(t, err)
			p.verifies(t, p.ring, "states/x is damaged")
			must(t, p.blobs.Delete(t.Context(), "states/x"))
			p.verifies(t, p.ring, "state version x: the object states/x is missing")
		})
	}
}

// flip changes one bit of an object.
func flip(t *testing.T, p *place, key string) {
	t.Helper()
	rc, _, err := p.blobs.Sealed(t.Context(), key)
	must(t, err)
	raw, err := io.ReadAll(rc)
	must(t, errors.Join(err, rc.Close()))
	raw[len(raw)/2] ^= 4
	must(t, p.blobs.PutSealed(t.Context(), key, bytes.NewReader(raw)))
}

// verifies demands exactly these faults.
func (p *place) verifies(t *testing.T, ring *seal.Ring, faults ...string) {
	t.Helper()
	var told []string
	blobs := p.blobs
	if ring != p.ring {
		blobs = readWith{p.blobs, ring}
	}
	seen, err := backup.Verify(t.Context(), p.db, blobs, ring, func(f backup.Fault) { told = append(told, f.String()) })
	must(t, err)
	if seen.Faults != len(told) || len(told) != len(faults) || seen.Objects != 1 || seen.Values != 1 {
		t.Errorf("%+v %q, want %q", seen, told, faults)
	}
	for _, fault := range faults {
		if !strings.Contains(strings.Join(told, "\n"), fault) {
			t.Errorf("%q does not say %q", told, fault)
		}
	}
}

// readWith reads a store with other keys.
type readWith struct {
	blob.Store
	ring *seal.Ring
}

func (r readWith) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	sealed, _, err := r.Sealed(ctx, key)
	if err != nil {
		return nil, err
	}
	plain, err := r.ring.Reader(sealed, key)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(plain), nil
}

func TestResealingLetsAnOldKeyGo(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			first, second := seal.GenerateKey(), seal.GenerateKey()
			old, err := seal.Parse(first)
			must(t, err)
			both, err := seal.Parse(second + "," + first)
			must(t, err)
			p := openAt(t, storetest.URL(t, engine), old)
			for _, table := range []string{"organizations", "projects", "workspaces", "state_versions", "variables", "runs", "logs", "log_chunks", "kept_answers"} {
				p.fill(t, table)
			}
			const at = "9007199254740993"
			p.exec(t, "UPDATE variables SET value = '"+old.Seal([]byte("secret"), "x")+"'")
			p.exec(t, "UPDATE kept_answers SET answer = '"+old.Seal([]byte("answer"), "x x")+"'")
			cast := "CAST('%s' AS BLOB)"
			if engine == "postgres" {
				cast = "convert_to('%s', 'UTF8')"
			}
			p.exec(t, "UPDATE log_chunks SET data = "+fmt.Sprintf(cast, old.Seal([]byte("line"), "log x "+at)))
			written, err := p.blobs.Put(t.Context(), "x", strings.NewReader("a state"))
			must(t, err)
			p.exec(t, fmt.Sprintf("UPDATE state_versions SET md5 = '%s', size = %d, json_key = ''", written.MD5, written.Size))
			blobs := resealing(t, p, both)
			done, err := backup.Reseal(t.Context(), p.db, blobs, both)
			must(t, err)
			if done != (site.KeyUse{Values: 3, Objects: 1}) {
				t.Errorf("resealed %+v", done)
			}
			if k := p.keys(t); k.Counted.Leads != both.ID() || len(k.Counted.Uses) != 1 || k.Counted.Uses[both.ID()] != done ||
				k.Resealing.Key != both.ID() || k.Resealing.EndedAt.IsZero() || k.Resealing.All != 4 || k.Resealing.Looked != 4 || k.Resealing.Sealed != 4 {
				t.Errorf("noted: %+v", k)
			}
			uses, err := backup.KeysInUse(t.Context(), p.db, p.blobs, both)
			must(t, err)
			if len(uses) != 1 || uses[both.ID()] != done {
				t.Errorf("in use: %+v", uses)
			}
			if done, err = backup.Reseal(t.Context(), p.db, blobs, both); err != nil || done != (site.KeyUse{}) {
				t.Errorf("again: %+v, %v", done, err)
			}
			p.exec(t, "UPDATE variables SET value = '"+old.Seal([]byte("secret"), "elsewhere")+"'")
			if _, err := backup.Reseal(t.Context(), p.db, blobs, both); err == nil {
				t.Error("what does not open was sealed anew")
			}
			if r := p.keys(t).Resealing; !r.EndedAt.IsZero() || r.BeganAt.IsZero() || r.All != 4 || r.Looked >= 4 || r.Sealed != 0 {
				t.Errorf("what was stopped is noted as %+v", r)
			}
		})
	}
}

// keys is what is noted of the keys.
func (p *place) keys(t *testing.T) (k site.Keys) {
	t.Helper()
	must(t, p.db.View(t.Context(), func(v *store.View) (err error) { k, err = v.Keys(); return err }))
	return k
}

// resealing is the store of a place with other keys.
func resealing(t *testing.T, p *place, ring *seal.Ring) blob.Store {
	t.Helper()
	folder := t.TempDir()
	blobs, err := blob.Open(t.Context(), "file://"+folder, ring)
	must(t, err)
	rc, _, err := p.blobs.Sealed(t.Context(), "x")
	must(t, err)
	must(t, errors.Join(blobs.PutSealed(t.Context(), "x", rc), rc.Close()))
	p.blobs = blobs
	return blobs
}
