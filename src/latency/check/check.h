/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is slow on a machine. Takes the rows of a run of dlib/check/check.d (or of another recording of trackers),
 * and adds up the waits by thread, object and blocker. Rules (rules.c, one row each) set the limits. The results are
 * findings. */
#ifndef DWELL_LATENCY_CHECK_H
#define DWELL_LATENCY_CHECK_H
#include <stdbool.h>
#include <stdint.h>
#include "latency/cause/causes.h"
#include "store/recording.h"
#include "sym/sym.h"

#define CHECK_MAX_ITEMS 65536 /* further ones are counted together as others */
#define CHECK_MAX_RULES 64
#define CHECK_SHARES 3 /* of whom, what, by whom: those with most */
#define CHECK_MAX_COUNTERS 4096
#define CHECK_FRAMES 6 /* of a stack that is shown */

/* The subject of a rule. Areas are printed in this order. */
enum check_area { CHECK_CPU, CHECK_MEMORY, CHECK_DISK, CHECK_LOCK, CHECK_NET, CHECK_PROCESS, CHECK_NAREAS };
const char *check_area_name(enum check_area area);

struct check_sum {
	uint64_t count, ns;
};

struct check;
struct check_eval; /* the input of a rule, in addition to its own sums: int.h */

/* A possible finding. Costs are in thousandths of a second per second: 100 means that threads waited 0.1 s in each
 * second, all together. */
struct check_rule {
	const char *id;
	enum check_area area;
	const char *kind;    /* "waits", "fails", "uses" */
	const char *measure; /* the aggregation @check_NAME, "why:CLASS" of waits, or a counter "net.NAME" */
	const char *what;    /* glob: only items whose `what` matches; NULL: all */
	const char *by;	     /* glob: only items whose `by` matches; NULL: all */
	double permille;     /* least mean cost of a finding */
	uint64_t least;	     /* least number of events */
	double per_second;   /* least rate; 0: not used */
	uint64_t mean_ns;    /* least mean duration, of each object waited for; 0: not used */
	uint64_t each_ns;    /* the cost of one event, for events without a duration */
	/* A further condition; NULL: none. */
	bool (*when)(const struct check_eval *e);
	const char *sure;    /* what it rests on */
	const char *tracker; /* its slow events are the evidence; or NULL */
	const char *title;   /* with %W: the thing, %B: what causes it, %V: what suffers */
	const char *meaning; /* what that means, and what helps */
	const char *more;    /* the command that shows more */
	/* A memory limit: rules whose waits it explains, however much they cost, if they read again what it put out. */
	const char *reread;
	/* Rules that this one explains: their findings are told below its finding. Names with spaces between them. */
	const char *explains;
};
extern const struct check_rule check_rules[];
extern const unsigned check_nrules;

/* -- rows -- */

typedef bool check_wants_fn(void *ctx, uint32_t pid);
/* causes must outlive it. wants: which processes count; NULL: all. -ENOMEM. */
int check_new(struct causes *causes, check_wants_fn *wants, void *ctx, struct check **ret);
void check_free(struct check *c); /* accepts NULL */
/* Before the first row: only threads of this name count. The name must outlive c. */
void check_only(struct check *c, const char *comm);
bool check_is_empty(const struct check *c); /* nothing counted yet */
/* Rows of this schema follow, whose names are sym's; both must live until the last of them. */
int check_begin(struct check *c, const struct rec_schema *s, struct sym *sym);
/* The schema and sym go. */
void check_end(struct check *c);
/* 0 or -ENOMEM. Rows that say nothing are left alone. */
int check_row(struct check *c, const struct row *row);
/* How long it took, if no counters tell. ns */
void check_took(struct check *c, uint64_t ns);

/* -- findings -- */

struct check_share {
	const char *name;
	struct check_sum sum;
};
struct check_shares {
	struct check_share v[CHECK_SHARES];
	unsigned n, all; /* shown; there are */
};

struct check_finding {
	const struct check_rule *rule;
	bool found;    /* else: looked at, and well */
	bool measured; /* else: this run or kernel cannot tell */
	struct check_sum sum;
	double cost, before; /* thousandths; before: in the earlier recording, < 0: there is none */
	double rank;	     /* the larger of its cost and that of what follows from it */
	struct check_shares whom, what, by;
	char *title;	   /* owned */
	const char *event; /* the longest slow event in words, or "" */
	const char *stack; /* of it: lines, or "" */
	char *note;	   /* owned: more evidence, or NULL */
	double again;	   /* pages that a limit put out and that were read again */
	unsigned beneath;  /* 1 + place of the finding that explains it; 0: none */
};

/* How much a resource was used, as the kernel counts it. */
struct check_used {
	char name[48], text[96];
	enum check_area area;
};

#define CHECK_MAX_USED 40
struct check_report {
	struct check_finding *v; /* found ones first, by cost; then the others in the order of the rules */
	unsigned n, nfound;	 /* all rules; those found */
	struct check_used used[CHECK_MAX_USED];
	unsigned nused;
	double seconds;
	double own;	      /* of the time of all CPUs that dwell's probes took, in percent; < 0: not known */
	const char *old_name; /* of the earlier recording; NULL: none */
	bool filtered;
	uint64_t lost[REC_NLOSSES]; /* events that happened and were not seen */
};

/* before: of an earlier recording, or NULL. Texts live as long as c. 0 or -ENOMEM. */
int check_judge(struct check *c, struct check *before, struct check_report *ret);
void check_report_done(struct check_report *r);
/* Thousandths of a second per second in words: "230 ms/s". Returns buf. */
const char *check_cost_text(double permille, char buf[24]);
#endif
