/* SPDX-License-Identifier: Apache-2.0 */
/* A module of `dwell core` for a service that keeps its connections in a list: a walker of them, and a command that
 * prints one.
 *
 *     cc -shared -fPIC -o core-module.so core-module.c
 *     dwell core --module ./core-module.so -p PID -c '::walk conns | ::conn host'
 *
 * The service has: struct conn { struct conn *next; int port; char host[24]; } *conns; */
#include <dwell-core.h>
#include <inttypes.h>
#include <string.h>

#define MAX_CONNS 100000 /* a damaged list may be a circle */
#define HOST 24

/* Where a member is, by the debug information of the service. */
static int member(const struct dwell_core_api *api, struct dwell_core *c, uint64_t conn, const char *name, void *to,
		  size_t n)
{
	uint64_t offset, bytes;
	int r = api->member(c, "struct conn", name, &offset, &bytes);

	return r < 0 ? r : api->read(c, conn + offset, to, n < bytes ? n : (size_t)bytes);
}

static int walk_conns(const struct dwell_core_api *api, struct dwell_core *c, const struct dwell_core_call *call)
{
	uint64_t at;
	int r = api->address(c, "conns", &at);

	(void)call;
	if (r < 0)
		return api->fail(c, r, "this program has no variable conns");
	r = api->read(c, at, &at, sizeof(at));
	for (unsigned i = 0; r == 0 && at && i < MAX_CONNS; i++) {
		api->print(c, "%" PRIx64 "\n", at);
		r = api->emit(c, at);
		if (r == 0)
			r = member(api, c, at, "next", &at, sizeof(at));
	}
	return r;
}

/* ADDRESS::conn [host] */
static int conn(const struct dwell_core_api *api, struct dwell_core *c, const struct dwell_core_call *call)
{
	const bool host = call->argc == 1 && !strcmp(call->argv[0], "host");
	char name[HOST + 1] = "";
	int32_t port = 0;
	int r;

	if (call->argc && !host)
		return api->fail(c, -22, "::conn: unexpected '%s'", call->argv[0]);
	r = member(api, c, call->address, "port", &port, sizeof(port));
	if (r == 0 && host)
		r = member(api, c, call->address, "host", name, HOST);
	if (r < 0)
		return api->fail(c, r, "no connection is at %" PRIx64, call->address);
	api->print(c, host ? "port %d of %s\n" : "port %d\n", port, name);
	return api->emit(c, call->address);
}

static void complete_conn(const struct dwell_core_api *api, struct dwell_core *c, const struct dwell_core_call *call,
			  const char *word, dwell_core_offer *offer, void *to)
{
	(void)api;
	(void)c;
	(void)call;
	(void)word;
	offer(to, "host");
}

static const struct dwell_core_command commands[] = {
	{ "conn", "[host]", "print a connection", "Prints the port of the connection at ADDRESS; host: and its host.\n",
	  "::walk conns | ::conn", true, conn, complete_conn },
	{ 0 },
};
static const struct dwell_core_walker walkers[] = {
	{ "conns", "the service's connections", walk_conns },
	{ 0 },
};

const struct dwell_core_module dwell_core_module = { DWELL_CORE_MODULE_VERSION, commands, walkers };
