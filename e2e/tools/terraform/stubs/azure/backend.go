// Package azure stands in for a backend that the module proxy does not serve by itself. No
// test uses it.
package azure

import "github.com/hashicorp/terraform/internal/backend"

// New is never called.
func New() backend.Backend { return nil }
