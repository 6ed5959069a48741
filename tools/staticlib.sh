#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One static library of several: what the names need, and only these names can be seen of it.
# usage: staticlib.sh CC OBJCOPY AR MAP OUTPUT ARCHIVE...
set -eu
cc=$1 objcopy=$2 ar=$3 map=$4 out=$5
shift 5
object=$out.o
names=$(sed -n 's/^\t\(dwell_[a-z_]*\);$/\1/p' "$map")
[ -n "$names" ] || { echo "$map: no names" >&2; exit 1; }
keep='' need=''
for n in $names; do
	keep="$keep --keep-global-symbol=$n"
	need="$need -Wl,-u,$n"
done
# shellcheck disable=SC2086 # one word per name
$cc -r -nostdlib -o "$object" $need -Wl,--start-group "$@" -Wl,--end-group
# shellcheck disable=SC2086
"$objcopy" $keep "$object"
rm -f "$out"
"$ar" rcs "$out" "$object"
rm -f "$object"
