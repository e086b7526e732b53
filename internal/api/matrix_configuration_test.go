package api_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http"
	"net/url"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

const aConfiguration = `{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`

var configurationArea = area{"CONFIGURATION VERSIONS", []row{
	{route: "GET /workspaces/{workspace_id}/configuration-versions"},
	{route: "POST /workspaces/{workspace_id}/configuration-versions", body: aConfiguration},
	{route: "GET /configuration-versions/{configuration_version_id}"},
	{route: "GET /configuration-versions/{configuration_version_id}/ingress-attributes", uses: fetchedConfiguration},
	{route: "GET /ingress-attributes/{ingress_id}", uses: fetchedConfiguration},
	{route: "GET /configuration-versions/{configuration_version_id}/download", uses: oldConfiguration},
	{route: "POST /configuration-versions/{configuration_version_id}/actions/archive", uses: oldConfiguration},
	{route: "POST /configuration-versions/{configuration_version_id}/actions/soft_delete_backing_data", uses: oldConfiguration},
	{route: "POST /configuration-versions/{configuration_version_id}/actions/restore_backing_data", uses: asideConfiguration},
	{route: "POST /configuration-versions/{configuration_version_id}/actions/permanently_delete_backing_data", uses: asideConfiguration},
}}

func freshConfiguration(w *world, _ *role) things {
	return things{"configuration_version_id": w.make("/workspaces/"+w.shared["workspace_id"]+"/configuration-versions", aConfiguration)}
}

// oldConfiguration is a configuration version that was uploaded, and is not the current one.
func oldConfiguration(w *world, r *role) things {
	made := freshWorkspace(w, r)
	path := "/workspaces/" + made["workspace_id"] + "/configuration-versions"
	upload, err := url.Parse(w.post(path, aConfiguration, "data.attributes.upload-url"))
	if err != nil {
		w.t.Fatal(err)
	}
	if status, answer := w.send(http.MethodPut, upload.Path, "", emptyArchive()); status != http.StatusOK {
		w.t.Fatalf("upload: %d %s", status, answer)
	}
	made["configuration_version_id"] = w.get(path, "data.0.id")
	w.make(path, aConfiguration)
	return made
}

func asideConfiguration(w *world, r *role) things {
	made := oldConfiguration(w, r)
	w.do(http.MethodPost, "/configuration-versions/"+made["configuration_version_id"]+"/actions/soft_delete_backing_data", "")
	return made
}

// fetchedConfiguration is a configuration version as a repository gives one.
func fetchedConfiguration(w *world, r *role) things {
	made := freshWorkspace(w, r)
	c := run.ConfigurationPatch{}.NewConfiguration(true, time.Now())
	c.Ingress = &run.Ingress{ID: belay.NewID("ia"), Branch: "main"}
	err := w.db.Update(w.t.Context(), func(tx *store.Tx) error {
		ws, err := tx.Workspace(belay.WorkspaceRef{ID: made["workspace_id"]})
		if err != nil {
			return err
		}
		return tx.AddConfigurationVersion(&ws, &c)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return made.with(things{"configuration_version_id": c.ID, "ingress_id": c.Ingress.ID})
}

// emptyArchive is an archive without entries.
func emptyArchive() string {
	var buffer bytes.Buffer
	zip := gzip.NewWriter(&buffer)
	_, _ = tar.NewWriter(zip).Close(), zip.Close()
	return buffer.String()
}
