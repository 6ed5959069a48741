/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the panes of `dwell top`: overview, causes, slow events, CPUs and processes, heat map, help. Layouts are fixed:
 * only numbers move, and lists whose order has a meaning. */
#include <curses.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "top/draw.h"
#include "top/glyph.h"
#include "top/shown.h"

#define NAME_COLS 11
#define NUM_COLS 9
#define WHO_COLS 20
#define NARROW_COLS 76 /* with less, the causes lose the column "times", and "who" is narrower */
#define WHO_NARROW 14
#define CLOCK_COLS 14
#define ALIKE_MAX 999
#define BAR_COLS 8 /* the bar of a CPU that is always busy */
#define MIN_LIST 2 /* rows of a list in the view of all */

static void format_share(char *buf, size_t size, double share)
{
	snprintf(buf, size, share < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * share);
}

/* The last of n rows stays in sight. */
static void clamp_scroll(struct pane *p, size_t n)
{
	if (p->scroll >= n)
		p->scroll = n ? n - 1 : 0;
}

static void number(const struct pane *p, int y, int x, enum style style, uint64_t n)
{
	char buf[UNITS_LEN];

	draw_right(p, y, x, NUM_COLS, style, units_number((double)n, buf));
}

static void duration(const struct pane *p, int y, int x, enum style style, uint64_t ns)
{
	char buf[UNITS_LEN];

	draw_right(p, y, x, NUM_COLS, style, ns ? units_ns(ns, buf) : "-");
}

/* -- the lines at the top -- */

static void draw_title(const struct pane *p)
{
	char left[256], right[256], up[32], user[16], probes[16];
	const struct top_data *d = p->d;
	uint64_t s = (d->now - d->since) / NSEC_PER_SEC;

	snprintf(up, sizeof(up), "%llu:%02llu:%02llu", (unsigned long long)(s / 3600),
		 (unsigned long long)(s / 60 % 60), (unsigned long long)(s % 60));
	snprintf(left, sizeof(left), "dwell top  %s  %s%s", up, p->paused ? "PAUSED  " : "", p->title);
	format_share(user, sizeof(user), d->own_user);
	format_share(probes, sizeof(probes), d->own_probes < 0 ? 0 : d->own_probes);
	snprintf(right, sizeof(right), "own %s CPU%s%s%s  lost %llu", user, d->own_probes < 0 ? "" : " + ",
		 d->own_probes < 0 ? "" : probes, d->own_probes < 0 ? "" : " in probes", (unsigned long long)d->lost);
	draw_text(p, 0, 0, p->cols - (int)strlen(right) - 1, STYLE_TITLE, left);
	draw_right(p, 0, p->cols - (int)strlen(right), (int)strlen(right), d->lost ? STYLE_BAD : STYLE_DIM, right);
}

/* One character a CPU, as many as fit, and the longest queue. */
static void draw_cpus(const struct pane *p, int y)
{
	const struct top_data *d = p->d;
	double busy = 0, longest = 0;
	size_t at = 0, shown;
	char text[128], share[16];
	int x;

	for (size_t i = 0; i < d->ncpus; i++) {
		busy += d->cpus[i].busy;
		if (d->cpus[i].runnable > longest) {
			longest = d->cpus[i].runnable;
			at = i;
		}
	}
	format_share(share, sizeof(share), d->ncpus ? busy / (double)d->ncpus : 0);
	snprintf(text, sizeof(text), "%zu CPU%s %s busy ", d->ncpus, d->ncpus == 1 ? "" : "s", share);
	draw_text(p, y, 0, p->cols, STYLE_PLAIN, text);
	x = (int)strlen(text);
	shown = d->ncpus < (size_t)(p->cols / 3) ? d->ncpus : (size_t)(p->cols / 3);
	for (size_t i = 0; i < shown; i++)
		draw_level(p, y, x + (int)i, (unsigned)(d->cpus[i].busy * GLYPH_LEVELS + 0.5), true);
	x += (int)shown + 2;
	if (longest > 0)
		snprintf(text, sizeof(text), "run queues: at most %.1f runnable (CPU %zu), %.1f waiting", longest, at,
			 longest > 1 ? longest - 1 : 0.0);
	else
		snprintf(text, sizeof(text), "run queues: empty");
	draw_text(p, y, x, p->cols - x, longest > 2 ? STYLE_BOLD : STYLE_PLAIN, text);
}

