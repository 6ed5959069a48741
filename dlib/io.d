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

/* Operations with an odd number write. Source: include/linux/blk_types.h. */
inline int REQ_WRITE = 0x01;
inline int REQ_SYNC = 0x800;
inline int BIO_USER_MAPPED = 6;

inline int io_flags[unsigned int op] =
	(op & REQ_WRITE ? B_WRITE : B_READ) | (op & REQ_SYNC ? 0 : B_ASYNC);

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
	b_edev = B != NULL && B->bi_bdev != NULL ? B->bi_bdev->bd_dev : 0;
};

/* The device of a request: the partition that it is for, or the disk. */
inline struct gendisk *rq_disk[struct request *R] = R->q->disk; /* since 5.17 */
inline struct gendisk *rq_disk[struct request *R] = R->rq_disk;
inline struct block_device *rq_dev[struct request *R] =
	R->bio != NULL ? R->bio->bi_bdev : rq_disk[R] != NULL ? rq_disk[R]->part0 : NULL;

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
	b_edev = rq_dev[R] != NULL ? rq_dev[R]->bd_dev : 0;
};

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;	/* always 0 */
	string dev_name;	/* driver: "sd", "virtio_blk" */
	string dev_statname;	/* device: "sda1" */
	string dev_pathname;	/* "/dev/sda1" */
} devinfo_t;

/* The name under which the driver registered its major number, where the kernel gives its table away; else
 * the name of the driver. */
inline string bdev_driver[struct block_device *D] =
	stringof(((struct blk_major_name **)&`major_names)[getmajor(D->bd_dev) % 255]->name);
inline string bdev_driver[struct block_device *D] =
	D->bd_disk->part0->bd_device.parent != NULL && D->bd_disk->part0->bd_device.parent->driver != NULL ?
	stringof(D->bd_disk->part0->bd_device.parent->driver->name) : stringof(D->bd_disk->disk_name);

translator devinfo_t < struct block_device *D > {
	dev_major = D != NULL ? getmajor(D->bd_dev) : 0;
	dev_minor = D != NULL ? getminor(D->bd_dev) : 0;
	dev_instance = 0;
	dev_name = D != NULL ? bdev_driver[D] : "nfs";
	dev_statname = D != NULL ? stringof(D->bd_device.kobj.name) : "nfs";
	dev_pathname = D != NULL ? strjoin("/dev/", stringof(D->bd_device.kobj.name)) : "<nfs>";
};

translator devinfo_t < struct bio *B > {
	dev_major = B != NULL ? xlate <devinfo_t> (B->bi_bdev).dev_major : 0;
	dev_minor = B != NULL ? xlate <devinfo_t> (B->bi_bdev).dev_minor : 0;
	dev_instance = 0;
	dev_name = B != NULL ? xlate <devinfo_t> (B->bi_bdev).dev_name : "<unknown>";
	dev_statname = B != NULL ? xlate <devinfo_t> (B->bi_bdev).dev_statname : "<unknown>";
	dev_pathname = B != NULL ? xlate <devinfo_t> (B->bi_bdev).dev_pathname : "<unknown>";
};

translator devinfo_t < struct request *R > {
	dev_major = xlate <devinfo_t> (rq_dev[R]).dev_major;
	dev_minor = xlate <devinfo_t> (rq_dev[R]).dev_minor;
	dev_instance = 0;
	dev_name = xlate <devinfo_t> (rq_dev[R]).dev_name;
	dev_statname = xlate <devinfo_t> (rq_dev[R]).dev_statname;
	dev_pathname = xlate <devinfo_t> (rq_dev[R]).dev_pathname;
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

/* Which file a block belongs to is not recorded in it. */
translator fileinfo_t < struct bio *B > {
	fi_name = "<none>";
	fi_dirname = "<none>";
	fi_pathname = "<none>";
	fi_offset = 0;
	fi_fs = "<none>";
	fi_mount = "<none>";
	fi_oflags = 0;
};

translator fileinfo_t < struct request *R > {
	fi_name = "<none>";
	fi_dirname = "<none>";
	fi_pathname = "<none>";
	fi_offset = 0;
	fi_fs = "<none>";
	fi_mount = "<none>";
	fi_oflags = 0;
};

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

/* The files that the process has open, by descriptor; "<none>" where there is none. */
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (
	curthread->files != NULL && fd >= 0 && fd < curthread->files->fdt->max_fds ?
	curthread->files->fdt->fd[fd] : NULL);
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
