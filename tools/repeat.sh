#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests that failed in the last `meson test` of a build folder once more, one after another: on a
# virtual machine whose CPUs pause, a test of timing can fail for no fault of its own. testsummary.py says what
# passed only then. The test "live" repeats its cases by itself. usage: repeat.sh BUILD_DIR
build=$1
logs=$build/meson-logs
rm -f "$logs/testlog-again.json"
names=$(python3 "$(dirname "$0")/testsummary.py" "$build" --failed | grep -vx live)
[ -n "$names" ] || exit 0
cp "$logs/testlog.json" "$logs/testlog-first.json"
# shellcheck disable=SC2086 # one word per test
meson test -C "$build" --no-rebuild --num-processes 1 --print-errorlogs $names </dev/null
mv "$logs/testlog.json" "$logs/testlog-again.json"
mv "$logs/testlog-first.json" "$logs/testlog.json"
exit 0
