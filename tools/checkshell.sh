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
# shellcheck disable=SC2086 # one word per script
shellcheck -x -e SC1091 $scripts
