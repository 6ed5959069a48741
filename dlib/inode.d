/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of inodes, where no struct file is at hand, and of the file that a block of a disk belongs to. An inode may
 * have several names and its file system several mounts: this is the first of each. Source: include/linux/fs.h,
 * fs/mount.h, include/linux/dcache.h. */
#pragma D depends_on library io.d

inline struct dentry *inode_dentry[struct inode *I] = I->i_dentry.first == NULL ? NULL :
    (struct dentry *)((uintptr_t)I->i_dentry.first - offsetof(struct dentry, d_u));
inline struct dentry *inode_dentry[struct inode *I] = I->i_dentry.first == NULL ? NULL :
    (struct dentry *)((uintptr_t)I->i_dentry.first - offsetof(struct dentry, d_alias));

inline struct mount *sb_mount[struct super_block *S] = (struct mount *)(S->s_mounts + 0); /* since 6.18 */
inline struct mount *sb_mount[struct super_block *S] =
	(struct mount *)((uintptr_t)S->s_mounts.next - offsetof(struct mount, mnt_instance));

inline struct mount *mount_next[struct mount *M, struct super_block *S] = M->mnt_next_for_sb; /* since 6.18 */
inline struct mount *mount_next[struct mount *M, struct super_block *S] = M->mnt_instance.next == &S->s_mounts ? NULL :
	(struct mount *)((uintptr_t)M->mnt_instance.next - offsetof(struct mount, mnt_instance));

/* The first mount of the whole file system: bind mounts show a part of it somewhere else. */
inline int MOUNTS_MAX = 32; /* looked through */
struct mount *sb_whole_mount(struct super_block *S)
{
	struct mount *m = sb_mount[S];

	for (int i = 0; i < MOUNTS_MAX && m != NULL && m->mnt.mnt_root != S->s_root; i++)
		m = mount_next[m, S];
	return m != NULL ? m : sb_mount[S];
}

/* "" where no name is known: of files that are deleted, and of those that the kernel itself has. */
string inode_path(struct inode *I)
{
	struct path *p;

	if (I == NULL || inode_dentry[I] == NULL || sb_mount[I->i_sb] == NULL)
		return "";
	p = alloca(sizeof(struct path));
	p->mnt = &sb_whole_mount(I->i_sb)->mnt;
	p->dentry = inode_dentry[I];
	return d_path(p);
}

/* The file that a page in memory is of, and where in it, in pages. P: a struct folio * (5.16), or page *, as
 * tracepoints give it. Source: include/linux/mm_types.h. */
inline struct address_space *page_mapping[uintptr_t P] = ((struct folio *)P)->mapping;
inline struct address_space *page_mapping[uintptr_t P] = ((struct page *)P)->mapping;
inline uint64_t page_index[uintptr_t P] = ((struct folio *)P)->index;
inline uint64_t page_index[uintptr_t P] = ((struct page *)P)->index;

/* Pages of a folio: a large one is marked, and says its order after the first page (6.6) or in a member (5.16).
 * Source: include/linux/mm.h folio_order(). */
inline uint64_t folio_order[uintptr_t P] = ((struct folio *)P)->_folio_order;
inline uint64_t folio_order[uintptr_t P] = *(uint64_t *)&((struct folio *)P)->_flags_1 & 0xff;
inline uint64_t folio_order[uintptr_t P] = 0;
inline uint64_t folio_pages[uintptr_t P] = *(uint64_t *)P >> PG_head & 1 ? 1 << folio_order[P] : 1;

/* The file that is read or written by a request to a disk, by its first page. "" for data that the file system has for
 * itself, for direct I/O, and where the head of a large page is not to be found. A page that is no head names it, with
 * bit 0 set. */
inline uintptr_t page_head[uintptr_t P] = ((struct page *)P)->compound_head & 1 ?
    ((struct page *)P)->compound_head - 1 : P;
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

/* The file of what goes to or comes from a disk. The page cache's pages know their inode. In direct I/O the pages
 * are the program's. There the request knows it, on file systems that use iomap (ext4, XFS and others; block
 * devices do not). Pages of the page cache are locked while they are read, and marked while they are written. This
 * tells them from files that a program has mapped and does direct I/O from. Source: fs/iomap/direct-io.c,
 * include/linux/page-flags.h. */
