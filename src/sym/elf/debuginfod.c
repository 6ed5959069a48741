/* SPDX-License-Identifier: Apache-2.0 */
/* Asks debuginfod servers by the client library of elfutils, which is opened when it is first needed. */
#include "sym/elf/debuginfod.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/solib.h"

typedef struct debuginfod_client client;

static struct {
	client *(*begin)(void);
	int (*find)(client *c, const unsigned char *id, int n, char **path);
	void (*set_progress)(client *c, int (*fn)(client *c, long a, long b));
	void (*end)(client *c);
} lib;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* pictures may be drawn by several threads */
/* One for the process, as the consent is. */
static struct {
	bool allowed, tried;
	client *client;
	unsigned files;
	uint64_t ns, until;
} state;

void debuginfod_allow(void)
{
	state.allowed = true;
}

void debuginfod_consent(const char *value)
{
	if (value && (!strcmp(value, "1") || !strcmp(value, "yes")))
		debuginfod_allow();
}

/* Other than 0 gives the download up. */
static int on_progress(client *c, long a, long b)
{
	(void)c;
	(void)a;
	(void)b;
	return clock_ns(CLOCK_MONOTONIC) > state.until;
}

static bool open_library(void)
{
	static const struct solib_func funcs[] = {
		{ "debuginfod_begin", offsetof(__typeof__(lib), begin) },
		{ "debuginfod_find_debuginfo", offsetof(__typeof__(lib), find) },
		{ "debuginfod_set_progressfn", offsetof(__typeof__(lib), set_progress) },
		{ "debuginfod_end", offsetof(__typeof__(lib), end) },
	};

	if (state.tried)
		return state.client != NULL;
	state.tried = true;
	if (!getenv("DEBUGINFOD_URLS") || solib_load(DEBUGINFOD_LIBRARY, "the library for debuginfod", "libdebuginfod1",
						     funcs, ARRAY_SIZE(funcs), &lib, NULL) < 0)
		return false;
	state.client = lib.begin();
	if (state.client)
		lib.set_progress(state.client, on_progress);
	return state.client != NULL;
}

static int fetch(const uint8_t *id, size_t n, char **path)
{
	uint64_t now;
	int fd;

	if (!state.allowed || !n || state.files >= DEBUGINFOD_MAX_FILES || state.ns >= DEBUGINFOD_MAX_NS ||
	    !open_library())
		return -ENOENT;
	state.files++;
	now = clock_ns(CLOCK_MONOTONIC);
	state.until = now + (DEBUGINFOD_MAX_NS - state.ns);
	fd = lib.find(state.client, id, (int)n, path);
	state.ns += clock_ns(CLOCK_MONOTONIC) - now;
	return fd < 0 ? -ENOENT : fd;
}

int debuginfod_fetch(const uint8_t *id, size_t n, char **path)
{
	int fd;

	pthread_mutex_lock(&lock);
	fd = fetch(id, n, path);
	pthread_mutex_unlock(&lock);
	return fd;
}
