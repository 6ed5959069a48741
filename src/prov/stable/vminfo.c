/* SPDX-License-Identifier: Apache-2.0 */
/* Provider vminfo: the events that vmstat(8) counts. arg0 is what is added to the count.
 * Source: DTrace guide, "vminfo Provider"; arch/x86/mm/fault.c (error_code: 1 the page is there, 2
 * write, 4 user), mm/vmscan.c, block/blk-core.c (PGPGIN, PGPGOUT). */
#include "base/cleanup.h"
#include "prov/stable/stable.h"

#define BY(n) .args = { { "uint64_t", n, "add", false } }
#define READS "(bio->bi_opf & 0xff) == 0"
#define WRITES "(bio->bi_opf & 0xff) == 1"
#define PAGES "(bio->bi_iter.bi_size + 4095) >> 12"
#define NO_KIND "no tracepoint tells the pages of programs, of files and of neither apart"
#define NO_PF "the tracepoints of page faults do not tell how a fault was resolved"
#define NO_X86 "kernels for this machine have no tracepoint of page faults, as those for x86-64 do"
#define NO_SWAP "Linux swaps pages, not processes"

static const struct stable_row vminfo_rows[] = {
	{ .name = "anonfree", .reason = NO_KIND },
	{ .name = "anonpgin", .reason = NO_KIND },
	{ .name = "anonpgout", .reason = NO_KIND },
	{ .name = "as_fault", .tp = "page_fault_user", .reason = NO_X86, BY("1") },
	{ .name = "cow_fault", .reason = NO_PF },
	{ .name = "dfree", .tp = "mm_vmscan_lru_shrink_inactive", .cond = "nr_reclaimed != 0", BY("nr_reclaimed") },
	{ .name = "execfree", .reason = NO_KIND },
	{ .name = "execpgin", .reason = NO_KIND },
	{ .name = "execpgout", .reason = NO_KIND },
	{ .name = "fsfree", .tp = "mm_filemap_delete_from_page_cache", BY("1") },
	{ .name = "fspgin", .reason = NO_KIND },
	{ .name = "fspgout", .reason = NO_KIND },
	{ .name = "hat_fault", .reason = NO_PF },
	{ .name = "kernel_asflt", .tp = "page_fault_kernel", .reason = NO_X86, BY("1") },
	{ .name = "maj_fault", .reason = NO_PF },
	{ .name = "pgfrec", .reason = NO_PF },
	{ .name = "pgin", .tp = "block_bio_queue", .cond = READS, BY("1") },
	{ .name = "pgout", .tp = "block_bio_queue", .cond = WRITES, BY("1") },
	{ .name = "pgpgin", .tp = "block_bio_queue", .cond = READS, BY(PAGES) },
	{ .name = "pgpgout", .tp = "block_bio_queue", .cond = WRITES, BY(PAGES) },
	{ .name = "pgrec", .reason = NO_PF },
	{ .name = "pgrrun", .tp = "mm_vmscan_kswapd_wake", BY("1") },
	{ .name = "pgswapin", .reason = NO_SWAP },
	{ .name = "pgswapout", .tp = "mm_vmscan_write_folio", BY("1") },
	{ .name = "prot_fault",
	  .tp = "page_fault_user",
	  .reason = NO_X86,
	  .need = "error_code",
	  .cond = "(error_code & 1) != 0",
	  BY("1") },
	{ .name = "rev", .reason = "the kernel has no clock hand that goes round its pages" },
	{ .name = "scan", .tp = "mm_vmscan_lru_isolate", .cond = "nr_scanned != 0", BY("nr_scanned") },
	{ .name = "softlock", .reason = NO_PF },
	{ .name = "swapin", .reason = NO_SWAP },
	{ .name = "swapout", .reason = NO_SWAP },
	{ .name = "zfod", .reason = NO_PF },
};

STABLE_PROVIDER(vminfo, VMINFO);
