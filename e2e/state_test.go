package e2e_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

const lineage = "741c4949-60b9-5bb1-5bf8-b14f4bb14af3"

// stateWith is a state file with a serial, managed instances, and two outputs of which
// one is sensitive.
func stateWith(serial int64, managed int) []byte {
	var instances []string
	for i := range managed {
		instances = append(instances, fmt.Sprintf(`{"index_key":%d,"schema_version":0,"attributes":{"id":"i-%d"}}`, i, i))
	}
	return fmt.Appendf(nil, `{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":%q,
		"outputs":{"address":{"value":"10.0.0.1","type":"string"},"secret":{"value":["s3cr3t",1],"type":["tuple",["string","number"]],"sensitive":true}},
		"resources":[
			{"mode":"managed","type":"aws_instance","name":"web","module":"module.net","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[%s]},
			{"mode":"data","type":"aws_ami","name":"linux","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[{"schema_version":0,"attributes":{}}]}
		],"check_results":null}`, serial, lineage, strings.Join(instances, ","))
}

func md5Of(raw []byte) string {
	sum := md5.Sum(raw)
	return hex.EncodeToString(sum[:])
}

// give uploads a state the way the command lines do, and fails the test when that fails.
func (s *server) give(workspaceID string, raw []byte, serial int64) *tfe.StateVersion {
	s.t.Helper()
	v, err := s.admin().StateVersions.Upload(context.Background(), workspaceID, tfe.StateVersionUploadOptions{
		StateVersionCreateOptions: tfe.StateVersionCreateOptions{
			Lineage: tfe.String(lineage), MD5: tfe.String(md5Of(raw)), Serial: tfe.Int64(serial),
		},
		RawState: raw,
	})
	must(s.t, err)
	return v
}

func (s *server) lock(workspaceID string) {
	s.t.Helper()
	_, err := s.admin().Workspaces.Lock(context.Background(), workspaceID, tfe.WorkspaceLockOptions{})
	must(s.t, err)
}

func (s *server) unlock(workspaceID string) *tfe.Workspace {
	s.t.Helper()
	w, err := s.admin().Workspaces.Unlock(context.Background(), workspaceID)
	must(s.t, err)
	return w
}

func (s *server) workspaceOf(organization, name string) *tfe.Workspace {
	s.t.Helper()
	w, err := s.admin().Workspaces.Create(context.Background(), organization, tfe.WorkspaceCreateOptions{Name: tfe.String(name)})
	must(s.t, err)
	return w
}

func TestStateThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		if _, err := c.StateVersions.ReadCurrent(ctx, w.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("current state of a new workspace: %v", err)
		}
		s.lock(w.ID)
		first, second := stateWith(1, 2), stateWith(2, 3)
		v, err := c.StateVersions.Create(ctx, w.ID, tfe.StateVersionCreateOptions{
			Lineage: tfe.String(lineage), MD5: tfe.String(md5Of(first)), Serial: tfe.Int64(1),
			State: tfe.String(base64.StdEncoding.EncodeToString(first)), JSONState: tfe.String(base64.StdEncoding.EncodeToString([]byte(`{"values":1}`))),
		})
		must(t, err)
		if v.Status != tfe.StateVersionFinalized || v.DownloadURL == "" || v.UploadURL != "" || v.JSONDownloadURL == "" || !v.ResourcesProcessed ||
			v.Serial != 1 || v.StateVersion != 4 || v.TerraformVersion != "1.12.6" || v.Size != int64(len(first)) || len(v.Outputs) != 2 {
			t.Errorf("created inline: %+v", v)
		}
		if raw, err := c.StateVersions.Download(ctx, v.JSONDownloadURL); err != nil || string(raw) != `{"values":1}` {
			t.Errorf("JSON state: %s, %v", raw, err)
		}
		v, err = c.StateVersions.Upload(ctx, w.ID, tfe.StateVersionUploadOptions{
			StateVersionCreateOptions: tfe.StateVersionCreateOptions{
				Lineage: tfe.String(lineage), MD5: tfe.String(md5Of(second)), Serial: tfe.Int64(2),
				JSONStateOutputs: tfe.String(base64.StdEncoding.EncodeToString([]byte(`{"given":{"sensitive":false,"type":["list","string"],"value":["a"]}}`))),
			},
			RawState: second, RawJSONState: []byte(`{"format_version":"1.0"}`),
		})
		must(t, err)
		if v.Status != tfe.StateVersionFinalized || v.JSONDownloadURL == "" || len(v.Resources) != 2 || len(v.Outputs) != 1 {
			t.Errorf("uploaded: %+v", v)
		}
		raw, err := c.StateVersions.Download(ctx, v.DownloadURL)
		if err != nil || !bytes.Equal(raw, second) {
			t.Errorf("downloaded %d bytes: %v", len(raw), err)
		}
		if got, err := c.Workspaces.ReadByID(ctx, w.ID); err != nil || got.CurrentStateVersion != nil || got.ResourceCount != 0 {
			t.Errorf("while locked: %+v, %v", got, err)
		}
		got := s.unlock(w.ID)
		if got.ResourceCount != 3 || got.CurrentStateVersion == nil || got.CurrentStateVersion.ID != v.ID || len(got.Outputs) != 1 {
			t.Errorf("unlocked: %+v", got)
		}
		current, err := c.StateVersions.ReadCurrentWithOptions(ctx, w.ID, &tfe.StateVersionCurrentOptions{Include: []tfe.StateVersionIncludeOpt{tfe.SVoutputs}})
		must(t, err)
		if current.ID != v.ID || len(current.Outputs) != 1 || current.Outputs[0].Name != "given" {
			t.Errorf("current: %+v", current)
		}
		list, err := c.StateVersions.List(ctx, &tfe.StateVersionListOptions{Organization: "acme", Workspace: "network"})
		must(t, err)
		if list.TotalCount != 1 {
			t.Errorf("%d state versions, want 1: the one that was overtaken is gone", list.TotalCount)
		}
		if err := c.Workspaces.SafeDeleteByID(ctx, w.ID); !errors.Is(err, tfe.ErrWorkspaceNotSafeToDelete) {
			t.Errorf("safe delete: %v", err)
		}
		resources, err := c.WorkspaceResources.List(ctx, w.ID, nil)
		must(t, err)
		if resources.TotalCount != 4 || resources.Items[0].Address != "net.aws_instance.web[0]" || resources.Items[0].Module != "net" || *resources.Items[0].NameIndex != "0" {
			t.Errorf("resources: %+v", resources.Items[0])
		}
	})
}

func TestCurrentOutputsHideWhatIsSensitive(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		s.do("GET", "/workspaces/"+w.ID+"/current-state-version-outputs", s.Token, "").want(t, 404)
		s.lock(w.ID)
		v := s.give(w.ID, stateWith(1, 1), 1)
		s.unlock(w.ID)
		for secretly, read := range map[string]func() (*tfe.StateVersionOutputsList, error){
			"<nil>":      func() (*tfe.StateVersionOutputsList, error) { return c.StateVersionOutputs.ReadCurrent(ctx, w.ID) },
			"[s3cr3t 1]": func() (*tfe.StateVersionOutputsList, error) { return c.StateVersions.ListOutputs(ctx, v.ID, nil) },
		} {
			list, err := read()
			must(t, err)
			if len(list.Items) != 2 {
				t.Fatalf("%d outputs", len(list.Items))
			}
			open, secret := list.Items[0], list.Items[1]
			if open.Name != "address" || open.Value != "10.0.0.1" || open.Type != "string" || open.DetailedType != "string" {
				t.Errorf("plain output: %+v", open)
			}
			if !secret.Sensitive || fmt.Sprint(secret.Value) != secretly || secret.Type != "array" {
				t.Errorf("sensitive output: %+v", secret)
			}
			shown, err := c.StateVersionOutputs.Read(ctx, secret.ID)
			must(t, err)
			if fmt.Sprint(shown.Value) != "[s3cr3t 1]" {
				t.Errorf("sensitive output by its id: %+v", shown)
			}
		}
	})
}

func TestStateIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		path := "/workspaces/" + w.ID + "/state-versions"
		body := func(serial int64, md5, lineage, more string) string {
			return fmt.Sprintf(`{"data":{"type":"state-versions","attributes":{"serial":%d,"md5":%q,"lineage":%q%s}}}`, serial, md5, lineage, more)
		}
		raw := stateWith(5, 1)
		inline := `,"state":"` + base64.StdEncoding.EncodeToString(raw) + `"`
		refused := func(status int, text, body string) {
			t.Helper()
			if r := s.do("POST", path, s.Token, body).want(t, status); !strings.Contains(r.Body, text) {
				t.Errorf("want %q in %s", text, r.Body)
			}
		}
		refused(409, "This workspace is not locked and will only accept state uploads when locked", body(5, md5Of(raw), lineage, inline))
		s.lock(w.ID)
		s.do("POST", path, s.Token, body(5, md5Of(raw), lineage, inline)).want(t, 201)
		refused(409, "The MD5 hash of the state provided does not match what is currently known for the same serial number", body(5, md5Of([]byte("x")), lineage, ""))
		refused(409, "The lineage provided in the state file does not match the value currently known by", body(6, md5Of(raw), "other", ""))
		refused(409, "less than the 5 currently known", body(4, md5Of(raw), lineage, ""))
		refused(412, "was announced", body(6, md5Of([]byte("x")), lineage, inline))
		refused(422, "state is not valid base64", body(6, md5Of(raw), lineage, `,"state":"%%%"`))
		refused(422, "/data/attributes/state", body(6, md5Of([]byte("{}")), lineage, `,"state":"e30="`))
		refused(422, "md5", `{"data":{"type":"state-versions","attributes":{"serial":6}}}`)
		refused(422, "serial", `{"data":{"type":"state-versions","attributes":{"md5":"`+md5Of(raw)+`"}}}`)
		refused(422, "/data/type", `{"data":{"type":"runs","attributes":{}}}`)
		refused(400, "not valid JSON", `{"data":`)
		refused(413, "larger than", `{"data":{"x":"`+strings.Repeat("x", 1<<20)+`"}}`)
		s.do("POST", path, s.Token, body(5, md5Of(raw), lineage, inline)).want(t, 201) // the same once more
		refused(409, "lineage", body(6, md5Of(raw), "other", inline))
		if got := s.do("POST", path, s.Token, body(3, md5Of(raw), "third", `,"force":true`+inline)).want(t, 201); got.text("data.attributes.lineage") != "third" {
			t.Errorf("forced under another lineage than the file's: %s", got.Body)
		}
		refused(409, "lineage", body(6, md5Of(raw), lineage, inline))
		other := bytes.ReplaceAll(raw, []byte(lineage), []byte("other"))
		s.do("POST", path, s.Token, body(3, strings.ToUpper(md5Of(other)), "other", `,"force":true,"state":"`+base64.StdEncoding.EncodeToString(other)+`"`)).want(t, 201)
		if got := s.do("GET", "/state-versions?filter[organization][name]=acme&filter[workspace][name]=network", s.Token, "").want(t, 200); got.text("data.0.attributes.md5") != md5Of(other) || got.text("data.0.attributes.lineage") != "other" {
			t.Errorf("forced: %s", got.Body)
		}
		s.do("GET", "/state-versions", s.Token, "").want(t, 400)
		s.do("GET", "/state-versions?filter[workspace][name]=network", s.Token, "").want(t, 400)
		_, stranger := s.user("mallory")
		s.do("POST", path, stranger, body(9, md5Of(raw), lineage, inline)).want(t, 404)
		s.do("GET", "/workspaces/"+w.ID+"/current-state-version", stranger, "").want(t, 404)
	})
}

// put sends bytes to a URL without a token.
func put(t testing.TB, url string, raw []byte) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(raw))
	must(t, err)
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	must(t, answer.Body.Close())
	return answer.StatusCode
}

