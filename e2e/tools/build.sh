#!/usr/bin/env bash
# Prints the path of a client binary to test with, building it first if the
# cache lacks it. Standard output is the path alone; all else is on standard
# error. See README.md beside this file.
#
#   build.sh tofu        TOFU=NAME_OR_PATH uses that binary instead
#   build.sh terraform   TERRAFORM=NAME_OR_PATH uses that binary instead
#   build.sh versitygw   VERSITYGW=NAME_OR_PATH uses that binary instead
#   build.sh helm        HELM=NAME_OR_PATH uses that binary instead
#   build.sh nfpm        NFPM=NAME_OR_PATH uses that binary instead
#   build.sh provider    TFE_PROVIDER=PATH uses that binary instead
#   build.sh local       LOCAL_PROVIDER=PATH uses that binary instead
#   build.sh gitea       GITEA=NAME_OR_PATH uses that binary instead; a server to
#                        test against, with its templates and options beside it
#   build.sh identity    IDENTITY=NAME_OR_PATH uses that binary instead
#   build.sh oidc-provider OIDC_PROVIDER=FOLDER uses what is installed there; a
#                        folder with the package in it, which takes npm
#   build.sh kubeconform KUBECONFORM=NAME_OR_PATH uses that binary instead
#   build.sh opa         OPA=NAME_OR_PATH uses that binary instead
#   build.sh golangci-lint GOLANGCI_LINT=NAME_OR_PATH uses that binary instead
#   build.sh kubernetes  KUBERNETES=PATH uses that file instead; no program, but
#                        the description of the API of Kubernetes
#
# BELAY_TOOLS_DIR  the cache (default ${XDG_CACHE_HOME:-$HOME/.cache}/belay-tools)
#
# Exit: 0 path printed, 1 failed, 2 usage, 3 this tool cannot be built from
# what is in its folder (no go.sum).
set -euo pipefail

die() {
	local code=$1
	shift
	printf 'build.sh: %s\n' "$*" >&2
	exit "$code"
}

[ $# -eq 1 ] || die 2 'usage: build.sh tofu|terraform|provider|gitea|local|versitygw|helm|nfpm|identity|oidc-provider|kubeconform|opa|golangci-lint|kubernetes'

# What most tools have; the others say so.
binary=$1
override_name=${1^^}
ldflags='-s -w'
cgo=0
gcflags=
plain='all=-N -l' # takes a third less to build; for what runs a few times
tags=
shared= # folders of the module that the program reads when it runs
case $1 in
tofu)
	module=github.com/opentofu/opentofu
	package=$module/cmd/tofu
	ldflags="-s -w -X $module/version.dev=no" # else it calls itself -dev, on the wire too
	;;
terraform)
	module=github.com/hashicorp/terraform
	package=$module
	ldflags="-s -w -X $module/version.dev=no"
	;;
provider)
	module=github.com/hashicorp/terraform-provider-tfe
	package=$module
	gcflags=$plain
	binary=terraform-provider-tfe # dev_overrides looks for this name
	override_name=TFE_PROVIDER
	;;
gitea)
	module=code.gitea.io/gitea
	package=$module
	cgo=1 # its SQLite is C
	tags='sqlite sqlite_unlock_notify'
	shared='templates options'
	;;
local)
	module=github.com/terraform-providers/terraform-provider-local
	package=$module
	binary=terraform-provider-local
	override_name=LOCAL_PROVIDER
	;;
versitygw)
	module=github.com/versity/versitygw
	package=$module/cmd/versitygw
	;;
helm)
	module=helm.sh/helm/v4
	package=$module/cmd/helm
	gcflags=$plain
	;;
nfpm)
	module=github.com/goreleaser/nfpm/v2
	package=$module/cmd/nfpm
	;;
kubeconform)
	module=github.com/yannh/kubeconform
	package=$module/cmd/kubeconform
	;;
opa)
	module=github.com/open-policy-agent/opa
	package=$module
	gcflags=$plain
	;;
golangci-lint)
	module=github.com/golangci/golangci-lint/v2
	package=$module/cmd/golangci-lint
	override_name=GOLANGCI_LINT
	;;
