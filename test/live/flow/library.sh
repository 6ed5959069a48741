#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Functions of a library; a program's own function of the same name is meant instead.
set -e
echo 'int inc(int a) { return a + 1; } int two(int a) { return inc(inc(a)); }' > "$WORK/x.d"
"$DWELL" -L "$WORK" -qn 'BEGIN { printf("%d\n", two(40)); exit(0); }'
"$DWELL" -L "$WORK" -qn 'int inc(int a) { return a + 10; } BEGIN { printf("%d\n", inc(1)); exit(0); }'
