/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the routes of /api/v1, see doc/api.md. */
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "serve/serve_int.h"
#include "view/picture/flame.h"

#define API_VERSION 1 /* changes when a reader of the former version would misunderstand something */

static const char *const kinds[] = {
	[SERVE_RUN] = "program", [SERVE_CHECK] = "check", [SERVE_PROBES] = "probes", [SERVE_OVERVIEW] = "overview",
	[SERVE_VIEW] = "view",	 [SERVE_FLEET] = "fleet", [SERVE_CORE] = "core",
};

/* Ends the object that is the body, and answers with it. */
static enum MHD_Result answer_object(struct request *rq, unsigned status, struct jsonw *w)
{
	jsonw_end_object(w);
	jsonw_line(w);
	return http_json(rq, status, w->b);
}

static unsigned long memory_kib(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/statm", "re");
	unsigned long size, resident = 0;

	if (f && fscanf(f, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	return resident * (unsigned long)(sysconf(_SC_PAGESIZE) / 1024);
}

/* GET /api/v1/status */
enum MHD_Result api_status(struct request *rq)
{
	const struct serve_config *c = rq->s->c;
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	struct utsname u;

	uname(&u);
	jsonw_object(&w, NULL);
	jsonw_u64(&w, "version", API_VERSION);
	jsonw_str(&w, "release", DWELL_VERSION);
	jsonw_str(&w, "kernel", u.release);
	jsonw_str(&w, "machine", u.machine);
	jsonw_str(&w, "host", u.nodename);
	jsonw_u64(&w, "uptime", clock_ns(CLOCK_MONOTONIC) - rq->s->began);
	jsonw_u64(&w, "runs", rq->s->runs.n);
	jsonw_u64(&w, "viewers", rq->s->streams.n);
	jsonw_u64(&w, "memory_kib", memory_kib());
	jsonw_bool(&w, "privileged", c->privileged);
	if (!c->privileged)
		jsonw_str(&w, "why_not", c->unprivileged);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

/* GET /api/v1/programs */
static enum MHD_Result get_programs(struct request *rq)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_array(&w, "programs");
	for (size_t i = 0; i < rq->s->c->nprograms; i++) {
		const struct serve_program *p = &rq->s->c->programs[i];

		jsonw_object(&w, NULL);
		jsonw_str(&w, "name", p->name);
		jsonw_str(&w, "summary", p->summary);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

/* GET /api/v1/programs/NAME */
static enum MHD_Result get_program(struct request *rq)
{
	for (size_t i = 0; i < rq->s->c->nprograms; i++) {
		const struct serve_program *p = &rq->s->c->programs[i];
		struct strb b = { 0 };
		struct jsonw w = jsonw_to(&b);

		if (strcmp(p->name, rq->name) != 0)
			continue;
		jsonw_object(&w, NULL);
		jsonw_str(&w, "name", p->name);
		jsonw_str(&w, "summary", p->summary);
		jsonw_str(&w, "text", p->text);
		return answer_object(rq, MHD_HTTP_OK, &w);
	}
	return http_error(rq, MHD_HTTP_NOT_FOUND, "no such program");
}

/* GET /api/v1/words */
static enum MHD_Result get_words(struct request *rq)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_array(&w, "words");
	for (size_t i = 0; i < rq->s->c->nwords; i++) {
		const struct serve_word *word = &rq->s->c->words[i];

		jsonw_object(&w, NULL);
		jsonw_str(&w, "name", word->name);
		jsonw_str(&w, "kind", word->kind);
		jsonw_str(&w, "prototype", word->prototype);
		jsonw_str(&w, "doc", word->doc);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

/* GET /api/v1/types?match=PREFIX&kind=KIND */
static enum MHD_Result get_types(struct request *rq)
{
	const char *match = mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, "match");
	const char *kind = mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, "kind"), *reason;
	struct serve_type v[SERVE_TYPES_MAX];
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	size_t n;

	if (!match || strlen(match) >= SERVE_TYPE_MAX)
		return http_error(rq, MHD_HTTP_BAD_REQUEST, "match: the beginning of a name is wanted");
	n = rq->s->c->types(rq->s->c->types_ctx, kind, match, v, ARRAY_SIZE(v), &reason);
	jsonw_object(&w, NULL);
	jsonw_u64(&w, "count", n);
	jsonw_array(&w, "types");
	for (size_t i = 0; i < n && i < ARRAY_SIZE(v); i++) {
		jsonw_object(&w, NULL);
		jsonw_str(&w, "name", v[i].name);
		jsonw_str(&w, "kind", v[i].kind);
		jsonw_str(&w, "from", v[i].from);
		if (v[i].size)
			jsonw_u64(&w, "size", v[i].size);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	if (reason)
		jsonw_str(&w, "why_not", reason);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

/* GET /api/v1/framekinds: how frames of stacks are told apart, and coloured. */
enum MHD_Result api_framekinds(struct request *rq)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	flame_kinds(&w);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

/* Members of the object that is open. */
static void put_run(struct jsonw *w, const struct run *r)
{
	jsonw_u64(w, "run", r->id);
	jsonw_str(w, "kind", kinds[r->kind]);
	jsonw_bool(w, "ended", r->ended);
	jsonw_u64(w, "lines", r->first + r->lines.n);
	jsonw_u64(w, "skipped", r->skipped);
	jsonw_str(w, "program", r->program);
}

/* GET /api/v1/runs */
static enum MHD_Result get_runs(struct request *rq)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_array(&w, "runs");
	for (size_t i = 0; i < rq->s->runs.n; i++) {
		const struct run *r = rq->s->runs.v[i];

		if (run_is_job(r))
			continue;
		jsonw_object(&w, NULL);
		put_run(&w, r);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

/* The text of member "program" of the body, to be freed; NULL: an answer was given, *ret. */
static char *program_of(struct request *rq, enum MHD_Result *ret)
{
	json_t *o = json_loadb(strb_str(&rq->body), rq->body.n, JSON_REJECT_DUPLICATES, NULL);
	const char *text = json_string_value(json_object_get(o, "program"));
	char *copy = NULL;

	if (!o)
		*ret = http_error(rq, MHD_HTTP_BAD_REQUEST, "the body is not JSON");
	else if (!text)
		*ret = http_error(rq, MHD_HTTP_BAD_REQUEST, "program: a string is wanted");
	else if (strlen(text) > SERVE_PROGRAM_MAX)
		*ret = http_error(rq, MHD_HTTP_CONTENT_TOO_LARGE, "the program is too large");
	else if (!(copy = strdup(text)))
		*ret = http_error(rq, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	json_decref(o);
	return copy;
}

static enum MHD_Result start_failed(struct request *rq, int e, const struct err *err)
{
	return http_error(rq, e == -EBUSY ? MHD_HTTP_TOO_MANY_REQUESTS : MHD_HTTP_INTERNAL_SERVER_ERROR, err->msg);
}

/* {"run": NUMBER} */
static enum MHD_Result answer_number(struct request *rq, unsigned status, const struct run *r)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_u64(&w, "run", r->id);
	return answer_object(rq, status, &w);
}

/* POST /api/v1/runs {"program": TEXT} → {"run": NUMBER} */
static enum MHD_Result start(struct request *rq, enum serve_kind kind, const char *text)
{
	struct err err = { 0 };
	struct run *r;
	int e;

	if (!rq->s->c->privileged)
		return http_error(rq, MHD_HTTP_FORBIDDEN, rq->s->c->unprivileged);
	e = run_start(rq->s, kind, text, strlen(text), &r, &err);
	if (e < 0)
		return start_failed(rq, e, &err);
	return answer_number(rq, MHD_HTTP_CREATED, r);
}

static enum MHD_Result post_run(struct request *rq)
{
	enum MHD_Result ret;
	_cleanup_free_ char *text = program_of(rq, &ret);

	return text ? start(rq, SERVE_RUN, text) : ret;
}

/* POST /api/v1/overview: the one live view that all viewers share. */
static enum MHD_Result post_overview(struct request *rq)
{
	for (size_t i = 0; i < rq->s->runs.n; i++) {
		struct run *r = rq->s->runs.v[i];

		if (r->kind != SERVE_OVERVIEW || r->ended || r->stopped)
			continue;
		r->watched = clock_ns(CLOCK_MONOTONIC);
		return answer_number(rq, MHD_HTTP_OK, r);
	}
	return start(rq, SERVE_OVERVIEW, "");
}

/* DELETE /api/v1/runs/NUMBER: ends it; its output stays until the room is needed. */
static enum MHD_Result delete_run(struct request *rq)
{
	struct run *r = run_find(rq->s, rq->number);
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	if (!r)
		return http_error(rq, MHD_HTTP_NOT_FOUND, "no such run");
	run_stop(rq->s, r);
	jsonw_object(&w, NULL);
	put_run(&w, r);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

/* GET /api/v1/events?runs=1,2 */
static enum MHD_Result get_events(struct request *rq)
{
	return stream_open(rq, mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, "runs"),
			   mhd.lookup_connection_value(rq->conn, MHD_HEADER_KIND, "Last-Event-ID"));
}

/* -- answers that a child gives: the request sleeps until it has ended -- */

enum MHD_Result api_answer_job(struct request *rq)
{
	struct run *r = rq->job;
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_array(&w, "lines");
	for (size_t i = 0; i < r->lines.n; i++)
		jsonw_raw(&w, NULL, r->lines.v[i].s, r->lines.v[i].n);
	jsonw_end_array(&w);
	jsonw_strn(&w, "messages", strb_str(&r->messages), r->messages.n);
	jsonw_bool(&w, "cut", r->first || r->skipped || r->stopped);
	rq->job = NULL;
	run_free(rq->s, r);
	return answer_object(rq, MHD_HTTP_OK, &w);
}

enum MHD_Result api_begin_job(struct request *rq, enum serve_kind kind, const char *text)
{
	struct err err = { 0 };
	int e = run_start(rq->s, kind, text, strlen(text), &rq->job, &err);

	if (e < 0)
		return start_failed(rq, e, &err);
	rq->job->waiter = rq;
	mhd.suspend_connection(rq->conn);
	return MHD_YES;
}

/* POST /api/v1/check {"program": TEXT} → {"lines": [diagnostics], "messages": text} */
static enum MHD_Result post_check(struct request *rq)
{
	enum MHD_Result ret;
	_cleanup_free_ char *text = NULL;

	if (rq->job)
		return api_answer_job(rq);
	text = program_of(rq, &ret);
	return text ? api_begin_job(rq, SERVE_CHECK, text) : ret;
}

/* GET /api/v1/probes?match=DESCRIPTION → {"lines": [probes], …} */
static enum MHD_Result get_probes(struct request *rq)
{
	const char *match = mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, "match");

	if (rq->job)
		return api_answer_job(rq);
	if (!match || !*match || strlen(match) > 512)
		return http_error(rq, MHD_HTTP_BAD_REQUEST, "match: a probe description is wanted");
	return api_begin_job(rq, SERVE_PROBES, match);
}

const struct route api_routes[] = {
	{ "GET", "/api/v1/status", api_status },
	{ "GET", "/api/v1/programs", get_programs },
	{ "GET", "/api/v1/programs/*", get_program },
	{ "GET", "/api/v1/words", get_words },
	{ "GET", "/api/v1/types", get_types },
	{ "GET", "/api/v1/framekinds", api_framekinds },
	{ "GET", "/api/v1/probes", get_probes },
	{ "POST", "/api/v1/check", post_check },
	{ "GET", "/api/v1/runs", get_runs },
	{ "POST", "/api/v1/runs", post_run },
	{ "DELETE", "/api/v1/runs/#", delete_run },
	{ "POST", "/api/v1/overview", post_overview },
	{ "GET", "/api/v1/events", get_events },
	{ "GET", "/api/v1/recordings", recordings_list },
	{ "POST", "/api/v1/recordings", recordings_upload },
	{ "GET", "/api/v1/recordings/@/*", recordings_view },
};
const size_t api_nroutes = ARRAY_SIZE(api_routes);