static void draw_running(const struct pane *p, int y)
{
	char text[512];
	size_t at = (size_t)snprintf(text, sizeof(text), "on CPU:");

	for (size_t i = 0; i < p->d->nprocs && at < sizeof(text) - 1; i++) {
		const struct top_proc *q = &p->d->procs[i];
		char share[16];

		format_share(share, sizeof(share), q->share);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s %s %u %s", i ? "," : "", q->comm, q->pid,
				       share);
	}
	if (!p->d->nprocs)
		snprintf(text + at, sizeof(text) - at, " %s", p->d->intervals ? "nothing" : "…");
	draw_text(p, y, 0, p->cols, STYLE_PLAIN, text);
}

/* -- trackers -- */

static uint64_t newest_second(const struct pane *p)
{
	return p->d->now / NSEC_PER_SEC - 2; /* what ended later is still being collected */
}

static void draw_strip(const struct pane *p, const struct top_tracker *t, int y, int x)
{
	uint64_t last = newest_second(p);

	for (int c = p->cols - 1; c >= x && p->cols - 1 - c < TOP_SECONDS; c--) {
		const struct top_column *col = top_column(t, last - (uint64_t)(p->cols - 1 - c));

		draw_level(p, y, c, col ? glyph_level(top_column_quantile(col, 0.99)) : 0, true);
	}
}

static void draw_trackers(const struct pane *p, int y, int rows)
{
	const int strip = NAME_COLS + 4 * NUM_COLS + 1;
	/* scrolled as far as the selected one needs */
	const size_t lines = rows > 1 ? (size_t)rows - 1 : 1, first = p->tracker < lines ? 0 : p->tracker + 1 - lines;
	char text[64];

	draw_text(p, y, 0, p->cols, STYLE_HEAD, "TRACKER");
	draw_right(p, y, NAME_COLS, NUM_COLS, STYLE_HEAD, "per s");
	draw_right(p, y, NAME_COLS + NUM_COLS, NUM_COLS, STYLE_HEAD, "half");
	draw_right(p, y, NAME_COLS + 2 * NUM_COLS, NUM_COLS, STYLE_HEAD, "99%");
	draw_right(p, y, NAME_COLS + 3 * NUM_COLS, NUM_COLS, STYLE_HEAD, "longest");
	snprintf(text, sizeof(text), "99%% of each second, last %d s",
		 p->cols - strip < TOP_SECONDS ? p->cols - strip : TOP_SECONDS);
	draw_text(p, y, strip, p->cols - strip, STYLE_HEAD, text);
	for (int i = 0; i < rows - 1 && first + (size_t)i < p->d->ntrackers; i++) {
		const struct top_tracker *t = &p->d->trackers[first + (size_t)i];
		char buf[UNITS_LEN];

		draw_text(p, y + 1 + i, 0, NAME_COLS, first + (size_t)i == p->tracker ? STYLE_SELECTED : STYLE_PLAIN,
			  t->name);
		draw_right(p, y + 1 + i, NAME_COLS, NUM_COLS, STYLE_PLAIN,
			   t->count ? units_number(t->per_s, buf) : "-");
		duration(p, y + 1 + i, NAME_COLS + NUM_COLS, STYLE_PLAIN, t->p50);
		duration(p, y + 1 + i, NAME_COLS + 2 * NUM_COLS, STYLE_PLAIN, t->p99);
		duration(p, y + 1 + i, NAME_COLS + 3 * NUM_COLS, STYLE_BOLD, t->max);
		draw_strip(p, t, y + 1 + i, strip);
	}
}

/* -- causes -- */

static size_t idle_causes(const struct top_causes *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->v[i].idle;
	return n;
}

