# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Provider io, and what vminfo and sysinfo say of the same: 20 reads of 16 KiB past the page cache are 20
# requests that begin in the program and are all done.
. "$LIVE/lib.sh"

file=$WORK/data
"$TRIGGER" directio "$file" 1 || skip "this file system has no direct input"
# Does it lie on a block device at all?
"$DWELL" -qn 'int n; io:::start /pid == $target/ { n++; } END { printf("%d", n); }' \
	-c "$TRIGGER directio $file 1" >"$WORK/n"
[ "$(cat "$WORK/n")" -gt 0 ] || skip "this file system has no block device"

"$DWELL" -q -s /dev/stdin -c "$TRIGGER directio $file 20" >"$WORK/out" <<'EOF'
syscall::getppid:entry /pid == $target/ { self->reading = 1; }
io:::start
/self->reading && (((struct bio *)arg0)->bi_opf & 0xff) == 0/
{
	@n["start", args[0]->b_bcount] = count();
	@dev[strjoin("/dev/", args[1]->dev_statname) == args[1]->dev_pathname && args[0]->b_flags & B_READ ? "read" : "?"] = count();
	begun[arg0] = 1;
}
io:::done
/begun[arg0]/
{
	@d["done"] = count();
	begun[arg0] = 0;
}
vminfo:::pgpgin /self->reading/ { @v[probeprov, probename] = sum(arg0); }
vminfo:::pgin, sysinfo:::bread, sysinfo:::sysread /self->reading/ { @v[probeprov, probename] = sum(arg0); }
sysinfo:::readch /self->reading/ { @v[probeprov, probename] = sum(arg0); }
END
{
	printa("%s %d: %@d\n", @n);
	printa("%s: %@d\n", @d);
	printa("%s by device: %@d\n", @dev);
	printa("%s %s: %@d\n", @v);
}
EOF
has "$WORK/out" "start 16384: 20"
has "$WORK/out" "done: 20"
has "$WORK/out" "read by device: 20"
has "$WORK/out" "vminfo pgin: 20"
has "$WORK/out" "vminfo pgpgin: 80"
has "$WORK/out" "sysinfo bread: 20"
has "$WORK/out" "sysinfo sysread: 20"
has "$WORK/out" "sysinfo readch: 327680"

# Waiting: begins and ends as often, for each of the reads; which request it is is not known. They are large, as a fast
# disk has done a small one before its reader sleeps.
"$DWELL" -l -n io:::wait-done >"$WORK/list"
grep -q "no tracepoint" "$WORK/list" && exit 0
"$DWELL" -q -s /dev/stdin -c "$TRIGGER directio $file 20 256" >"$WORK/out" <<'EOF'
syscall::getppid:entry /pid == $target/ { self->reading = 1; }
uint64_t slept;
io:::wait-start
/self->reading/
{
	n++;
	self->from = timestamp;
	@arg[args[0]->b_edev, args[1]->dev_statname, args[2]->fi_name] = count();
}
io:::wait-done
/self->reading/
{
	done++;
	@t[self->from ? "paired" : "alone", probename] = count();
	slept += timestamp - self->from;
	self->from = 0;
}
END
{
	printf("as often: %d, at least 10: %d, took time: %d\n", n == done, n >= 10, slept > 0 && slept < 20000000000);
	printa("%d %s %s\n", @arg);
	printa("%s %s\n", @t);
}
EOF
has "$WORK/out" "as often: 1, at least 10: 1, took time: 1"
has "$WORK/out" "0 <unknown> <none>"
has "$WORK/out" "paired wait-done"
! grep -q alone "$WORK/out" || die "waited without a beginning"
