#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: checkweb.sh WEB WORK: type check of the pages with the tools that web/package-lock.json names, which npm puts into
# WORK. Skipped (77) without npm, or when the tools cannot be had.
set -u
web=$1 work=$2
command -v npm >/dev/null || exit 77
mkdir -p "$work" && cp "$web/package.json" "$web/package-lock.json" "$web/tsconfig.json" "$work" && cd "$work" || exit 1
if [ ! -x node_modules/.bin/tsc ]; then
	timeout 120 npm ci --prefer-offline --ignore-scripts --no-audit --no-fund >npm.log 2>&1 || exit 77
fi
rm -rf src && cp -r "$web/src" src && exec node_modules/.bin/tsc --noEmit
