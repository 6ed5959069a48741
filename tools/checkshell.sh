#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lints every shell script of the project. usage: checkshell.sh ROOT
cd "$1" || exit 1
if ! command -v shellcheck >/dev/null; then
	echo "shellcheck is not installed"
	exit 77
fi
# Scripts are known by their first line; build folders are left out.
scripts=$(grep -rlE --exclude-dir=.git --exclude-dir='build*' --exclude='*.md' \
	'^#!(/usr)?/bin/(env )?(ba|da)?sh' . .ci/run | sort -u)
[ -n "$scripts" ] || exit 1
# Under pipefail, a command that stops reading early fails the pipe now and then: what writes into it gets SIGPIPE.
# A pipe may go on over lines that end with "|" or "\".
# shellcheck disable=SC2016 # awk's own
early='[|][ \t]*(head( |$)|grep -[A-Za-z]*q|awk .*exit[ ;0-9]*[}]|sed .*[0-9/$ ]q[ ;'"'"'}])'
found=$(for f in $scripts; do
	grep -qE '^[^#]*set .*pipefail' "$f" && awk -v early="$early" '
		/^[ \t]*#/ { next }
		{
			text = held $0
			if (text ~ early && held !~ early)
				print FILENAME ":" FNR ": " $0
			held = $0 ~ /([|]|\\)$/ ? text " " : ""
		}' "$f"
done)
if [ -n "$found" ]; then
	printf '%s\n' "$found" "under pipefail these pipes fail when their last command stops reading early: let it read all"
	exit 1
fi
# shellcheck disable=SC2086 # one word per script
shellcheck -x -e SC1091 $scripts
