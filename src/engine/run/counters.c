/* SPDX-License-Identifier: Apache-2.0 */
/* Reads counters of /proc and /sys as text. */
#include "engine/run/counters.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define MAX_FIELDS 32
#define MAX_PATH 4096

/* Splits a line into words; how many. */
static size_t split(char *line, char *words[MAX_FIELDS])
{
	size_t n = 0;

	for (char *save = NULL, *w = strtok_r(line, " \t:\n", &save); w && n < MAX_FIELDS;
	     w = strtok_r(NULL, " \t:\n", &save))
		words[n++] = w;
	return n;
}

static double number(char *const *words, size_t n, size_t i)
{
	return i < n ? strtod(words[i], NULL) : 0;
}

typedef void line_fn(struct strb *b, char *const *words, size_t n);

static FILE *open_proc(const char *root, const char *name)
{
	char path[MAX_PATH];

	snprintf(path, sizeof(path), "%s/proc/%s", root, name);
	return fopen(path, "re");
}

static void each_line(struct strb *b, const char *root, const char *name, line_fn *fn)
{
	_cleanup_free_ char *line = NULL;
	FILE *f = open_proc(root, name);
	size_t cap = 0;

	while (f && getline(&line, &cap, f) >= 0) {
		char *words[MAX_FIELDS];
		size_t n = split(line, words);

		if (n)
			fn(b, words, n);
	}
	if (f)
		fclose(f);
}

/* user nice system idle iowait irq softirq steal; the two of guests are in user and nice. */
static void stat_line(struct strb *b, char *const *w, size_t n)
{
	double idle = number(w, n, 4) + number(w, n, 5), busy = number(w, n, 1) + number(w, n, 2) + number(w, n, 3);

	if (!strncmp(w[0], "cpu", 3)) {
		busy += number(w, n, 6) + number(w, n, 7);
		strb_printf(b, "%s.busy %.0f\n%s.idle %.0f\n%s.steal %.0f\n", w[0], busy, w[0], idle, w[0],
			    number(w, n, 8));
	} else if (!strcmp(w[0], "ctxt") || !strcmp(w[0], "processes")) {
		strb_printf(b, "stat.%s %s\n", w[0], n > 1 ? w[1] : "0");
	}
}

static void vmstat_line(struct strb *b, char *const *w, size_t n)
{
	static const char *const wanted[] = {
		"pswpin", "pswpout", "pgfault", "pgmajfault", "oom_kill", "allocstall_*"
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted) && n > 1; i++)
		if (fnmatch(wanted[i], w[0], 0) == 0)
			strb_printf(b, "vm.%s %s\n", w[0], w[1]);
}

static void meminfo_line(struct strb *b, char *const *w, size_t n)
{
	if (n > 1 && (!strcmp(w[0], "MemTotal") || !strcmp(w[0], "MemAvailable") || !strcmp(w[0], "SwapFree")))
		strb_printf(b, "mem.%s %s\n", w[0], w[1]);
}

/* major minor name reads … sectors: 6th and 10th word, ms busy: 13th. */
static void diskstats_line(struct strb *b, char *const *w, size_t n)
{
	if (n > 12 && (number(w, n, 3) > 0 || number(w, n, 7) > 0))
		strb_printf(b, "disk.%s.busy_ms %s\ndisk.%s.sectors %.0f\n", w[2], w[12], w[2],
			    number(w, n, 5) + number(w, n, 9));
}

/* In /proc/net/snmp and netstat a line of names stands above one of values. */
static void named_pairs(struct strb *b, const char *root, const char *name)
{
	static const char *const wanted[] = { "Tcp.OutSegs",	    "Tcp.RetransSegs",	      "Udp.RcvbufErrors",
					      "TcpExt.ListenDrops", "TcpExt.ListenOverflows", "TcpExt.TCPBacklogDrop" };
	_cleanup_free_ char *names = NULL, *values = NULL;
	FILE *f = open_proc(root, name);
	size_t cap = 0, room = 0;

	while (f && getline(&names, &cap, f) >= 0 && getline(&values, &room, f) >= 0) {
		char *ns, *vs, *k = strtok_r(names, " :\n", &ns), *v = strtok_r(values, " :\n", &vs), full[96];
		const char *group = k ? k : "";

		while ((k = strtok_r(NULL, " :\n", &ns)) && (v = strtok_r(NULL, " :\n", &vs))) {
			snprintf(full, sizeof(full), "%s.%s", group, k);
			for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
				if (!strcmp(wanted[i], full))
					strb_printf(b, "net.%s %s\n", full, v);
		}
	}
	if (f)
		fclose(f);
}

struct totals {
	double v[3];
};

/* A line for each CPU, in hexadecimal: packets, dropped, squeezed. */
static void softnet(struct strb *b, const char *root)
{
	struct totals t = { 0 };
	FILE *f = open_proc(root, "net/softnet_stat");
	unsigned v[3];
	int c;

	while (f && fscanf(f, "%x %x %x", &v[0], &v[1], &v[2]) == 3) {
		for (unsigned i = 0; i < 3; i++)
			t.v[i] += v[i];
		while ((c = fgetc(f)) != EOF && c != '\n')
			;
	}
	if (f) {
		strb_printf(b, "softnet.dropped %.0f\nsoftnet.squeezed %.0f\n", t.v[1], t.v[2]);
		fclose(f);
	}
}

/* All interfaces but the loopback: bytes received are after the name, bytes sent are the 9th number. */
static void interfaces(struct strb *b, const char *root)
{
	_cleanup_free_ char *line = NULL;
	FILE *f = open_proc(root, "net/dev");
	double rx = 0, tx = 0;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) >= 0) {
		char *words[MAX_FIELDS];
		size_t n = split(line, words);

		if (n > 9 && strcmp(words[0], "lo") != 0) {
			rx += number(words, n, 1);
			tx += number(words, n, 9);
		}
	}
	if (f) {
		strb_printf(b, "if.rx_bytes %.0f\nif.tx_bytes %.0f\n", rx, tx);
		fclose(f);
	}
}

/* "some avg10=… total=123" (us) */
static void pressure(struct strb *b, const char *root, const char *what)
{
	char file[32], kind[8];
	FILE *f;
	double total;

	snprintf(file, sizeof(file), "pressure/%s", what);
	f = open_proc(root, file);
	while (f && fscanf(f, "%7s avg10=%*f avg60=%*f avg300=%*f total=%lf", kind, &total) == 2)
		strb_printf(b, "psi.%s.%s %.0f\n", what, kind, total);
	if (f)
		fclose(f);
}

void counters_read(struct strb *b, const char *root)
{
	each_line(b, root, "stat", stat_line);
	each_line(b, root, "vmstat", vmstat_line);
	each_line(b, root, "meminfo", meminfo_line);
	each_line(b, root, "diskstats", diskstats_line);
	named_pairs(b, root, "net/snmp");
	named_pairs(b, root, "net/netstat");
	softnet(b, root);
	interfaces(b, root);
	pressure(b, root, "cpu");
	pressure(b, root, "memory");
	pressure(b, root, "io");
}