static void draw_causes(struct pane *p, int y, int rows)
{
	const struct top_causes *c = p->since_begin ? &p->d->all : &p->d->last;
	const bool narrow = p->cols < NARROW_COLS;
	const int who = narrow ? WHO_NARROW : WHO_COLS, last = p->cols - NUM_COLS,
		  words = last - (narrow ? 1 : 2) * NUM_COLS - who;
	size_t left_out = p->idle ? 0 : idle_causes(c), n = 0, skip = 0;
	char text[128], took[UNITS_LEN];
	int at = 0;

	if (p->kind == PANE_CAUSES) {
		clamp_scroll(p, c->n - left_out);
		skip = p->scroll;
	}
	snprintf(text, sizeof(text), p->since_begin ? "WAITING FOR (since the begin)" : "WAITING FOR (last %s)",
		 units_ns(c->ns, took));
	draw_text(p, y, 0, p->cols, STYLE_HEAD, "");
	draw_text(p, y, 0, words - 1, STYLE_HEAD, text);
	draw_text(p, y, words, who, STYLE_HEAD, "who");
	if (!narrow)
		draw_right(p, y, words + who, NUM_COLS, STYLE_HEAD, "times");
	draw_right(p, y, last - NUM_COLS, NUM_COLS, STYLE_HEAD, "total");
	draw_right(p, y, last, NUM_COLS, STYLE_HEAD, "longest");
	for (size_t i = 0; i < c->n; i++) {
		const struct top_cause *k = &c->v[i];
		enum style style = k->idle ? STYLE_DIM : STYLE_PLAIN;

		if (k->idle && !p->idle)
			continue;
		if (n++ < skip || at >= rows - 1)
			continue;
		at++;
		draw_text(p, y + at, 0, words - 1, style, k->words);
		snprintf(text, sizeof(text), "%s %u", k->comm, k->pid);
		draw_text(p, y + at, words, who - 1, style, text);
		if (!narrow)
			number(p, y + at, words + who, style, k->count);
		duration(p, y + at, last - NUM_COLS, style, k->total);
		duration(p, y + at, last, style, k->max);
	}
	if (n == 0 && rows > 1) {
		snprintf(text, sizeof(text), p->d->intervals ? "nobody waited for anything%s" : "measuring…%s",
			 left_out ? " but something to do (i)" : "");
		draw_text(p, y + 1, 0, p->cols, STYLE_DIM, text);
	}
}

/* -- slow events -- */

static void put_head(const struct pane *p, const struct top_slow *s, int y, unsigned alike)
{
	time_t second = (time_t)(s->wall / NSEC_PER_SEC);
	char clock[16], text[64];
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&second, &tm));
	if (alike > 1)
		snprintf(text, sizeof(text), "%s %s%u", clock, p->utf8 ? "×" : "x",
			 alike < ALIKE_MAX ? alike : ALIKE_MAX);
	else
		snprintf(text, sizeof(text), "%s.%03u", clock, (unsigned)(s->wall / 1000000 % 1000));
	draw_text(p, y, 0, CLOCK_COLS, STYLE_DIM, text);
	draw_text(p, y, CLOCK_COLS, NAME_COLS, STYLE_DIM, s->tracker);
}

/* An event from row y on, in at most rows rows, broken at spaces when it may take several. How many. */
static int draw_event(const struct pane *p, const struct top_slow *s, int y, int rows)
{
	const int room = p->cols - CLOCK_COLS - NAME_COLS;
	const char *at = s->sentence;
	int n = 0;

	do {
		char line[TOP_SENTENCE];
		size_t len = strlen(at), cut = len;

		if (n + 1 < rows && len > (size_t)room) {
			for (cut = (size_t)room; cut > 0 && at[cut] != ' '; cut--)
				;
			cut = cut ? cut : (size_t)room;
		}
		snprintf(line, sizeof(line), "%.*s", (int)cut, at);
		draw_text(p, y + n, CLOCK_COLS + NAME_COLS, room, s->idle ? STYLE_DIM : STYLE_PLAIN, line);
		at += cut + (at[cut] == ' ');
		n++;
	} while (*at && n < rows);
	return n;
}

/* One line for slow events that are alike: the longest of them, and how many there are. */
static int draw_slow_lines(const struct pane *p, int y, int rows)
{
	const struct top_slow *shown[TOP_SLOW];
	struct top_alike groups[TOP_SLOW];
	size_t n = top_slow_groups(shown, top_slow_shown(p->d, p->idle, shown), groups);
	int at = 0;

	for (size_t i = 0; i < n && at < rows; i++) {
		put_head(p, groups[i].longest, y + at, groups[i].n);
		at += draw_event(p, groups[i].longest, y + at, 1);
	}
	return at;
}

