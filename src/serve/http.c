/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the server to libmicrohttpd: decides which requests are permitted, which handler answers, and writes the
 * headers of every answer. No part of a request is ever used as the name of a file. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "serve/serve_int.h"

/* A head (head.h), a copy of its cookies, 72 bytes for each of its pieces, and the head of the answer. */
#define MEMORY_PER_CONNECTION (64 << 10)
#define CONNECTION_TIMEOUT_S 60

/* Scripts and styles come from the server alone, nothing may show the page in a frame. */
#define CSP \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

int serve_token(char token[SERVE_TOKEN_LEN + 1])
{
	uint8_t b[SERVE_TOKEN_LEN / 2];

	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
		return -EIO;
	for (size_t i = 0; i < sizeof(b); i++)
		snprintf(token + 2 * i, 3, "%02x", b[i]);
	return 0;
}

/* In a time that does not tell how much of it is right. */
bool http_token_equal(const char *a, const char *b)
{
	unsigned differ = 0;

	if (!a || strlen(a) != SERVE_TOKEN_LEN || strlen(b) != SERVE_TOKEN_LEN)
		return false;
	for (size_t i = 0; i < SERVE_TOKEN_LEN; i++)
		differ |= (unsigned char)a[i] ^ (unsigned char)b[i];
	return differ == 0;
}

static const char *header(const struct request *rq, const char *name)
{
	return mhd.lookup_connection_value(rq->conn, MHD_HEADER_KIND, name);
}

/* -- answers -- */

enum MHD_Result http_reply(struct request *rq, unsigned status, struct MHD_Response *r)
{
	static const char *const headers[][2] = {
		{ "Content-Security-Policy", CSP },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
	};
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		mhd.add_response_header(r, headers[i][0], headers[i][1]);
	if (!mhd.get_response_header(r, "Cache-Control"))
		mhd.add_response_header(r, "Cache-Control", "no-store");
	mhd.add_response_header(r, "Connection", "close"); /* the gate has judged one head */
	ret = mhd.queue_response(rq->conn, status, r);
	mhd.destroy_response(r);
	return ret;
}

enum MHD_Result http_json(struct request *rq, unsigned status, struct strb *b)
{
	size_t n = b->n;
	char *text = strb_take(b);
	struct MHD_Response *r;

	if (!text)
		return MHD_NO;
	r = mhd.create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
	if (r)
		mhd.add_response_header(r, "Content-Type", "application/json");
	else
		free(text);
	return http_reply(rq, status, r);
}

void http_error_body(struct strb *b, const char *text)
{
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "error", text);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

enum MHD_Result http_error(struct request *rq, unsigned status, const char *text)
{
	struct strb b = { 0 };

	http_error_body(&b, text);
	return http_json(rq, status, &b);
}

/* -- access -- */

static bool host_is_ours(const struct request *rq)
{
	const char *host = header(rq, MHD_HTTP_HEADER_HOST);

	for (const char *const *h = rq->s->c->hosts; host && *h; h++)
		if (!strcmp(host, *h))
			return true;
	return false;
}

/* A page of elsewhere that a browser shows may not ask: a browser then names another origin. */
static bool origin_is_ours(const struct request *rq)
{
	const char *origin = header(rq, MHD_HTTP_HEADER_ORIGIN), *host = header(rq, MHD_HTTP_HEADER_HOST);
	const char *site = header(rq, "Sec-Fetch-Site");

	if (origin && (strncmp(origin, "http://", 7) != 0 || !host || strcmp(origin + 7, host) != 0))
		return false;
	return !site || strcmp(site, "cross-site") != 0 || !strcmp(rq->url, "/");
}

/* By the cookie (the page) or "Authorization: Bearer" (scripts). */
static bool has_token(const struct request *rq)
{
	const char *auth = header(rq, MHD_HTTP_HEADER_AUTHORIZATION);
	const char *cookie = mhd.lookup_connection_value(rq->conn, MHD_COOKIE_KIND, rq->s->c->cookie);

	if (auth && !strncmp(auth, "Bearer ", 7))
		return http_token_equal(auth + 7, rq->s->c->token);
	return http_token_equal(cookie, rq->s->c->token);
}

