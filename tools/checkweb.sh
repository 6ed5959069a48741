#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: checkweb.sh WEB WORK: type check of the pages with the tools that web/package-lock.json names, which npm puts into
# WORK. Skipped (77) without npm, or when the tools cannot be had.
set -u
web=$1 work=$2
sh "$(dirname "$0")/npmtools.sh" "$web" "$work" || exit $?
cp "$web/tsconfig.json" "$work" && cd "$work" && rm -rf src && cp -r "$web/src" src && exec node_modules/.bin/tsc --noEmit
