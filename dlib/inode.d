/* SPDX-License-Identifier: Apache-2.0 */
/* The name of an inode, where no struct file is at hand. An inode may have several names and its file system several mounts: this is the first
 * of each. Source: include/linux/fs.h, fs/mount.h, include/linux/dcache.h. */
#pragma D depends_on library io.d

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

/* The file that a page in memory is of, and where in it, in pages. P: a struct folio * (5.16), or page *, as tracepoints give it.
 * Source: include/linux/mm_types.h. */
inline struct address_space *page_mapping[uintptr_t P] = ((struct folio *)P)->mapping;
inline struct address_space *page_mapping[uintptr_t P] = ((struct page *)P)->mapping;
inline uint64_t page_index[uintptr_t P] = ((struct folio *)P)->index;
inline uint64_t page_index[uintptr_t P] = ((struct page *)P)->index;

/* The file that is read or written by a request to a disk, by its first page: "" of what the file system has for itself, of direct I/O, and where
 * the head of a large page is not to be found. A page that is no head names it, with bit 0 set. */
inline uintptr_t page_head[uintptr_t P] = ((struct page *)P)->compound_head & 1 ? ((struct page *)P)->compound_head - 1 : P;
inline uintptr_t page_head[uintptr_t P] = 0;
string request_file(struct request *R)
{
	uintptr_t page, mapping;

	page = R->bio != NULL && R->bio->bi_io_vec != NULL ? (uintptr_t)R->bio->bi_io_vec->bv_page : 0;
	page = page ? page_head[page] : 0;
	mapping = page ? (uintptr_t)page_mapping[page] : 0;
	/* lower bits: memory of programs; of a disk as a whole the inode is no regular file */
	if (mapping == 0 || mapping & 3 || (((struct address_space *)mapping)->host->i_mode & S_IFMT) != S_IFREG)
		return "";
	return inode_path(((struct address_space *)mapping)->host);
}
