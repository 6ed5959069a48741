#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slabratetop.d: objects that the kernel allocates most, by cache.
 *
 * Topic: Memory
 * Usage: slabratetop.d [--interval TIME]
 * Linux 6.1 or later.
 *
 * CACHE   as in /proc/slabinfo; kmalloc: memory of any size
 * ALLOCS  objects that were allocated            KB  of them
 *
 * Example:
 *   # slabratetop.d -c "find /etc -name x"
 *   2026 Nov 26 11:49:13
 *   CACHE                                ALLOCS         KB
 *   names_cache                            3334      13336
 *   kmalloc                                2054        200
 *   filp                                   1231        221
 *   lsm_file_cache                         1231         28
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

sdt:::kmem_cache_alloc
/wanted/
{
	@kb[stringof(args[2]->name)] = sum(args[2]->object_size);
	@allocs[stringof(args[2]->name)] = count();
}

sdt:::kmalloc
/wanted/
{
	@kb["kmalloc"] = sum(args[3]);
	@allocs["kmalloc"] = count();
}

tick-$interval, END
{
	normalize(@kb, 1024);
	printf("%Y\n%-32s %10s %10s\n", walltimestamp, "CACHE", "ALLOCS", "KB");
	printa("%-32s %@10d %@10d\n", @allocs, @kb);
	trunc(@kb);
	trunc(@allocs);
}
