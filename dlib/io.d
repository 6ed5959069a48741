/* SPDX-License-Identifier: Apache-2.0 */
/* Block I/O: what args[0] … args[2] of the provider io describe, from struct bio, struct request and
 * struct file. */
typedef char *caddr_t;

typedef struct bufinfo {
	int b_flags;		/* B_* */
	size_t b_bcount;	/* bytes */
	caddr_t b_addr;		/* always 0: a request is spread over pages */
	uint64_t b_lblkno;	/* sector (512 bytes) on the device */
	uint64_t b_blkno;	/* the same */
	size_t b_resid;		/* bytes not transferred */
	size_t b_bufsize;	/* bytes */
	caddr_t b_iodone;	/* function called at the end, or 0 */
	int b_error;		/* always 0: see the probe's own arguments */
	dev_t b_edev;		/* device */
} bufinfo_t;

inline int B_BUSY = 0x000001;
inline int B_DONE = 0x000002;
inline int B_ERROR = 0x000004;
inline int B_PAGEIO = 0x000010;
inline int B_PHYS = 0x000020;
inline int B_READ = 0x000040;
inline int B_WRITE = 0x000100;
inline int B_ASYNC = 0x000400;
/* Linux has more than reads and writes. */
inline int B_DISCARD = 0x01000000; /* blocks are given up, securely or not; no transfer, and B_WRITE is not set */
inline int B_FLUSH = 0x02000000;   /* the device stores its cache first; with B_WRITE; of no bytes if that is all */
inline int B_ZERO = 0x04000000;    /* the device is to write zeroes; with B_WRITE, nothing is transferred */

/* Operations with an odd number write. Source: include/linux/blk_types.h. */
inline int REQ_OP_BITS = 0xff;
inline int REQ_WRITE = 0x01;
inline int REQ_IS_FLUSH = 2;
inline int REQ_IS_DISCARD = 3;
inline int REQ_IS_SECURE_ERASE = 5;
inline int REQ_IS_WRITE_ZEROES = 9;
inline int REQ_SYNC = 0x800;
inline int REQ_HAS_PREFLUSH = 0x40000;
inline int BIO_USER_MAPPED = 6;

inline int io_op[unsigned int op] = op & REQ_OP_BITS;
inline int io_flags[unsigned int op] =
	(io_op[op] == REQ_IS_DISCARD || io_op[op] == REQ_IS_SECURE_ERASE ? B_DISCARD :
	 io_op[op] == REQ_IS_FLUSH ? B_FLUSH | B_WRITE :
	 io_op[op] == REQ_IS_WRITE_ZEROES ? B_ZERO | B_WRITE :
	 op & REQ_WRITE ? B_WRITE | (op & REQ_HAS_PREFLUSH ? B_FLUSH : 0) : B_READ) |
	(op & REQ_SYNC ? 0 : B_ASYNC);
/* One letter for it, as tools print it. */
inline string io_letter[int flags] = flags & B_DISCARD ? "D" : flags & B_WRITE ? "W" : flags & B_READ ? "R" : "-";
inline string io_word[int flags] = flags & B_DISCARD ? "discard" :
    flags & B_WRITE ? "write" : flags & B_READ ? "read" : "?";

/* The device of a bio: since 5.12 it names the partition, before that the disk and the partition's number. */
inline dev_t bio_edev[struct bio *B] = B->bi_bdev != NULL ? B->bi_bdev->bd_dev : 0;
inline dev_t bio_edev[struct bio *B] = B->bi_disk != NULL ?
	(dev_t)B->bi_disk->major << 20 | (B->bi_disk->first_minor + B->bi_partno) : 0;

/* NULL: it is not known which request. */
translator bufinfo_t < struct bio *B > {
	b_flags = B == NULL ? 0 :
		  io_flags[B->bi_opf] | (B->bi_flags & 1 << BIO_USER_MAPPED ? B_PAGEIO : B_PHYS);
	b_bcount = B != NULL ? B->bi_iter.bi_size : 0;
	b_addr = NULL;
	b_lblkno = B != NULL ? B->bi_iter.bi_sector : 0;
	b_blkno = B != NULL ? B->bi_iter.bi_sector : 0;
	b_resid = 0;
	b_bufsize = B != NULL ? B->bi_iter.bi_size : 0;
	b_iodone = B != NULL ? (caddr_t)B->bi_end_io : NULL;
	b_error = 0;
	b_edev = B != NULL ? bio_edev[B] : 0;
};

