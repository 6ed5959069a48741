/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `dwell latency` turned into those of dtrace(1), which runs the program. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/compile.h"
#include "cmd/latency.h"
#include "cmd/optable.h"
#include "types/typesrc.h"

#define MIN_COLUMNS 60
#define DEFAULT_COLUMNS 80
#define MAX_COLUMNS 200

void latency_args_init(struct latency_args *a)
{
	*a = (struct latency_args){ .arena = arena_new(ARENA_DEFAULT_LIMIT) };
	latency_args_add(a, cmd_name());
}

void latency_args_done(struct latency_args *a)
{
	vec_free(&a->v);
	arena_free(a->arena);
}

/* Behind the last one there is always a NULL. */
void latency_args_add(struct latency_args *a, const char *arg)
{
	if (a->v.n)
		a->v.n--;
	vec_push(&a->v, arena_strdup(a->arena, arg));
	vec_push(&a->v, NULL);
}

void latency_args_add2(struct latency_args *a, const char *option, const char *value)
{
	latency_args_add(a, option);
	latency_args_add(a, value);
}

int latency_pass(void *args, const struct optrow *o, const char *arg)
{
	char name[OPTABLE_NAME];

	latency_args_add2(args, optable_name(o, name), arg);
	return 0;
}

int latency_for(void *args, const struct optrow *o, const char *arg)
{
	struct latency_args *a = args;
	uint64_t ns;
	int e = optable_time(o->name, arg, 1, &ns);

	if (e == 0)
		latency_args_add2(a, "-n", arena_printf(a->arena, "tick-%lluns { exit(0); }", (unsigned long long)ns));
	return e;
}

int latency_not_recorded(const struct optable *t, const struct optrow *o, const char *word)
{
	char name[OPTABLE_NAME];

	cmd_msg("%s: %s%s is not for recordings ('%s')", t->command, optable_name(o, name), o->text ? o->text : "",
		word);
	return EXIT_USAGE;
}

static const char *program_path(const struct latency_args *a, const char *name)
{
	return arena_printf(a->arena, "%s/latency/%s.d", libs_dir(a->arena), name);
}

void latency_args_program(struct latency_args *a, const char *name)
{
	latency_args_add2(a, "-s", program_path(a, name));
}

bool latency_args_has_program(const struct latency_args *a, const char *name)
{
	return access(program_path(a, name), F_OK) == 0;
}

bool latency_has_exit_tp(void)
{
	struct typesrc *ts = NULL;
	struct tref ref;
	bool has;

	if (typesrc_open_kernel(&ts, NULL) < 0)
		return true; /* the compiler says what is missing */
	has = typesrc_find(ts, NULL, "btf_trace_sched_exit_tp", TKM(TK_TYPEDEF), &ref) == 0;
	typesrc_free(ts);
	return has;
}

int latency_take_command(int *argc, char **argv, char *const **ret)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		*ret = argv + i + 1;
		if (i + 1 < *argc) {
			*argc = i;
			return 0;
		}
		cmd_msg("latency: a command is missing behind --");
		return EXIT_USAGE;
	}
	*ret = NULL;
	return 0;
}

int latency_columns(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return DEFAULT_COLUMNS;
	return w.ws_col < MIN_COLUMNS ? MIN_COLUMNS : w.ws_col > MAX_COLUMNS ? MAX_COLUMNS : w.ws_col;
}
