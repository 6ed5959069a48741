/* SPDX-License-Identifier: Apache-2.0 */
/* /api/v1 of `dwell fleet serve` and of a core: questions to the store, or to the core. A child answers, which knows
 * what may be asked (fleet/ask/page.c, corepage/question.c). */
#include <string.h>
#include "base/cleanup.h"
#include "serve/serve_int.h"

static const char *const fleet_keys[] = { "tracker", "hosts", "except", "from", "to", "step", "quantile", NULL };
static const char *const core_keys[] = { "at", NULL };

/* "question\nkey=value\n…"; a value that would not be one line is refused. */
static bool put_question(struct request *rq, const char *const *keys, struct strb *b)
{
	if (rq->name[strspn(rq->name, "abcdefghijklmnopqrstuvwxyz")])
		return false;
	strb_printf(b, "%s\n", rq->name);
	for (size_t i = 0; keys[i]; i++) {
		const char *v = mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, keys[i]);

		if (!v || !*v)
			continue;
		for (const char *s = v; *s; s++)
			if ((unsigned char)*s < ' ')
				return false;
		strb_printf(b, "%s=%s\n", keys[i], v);
	}
	return b->n <= SERVE_FLEET_MAX;
}

static enum MHD_Result get_answer(struct request *rq, enum serve_kind kind, const char *const *keys)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	if (rq->job)
		return api_answer_job(rq);
	if (!put_question(rq, keys, &b) || b.failed)
		return http_error(rq, MHD_HTTP_BAD_REQUEST, "this is no question");
	return api_begin_job(rq, kind, b.s);
}

/* GET /api/v1/fleet/QUESTION?… → {"lines": […], "messages": text} */
static enum MHD_Result get_fleet(struct request *rq)
{
	return get_answer(rq, SERVE_FLEET, fleet_keys);
}

/* GET /api/v1/core/QUESTION?at=ADDRESS → the same */
static enum MHD_Result get_core(struct request *rq)
{
	return get_answer(rq, SERVE_CORE, core_keys);
}

const struct route fleet_routes[] = {
	{ "GET", "/api/v1/status", api_status },
	{ "GET", "/api/v1/framekinds", api_framekinds },
	{ "GET", "/api/v1/fleet/*", get_fleet },
};
const size_t fleet_nroutes = ARRAY_SIZE(fleet_routes);

const struct route core_routes[] = {
	{ "GET", "/api/v1/status", api_status },
	{ "GET", "/api/v1/core/*", get_core },
};
const size_t core_nroutes = ARRAY_SIZE(core_routes);
