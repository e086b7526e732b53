package api_test

const triggeredBy = `{"data":{"type":"run-triggers","relationships":{"sourceable":{"data":{"type":"workspaces","id":"<consumer_id>"}}}}}`

var triggerArea = area{"RUN TRIGGERS", []row{
	{route: "GET /workspaces/{workspace_id}/run-triggers", query: "filter[run-trigger][type]=inbound"},
	{route: "POST /workspaces/{workspace_id}/run-triggers", uses: seenConsumer, apart: true, body: triggeredBy},
	{route: "GET /run-triggers/{run_trigger_id}", uses: oneTrigger},
	{route: "DELETE /run-triggers/{run_trigger_id}", uses: freshTrigger},
}}

// oneTrigger is a trigger that is made once: a workspace can't have many.
func oneTrigger(w *world, r *role) things {
	if w.shared["run_trigger_id"] == "" {
		w.shared["run_trigger_id"] = freshTrigger(w, r)["run_trigger_id"]
	}
	return nil
}

func freshTrigger(w *world, r *role) things {
	source := freshWorkspace(w, r)["workspace_id"]
	return things{"run_trigger_id": w.make("/workspaces/"+w.shared["workspace_id"]+"/run-triggers", things{"consumer_id": source}.in(triggeredBy))}
}
