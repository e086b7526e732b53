package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/storetest"
)

const descriptionFile = "../../docs/openapi.json"

// described is the API of the whole edition, which needs no database to be described.
func described(t *testing.T) *api.API {
	t.Helper()
	return api.New(api.Config{App: app.New(app.Config{DB: storetest.Open(t, "sqlite")})})
}

// TestEveryRouteAndAttributeIsDescribed compares docs/openapi.json with the tables. After a
// wanted change:
//
//	go test ./internal/api -run IsDescribed -update
func TestEveryRouteAndAttributeIsDescribed(t *testing.T) {
	t.Parallel()
	a := described(t)
	compare(t, descriptionFile, string(a.OpenAPI()))
	var document struct {
		Paths map[string]map[string]struct {
			OperationID, Summary string
		}
	}
	if err := json.Unmarshal(a.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, r := range a.Routes() {
		operation := document.Paths[r.Path][strings.ToLower(r.Method)]
		switch other := named[operation.OperationID]; {
		case operation.Summary == "":
			t.Errorf("%s %s is not described: say in its row what it does", r.Method, r.Path)
		case other != "":
			t.Errorf("%s %s and %s have one name, %s", r.Method, r.Path, other, operation.OperationID)
		}
		named[operation.OperationID] = r.Method + " " + r.Path
	}
}

func TestDescriptionIsOpenAPI(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(described(t).OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}
