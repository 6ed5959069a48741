/* SPDX-License-Identifier: Apache-2.0 */
/* Provider fsinfo: operations of file systems, as far as ext4, XFS, btrfs and the page cache have tracepoints. arg0
 * is the inode; where the operation names an entry of a directory, it is the directory's. args[0] is its fileinfo_t,
 * arg1 a size or a flag. Source: Oracle Solaris DTrace guide, "fsinfo Provider"; include/trace/events/ext4.h,
 * btrfs.h, filemap.h, writeback.h, filelock.h, fs/xfs/xfs_trace.h. */
#include "base/cleanup.h"
#include "prov/stable/stable.h"

#define INODE(i, n) \
	.in_module = true, .args = { { "struct inode *", i, "inode", false }, { "long", n, "arg", false } }, \
	.xargs = { { "fileinfo_t *", 0, NULL }, { NULL, 1, NULL } }, .nxargs = 2
#define XFS(ip) INODE("&" ip "->i_vnode", "0")
#define IOCB INODE("iocb->ki_filp->f_inode", "iter->count")
#define IS_REG(m) "(" m " & 0170000) == 0100000"
#define IS_DIR(m) "(" m " & 0170000) == 0040000"
#define IS_LINK(m) "(" m " & 0170000) == 0120000"
#define NO_TP "no tracepoint of a file system tells it; the system calls do (syscall:::)"

static const struct stable_row fsinfo_rows[] = {
	{ .name = "access", .reason = NO_TP },
	{ .name = "close", .reason = NO_TP },
	{ .name = "create", .tp = "ext4_allocate_inode", .cond = IS_REG("mode"), INODE("dir", "mode") },
	{ .name = "create",
	  .tp = "btrfs_inode_new",
	  .cond = IS_REG("inode->i_mode"),
	  INODE("inode", "inode->i_mode"),
	  .also = true },
	{ .name = "create", .tp = "xfs_create", XFS("dp"), .also = true },
	{ .name = "delmap", .reason = NO_TP },
	{ .name = "frlock", .tp = "posix_lock_inode", INODE("inode", "ret") },
	{ .name = "frlock", .tp = "flock_lock_inode", INODE("inode", "ret"), .also = true },
	{ .name = "fsync", .tp = "ext4_sync_file_enter", INODE("file->f_inode", "datasync") },
	{ .name = "fsync", .tp = "btrfs_sync_file", INODE("file->f_inode", "datasync"), .also = true },
	{ .name = "fsync", .tp = "xfs_file_fsync", XFS("ip"), .also = true },
	{ .name = "getattr", .tp = "xfs_getattr", XFS("ip") },
	{ .name = "getpage", .tp = "mm_filemap_get_pages", INODE("mapping->host", "last_index - index") },
	{ .name = "getpage", .tp = "mm_filemap_fault", INODE("mapping->host", "1"), .also = true },
	{ .name = "inactive", .tp = "ext4_evict_inode", INODE("inode", "0") },
	{ .name = "inactive", .tp = "btrfs_inode_evict", INODE("inode", "0"), .also = true },
	{ .name = "ioctl", .tp = "xfs_file_ioctl", XFS("ip") },
	{ .name = "link", .tp = "xfs_link", XFS("dp") },
	{ .name = "lookup", .tp = "xfs_lookup", XFS("dp") },
	{ .name = "map", .reason = NO_TP },
	{ .name = "mkdir", .tp = "ext4_allocate_inode", .cond = IS_DIR("mode"), INODE("dir", "mode") },
	{ .name = "mkdir",
	  .tp = "btrfs_inode_new",
	  .cond = IS_DIR("inode->i_mode"),
	  INODE("inode", "inode->i_mode"),
	  .also = true },
	{ .name = "open", .reason = NO_TP },
	{ .name = "poll", .reason = NO_TP },
	{ .name = "putpage", .tp = "writeback_single_inode", INODE("inode", "nr_to_write") },
	{ .name = "read", .tp = "xfs_file_buffered_read", IOCB },
	{ .name = "read", .tp = "xfs_file_direct_read", IOCB, .also = true },
	{ .name = "readdir", .tp = "xfs_readdir", XFS("ip") },
	{ .name = "readlink", .tp = "xfs_readlink", XFS("ip") },
	{ .name = "remove", .tp = "ext4_unlink_enter", INODE("parent", "0") },
	{ .name = "remove", .tp = "xfs_remove", XFS("dp"), .also = true },
	{ .name = "rename", .tp = "xfs_rename", XFS("src_dp") },
	{ .name = "rmdir", .reason = NO_TP },
	{ .name = "seek", .reason = NO_TP },
	{ .name = "setattr", .tp = "xfs_setattr", XFS("ip") },
	{ .name = "setfl", .reason = NO_TP },
	{ .name = "space", .tp = "ext4_fallocate_enter", INODE("inode", "len") },
	{ .name = "space", .tp = "ext4_truncate_enter", INODE("inode", "0"), .also = true },
	{ .name = "symlink", .tp = "ext4_allocate_inode", .cond = IS_LINK("mode"), INODE("dir", "mode") },
	{ .name = "symlink",
	  .tp = "btrfs_inode_new",
	  .cond = IS_LINK("inode->i_mode"),
	  INODE("inode", "inode->i_mode"),
	  .also = true },
	{ .name = "symlink", .tp = "xfs_symlink", XFS("dp"), .also = true },
	{ .name = "write", .tp = "ext4_write_end", INODE("inode", "copied") },
	{ .name = "write", .tp = "ext4_da_write_end", INODE("inode", "copied"), .also = true },
	{ .name = "write", .tp = "xfs_file_buffered_write", IOCB, .also = true },
	{ .name = "write", .tp = "xfs_file_direct_write", IOCB, .also = true },
	{ .name = "write", .tp = "ext4_journalled_write_end", INODE("inode", "copied"), .also = true },
};

STABLE_PROVIDER(fsinfo, FSINFO);
