package api_test

import (
	"context"

	"github.com/belayhq/belay"
)

const aNotification = `{"data":{"type":"notification-configurations","attributes":{"name":"<unique>","destination-type":"generic","url":"https://example.com"}}}`

var notificationArea = area{"NOTIFICATIONS", []row{
	{route: "GET /workspaces/{workspace_id}/notification-configurations", does: "List who is told of a workspace"},
	{route: "POST /workspaces/{workspace_id}/notification-configurations", does: "Have somebody told of a workspace", body: aNotification},
	{route: "GET /projects/{project_id}/notification-configurations", does: "List who is told of a project"},
	{route: "POST /projects/{project_id}/notification-configurations", does: "Have somebody told of a project", body: aNotification},
	{route: "GET /teams/{team_id}/notification-configurations", does: "List how a team is told"},
	{route: "POST /teams/{team_id}/notification-configurations", does: "Have a team told", body: aNotification},
	{route: "GET /notification-configurations/{notification_id}", does: "See how somebody is told of a workspace"},
	{route: "PATCH /notification-configurations/{notification_id}", does: "Change how", body: `{"data":{"attributes":{"name":"other"}}}`},
	{route: "DELETE /notification-configurations/{notification_id}", does: "Have them told no more", uses: freshNotification},
	{route: "POST /notification-configurations/{notification_id}/actions/verify", does: "Send a verification message"},
	{route: "POST /notification-configurations/{notification_id}/actions/enable", does: "Send one, and enable it"},
	{route: "GET /notification-configurations/{notification_id}/deliveries", does: "List what was sent, what waits and what failed"},
	{route: "POST /notification-configurations/{notification_id}/deliveries/actions/retry", does: "Have what was given up sent again"},
}}

func freshNotification(w *world, _ *role) things {
	return things{"notification_id": w.make("/workspaces/"+w.shared["workspace_id"]+"/notification-configurations", things{}.with(nil).in(aNotification))}
}

// taken is a destination that takes everything.
func taken(context.Context, *belay.Notification, string, []string) belay.DeliveryResponse {
	return belay.DeliveryResponse{Code: "200", Successful: true}
}
