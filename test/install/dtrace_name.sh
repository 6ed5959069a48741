#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/dtrace-name in folders of its own: an ordinary install, one over another package's file, and back.
# usage: dtrace_name.sh SCRIPT
set -eu
script=$1
if ! command -v update-alternatives >/dev/null || ! command -v dpkg-divert >/dev/null; then
	echo "no alternatives on this machine"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/alt" "$work/alt-admin" "$work/dpkg/info" "$work/dpkg/updates"
: >"$work/dpkg/status"
: >"$work/dpkg/diversions"
# shellcheck disable=SC2016 # for the script that is made here
printf '#!/bin/sh\necho dwell as "${0##*/}"\n' >"$work/dwell"
chmod +x "$work/dwell"
export DTRACE_LINK="$work/bin/dtrace"
export ALTERNATIVES="update-alternatives --altdir $work/alt --admindir $work/alt-admin"
export DIVERT="dpkg-divert --admindir $work/dpkg"

is() {
	got=$("$DTRACE_LINK" 2>&1) || true
	[ "$got" = "$1" ] || {
		echo "not ok: $2: $got"
		exit 1
	}
}

"$script" install "$work/dwell"
is "dwell as dtrace" "installed"
"$script" remove "$work/dwell"
[ ! -e "$DTRACE_LINK" ] || { echo "not ok: it is still there"; exit 1; }

printf '#!/bin/sh\necho the other\n' >"$DTRACE_LINK"
chmod +x "$DTRACE_LINK"
"$script" install "$work/dwell"
is "dwell as dtrace" "over another's file"
$ALTERNATIVES --set dtrace "$DTRACE_LINK.other"
is "the other" "the other is a choice"
"$script" remove "$work/dwell"
is "the other" "the other is back"
[ ! -L "$DTRACE_LINK" ] || { echo "not ok: a link is left"; exit 1; }

if "$script" install "$work/nothing" 2>/dev/null; then
	echo "not ok: no program"
	exit 1
fi
if "$script" 2>/dev/null; then
	echo "not ok: no arguments"
	exit 1
fi
echo "ok"
