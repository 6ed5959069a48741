# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# To be sourced: puts the folder of python3's interpreter at the front of PATH. A python3 that is a wrapper (pyenv's)
# takes some tenths of a second at each of the tests' thousand starts.
interpreter=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || interpreter=
if [ -n "$interpreter" ]; then
	export PATH=${interpreter%/*}:$PATH
fi
