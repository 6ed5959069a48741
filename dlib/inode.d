/* SPDX-License-Identifier: Apache-2.0 */
/* The name of an inode, where no struct file is at hand. An inode may have several names and its file system several mounts: this is the first
 * of each. Source: include/linux/fs.h, fs/mount.h, include/linux/dcache.h. */
inline struct dentry *inode_dentry[struct inode *I] =
	I->i_dentry.first == NULL ? NULL : (struct dentry *)((uintptr_t)I->i_dentry.first - offsetof(struct dentry, d_u));
inline struct dentry *inode_dentry[struct inode *I] =
	I->i_dentry.first == NULL ? NULL : (struct dentry *)((uintptr_t)I->i_dentry.first - offsetof(struct dentry, d_alias));

inline struct mount *sb_mount[struct super_block *S] = (struct mount *)(S->s_mounts + 0); /* since 6.18 */
inline struct mount *sb_mount[struct super_block *S] =
	(struct mount *)((uintptr_t)S->s_mounts.next - offsetof(struct mount, mnt_instance));

/* "" where no name is known: of files that are deleted, and of those that the kernel itself has. */
string inode_path(struct inode *I)
{
	struct path *p;

	if (I == NULL || inode_dentry[I] == NULL || sb_mount[I->i_sb] == NULL)
		return "";
	p = alloca(sizeof(struct path));
	p->mnt = &sb_mount[I->i_sb]->mnt;
	p->dentry = inode_dentry[I];
	return d_path(p);
}
