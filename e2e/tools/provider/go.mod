// Incomplete: no go.sum, since the module proxy refused every version of this
// module that was asked for. See ../README.md.
module github.com/belayhq/belay/e2e/tools/provider

go 1.26.6

require github.com/hashicorp/terraform-provider-tfe v0.74.0

tool github.com/hashicorp/terraform-provider-tfe