/* The device of a request: the partition that it is for, or the disk. */
inline struct gendisk *rq_disk[struct request *R] = R->q->disk; /* since 5.17 */
inline struct gendisk *rq_disk[struct request *R] = R->rq_disk;
inline dev_t rq_edev[struct request *R] =
	R->bio != NULL ? R->bio->bi_bdev->bd_dev : rq_disk[R] != NULL ? rq_disk[R]->part0->bd_dev : 0;
inline dev_t rq_edev[struct request *R] = R->part != NULL ? R->part->__dev.devt : 0; /* before 5.12 */

translator bufinfo_t < struct request *R > {
	b_flags = io_flags[R->cmd_flags] | B_PHYS;
	b_bcount = R->__data_len;
	b_addr = NULL;
	b_lblkno = R->__sector;
	b_blkno = R->__sector;
	b_resid = 0;
	b_bufsize = R->__data_len;
	b_iodone = (caddr_t)R->end_io;
	b_error = 0;
	b_edev = rq_edev[R];
};

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;	/* always 0 */
	string dev_name;	/* driver: "sd", "virtio_blk" */
	string dev_statname;	/* device: "sda1" */
	string dev_pathname;	/* "/dev/sda1" */
} devinfo_t;

/* Devices as the kernel shows them in /sys; before 5.12 they are those of partitions, of which a disk is one. */
inline struct device *bdev_device[struct block_device *D] = &D->bd_device;
inline struct device *bdev_device[struct block_device *D] = &D->bd_part->__dev;
inline struct device *disk_device[struct gendisk *G] = &G->part0->bd_device;
inline struct device *disk_device[struct gendisk *G] = &G->part0.__dev;

/* The name under which the driver registered its major number, where the kernel gives its table away; else
 * the name of the driver. */
