# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A kernel without type information, made by hiding /sys/kernel/btf: system calls, timers, BEGIN and
# off-cpu work; what needs types says so.
. "$LIVE/lib.sh"

cat >"$WORK/hide" <<'EOF'
mount -t tmpfs none /sys/kernel/btf && exec "$@"
EOF
unshare -m sh "$WORK/hide" true 2>/dev/null || skip "no mount namespace"
hidden() {
	want=$1
	shift
	exits "$want" unshare -m sh "$WORK/hide" "$DWELL" "$@"
}

hidden 0 -qn 'BEGIN { printf("begin\n"); exit(0); }'
has "$WORK/out" begin
hidden 0 -qn 'syscall::getppid:entry /pid == $target/ { @ = count(); } END { printa("calls %@d\n", @); }' \
	-c "$TRIGGER getppid 5"
has "$WORK/out" "calls 5"
hidden 0 -qn 'int off; sched:::off-cpu { off++; } END { printf("%s\n", off ? "switches" : "none"); }' -c "$TRIGGER pause 20"
has "$WORK/out" switches
hidden 1 -n 'sdt:::sched_switch {}'
has "$WORK/err" "hint: the kernel's type information (BTF, /sys/kernel/btf/vmlinux) is not there"
has "$WORK/err" "-x btf=FILE takes it from a file"
hidden 1 -n 'proc:::exit {}'
has "$WORK/err" "hint: the kernel's type information (BTF, /sys/kernel/btf/vmlinux) is not there"
hidden 1 -n 'BEGIN { trace(ppid); }'
has "$WORK/err" "this kernel's types do not describe task_struct"
has "$WORK/err" "dwell: the kernel's type information (BTF, /sys/kernel/btf/vmlinux) is not there"
hidden 0 -l -P proc
has "$WORK/out" "exit  (not available: the kernel's type information"

# What the message offers.
cp /sys/kernel/btf/vmlinux "$WORK/types"
hidden 0 -q -x "btf=$WORK/types" -n 'sdt:::sched_switch /args[2]->tgid == $target/ { n++; } proc:::exit /pid == $target/ { printf("%d %s\n", ppid > 0, n ? "switches" : "none"); }' \
	-c "$TRIGGER pause 20"
has "$WORK/out" "1 switches"
hidden 0 latency why --idle --for 300ms -x "btf=$WORK/types"
has "$WORK/out" "CAUSE"