inline int PAGE_BYTES = 1 << machine_pageshift;
inline uintptr_t bio_page[struct bio *B] = B->bi_io_vec != NULL ? (uintptr_t)B->bi_io_vec->bv_page : 0;
inline uintptr_t bio_head[struct bio *B] = bio_page[B] ? page_head[bio_page[B]] : 0;
inline uint64_t page_bits = 1 << PG_locked | 1 << PG_writeback;
inline int page_is_moving[uintptr_t P] = P != 0 && (*(uint64_t *)&((struct folio *)P)->flags & page_bits) != 0;
inline int page_is_moving[uintptr_t P] = P != 0 && (((struct page *)P)->flags & page_bits) != 0;
inline uintptr_t bio_mapping[struct bio *B] = page_is_moving[bio_head[B]] ? (uintptr_t)page_mapping[bio_head[B]] : 0;
inline struct file *bio_direct[struct bio *B] = (uintptr_t)B->bi_end_io == (uintptr_t)&`iomap_dio_bio_end_io &&
    B->bi_private != NULL ? ((struct iomap_dio *)B->bi_private)->iocb->ki_filp : NULL;
inline struct file *bio_direct[struct bio *B] = NULL;
inline struct inode *map_inode[uintptr_t M] = M == 0 || M & 3 ? NULL : ((struct address_space *)M)->host;
inline struct inode *bio_host[struct bio *B] = bio_direct[B] != NULL ? bio_direct[B]->f_inode :
    map_inode[bio_mapping[B]];
/* NULL: what a file system has for itself, and what has no file. */
inline struct inode *bio_inode[struct bio *B] =
	B != NULL && bio_host[B] != NULL && (bio_host[B]->i_mode & S_IFMT) == S_IFREG ? bio_host[B] : NULL;
/* Since 5.16 a large page is one; where its further pages are not to be told, the first one's place is given. */
inline uint64_t bio_index[struct bio *B] =
	page_index[bio_head[B]] + (bio_page[B] - bio_head[B]) / sizeof (struct page);
inline loff_t bio_offset[struct bio *B] = bio_direct[B] != NULL ?
    ((struct iomap_dio *)B->bi_private)->iocb->ki_pos + (probename == "start" ?
    ((struct iomap_dio *)B->bi_private)->size - B->bi_iter.bi_size : 0) :
    (loff_t)(bio_index[B] * PAGE_BYTES + B->bi_io_vec->bv_offset);
inline loff_t bio_offset[struct bio *B] = (loff_t)(bio_index[B] * PAGE_BYTES + B->bi_io_vec->bv_offset);

string inode_name(struct inode *I)
{
	return inode_dentry[I] != NULL ? stringof(inode_dentry[I]->d_name.name) : "<unknown>";
}

string inode_known_path(struct inode *I)
{
	string path = inode_path(I);

	return path != "" ? path : "<unknown>";
}

/* NULL is no file; a file that has no name any more is <unknown>. */
translator fileinfo_t < struct inode *I > {
	fi_name = I != NULL ? inode_name(I) : "<none>";
	fi_dirname = I != NULL ? dirname(inode_known_path(I)) : "<none>";
	fi_pathname = I != NULL ? inode_known_path(I) : "<none>";
	fi_offset = 0;
	fi_fs = I != NULL ? stringof(I->i_sb->s_type->name) : "<none>";
	fi_mount = I == NULL ? "<none>" : sb_mount[I->i_sb] != NULL ? _mount_path(&sb_whole_mount(I->i_sb)->mnt) :
	    "<unknown>";
	fi_oflags = 0;
};

translator fileinfo_t < struct bio *B > {
	fi_name = xlate <fileinfo_t> (bio_inode[B]).fi_name;
	fi_dirname = xlate <fileinfo_t> (bio_inode[B]).fi_dirname;
	fi_pathname = xlate <fileinfo_t> (bio_inode[B]).fi_pathname;
	fi_offset = bio_inode[B] != NULL ? bio_offset[B] : 0;
	fi_fs = xlate <fileinfo_t> (bio_inode[B]).fi_fs;
	fi_mount = xlate <fileinfo_t> (bio_inode[B]).fi_mount;
	fi_oflags = B != NULL && bio_direct[B] != NULL ? bio_direct[B]->f_flags : 0;
};

translator fileinfo_t < struct request *R > {
	fi_name = xlate <fileinfo_t> (R->bio).fi_name;
	fi_dirname = xlate <fileinfo_t> (R->bio).fi_dirname;
	fi_pathname = xlate <fileinfo_t> (R->bio).fi_pathname;
	fi_offset = xlate <fileinfo_t> (R->bio).fi_offset;
	fi_fs = xlate <fileinfo_t> (R->bio).fi_fs;
	fi_mount = xlate <fileinfo_t> (R->bio).fi_mount;
	fi_oflags = xlate <fileinfo_t> (R->bio).fi_oflags;
};

/* Is a page in the swap cache, for memory that no file has? Source: include/linux/page-flags.h. */
inline uint64_t page_flags[struct page *P] = P->flags.f; /* Linux 6.18 */
inline uint64_t page_flags[struct page *P] = P->flags;
inline int page_swapped[struct page *P] = (page_flags[P] >> PG_swapcache & 1) && (page_flags[P] >> PG_swapbacked & 1);