static int draw_slow_whole(struct pane *p, int y, int rows)
{
	const struct top_slow *shown[TOP_SLOW];
	size_t n = top_slow_shown(p->d, p->idle, shown);
	int at = 0;

	clamp_scroll(p, n);
	for (size_t i = p->scroll; i < n && at < rows; i++) {
		put_head(p, shown[i], y + at, 1);
		at += draw_event(p, shown[i], y + at, rows - at);
	}
	return at;
}

static void draw_slow(struct pane *p, int y, int rows)
{
	char text[96];
	int n;

	snprintf(text, sizeof(text), "SLOW EVENTS (%llu so far, newest first%s)", (unsigned long long)p->d->nslow,
		 p->kind == PANE_SLOW ? "" : "; the longest of those alike");
	draw_text(p, y, 0, p->cols, STYLE_HEAD, text);
	n = p->kind == PANE_SLOW ? draw_slow_whole(p, y + 1, rows - 1) : draw_slow_lines(p, y + 1, rows - 1);
	if (n == 0 && rows > 1)
		draw_text(p, y + 1, 0, p->cols, STYLE_DIM,
			  p->d->nslow ? "none but sleeps and waits for something to do (i)" : "none yet");
}

/* -- CPUs and processes -- */

static void draw_processors(struct pane *p, int y, int rows)
{
	const struct top_data *d = p->d;
	int half = p->cols / 2;
	char text[64];

	draw_text(p, y, 0, half, STYLE_HEAD, "CPU           busy  runnable");
	draw_text(p, y, half, p->cols - half, STYLE_HEAD, " ON CPU (99 samples a second)");
	clamp_scroll(p, d->ncpus > d->nprocs ? d->ncpus : d->nprocs);
	for (int i = 0; i < rows - 1; i++) {
		size_t k = p->scroll + (size_t)i;
		char share[16];

		if (k < d->ncpus) {
			const struct top_cpu *c = &d->cpus[k];

			format_share(share, sizeof(share), c->busy);
			snprintf(text, sizeof(text), "%-10zu %7s %9.1f ", k, share, c->runnable);
			draw_text(p, y + 1 + i, 0, half - 1, STYLE_PLAIN, text);
			for (int b = 0; b < (int)(c->busy * BAR_COLS + 0.5) && (int)strlen(text) + b < half - 1; b++)
				draw_level(p, y + 1 + i, (int)strlen(text) + b, GLYPH_LEVELS, false);
		}
		if (k < d->nprocs) {
			format_share(share, sizeof(share), d->procs[k].share);
			snprintf(text, sizeof(text), " %-16s %8u %7s", d->procs[k].comm, d->procs[k].pid, share);
			draw_text(p, y + 1 + i, half, p->cols - half, STYLE_PLAIN, text);
		}
	}
}

/* -- heat map -- */

/* Bands [from, from + step) of the columns from right to left. */
static void draw_heat_row(const struct pane *p, const struct top_tracker *t, int y, unsigned from,
			  const struct top_heat *heat)
{
	for (int c = p->cols - 1; c > NUM_COLS && p->cols - 1 - c < TOP_SECONDS; c--) {
		uint64_t second = newest_second(p) - (uint64_t)(p->cols - 1 - c);

		draw_level(p, y, c, glyph_heat(top_heat_cell(t, second, from, heat->step), heat->most), false);
	}
}