inline string disk_driver[struct gendisk *G] =
	stringof(((struct blk_major_name **)&`major_names)[getmajor(disk_device[G]->devt) % 255]->name);
inline string disk_driver[struct gendisk *G] =
	disk_device[G]->parent != NULL && disk_device[G]->parent->driver != NULL ?
	stringof(disk_device[G]->parent->driver->name) : stringof(G->disk_name);

translator devinfo_t < struct block_device *D > {
	dev_major = D != NULL ? getmajor(D->bd_dev) : 0;
	dev_minor = D != NULL ? getminor(D->bd_dev) : 0;
	dev_instance = 0;
	dev_name = D != NULL ? disk_driver[D->bd_disk] : "nfs";
	dev_statname = D != NULL ? stringof(bdev_device[D]->kobj.name) : "nfs";
	dev_pathname = D != NULL ? strjoin("/dev/", stringof(bdev_device[D]->kobj.name)) : "<nfs>";
};

/* The driver and the name of the device of a bio, and of a request; NULL if it has none. */
inline struct device *bio_device[struct bio *B] = B->bi_bdev != NULL ? bdev_device[B->bi_bdev] : NULL;
inline struct device *bio_device[struct bio *B] =
	B->bi_disk != NULL ? &B->bi_disk->part_tbl->part[B->bi_partno]->__dev : NULL;
inline string bio_driver[struct bio *B] = B->bi_bdev != NULL ? disk_driver[B->bi_bdev->bd_disk] : "nfs";
inline string bio_driver[struct bio *B] = B->bi_disk != NULL ? disk_driver[B->bi_disk] : "nfs";
inline struct device *rq_device[struct request *R] =
	R->bio != NULL ? bdev_device[R->bio->bi_bdev] : rq_disk[R] != NULL ? disk_device[rq_disk[R]] : NULL;
inline struct device *rq_device[struct request *R] = R->part != NULL ? &R->part->__dev : NULL;

translator devinfo_t < struct bio *B > {
	dev_major = B != NULL ? getmajor(bio_edev[B]) : 0;
	dev_minor = B != NULL ? getminor(bio_edev[B]) : 0;
	dev_instance = 0;
	dev_name = B != NULL ? bio_driver[B] : "<unknown>";
	dev_statname = B == NULL ? "<unknown>" : bio_device[B] != NULL ? stringof(bio_device[B]->kobj.name) : "nfs";
	dev_pathname = B == NULL ? "<unknown>" :
	    bio_device[B] != NULL ? strjoin("/dev/", stringof(bio_device[B]->kobj.name)) : "<nfs>";
};

translator devinfo_t < struct request *R > {
	dev_major = getmajor(rq_edev[R]);
	dev_minor = getminor(rq_edev[R]);
	dev_instance = 0;
	dev_name = rq_disk[R] != NULL ? disk_driver[rq_disk[R]] : "nfs";
	dev_statname = rq_device[R] != NULL ? stringof(rq_device[R]->kobj.name) : "nfs";
	dev_pathname = rq_device[R] != NULL ? strjoin("/dev/", stringof(rq_device[R]->kobj.name)) : "<nfs>";
};

typedef struct fileinfo {
	string fi_name;		/* last part of the path */
	string fi_dirname;	/* the path before it */
	string fi_pathname;	/* path */
	loff_t fi_offset;	/* offset within the file */
	string fi_fs;		/* file system: "ext4" */
	string fi_mount;	/* mount point */
	int fi_oflags;		/* O_* of open() */
} fileinfo_t;

/* NULL is no file. */
translator fileinfo_t < struct file *F > {
	fi_name = F != NULL ? stringof(F->f_path.dentry->d_name.name) : "<none>";
	fi_dirname = F != NULL ? dirname(d_path(&F->f_path)) : "<none>";
	fi_pathname = F != NULL ? d_path(&F->f_path) : "<none>";
	fi_offset = F != NULL ? F->f_pos : 0;
	fi_fs = F != NULL ? stringof(F->f_path.mnt->mnt_sb->s_type->name) : "<none>";
	fi_mount = F != NULL ? _mount_path(F->f_path.mnt) : "<none>";
	fi_oflags = F != NULL ? F->f_flags : 0;
};

/* The file, inode and type of a descriptor that the process has open: NULL or 0 where that is nothing. */
inline struct file *fd_file[int fd] =
	curthread->files != NULL && fd >= 0 && fd < curthread->files->fdt->max_fds ?
	curthread->files->fdt->fd[fd] : NULL;
inline struct inode *file_inode[struct file *F] = F != NULL ? F->f_inode : NULL;
inline int inode_type[struct inode *I] = I != NULL ? I->i_mode & S_IFMT : 0; /* S_IF* */
inline struct inode *fd_inode[int fd] = file_inode[fd_file[fd]];
inline int fd_type[int fd] = inode_type[fd_inode[fd]];

/* The files that the process has open, by descriptor; "<none>" where there is none. */
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (fd_file[fd]);
#pragma D attributes Stable/Stable/Common fds

/* Flags of open(2); those that differ between processors are in their folders. */
inline int O_ACCMODE = 0003;
inline int O_RDONLY = 00;
inline int O_WRONLY = 01;
inline int O_RDWR = 02;
inline int O_CREAT = 00000100;
inline int O_EXCL = 00000200;
inline int O_NOCTTY = 00000400;
inline int O_TRUNC = 00001000;
inline int O_APPEND = 00002000;
inline int O_NONBLOCK = 00004000;
inline int O_NDELAY = 00004000;
inline int O_DSYNC = 00010000;
inline int O_ASYNC = 00020000;
inline int O_NOATIME = 01000000;
inline int O_CLOEXEC = 02000000;
inline int O_SYNC = 04010000;
inline int O_FSYNC = 04010000;
inline int O_RSYNC = 04010000;
inline int O_PATH = 010000000;

/* Types of files, in i_mode. Source: include/uapi/linux/stat.h. */
inline int S_IFMT = 00170000;
inline int S_IFSOCK = 0140000;
inline int S_IFLNK = 0120000;
inline int S_IFREG = 0100000;
inline int S_IFBLK = 0060000;
inline int S_IFDIR = 0040000;
inline int S_IFCHR = 0020000;
inline int S_IFIFO = 0010000;