func TestUnlockSettlesWhatCameUnderTheLock(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		announce := func(serial int64, raw []byte) *tfe.StateVersion {
			t.Helper()
			v, err := c.StateVersions.Create(ctx, w.ID, tfe.StateVersionCreateOptions{Lineage: tfe.String(lineage), MD5: tfe.String(md5Of(raw)), Serial: tfe.Int64(serial)})
			must(t, err)
			return v
		}
		s.lock(w.ID)
		kept := s.give(w.ID, stateWith(1, 1), 1)
		superseded := announce(2, stateWith(2, 2))
		pending := announce(3, stateWith(3, 3))
		if _, err := c.Workspaces.Unlock(ctx, w.ID); !errors.Is(err, tfe.ErrWorkspaceLockedStateVersionStillPending) {
			t.Errorf("unlock while a state is on its way: %v", err)
		}
		if r := s.do("POST", "/workspaces/"+w.ID+"/actions/unlock", s.Token, "").want(t, 503); r.Header.Get("Retry-After") != "1" {
			t.Error("no Retry-After")
		}
		if v, err := c.StateVersions.Read(ctx, superseded.ID); err != nil || v.Status != tfe.StateVersionDiscarded || v.UploadURL != "" {
			t.Errorf("superseded: %+v, %v", v, err)
		}
		if status := put(t, superseded.UploadURL, stateWith(2, 2)); status != 409 {
			t.Errorf("upload to a discarded one: %d", status)
		}
		if status := put(t, pending.UploadURL, stateWith(3, 4)); status != 412 {
			t.Errorf("upload of other bytes: %d", status)
		}
		if status := put(t, pending.UploadURL+"x", stateWith(3, 3)); status != 404 {
			t.Errorf("forged URL: %d", status)
		}
		if status := put(t, strings.Replace(kept.DownloadURL, "https:", "http:", 1), stateWith(1, 1)); status != 404 {
			t.Errorf("upload to a download URL: %d", status)
		}
		_, err := c.Workspaces.ForceUnlock(ctx, w.ID)
		must(t, err)
		if v, err := c.StateVersions.ReadCurrent(ctx, w.ID); err != nil || v.ID != kept.ID {
			t.Errorf("after force-unlock: %+v, %v", v, err)
		}
		if status := put(t, pending.UploadURL, stateWith(3, 3)); status != 409 {
			t.Errorf("upload after force-unlock: %d", status)
		}

		s.lock(w.ID)
		overtaken := s.give(w.ID, stateWith(4, 4), 4)
		last := s.give(w.ID, stateWith(5, 5), 5)
		if status := put(t, overtaken.DownloadURL, nil); status != 404 {
			t.Errorf("put: %d", status)
		}
		if got := s.unlock(w.ID); got.CurrentStateVersion.ID != last.ID || got.ResourceCount != 5 {
			t.Errorf("after unlock: %+v", got)
		}
		if _, err := c.StateVersions.Read(ctx, overtaken.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("overtaken: %v", err)
		}
		s.unlockedTwice(t, w.ID)
	})
}

func (s *server) unlockedTwice(t *testing.T, workspaceID string) {
	t.Helper()
	r := s.do("POST", "/workspaces/"+workspaceID+"/actions/unlock", s.Token, "").want(t, 409)
	if !strings.Contains(r.Body, "already unlocked") {
		t.Errorf("second unlock: %s", r.Body)
	}
}

