# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Helpers of the shell cases: . "$LIVE/lib.sh"

die() {
	echo "FAILED: $*" >&2
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

# same EXPECTED GOT [WHAT]
same() {
	[ "$1" = "$2" ] || die "${3-value}: expected '$1', got '$2'"
}

# exits CODE COMMAND…: the command ends with this code; its output is in $WORK/out and $WORK/err.
exits() {
	want=$1
	shift
	set +e
	"$@" >"$WORK/out" 2>"$WORK/err"
	got=$?
	set -e
	[ "$got" = "$want" ] || die "exit code $got, expected $want: $* : $(cat "$WORK/err")"
}

# has FILE TEXT: a line of the file contains the text.
has() {
	grep -qF -e "$2" "$1" || die "no '$2' in $(basename "$1"): $(head -c 2000 "$1")"
}

# wait_for FILE TEXT: until the file contains the text, at most 10 s.
wait_for() {
	n=0
	until grep -qF -e "$2" "$1" 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 200 ] || die "no '$2' in $(basename "$1") after 10 s: $(head -c 2000 "$1")"
		sleep 0.05
	done
}
