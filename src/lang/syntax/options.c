/* SPDX-License-Identifier: Apache-2.0 */
/* Setting and reading DTrace's options. Types and defaults are in options.def; what DTrace asks of
 * single values beyond their type is in the table of rules here.
 * Source: dt_options.c of DTrace for Linux 2.0.1 (names, accepted values). */
#include "lang/options.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/step.h"
#include "lang/attr.h"

/* DTrace's "<NULL>" is the least that a string must have room for. */
#define OPTIONS_STRSIZE_MIN 1
#define OPTIONS_NSPEC_MAX 65536 /* speculations: 20 bytes of kernel memory each */
#define OPTIONS_PRINTSIZE_MAX 65536
#define OPTIONS_PCAPSIZE_MAX 16384 /* a record has room for it */
/* Largest size of a buffer: more would not fit any machine, and sums of sizes do not overflow. */
#define OPTIONS_SIZE_MAX (UINT64_C(1) << 40)

enum type { TYPE_BOOL, TYPE_INT, TYPE_SIZE, TYPE_RATE, TYPE_STR };

struct option {
	const char *name;
	enum type type;
	size_t offset;
};

static const struct option table[] = {
#define OPT(field, name, type, dflt) { name, TYPE_##type, offsetof(struct dopts, field) },
#include "lang/options.def"
#undef OPT
};

struct rule {
	const char *name;
	bool no_value;	     /* a compile-time flag: DTrace refuses "=value" */
	const char *choices; /* STR: the allowed words */
	uint64_t min, max;   /* INT, SIZE, RATE; max 0: none */
	bool lowered;	     /* SIZE: what is too large is lowered, as DTrace resizes buffers */
	const char *reason;
};

static const struct rule rules[] = {
	{ .name = "aggpercpu", .no_value = true },
	{ .name = "argref", .no_value = true },
	{ .name = "cpp", .no_value = true },
	{ .name = "defaultargs", .no_value = true },
	{ .name = "empty", .no_value = true },
	{ .name = "errtags", .no_value = true },
	{ .name = "leftout", .no_value = true },
	{ .name = "nolibs", .no_value = true },
	{ .name = "pspec", .no_value = true },
	{ .name = "zdefs", .no_value = true },
	{ .name = "zdepends", .no_value = true },
	{ .name = "bufsize", .lowered = true },
	{ .name = "specsize", .lowered = true },
	{ .name = "bufpolicy", .choices = "switch ring fill", .reason = "one of switch, ring, fill" },
	{ .name = "evaltime",
	  .choices = "exec preinit postinit main",
	  .reason = "one of exec, preinit, postinit, main" },
	{ .name = "bufresize", .choices = "auto manual", .reason = "one of auto, manual" },
	{ .name = "version",
	  .choices = "1.0 1.1 1.2 1.2.1 1.2.2 1.3 1.4 1.4.1 1.5 1.6 1.6.1 1.6.2 1.6.3 1.6.4 2.0 2.0.0 2.0.1",
	  .reason = "versions of D from 1.0 to 2.0.1" },
	{ .name = "encoding", .choices = "ascii utf8", .reason = "one of ascii, utf8" },
	{ .name = "stdc", .choices = "a c s t", .reason = "one of a, c, s, t" },
	{ .name = "strsize",
	  .min = OPTIONS_STRSIZE_MIN,
	  .max = OPTIONS_STRSIZE_MAX,
	  .reason = "strings have from 1 to 65536 characters" },
	{ .name = "nspec", .max = OPTIONS_NSPEC_MAX, .reason = "at most 65536" },
	{ .name = "oformat",
	  .choices = "text json",
	  .reason = "text or json (xml and html are formats of FreeBSD's dtrace only)" },
	{ .name = "printsize", .max = OPTIONS_PRINTSIZE_MAX, .reason = "at most 64k" },
	{ .name = "pcapsize", .min = 1, .max = OPTIONS_PCAPSIZE_MAX, .reason = "from 1 to 16k" },
	{ .name = "stackframes", .max = OPTIONS_FRAMES_MAX, .reason = "at most 512 frames" },
	{ .name = "ustackframes", .max = OPTIONS_FRAMES_MAX, .reason = "at most 512 frames" },
	{ .name = "jstackframes", .max = OPTIONS_FRAMES_MAX, .reason = "at most 512 frames" },
	{ .name = "maxframes", .max = OPTIONS_FRAMES_MAX, .reason = "at most 512 frames" },
	{ .name = "tree", .min = 1 },
	{ .name = "iterrate", .min = OPTIONS_ITERRATE_MIN, .reason = "walks begin at most 1000 times per second" },
	{ .name = "ustackunwind", .choices = "auto eh fp", .reason = "one of auto, eh, fp" },
	{ .name = "flight",
	  .min = OPTIONS_FLIGHT_MIN,
	  .max = OPTIONS_FLIGHT_MAX,
	  .reason = "the flight recorder looks back for 1ms to 60s" },
	{ .name = "control", .max = OPTIONS_CONTROL_MAX, .reason = "one in at most 1073741824 events" },
	{ .name = "flightsize",
	  .min = OPTIONS_FLIGHTSIZE_MIN,
	  .max = OPTIONS_FLIGHTSIZE_MAX,
	  .reason = "from 16k to 64m" },
	{ .name = "unwindsize",
	  .min = OPTIONS_UNWINDSIZE_MIN,
	  .max = OPTIONS_UNWINDSIZE_MAX,
	  .reason = "from 64k to 1g" },
};

