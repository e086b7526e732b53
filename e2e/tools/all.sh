#!/usr/bin/env bash
# Builds every real program that the slow tests drive, and prints what tells the tests of them,
# for a shell to evaluate:
#
#   all=$(e2e/tools/all.sh) && eval "$all" && make check
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

all=(TOFU:tofu GITEA:gitea LOCAL_PROVIDER:local VERSITYGW:versitygw HELM:helm NFPM:nfpm
	IDENTITY:identity KUBECONFORM:kubeconform OPA:opa KUBERNETES:kubernetes)

# Three at once: each has packages that all others of it wait for. What fails here is told below.
printf '%s\n' "${all[@]#*:}" provider | xargs -P 3 -n 1 ./build.sh >/dev/null || true

echo 'export BELAY_SLOW=1'
for real in "${all[@]}"; do
	path=$(./build.sh "${real#*:}")
	printf 'export BELAY_%s=%q\n' "${real%:*}" "$path"
done

# Terraform takes long to build: where one is installed it is driven too.
if [ -z "${BELAY_TERRAFORM:-}" ] && terraform=$(command -v terraform); then
	printf 'export BELAY_TERRAFORM=%q\n' "$terraform"
fi

# The second provider of identities comes with npm, where that is.
if oidc=$(./build.sh oidc-provider); then
	printf 'export BELAY_OIDC_PROVIDER=%q\n' "$oidc"
fi

# A provider of theirs is driven where the module proxy serves all that it is made of.
if provider=$(./build.sh provider); then
	printf 'export BELAY_TFE_PROVIDER=%q\n' "$provider"
fi
