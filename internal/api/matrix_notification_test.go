package api_test

const aNotification = `{"data":{"type":"notification-configurations","attributes":{"name":"<unique>","destination-type":"generic","url":"https://example.com"}}}`

var notificationArea = area{"NOTIFICATIONS", []row{
	{route: "GET /workspaces/{workspace_id}/notification-configurations"},
	{route: "POST /workspaces/{workspace_id}/notification-configurations", body: aNotification},
	{route: "GET /projects/{project_id}/notification-configurations"},
	{route: "POST /projects/{project_id}/notification-configurations", body: aNotification},
	{route: "GET /teams/{team_id}/notification-configurations"},
	{route: "POST /teams/{team_id}/notification-configurations", body: aNotification},
	{route: "GET /notification-configurations/{notification_id}"},
	{route: "PATCH /notification-configurations/{notification_id}", body: `{"data":{"attributes":{"name":"other"}}}`},
	{route: "DELETE /notification-configurations/{notification_id}", uses: freshNotification},
	{route: "POST /notification-configurations/{notification_id}/actions/verify"},
	{route: "POST /notification-configurations/{notification_id}/actions/enable"},
	{route: "GET /notification-configurations/{notification_id}/deliveries"},
	{route: "POST /notification-configurations/{notification_id}/deliveries/actions/retry"},
}}

func freshNotification(w *world, _ *role) things {
	return things{"notification_id": w.make("/workspaces/"+w.shared["workspace_id"]+"/notification-configurations", things{}.with(nil).in(aNotification))}
}