/* Options of DTrace that dwell knows and refuses, and why. */
static const struct {
	const char *name, *reason;
} refused[] = {
	{ "grabanon", "Linux has no anonymous tracing" },
	{ "kdefs", "there is no linking" },
	{ "knodefs", "there is no linking" },
	{ "late", "translators are always resolved statically" },
	{ "linknommap", "there is no linking" },
	{ "linktype", "there is no linking" },
	{ "udefs", "there is no linking" },
	{ "unodefs", "there is no linking" },
};

/* Options of DTrace that are taken and change nothing here: what they tune does not exist. The largest
 * number that they take, 0: any text. */
static const struct {
	const char *name;
	uint64_t max;
} without_effect[] = {
	{ "core", 0 },	  { "ctfpath", 0 },	  { "debug", 0 },	  { "debugassert", 0 }, { "disasm", 15 },
	{ "iregs", 8 },	  { "lazyload", 0 },	  { "ldpath", 0 },	  { "linkmode", 0 },	{ "lockmem", 0 },
	{ "modpath", 0 }, { "pgmax", INT32_MAX }, { "preallocate", 0 },	  { "procfspath", 0 },	{ "quietresize", 0 },
	{ "strip", 0 },	  { "sysslice", 0 },	  { "tregs", INT32_MAX }, { "useruid", 0 },
};

/* Options that add an argument for cpp: "define=X=1" is -DX=1. */
static const struct {
	const char *name, *prefix;
	bool no_value;
} cpp_args[] = {
	{ "define", "-D", false }, { "incdir", "-I", false }, { "undef", "-U", false },
	{ "cpphdrs", "-H", true }, { "cppargs", "", false },
};

void dopts_init(struct dopts *o, struct arena *a)
{
	*o = (struct dopts){
#define OPT(field, name, type, dflt) .field = (dflt),
#include "lang/options.def"
#undef OPT
		.arena = a,
	};
}

static const struct option *find(const char *name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static const struct rule *find_rule(const char *name)
{
	static const struct rule none;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return &none;
}

static void *field(struct dopts *o, const struct option *opt)
{
	return (char *)o + opt->offset;
}

/* DTrace's words for on and off: 1, 0; -1: none of them. */
static int parse_switch(const char *s)
{
	static const char *const on[] = { "yes", "enable", "enabled", "true", "on", "set" };
	static const char *const off[] = { "no", "disable", "disabled", "false", "off", "unset" };

	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		if (!strcasecmp(s, on[i]))
			return 1;
		if (!strcasecmp(s, off[i]))
			return 0;
	}
	return -1;
}

