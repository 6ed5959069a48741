# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Provider vminfo: the first touch of 500 pages is 500 page faults, none of them against a protection; a
# probe that no tracepoint carries is listed with the reason, and a pattern leaves it out.
. "$LIVE/lib.sh"

"$DWELL" -ln vminfo:::zfod >"$WORK/out"
has "$WORK/out" "zfod  (not available: the tracepoints of page faults do not tell how"
exits 1 "$DWELL" -n 'vminfo:::zfod{}'
has "$WORK/err" "do not tell how a fault was resolved"
exits 1 "$DWELL" -n 'vminfo:::*swapin{}'
exits 0 "$DWELL" -qn 'vminfo:::*g*in{} BEGIN { exit(0); }'

"$DWELL" -ln vminfo:::as_fault >"$WORK/out"
grep -q "not available" "$WORK/out" && skip "no tracepoints of page faults"
"$DWELL" -q -s /dev/stdin -c "$TRIGGER touch 500" >"$WORK/out" <<'EOF'
int on;
syscall::getppid:entry /pid == $target/ { on = !on; }
vminfo:::as_fault, vminfo:::prot_fault /on && pid == $target/ { @n[probename] = sum(arg0); }
END { printa("%s %@d\n", @n); }
EOF
has "$WORK/out" "as_fault 500"
grep -q prot_fault "$WORK/out" && die "prot_fault"
exit 0
