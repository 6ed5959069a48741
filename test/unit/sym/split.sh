#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a program with split debug information:
#   split.sh OUTPUT SOURCE PACKER COMPILER…
# PACKER: "no" leaves it in a .dwo file in the folder "split" beside the program; else the program that makes OUTPUT.dwp.
set -eu
out=$1 src=$2 packer=$3
shift 3
dir=$(dirname "$out")/split
mkdir -p "$dir"
object=$dir/$(basename "$out").o
# The object names the folder of its .dwo file: a cache of objects has those of other folders.
CCACHE_DISABLE=1 "$@" -gsplit-dwarf -c "$src" -o "$object"
"$@" "$object" -o "$out"
[ "$packer" != no ] || exit 0
"$packer" -e "$out" -o "$out.dwp"
rm "${object%.o}.dwo"