/* "/?token=…", as printed: the token becomes a cookie, and leaves the address bar. */
static bool is_login(const struct request *rq)
{
	return !strcmp(rq->url, "/") && !strcmp(rq->method, "GET") &&
	       http_token_equal(mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, "token"), rq->s->c->token);
}

static enum MHD_Result login(struct request *rq)
{
	static char empty[] = "";
	struct MHD_Response *r = mhd.create_response_from_buffer(0, empty, MHD_RESPMEM_PERSISTENT);
	char cookie[128];

	if (!r)
		return MHD_NO;
	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict", rq->s->c->cookie, rq->s->c->token);
	mhd.add_response_header(r, "Set-Cookie", cookie);
	mhd.add_response_header(r, "Location", "/");
	return http_reply(rq, MHD_HTTP_SEE_OTHER, r);
}

/* Checks the headers of the request: an HTTP status that refuses it, or 0. */
static unsigned authorize(const struct request *rq)
{
	const char *type = header(rq, MHD_HTTP_HEADER_CONTENT_TYPE);

	if (!host_is_ours(rq) || !origin_is_ours(rq))
		return MHD_HTTP_FORBIDDEN;
	if (!has_token(rq) && !is_login(rq))
		return MHD_HTTP_UNAUTHORIZED;
	if (!gate_know(rq->s->gate, rq->conn))
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	if (recordings_is_upload(rq))
		return type && !strcmp(type, "application/octet-stream") ? 0 : MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
	if (!strcmp(rq->method, "POST") && (!type || strncmp(type, "application/json", 16) != 0))
		return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
	return 0;
}

static enum MHD_Result refuse(struct request *rq, unsigned status)
{
	const char *text = status == MHD_HTTP_UNAUTHORIZED ? "no valid token: open the address that dwell serve printed"
			   : recordings_is_upload(rq) && status == MHD_HTTP_UNSUPPORTED_MEDIA_TYPE
				   ? "the body must be application/octet-stream"
			   : status == MHD_HTTP_FORBIDDEN
				   ? "asked by another host name or from another page than this server's own"
			   : status == MHD_HTTP_SERVICE_UNAVAILABLE
				   ? "there are as many viewers as there may be: close one first"
				   : "the body must be application/json";

	return http_error(rq, status, text);
}

/* -- routes -- */

/* Whether url has the form of path; fills number, source or name. */
static bool matches(const char *path, const char *url, struct request *rq)
{
	while (*path) {
		if (*path == '#') {
			char *end;

			if (*url < '0' || *url > '9')
				return false;
			rq->number = strtoul(url, &end, 10);
			url = end;
			path++;
		} else if (*path == '@') {
			size_t n = strcspn(url, "/");

			if (n == 0 || n >= sizeof(rq->source))
				return false;
			memcpy(rq->source, url, n);
			rq->source[n] = '\0';
			if (rq->source[strspn(rq->source, "abcdefghijklmnopqrstuvwxyz0123456789")])
				return false;
			url += n;
			path++;
		} else if (*path == '*') {
			rq->name = url;
			return *url && !strchr(url, '/');
		} else if (*path++ != *url++) {
			return false;
		}
	}
	return !*url;
}

static enum MHD_Result asset(struct request *rq, const struct serve_asset *a)
{
	const char *had = header(rq, MHD_HTTP_HEADER_IF_NONE_MATCH);
	bool same = had && !strcmp(had, a->etag);
	struct MHD_Response *r = mhd.create_response_from_buffer(same ? 0 : a->n, (void *)a->data,
								 MHD_RESPMEM_PERSISTENT);

	if (!r)
		return MHD_NO;
	mhd.add_response_header(r, "Content-Type", a->type);
	mhd.add_response_header(r, "ETag", a->etag);
	mhd.add_response_header(r, "Cache-Control", "no-cache");
	if (a->gzip && !same)
		mhd.add_response_header(r, "Content-Encoding", "gzip");
	return http_reply(rq, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, r);
}

