#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The systemd unit: its settings are known, and leave little exposed. usage: service.sh UNIT DWELL
set -eu
command -v systemd-analyze >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unit=$work/dwell-latency.service
sed "s#^ExecStart=[^ ]*#ExecStart=$(realpath "$2")#; s#/usr/sbin/sysctl#/bin/true#" "$1" >"$unit"
out=$(systemd-analyze verify --man=no "$unit" 2>&1) || { echo "$out"; exit 1; }
# others may be said to be wrong where systemd is not installed as a whole
if echo "$out" | grep -F dwell-latency; then
	exit 1
fi
# exposure from 0 (none) to 10.0; --threshold is ten times that
systemd-analyze security --offline=yes --threshold=25 --no-pager "$unit" >"$work/out" || { cat "$work/out"; exit 1; }
tail -n 1 "$work/out"
