# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# @timeout: 60
# Provider io on a file system of its own (ext4 on a loop device, with discards): which file each request is for, in writing through the page
# cache, in mapped pages, in direct I/O and in reading; where in the file; and that discards are told from writes: the sums are the kernel's
# own (/sys/block/loopN/stat).
. "$LIVE/lib.sh"

[ -e /dev/loop-control ] || skip "no loop devices"
command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
image=$WORK/image mnt=$WORK/mnt
truncate -s 128M "$image"
dev=$(losetup -f --show "$image") || skip "no free loop device"
clean() {
	umount "$mnt" 2>/dev/null || :
	losetup -d "$dev" || :
}
trap clean EXIT
# Nothing is to be written when nobody looks.
mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$dev"
mkdir "$mnt"
mount -o discard "$dev" "$mnt" || skip "cannot mount"
loop=${dev#/dev/}
mkdir "$mnt/deep"
cat >"$WORK/load" <<'END'
set -e
cd "$1"
sync
cat "/sys/block/$2/stat" >"$3/before"
dd if=/dev/zero of=deep/cached bs=64k count=40 conv=fsync
dd if=/dev/zero of=direct bs=64k count=30 oflag=direct
sync
echo 3 >/proc/sys/vm/drop_caches
dd if=deep/cached of=/dev/null bs=64k
dd if=direct of=/dev/null bs=64k iflag=direct
python3 - <<'PY'
import mmap
with open("mapped", "w+b") as f:
    f.truncate(1 << 20)
    m = mmap.mmap(f.fileno(), 1 << 20)
    for i in range(0, 1 << 20, 4096):
        m[i] = 1
    m.flush()
PY
rm deep/cached
sync
sleep 0.5
cat "/sys/block/$2/stat" >"$3/after"
END
sync
"$DWELL" -q -s /dev/stdin -c "sh $WORK/load $mnt $loop $WORK" >"$WORK/out" 2>"$WORK/err" <<EOF
io:::start
/args[1]->dev_statname == "$loop"/
{
	@files[args[0]->b_flags & B_READ ? "read" : args[0]->b_flags & B_WRITE ? "written" : "given up", args[2]->fi_pathname, args[2]->fi_name,
	    args[2]->fi_dirname, args[2]->fi_fs, args[2]->fi_mount] = sum(args[0]->b_bcount);
	@end[args[0]->b_flags & B_READ ? "read" : "written", args[2]->fi_name] = max(args[2]->fi_offset + args[0]->b_bcount);
	@all[args[0]->b_flags & B_DISCARD ? "discard" : args[0]->b_flags & B_WRITE ? "write" : "read"] = sum(args[0]->b_bcount / 512);
	@both[args[0]->b_flags & (B_DISCARD | B_WRITE | B_READ)] = count();
	@letter[io_letter[args[0]->b_flags]] = count();
}
io:::start
/args[1]->dev_statname == "$loop" && args[0]->b_flags & B_FLUSH && args[0]->b_flags & B_WRITE/
{
	@flush["flushes"] = count();
}
io:::done
/args[1]->dev_statname == "$loop"/
{
	@done[args[2]->fi_name] = count();
}
END
{
	printa("%s %s %s %s %s %s: %@d\n", @files);
	printa("%s %s ends at %@d\n", @end);
	printa("sum of %s: %@d\n", @all);
	printa("flags %x\n", @both);
	printa("letter %s\n", @letter);
	printa("%s\n", @flush);
	printa("done %s\n", @done);
}
EOF
before=$(cat "$WORK/before")
after=$(cat "$WORK/after")
for how in written read; do
	has "$WORK/out" "$how $mnt/deep/cached cached $mnt/deep ext4 $mnt: 2621440"
	has "$WORK/out" "$how $mnt/direct direct $mnt ext4 $mnt: 1966080"
	has "$WORK/out" "$how cached ends at 2621440"
	has "$WORK/out" "$how direct ends at 1966080"
done
has "$WORK/out" "written $mnt/mapped mapped $mnt ext4 $mnt: 1048576"
has "$WORK/out" "written mapped ends at 1048576"
has "$WORK/out" "done cached"
has "$WORK/out" "done direct"
has "$WORK/out" "flushes"
# What is written for no file: the journal, inodes.
has "$WORK/out" "written <none> <none> <none> <none> <none>: "
for flag in 40 100 1000000; do
	has "$WORK/out" "flags $flag"
done
for letter in R W D; do
	has "$WORK/out" "letter $letter"
done
# Fields of the kernel's sums, in sectors: 3 read, 7 written, 14 given up.
field() {
	n=$1
	# shellcheck disable=SC2086
	set -- $before
	eval "old=\${$n}"
	# shellcheck disable=SC2086
	set -- $after
	eval "echo \$((\${$n} - old))"
}
has "$WORK/out" "sum of read: $(field 3)"
has "$WORK/out" "sum of write: $(field 7)"
has "$WORK/out" "sum of discard: $(field 14)"