kubernetes)
	if [ -z "${KUBERNETES:-}" ]; then
		# Its go.mod serves nobody else; the file alone is wanted. go checks its sum.
		KUBERNETES=$(GOWORK=off go mod download -json k8s.io/kubernetes@v1.35.2 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')/api/openapi-spec/swagger.json
	fi
	[ -f "$KUBERNETES" ] || die 1 "there is no $KUBERNETES"
	printf '%s\n' "$KUBERNETES"
	exit 0
	;;
identity)
	module=github.com/zitadel/oidc/v3
	package=$module/example/server
	;;
oidc-provider) override_name=OIDC_PROVIDER ;;
*) die 2 "unknown tool '$1' (tofu, terraform, provider, gitea, local, versitygw, helm, nfpm, identity, oidc-provider, kubeconform, opa, golangci-lint, kubernetes)" ;;
esac
override=${!override_name:-}

if [ -n "$override" ] && [ "$1" = oidc-provider ]; then
	cd -- "$override" && pwd
	exit 0
fi
if [ -n "$override" ]; then
	path=$(type -P -- "$override") || die 1 "$override_name=$override: no such program"
	case $path in
	/*) ;;
	*) path=$PWD/$path ;;
	esac
	printf '%s\n' "$path"
	exit 0
fi

source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/$1

cache=${BELAY_TOOLS_DIR:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/belay-tools}
mkdir -p -- "$cache"
cache=$(cd -- "$cache" && pwd)

if [ "$1" = oidc-provider ]; then
	command -v npm >/dev/null || die 3 'oidc-provider cannot be installed: npm is not here'
	folder=$cache/$1-$(cksum <"$source/package-lock.json" | cut -d' ' -f1)
	if [ ! -d "$folder" ]; then
		temp=$(mktemp -d "$cache/.$1.XXXXXX")
		trap 'rm -rf -- "$temp"' EXIT
		cp -- "$source/package.json" "$source/package-lock.json" "$temp"
		(cd -- "$temp" && npm ci --ignore-scripts --no-audit --no-fund) >&2 # the lock has the sums of all
		mv -T -- "$temp" "$folder" 2>/dev/null || [ -d "$folder" ] || die 1 "no $folder came to be" # another was first
	fi
	printf '%s\n' "$folder"
	exit 0
fi

# The version is written once, in go.mod.
version=$(awk -v m="$module" '$1 == "require" { sub(/^require[ \t]+/, "") } $1 == m { print $2; exit }' "$source/go.mod")
[ -n "$version" ] || die 1 "$source/go.mod does not require $module"

folder=$cache/$1-$version

if [ ! -x "$folder/$binary" ]; then
	[ -f "$source/go.sum" ] || die 3 "$1 cannot be built: $source has no go.sum (see README.md there)"
	command -v go >/dev/null || die 1 'go is not on the PATH'

	# Build beside the target and rename: two builds at once both end well,
	# and nobody sees half a binary.
	mkdir -p -- "$folder"
	temp=$(mktemp "$folder/.$binary.XXXXXX")
	trap 'rm -f -- "$temp"' EXIT
	trap 'exit 1' INT TERM HUP

	printf 'build.sh: building %s %s (minutes, if the Go cache is cold)\n' "$1" "$version" >&2
	# For this machine, whatever the caller cross-compiles for; outside any workspace.
	cd -- "$source"
	GOWORK=off CGO_ENABLED=$cgo GOOS=$(go env GOHOSTOS) GOARCH=$(go env GOHOSTARCH) \
		go build -mod=readonly -trimpath -tags "$tags" -gcflags "$gcflags" -ldflags "$ldflags" -o "$temp" "$package" >&2
	chmod 755 "$temp"
	for name in $shared; do # the module cache is read-only, and so would a copy be
		[ -d "$folder/$name" ] && continue
		copy=$(mktemp -d "$folder/.$name.XXXXXX")
		cp -R -- "$(go list -m -f '{{.Dir}}' "$module")/$name/." "$copy"
		chmod -R u+w,a+rX "$copy"
		mv -T -- "$copy" "$folder/$name" 2>/dev/null || rm -rf -- "$copy" # another build was first
	done
	mv -f -- "$temp" "$folder/$binary"
	trap - EXIT
fi

printf '%s\n' "$folder/$binary"
