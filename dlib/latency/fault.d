#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.d: page faults, from the exception until the page is there.
 *
 * They are those of programs, and of the kernel where it copies from or to their memory. A fault that ends in a
 * signal is not measured. Every page fault of every program costs a little more.
 *
 * Tracker fault: page faults
 *   waits for "a page ({fault} page fault)": call, memory
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   fault = major | minor: major: the thread waited for a device or for another thread
 *   addr: the address
 *   mode = user | kernel
 *   file, offset: the page of a mapped file that was not in memory; before Linux 6.9 the place where reading began,
 *     which may be a little before it
 *   ustack: where the program was
 */
#pragma D option quiet
#pragma D option noself

tracker fault () { threshold = 10ms; limit = 100; }

/* The kernel counts a fault when it begins to handle it, on every machine; the tracepoints page_fault_user and
 * page_fault_kernel are x86's. Where it only tries, it handles none. */
cpc:::page-faults-all-1
{
	begin(fault);
	self->addr = arg2;
	self->user = arg1 != 0;
	self->mapping = (struct address_space *)NULL;
}

/* From 6.9 on the kernel tells which page is wanted. Before, the first one that comes to be read shows which file it
 * is. */
sdt:filemap::mm_filemap_[af]*
/probename == "mm_filemap_fault"/
{
	self->mapping = (struct address_space *)arg0;
	self->index = arg1;
}

sdt:filemap::mm_filemap_[af]*
/probename == "mm_filemap_add_to_page_cache" && pending(fault) && self->mapping == NULL/
{
	self->mapping = page_mapping[arg0];
	self->index = page_index[arg0];
}

/* The kernel counts a fault as one of these when it is over. Source: mm_account_fault(). */
cpc:::major-faults-all-1
{
	this->major = 1;
	end(fault, 1);
}

cpc:::minor-faults-all-1
{
	this->major = 0;
	end(fault);
}

latency:fault::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->file = self->mapping != NULL;
	slow("fault", this->major ? "major" : "minor", "addr", (void *)self->addr,
	    "mode", self->user ? "user" : "kernel", "file", this->file ? inode_path(self->mapping->host) : "",
	    "offset", this->file ? self->index * 4096 : 0, "ustack", jstack(100));
}
