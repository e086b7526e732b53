package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

var runArea = area{"RUNS", []row{
	{route: "POST /runs", body: `{"data":{"type":"runs","relationships":{"workspace":{"data":{"type":"workspaces","id":"{workspace_id}"}}}}}`, uses: runnable},
	{route: "GET /workspaces/{workspace_id}/runs"},
	{route: "GET /organizations/{organization_name}/runs"},
	{route: "GET /organizations/{organization_name}/runs/queue"},
	{route: "GET /organizations/{organization_name}/capacity"},
	{route: "GET /runs/{run_id}", uses: planned},
	{route: "GET /runs/{run_id}/configuration-version/download", uses: planned},
	{route: "GET /runs/{run_id}/run-events", uses: planned},
	{route: "GET /run-events/{run_event_id}", uses: planned},
	{route: "GET /runs/{run_id}/comments", uses: planned},
	{route: "POST /runs/{run_id}/comments", body: `{"data":{"type":"comments","attributes":{"body":"hm"}}}`, uses: planned},
	{route: "GET /comments/{comment_id}", uses: planned},
	{route: "GET /runs/{run_id}/run-checks", uses: planned},
	{route: "GET /runs/{run_id}/policy-checks", uses: planned},
	{route: "GET /runs/{run_id}/task-stages", uses: planned},
	{route: "GET /runs/{run_id}/tf-policy-evaluations", uses: planned},
	{route: "GET /runs/{run_id}/plan", uses: planned},
	{route: "GET /plans/{plan_id}", uses: planned},
	{route: "GET /runs/{run_id}/apply", uses: planned},
	{route: "GET /applies/{apply_id}", uses: planned},
	{route: "GET /runs/{run_id}/plan/json-output", uses: planning, also: []int{http.StatusNoContent}},
	{route: "GET /plans/{plan_id}/json-output", uses: planning, also: []int{http.StatusNoContent}},
	{route: "GET /plans/{plan_id}/json-output-redacted", uses: planning, also: []int{http.StatusNoContent}},
	{route: "GET /runs/{run_id}/plan/json-schema", uses: planning, also: []int{http.StatusNoContent}},
	{route: "GET /plans/{plan_id}/json-schema", uses: planning, also: []int{http.StatusNoContent}},
	{route: "GET /applies/{apply_id}/errored-state", uses: rescued},
	{route: "POST /plans/{plan_id}/actions/soft-delete-backing-data", uses: finished},
	{route: "POST /plans/{plan_id}/actions/restore-backing-data", uses: asideRun},
	{route: "POST /plans/{plan_id}/actions/permanently-delete-backing-data", uses: asideRun},
	{route: "POST /applies/{apply_id}/actions/soft-delete-backing-data", uses: finished},
	{route: "POST /applies/{apply_id}/actions/restore-backing-data", uses: asideRun},
	{route: "POST /applies/{apply_id}/actions/permanently-delete-backing-data", uses: asideRun},
	{route: "POST /runs/{run_id}/actions/apply", uses: planned},
	{route: "POST /runs/{run_id}/actions/discard", uses: planned},
	{route: "POST /runs/{run_id}/actions/cancel", uses: planning},
	{route: "POST /runs/{run_id}/actions/force-cancel", uses: heedless},
	{route: "POST /runs/{run_id}/actions/force-execute", uses: behind},
	{route: "GET /admin/runs"},
	{route: "POST /admin/runs/{run_id}/actions/force-cancel", uses: planned},
}}

// runnable is a workspace with a configuration that can be planned.
func runnable(w *world, r *role) things {
	return configured(w, freshWorkspace(w, r))
}

// configured gives a workspace a configuration that can be planned.
func configured(w *world, made things) things {
	path := "/workspaces/" + made["workspace_id"] + "/configuration-versions"
	upload, err := url.Parse(w.post(path, aConfiguration, "data.attributes.upload-url"))
	if err != nil {
		w.t.Fatal(err)
	}
	if status, answer := w.send(http.MethodPut, upload.Path, "", emptyArchive()); status != http.StatusOK {
		w.t.Fatalf("upload: %d %s", status, answer)
	}
	return made
}

// begun is a run that was just made, with a comment.
func begun(w *world, made things) things {
	body := `{"data":{"type":"runs","relationships":{"workspace":{"data":{"type":"workspaces","id":"` + made["workspace_id"] + `"}}}}}`
	id := w.make("/runs", body)
	comment := w.make("/runs/"+id+"/comments", `{"data":{"type":"comments","attributes":{"body":"look"}}}`)
	return made.with(things{
		"run_id": id, "plan_id": w.get("/runs/"+id, "data.relationships.plan.data.id"), "apply_id": w.get("/runs/"+id, "data.relationships.apply.data.id"),
		"comment_id": comment, "run_event_id": w.get("/comments/"+comment, "data.relationships.run-event.data.id"),
	})
}

// brought is a run that runners brought to where change says.
func brought(w *world, r *role, change func(*run.Run)) things {
	made := begun(w, runnable(w, r))
	err := w.db.Update(w.t.Context(), func(tx *store.Tx) error {
		of, err := tx.Run(made["run_id"])
		if err != nil {
			return err
		}
		change(&of)
		return tx.SaveRun(&of)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

func planned(w *world, r *role) things {
	return brought(w, r, func(of *run.Run) {
		of.Status, of.Plan.Status, of.Plan.HasChanges = run.Planned, run.PhaseFinished, true
	})
}

// finished is a run that was applied.
func finished(w *world, r *role) things {
	return brought(w, r, func(of *run.Run) { of.Status = run.Applied })
}

// asideRun is one whose files were put aside.
func asideRun(w *world, r *role) things {
	return brought(w, r, func(of *run.Run) {
		of.Status, of.Plan.Backing, of.Apply.Backing = run.Applied, run.BackingAside, run.BackingAside
	})
}

func planning(w *world, r *role) things {
	return brought(w, r, func(of *run.Run) { of.Status, of.Plan.Status = run.Planning, run.PhaseRunning })
}

// heedless is a run that was asked to end, and did not.
func heedless(w *world, r *role) things {
	return brought(w, r, func(of *run.Run) {
		of.Status, of.Plan.Status = run.Planning, run.PhaseRunning
		of.CanceledAt, of.ForceCancelAt = time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)
	})
}

// behind is a run that waits for another one, which waits for a person.
func behind(w *world, r *role) things {
	first := planned(w, r)
	return begun(w, first)
}

// rescued is a run whose last state could not be stored.
func rescued(w *world, r *role) things {
	made := brought(w, r, func(of *run.Run) { of.Status = run.Errored })
	of := run.Run{ID: made["run_id"]}
	if _, _, err := w.files.Put(w.t.Context(), &of, run.RescuedFile, "", strings.NewReader(`{"version":4}`)); err != nil {
		w.t.Fatal(err)
	}
	return made
}

// goneAgent is an agent that said goodbye.
func goneAgent(w *world, _ *role) things {
	r := run.Runner{ID: belay.NewID("agent"), PoolID: w.shared["agent_pool_id"], Name: "west-1", CreatedAt: time.Now(), LastSeenAt: time.Now(), ExitedAt: time.Now()}
	r.BootID, r.TokenHash = r.ID, r.ID
	if err := w.db.Update(w.t.Context(), func(tx *store.Tx) error { return tx.AddRunner(&r) }); err != nil {
		w.t.Fatal(err)
	}
	return things{"agent_id": r.ID}
}
