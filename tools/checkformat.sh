#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves that the C files of src, test and include are as .clang-format says. usage: checkformat.sh ROOT
# Debian 12's clang-format decides (version 14): others break lines elsewhere. `tools/checkformat.sh ROOT -i` formats.
set -uo pipefail
cd "$1" || exit 1
if ! clang-format --version 2>/dev/null | grep 'version 14\.' >/dev/null; then
	echo "format: skipped: clang-format 14 is not installed"
	exit 77
fi
mapfile -t files < <(find src test include -name '*.[ch]' | sort)
if [ "${2:-}" = -i ]; then
	exec clang-format -i "${files[@]}"
fi
printf '%s\0' "${files[@]}" | xargs -0 -P 2 -n 60 clang-format --dry-run -Werror || {
	echo "format: run tools/checkformat.sh . -i"
	exit 1
}
echo "format: ${#files[@]} files checked, 0 wrong"
