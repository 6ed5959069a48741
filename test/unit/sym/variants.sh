#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes stripped forms of a target program whose symbols are elsewhere:
#   variants.sh PROGRAM PROGRAM_WITHOUT_BUILD_ID OUTPUT_FOLDER STAMP
set -eu
prog=$1 noid=$2 out=$3 stamp=$4

# .gnu_debugdata: an ELF file with the symbols only, compressed, in a section.
objcopy --only-keep-debug "$prog" "$out/mini.debug"
strip -g "$out/mini.debug"
xz -f -k "$out/mini.debug"
strip -o "$out/sym_target_minidebug" "$prog"
objcopy --add-section .gnu_debugdata="$out/mini.debug.xz" "$out/sym_target_minidebug"

# By build id, under a folder that stands for /usr/lib/debug.
id=$(readelf -n "$prog" | sed -n 's/.*Build ID: //p')
dir="$out/sym_debug/.build-id/$(printf %.2s "$id")"
mkdir -p "$dir"
objcopy --only-keep-debug "$prog" "$dir/${id#??}.debug"
strip -o "$out/sym_target_buildid" "$prog"

# By .gnu_debuglink and checksum: beside the file, and in .debug.
for form in debuglink dotdebug; do
	debug=$out/sym_target_$form.debug
	objcopy --only-keep-debug "$noid" "$debug"
	strip -o "$out/sym_target_$form" "$noid"
	(cd "$out" && objcopy --add-gnu-debuglink="sym_target_$form.debug" "sym_target_$form")
done
mkdir -p "$out/.debug"
mv "$out/sym_target_dotdebug.debug" "$out/.debug/"

# A debug file that is not that of its program: the checksum tells.
cp "$out/sym_target_debuglink" "$out/sym_target_wrongdebug"
objcopy --remove-section=.gnu_debuglink "$out/sym_target_wrongdebug"
objcopy --only-keep-debug "$noid" "$out/sym_target_wrongdebug.debug"
(cd "$out" && objcopy --add-gnu-debuglink=sym_target_wrongdebug.debug sym_target_wrongdebug)
printf 'changed' >>"$out/sym_target_wrongdebug.debug"

echo '/* made after the target programs */' >"$stamp"
