#!/usr/bin/env bash
# Prints the path of a client binary to test with, building it first if the
# cache lacks it. Standard output is the path alone; all else is on standard
# error. See README.md beside this file.
#
#   build.sh tofu        TOFU=NAME_OR_PATH uses that binary instead
#   build.sh provider    TFE_PROVIDER=PATH uses that binary instead
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

[ $# -eq 1 ] || die 2 'usage: build.sh tofu|provider'

case $1 in
tofu)
	module=github.com/opentofu/opentofu
	package=$module/cmd/tofu
	binary=tofu
	ldflags="-s -w -X $module/version.dev=no" # else it calls itself -dev, on the wire too
	override_name=TOFU
	override=${TOFU:-}
	;;
provider)
	module=github.com/hashicorp/terraform-provider-tfe
	package=$module
	binary=terraform-provider-tfe # dev_overrides looks for this name
	ldflags='-s -w'
	override_name=TFE_PROVIDER
	override=${TFE_PROVIDER:-}
	;;
*) die 2 "unknown tool '$1' (tofu, provider)" ;;
esac

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

# The version is written once, in go.mod.
version=$(awk -v m="$module" '$1 == "require" { sub(/^require[ \t]+/, "") } $1 == m { print $2; exit }' "$source/go.mod")
[ -n "$version" ] || die 1 "$source/go.mod does not require $module"

cache=${BELAY_TOOLS_DIR:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/belay-tools}
mkdir -p -- "$cache"
cache=$(cd -- "$cache" && pwd)
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
	GOWORK=off CGO_ENABLED=0 GOOS=$(go env GOHOSTOS) GOARCH=$(go env GOHOSTARCH) \
		go build -mod=readonly -trimpath -ldflags "$ldflags" -o "$temp" "$package" >&2
	chmod 755 "$temp"
	mv -f -- "$temp" "$folder/$binary"
	trap - EXIT
fi

printf '%s\n' "$folder/$binary"
