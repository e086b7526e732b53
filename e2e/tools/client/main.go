// Command client drives a server with nothing but what a generator made of its description:
// it makes, changes, lists and deletes a workspace. generate.yaml says what is made.
//
//	client URL TOKEN ORGANIZATION
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/belayhq/belay/e2e/tools/client/generated"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: client URL TOKEN ORGANIZATION")
		os.Exit(2)
	}
	if err := roundTrip(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func roundTrip(ctx context.Context, url, token, organization string) error {
	c, err := generated.NewClientWithResponses(url, generated.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		return err
	}
	id, err := create(ctx, c, organization)
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := change(ctx, c, id); err != nil {
		return fmt.Errorf("change: %w", err)
	}
	if err := find(ctx, c, organization, id); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if err := remove(ctx, c, id); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return nil
}

func create(ctx context.Context, c *generated.ClientWithResponses, organization string) (id string, err error) {
	body := generated.WorkspaceBody{}
	set(&set(&body.Data.Attributes).Name, "generated")
	r, err := c.PostOrganizationWorkspacesWithApplicationVndAPIPlusJSONBodyWithResponse(ctx, organization, body)
	if err != nil {
		return "", err
	}
	answer := r.ApplicationvndApiJSON201
	if answer == nil || answer.Data.Attributes.Name != "generated" {
		return "", fmt.Errorf("%s: %s", r.Status(), r.Body)
	}
	return answer.Data.Id, nil
}

func change(ctx context.Context, c *generated.ClientWithResponses, id string) error {
	body := generated.WorkspaceBody{}
	attributes := set(&body.Data.Attributes)
	set(&attributes.Description, "made by a generator")
	set(&attributes.EngineVersion, "1.12.0")
	r, err := c.PatchWorkspaceWithApplicationVndAPIPlusJSONBodyWithResponse(ctx, id, body)
	if err != nil {
		return err
	}
	answer := r.ApplicationvndApiJSON200
	if answer == nil || answer.Data.Attributes.Description == nil || *answer.Data.Attributes.Description != "made by a generator" {
		return fmt.Errorf("%s: %s", r.Status(), r.Body)
	}
	return nil
}

func find(ctx context.Context, c *generated.ClientWithResponses, organization, id string) error {
	parameters := generated.GetOrganizationWorkspacesParams{}
	set(&parameters.SearchName, "gener")
	set(&parameters.PageSize, 5)
	r, err := c.GetOrganizationWorkspacesWithResponse(ctx, organization, &parameters)
	if err != nil {
		return err
	}
	answer := r.ApplicationvndApiJSON200
	if answer == nil || len(answer.Data) != 1 || answer.Data[0].Id != id || answer.Meta.Pagination.TotalCount != 1 {
		return fmt.Errorf("%s: %s", r.Status(), r.Body)
	}
	return nil
}

func remove(ctx context.Context, c *generated.ClientWithResponses, id string) error {
	r, err := c.DeleteWorkspaceWithResponse(ctx, id)
	if err != nil {
		return err
	}
	if r.StatusCode() != http.StatusNoContent {
		return fmt.Errorf("%s: %s", r.Status(), r.Body)
	}
	gone, err := c.GetWorkspaceWithResponse(ctx, id, nil)
	if err != nil {
		return err
	}
	if gone.ApplicationvndApiJSON404 == nil || len(gone.ApplicationvndApiJSON404.Errors) != 1 {
		return errors.New("it is still there: " + gone.Status())
	}
	return nil
}

// set makes room for what may be missing, and returns it to be filled in.
func set[T any](field **T, value ...T) *T {
	*field = new(T)
	for _, v := range value {
		**field = v
	}
	return *field
}