static int set_bool(bool *b, const struct rule *r, const char *value)
{
	uint64_t n;
	int sw;

	if (!value) {
		*b = true;
		return 0;
	}
	if (r->no_value)
		return -EINVAL;
	sw = *value ? parse_switch(value) : 0;
	if (sw < 0) {
		if (num_parse_u64(num_skip_blanks(value), &n) < 0)
			return -EINVAL;
		sw = n != 0;
	}
	*b = sw;
	return 0;
}

static int set_int(int64_t *v, const struct rule *r, const char *value, int64_t dflt)
{
	uint64_t n;

	if (!value)
		return -EINVAL;
	if (!*value || parse_switch(value) == 0) {
		*v = dflt;
		return 0;
	}
	if (parse_switch(value) == 1)
		n = 1;
	else if (num_parse_u64(num_skip_blanks(value), &n) < 0)
		return -EINVAL;
	if (n < r->min || n > INT32_MAX || (r->max && n > r->max))
		return -EINVAL;
	*v = (int64_t)n;
	return 0;
}

static int set_size(uint64_t *v, const struct rule *r, const char *value)
{
	uint64_t n;

	if (!value || num_parse_size(num_skip_blanks(value), &n) < 0)
		return -EINVAL;
	if (n > OPTIONS_SIZE_MAX) {
		if (!r->lowered)
			return -EINVAL;
		n = OPTIONS_SIZE_MAX;
	}
	if (n < r->min || (r->max && n > r->max))
		return -EINVAL;
	*v = n;
	return 0;
}

/* DTrace takes a number without unit as nanoseconds. */
static int set_rate(uint64_t *v, const struct rule *r, const char *value)
{
	uint64_t n;

	if (!value || num_parse_period(num_skip_blanks(value), 1, 0, &n) < 0 || n < r->min || (r->max && n > r->max))
		return -EINVAL;
	*v = n;
	return 0;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t n = strlen(value);

	for (const char *p = choices; *p; p += strcspn(p, " "), p += *p == ' ')
		if (strcspn(p, " ") == n && !memcmp(p, value, n))
			return true;
	return false;
}

static int set_str(struct dopts *o, const char **v, const struct rule *r, const char *value)
{
	if (!value || (r->choices && !is_choice(r->choices, value)))
		return -EINVAL;
	*v = arena_strdup(o->arena, value);
	return 0;
}

/* Arguments for cpp are collected, one per line. None: there is no such option. */
static struct step add_cpp_arg(struct dopts *o, const char *name, const char *value)
{
	char *all;

	for (size_t i = 0; i < sizeof(cpp_args) / sizeof(cpp_args[0]); i++) {
		if (strcmp(cpp_args[i].name, name) != 0)
			continue;
		if (!value != cpp_args[i].no_value)
			return step_failed(-EINVAL);
		all = arena_printf(o->arena, "%s%s%s\n", o->cppargs, cpp_args[i].prefix, value ? value : "");
		if (!*cpp_args[i].prefix) /* several words */
			for (char *p = all + strlen(o->cppargs); *p; p++)
				if (strchr(" \t\f\r\v", *p))
					*p = '\n';
		o->cppargs = all;
		return step_more();
	}
	return step_end();
}

/* Directories are added one by one, each ended by a newline. */
static int add_libdir(struct dopts *o, const char *value)
{
	if (!value || !*value || strchr(value, '\n'))
		return -EINVAL;
	o->libdir = arena_printf(o->arena, "%s%s\n", o->libdir, value);
	return 0;
}

