#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: npmtools.sh WEB WORK: puts the tools that web/package-lock.json names (never part of dwell) into WORK/node_modules. 77
# without npm, or when they cannot be had.
set -u
web=$1 work=$2
command -v npm >/dev/null || exit 77
mkdir -p "$work" && cd "$work" || exit 1
if cmp -s "$web/package-lock.json" package-lock.json && [ -d node_modules/typescript ]; then
	exit 0
fi
cp "$web/package.json" "$web/package-lock.json" "$work" || exit 1
timeout 120 npm ci --prefer-offline --ignore-scripts --no-audit --no-fund >npm.log 2>&1 || { rm -f package-lock.json; exit 77; }