static void draw_heat(const struct pane *p, int y, int rows)
{
	const struct top_tracker *t = &p->d->trackers[p->tracker];
	int cols = p->cols - NUM_COLS - 1, lines = rows - 2;
	char text[128], buf[UNITS_LEN];
	struct top_heat heat;

	if (p->tracker >= p->d->ntrackers)
		return;
	snprintf(text, sizeof(text), "%s: delays by second (left, right: another tracker)", t->name);
	draw_text(p, y, 0, p->cols, STYLE_HEAD, text);
	if (cols > TOP_SECONDS)
		cols = TOP_SECONDS;
	if (!top_heat_fit(t, newest_second(p), cols, lines, &heat)) {
		draw_text(p, y + 1, 0, p->cols, STYLE_DIM, "no delays in this time");
		return;
	}
	for (int i = 0; i < lines; i++) {
		unsigned band = heat.from + (unsigned)(lines - 1 - i) * heat.step;

		if (band > heat.to)
			continue;
		if ((lines - 1 - i) % 2 == 0)
			duration(p, y + 1 + i, 0, STYLE_DIM, top_band_from(band));
		draw_heat_row(p, t, y + 1 + i, band, &heat);
	}
	snprintf(text, sizeof(text), "%s s ago; the fullest cell has %llu", units_number(cols, buf),
		 (unsigned long long)heat.most);
	draw_text(p, y + rows - 1, NUM_COLS + 1, p->cols - NUM_COLS - 1, STYLE_DIM, text);
	draw_right(p, y + rows - 1, p->cols - 3, 3, STYLE_DIM, "now");
}

/* -- help -- */

static void draw_help(const struct pane *p, int y, int rows)
{
	static const char *const lines[] = {
		"1  overview        2 or c  causes        3 or s  slow events with their chains",
		"4 or p  CPUs and processes               5 or h  heat map of a tracker",
		"up, down  select a tracker, or scroll    left, right  another heat map",
		"i  sleeps and waits for something to do, too",
		"a  causes since the begin instead of the last interval",
		"space  pause the picture (measuring goes on)     q  end     ?  back",
		"",
		"Numbers of trackers are of the last minute: half of all delays were not longer",
		"than \"half\", 99 % not longer than \"99%\". A strip has one character a second:",
		"its height is the 99 % value, from 1 us (lowest) by tens to more than 1 s.",
		"A cause is what threads of a process waited for, by time; from 10 us on.",
		"Run queues: threads that run or could run, seen 99 times a second on busy CPUs.",
		"\"own\" is dwell's own use of a CPU; lost: records, keys or events not counted.",
		"Every number comes from D programs: dlib/latency/TRACKER.d, why.d and top.d.",
	};

	draw_text(p, y, 0, p->cols, STYLE_HEAD, "HELP");
	for (int i = 0; i < rows - 1 && i < (int)ARRAY_SIZE(lines); i++)
		draw_text(p, y + 1 + i, 0, p->cols, STYLE_PLAIN, lines[i]);
}

/* -- the screen -- */

static void draw_all(struct pane *p, int y, int rows)
{
	int trackers = (int)p->d->ntrackers + 1, causes;

	if (trackers > rows - 2 * (MIN_LIST + 1))
		trackers = rows - 2 * (MIN_LIST + 1);
	draw_trackers(p, y, trackers);
	causes = (rows - trackers) / 2;
	draw_causes(p, y + trackers, causes);
	draw_slow(p, y + trackers + causes, rows - trackers - causes);
}

void pane_draw(struct pane *p)
{
	const int top = 3, rows = p->rows - top - 1;

	erase();
	draw_title(p);
	draw_cpus(p, 1);
	draw_running(p, 2);
	switch (p->kind) {
	case PANE_ALL: draw_all(p, top, rows); break;
	case PANE_CAUSES: draw_causes(p, top, rows); break;
	case PANE_SLOW: draw_slow(p, top, rows); break;
	case PANE_CPU: draw_processors(p, top, rows); break;
	case PANE_HEAT: draw_heat(p, top, rows); break;
	default: draw_help(p, top, rows); break;
	}
	if (p->d->lost && p->kind == PANE_HELP) {
		char text[128];

		snprintf(text, sizeof(text), "newest loss: %s", p->d->lost_words);
		draw_text(p, p->rows - 2, 0, p->cols, STYLE_BAD, text);
	}
	draw_text(p, p->rows - 1, 0, p->cols, STYLE_DIM,
		  p->cols < NARROW_COLS
			  ? "1-5 views  i idle  a always  space pause  ? help  q end"
			  : "1 all 2 causes 3 slow 4 CPUs 5 heat  i idle  a always  space pause  ? help  q");
	refresh();
}