func TestRollBackAndBackingData(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		var versions []*tfe.StateVersion
		for serial := range int64(3) {
			s.lock(w.ID)
			versions = append(versions, s.give(w.ID, stateWith(serial, int(serial)+1), serial))
			s.unlock(w.ID)
		}
		body := `{"data":{"type":"state-versions","relationships":{"rollback-state-version":{"data":{"type":"state-versions","id":"` + versions[0].ID + `"}}}}}`
		s.do("PATCH", "/workspaces/"+w.ID+"/state-versions", s.Token, body).want(t, 409)
		s.lock(w.ID)
		back := s.do("PATCH", "/workspaces/"+w.ID+"/state-versions", s.Token, body).want(t, 201)
		s.do("PATCH", "/workspaces/"+w.ID+"/state-versions", s.Token, strings.Replace(body, versions[0].ID, "sv-unknown", 1)).want(t, 422)
		if got := s.unlock(w.ID); got.ResourceCount != 1 || got.CurrentStateVersion.ID != back.text("data.id") {
			t.Errorf("rolled back: %+v", got)
		}
		raw, err := c.StateVersions.Download(ctx, back.text("data.attributes.hosted-state-download-url"))
		must(t, err)
		if want := strings.Replace(string(stateWith(0, 1)), `"serial":0`, `"serial": 3`, 1); string(raw) != want {
			t.Errorf("rolled back to %s", raw)
		}
		if back.text("data.relationships.rollback-state-version.data.id") != versions[0].ID || back.at("data.attributes.serial") != 3.0 {
			t.Errorf("rollback: %s", back.Body)
		}

		old := versions[1]
		must(t, c.StateVersions.SoftDeleteBackingData(ctx, old.ID))
		if _, err := c.StateVersions.Download(ctx, old.DownloadURL); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("soft deleted: %v", err)
		}
		must(t, c.StateVersions.RestoreBackingData(ctx, old.ID))
		if raw, err := c.StateVersions.Download(ctx, old.DownloadURL); err != nil || !bytes.Equal(raw, stateWith(1, 2)) {
			t.Errorf("restored: %v", err)
		}
		must(t, c.StateVersions.SoftDeleteBackingData(ctx, old.ID))
		must(t, c.StateVersions.PermanentlyDeleteBackingData(ctx, old.ID))
		if err := c.StateVersions.RestoreBackingData(ctx, old.ID); err == nil || !strings.Contains(err.Error(), "transition not allowed") {
			t.Errorf("restore what is gone: %v", err)
		}
		current := back.text("data.id")
		s.do("POST", "/state-versions/"+current+"/actions/soft_delete_backing_data", s.Token, "").want(t, 400)
		s.do("POST", "/state-versions/"+versions[0].ID+"/actions/permanently_delete_backing_data", s.Token, "").want(t, 400)
	})
}

// TestManyOutputsAreLinkedAlone: a document with more outputs than it names does not say that
// there are none.
func TestManyOutputsAreLinkedAlone(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		known := map[string]string{"w": s.workspace("acme", "network")}
		for serial, n := range map[int]int{1: 1000, 2: 1001} {
			list := make([]string, n)
			for i := range list {
				list[i] = fmt.Sprintf(`"o%d":{"value":"v","type":"string"}`, i)
			}
			known[fmt.Sprint(n)] = `{"version":4,"terraform_version":"1.12.6","serial":` + fmt.Sprint(serial) + `,"lineage":"` + lineage + `","outputs":{` + strings.Join(list, ",") + `},"resources":[]}`
		}
		for serial, n := range []string{"1000", "1001"} {
			s.lock(known["w"])
			known["v"] = s.give(known["w"], []byte(known[n]), int64(serial+1)).ID
			s.unlock(known["w"])
			of, last := map[string]string{}, map[string]string{}
			if n == "1001" {
				of["data.relationships.outputs.data"], last = "absent", of
				of["data.relationships.outputs.meta.too-many-to-include"] = "true"
			} else {
				of["data.relationships.outputs.data.1000"], last["data.relationships.outputs.data.999.type"] = "absent", `"workspace-outputs"`
				of["data.relationships.outputs.meta"] = "absent"
			}
			related := s.do("GET", "/state-versions/"+known["v"], s.Token, "").want(t, 200).text("data.relationships.outputs.links.related")
			if related != "/api/v2/state-versions/"+known["v"]+"/outputs" {
				t.Errorf("the outputs of a state version are at %q", related)
			}
			s.steps(t, known, []step{
				{method: "GET", path: "/state-versions/{v}?include=outputs", status: 200, wants: of},
				{method: "GET", path: "/workspaces/{w}", status: 200, wants: of},
				{method: "GET", path: "/workspaces/{w}?include=outputs", status: 200, wants: last},
				{method: "GET", path: "/state-versions/{v}/outputs?page[size]=1", status: 200, wants: map[string]string{"meta.pagination.total-count": n}},
			})
		}
	})
}