static int set_amin(struct dopts *o, const char *value)
{
	struct dattr at;

	if (!value || attr_parse(value, &at) < 0)
		return -EINVAL;
	o->amin = arena_strdup(o->arena, value);
	return 0;
}

/* Two or three numbers with points between them. */
static bool is_version(const char *s)
{
	unsigned parts = 1;

	for (; *s; s++) {
		if (*s == '.' && isdigit((unsigned char)s[1]))
			parts++;
		else if (!isdigit((unsigned char)*s))
			return false;
	}
	return parts == 2 || parts == 3;
}

static int set_option(struct dopts *o, const struct option *opt, const struct rule *r, const char *value)
{
	struct dopts dflt;

	if (field(o, opt) == &o->libdir)
		return add_libdir(o, value);
	if (field(o, opt) == &o->amin)
		return set_amin(o, value);
	if (field(o, opt) == &o->version && value && is_version(value) && !is_choice(r->choices, value))
		return -ERANGE;

	switch (opt->type) {
	case TYPE_BOOL: return set_bool(field(o, opt), r, value);
	case TYPE_INT:
		dopts_init(&dflt, o->arena);
		return set_int(field(o, opt), r, value, *(int64_t *)field(&dflt, opt));
	case TYPE_SIZE: return set_size(field(o, opt), r, value);
	case TYPE_RATE: return set_rate(field(o, opt), r, value);
	case TYPE_STR: return set_str(o, field(o, opt), r, value);
	}
	return -EINVAL;
}

/* None: there is no such option. */
static struct step take_without_effect(const char *name, const char *value)
{
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(without_effect); i++) {
		uint64_t max = without_effect[i].max;

		if (strcmp(without_effect[i].name, name) != 0)
			continue;
		return step_taken(max && (!value || num_parse_u64(value, &n) < 0 || n == 0 || n > max) ? -EINVAL : 0);
	}
	return step_end();
}

int dopts_set(struct dopts *o, const char *name, const char *value, const char **reason)
{
	const struct option *opt = find(name);
	const struct rule *rule = find_rule(name);
	const char *unused;
	struct step s;
	int r;

	if (!reason)
		reason = &unused;
	*reason = NULL;
	s = add_cpp_arg(o, name, value);
	if (!s.more && s.error == 0)
		s = take_without_effect(name, value);
	if (s.more || s.error < 0)
		return s.error;
	if (opt) {
		r = set_option(o, opt, rule, value);
		if (r < 0)
			*reason = rule->reason;
		return r;
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (!strcmp(refused[i].name, name)) {
			*reason = refused[i].reason;
			return -EOPNOTSUPP;
		}
	}
	return -ENOENT;
}

const char *dopts_get(const struct dopts *o, const char *name)
{
	const struct option *opt = find(name);
	const void *v;

	if (!opt)
		return NULL;
	v = (const char *)o + opt->offset;
	switch (opt->type) {
	case TYPE_BOOL: return *(const bool *)v ? "set" : "unset";
	case TYPE_INT: return arena_printf(o->arena, "%" PRId64, *(const int64_t *)v);
	case TYPE_SIZE:
	case TYPE_RATE: return arena_printf(o->arena, "%" PRIu64, *(const uint64_t *)v);
	case TYPE_STR: return *(const char *const *)v;
	}
	return NULL;
}

bool dopts_harmless(const char *name)
{
	static const char *const names[] = {
		"quiet",       "flowindent", "strsize",	  "printsize",	"stackframes",	 "ustackframes", "maxframes",
		"stackindent", "rawbytes",   "noresolve", "aggsortkey", "aggsortkeypos", "aggsortpos",	 "aggsortrev",
		"aggpercpu",   "agghist",    "aggpack",	  "errtags",	"droptags",	 "zdefs",	 "zdepends",
		"defaultargs", "argref",     "pspec",	  "version",	"amin",		 "temporal",	 "nspec",
		"loopmax",     "noself",     "leftout",	  "aggzoom",	"columns",	 "aggtop",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}