static enum MHD_Result dispatch(struct request *rq)
{
	const struct serve_config *c = rq->s->c;
	const struct route *routes = c->fleet ? fleet_routes : c->core ? core_routes : api_routes;
	size_t n = c->fleet ? fleet_nroutes : c->core ? core_nroutes : api_nroutes;
	bool known = false;

	for (size_t i = 0; i < n; i++)
		if (matches(routes[i].path, rq->url, rq)) {
			if (!strcmp(routes[i].method, rq->method))
				return routes[i].handle(rq);
			known = true;
		}
	for (size_t i = 0; i < c->nassets; i++)
		if (!strcmp(c->assets[i].path, rq->url)) {
			if (!strcmp(rq->method, "GET") || !strcmp(rq->method, "HEAD"))
				return asset(rq, &c->assets[i]);
			known = true;
		}
	return known ? http_error(rq, MHD_HTTP_METHOD_NOT_ALLOWED, "this address knows other methods")
		     : http_error(rq, MHD_HTTP_NOT_FOUND, "there is nothing at this address");
}

/* -- libmicrohttpd -- */

/* Called once with the headers, for each piece of the body, at the end of it, and again when a suspended
 * request goes on. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *conn, const char *url, const char *method,
				  const char *version, const char *data, size_t *n, void **state)
{
	struct request *rq = *state;

	(void)version;
	if (!rq) {
		rq = *state = calloc(1, sizeof(*rq));
		if (!rq)
			return MHD_NO;
		*rq = (struct request){ .s = arg, .conn = conn, .method = method, .url = url, .upload_fd = -1 };
		rq->refused = authorize(rq);
		gate_body(rq->s->gate, conn, 0, false);
		return MHD_YES;
	}
	rq->method = method;
	rq->url = url;
	rq->came += *n;
	gate_body(rq->s->gate, conn, rq->came, *n == 0);
	if (*n > 0) {
		if (!rq->refused && recordings_is_upload(rq))
			recordings_receive(rq, data, *n);
		else if (rq->body.n + *n > SERVE_BODY_MAX)
			rq->body_too_large = true;
		else if (!rq->refused)
			strb_add(&rq->body, data, *n);
		*n = 0;
		return MHD_YES;
	}
	if (rq->refused)
		return refuse(rq, rq->refused);
	if (rq->body_too_large)
		return http_error(rq, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large");
	if (is_login(rq))
		return login(rq);
	return dispatch(rq);
}

static void on_completed(void *arg, struct MHD_Connection *conn, void **state, enum MHD_RequestTerminationCode reason)
{
	struct request *rq = *state;

	(void)arg;
	(void)conn;
	(void)reason;
	if (!rq)
		return;
	if (rq->job)
		run_free(rq->s, rq->job);
	recordings_done(rq);
	strb_free(&rq->body);
	free(rq);
	*state = NULL;
}

int http_start(struct server *s, struct err *err)
{
	const struct gate_config gate = { .listen_fd = s->c->listen_fd,
					  .strangers = SERVE_STRANGERS_MAX,
					  .known = SERVE_CONNECTIONS_MAX,
					  .stranger_s = SERVE_STRANGER_S,
					  .type = "application/json" };
	int r = gate_new(&gate, &s->gate);

	if (r < 0)
		return err_set(err, r, "cannot wait for connections: %s", strerror(-r));
	s->http = mhd.start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL,
				   on_request, s, MHD_OPTION_CONNECTION_LIMIT, gate_room(s->gate),
				   MHD_OPTION_NOTIFY_CONNECTION, gate_on_connection, s->gate,
				   MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_PER_CONNECTION,
				   MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_TIMEOUT_S,
				   MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_END);
	return s->http ? 0 : err_set(err, -EIO, "cannot start the HTTP server");
}

void http_stop(struct server *s)
{
	if (s->http)
		mhd.stop_daemon(s->http);
	s->http = NULL;
	gate_free(s->gate);
	s->gate = NULL;
}
