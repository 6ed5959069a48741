#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a checking tool; exit 77 (skipped) when it is not installed. usage: runtool.sh TOOL ARG…
if ! command -v "$1" >/dev/null; then
	echo "$1 is not installed"
	exit 77
fi
exec "$@"
