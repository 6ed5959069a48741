#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: checkweb.sh WEB WORK [-i]: types, rules (web/.oxlintrc.json) and form (web/.prettierrc.json) of the pages, with the
# tools that web/package-lock.json names, which npm puts into WORK. -i changes the form. Skipped (77) without npm, or when
# the tools cannot be had.
set -u
web=$1 work=$2 change=${3:-}
sh "$(dirname "$0")/npmtools.sh" "$web" "$work" || exit $?
bin=$work/node_modules/.bin
cd "$web" || exit 1
sources="src ../test/web/unit"
# shellcheck disable=SC2086 # a list
if [ "$change" = -i ]; then
	exec "$bin/prettier" --config .prettierrc.json --log-level=warn --write $sources
fi
status=0
"$bin/tsc" --noEmit -p . || status=1
# shellcheck disable=SC2086
"$bin/oxlint" -c .oxlintrc.json "$web/src" "$(dirname "$web")/test/web/unit" || status=1
# shellcheck disable=SC2086
"$bin/prettier" --config .prettierrc.json --log-level=warn --check $sources || status=1
exit $status
