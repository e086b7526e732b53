package explorer_test

import (
	"fmt"
	"net/url"

	"github.com/belayhq/belay/internal/explorer"
)

// The question of an address is the one that a saved view keeps.
func ExampleFromURL() {
	asked, _ := url.ParseQuery("type=workspaces&filter[0][workspace_name][contains][0]=net&sort=-workspace_name&fields=workspace_name")
	q, err := explorer.FromURL(asked)
	fmt.Println(string(q.JSON()), err)
	asked.Set("sort", "size")
	_, err = explorer.FromURL(asked)
	fmt.Println(err)
	// Output:
	// {"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["net"]}],"fields":["workspace_name"],"sort":["-workspace_name"]} <nil>
	// bad request: sort: "size" is no field of the view workspaces
}
