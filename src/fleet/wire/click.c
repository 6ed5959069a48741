/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/wire/click.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/wire/curl.h"

#define HTTP_OK 200
#define CHUNK (256 << 10)						       /* bytes of an answer at a time */
#define NUMBER_LEN 20							       /* digits of the largest number */
#define WORDS_MAX 300							       /* of the server's message */
#define READONLY "Cannot modify 'max_execution_time' setting in readonly mode" /* Source: ClickHouse 18.16 */

struct click {
	CURL *easy;
	char *url, *user, *password, *database;
	bool fixed; /* the user may not set anything: its profile has the limits */
	click_ended_fn *ended;
	void *ended_ctx;
};

static int read_password(struct click *c, const char *path, struct err *err)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[256];

	if (!f || !fgets(line, sizeof(line), f))
		return err_set(err, f ? -EINVAL : -errno, "the password cannot be read from %s", path);
	line[strcspn(line, "\n")] = '\0';
	c->password = strdup(line);
	return c->password ? 0 : -ENOMEM;
}

static bool is_database(const char *s)
{
	const size_t n = strlen(s);

	return n && n <= 64 && strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789") == n;
}

int click_open(const struct click_options *o, struct click **ret, struct err *err)
{
	struct click *c;
	int e = curl_load(err);

	if (e < 0)
		return e;
	if (strncmp(o->url, "http://", 7) != 0 && strncmp(o->url, "https://", 8) != 0)
		return err_set(err, -EINVAL, "%s is no address of ClickHouse, such as http://127.0.0.1:8123", o->url);
	if (!is_database(o->database))
		return err_set(err, -EINVAL, "'%s' is no name of a database: small letters, digits and '_'",
			       o->database);
	c = calloc(1, sizeof(*c));
	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	c->url = strdup(o->url);
	c->user = o->user ? strdup(o->user) : NULL;
	c->database = strdup(o->database);
	c->easy = curl.curl_easy_init();
	e = c->url && c->database && c->easy ? 0 : err_set(err, -ENOMEM, "out of memory");
	if (e == 0 && o->password_file)
		e = read_password(c, o->password_file, err);
	if (e < 0)
		click_close(c);
	else
		*ret = c;
	return e;
}

void click_close(struct click *c)
{
	if (!c)
		return;
	if (c->easy)
		curl.curl_easy_cleanup(c->easy);
	free(c->url);
	free(c->user);
	free(c->password);
	free(c->database);
	free(c);
}

void click_end_when(struct click *c, click_ended_fn *ended, void *ctx)
{
	c->ended = ended;
	c->ended_ctx = ctx;
}

/* libcurl calls it about once a second, also while nothing comes. Another result than 0 ends the request. */
static int on_progress(void *ctx, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal, curl_off_t ulnow)
{
	const struct click *c = ctx;

	(void)dltotal, (void)dlnow, (void)ultotal, (void)ulnow;
	return c->ended(c->ended_ctx);
}

/* Where an answer goes: to fn, or, without it and if it tells an error, to text. */
struct answer {
	CURL *easy;
	struct strb text;
	click_bytes_fn *fn;
	void *ctx;
	int error; /* what fn returned */
};

static size_t take(char *p, size_t size, size_t n, void *ctx)
{
	struct answer *a = ctx;
	long status = 0;

	if (a->fn)
		curl.curl_easy_getinfo(a->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status == HTTP_OK) {
		a->error = a->fn(a->ctx, p, size * n);
		return a->error ? 0 : size * n; /* 0: an error of libcurl's */
	}
	if (a->text.n + size * n > CLICK_ANSWER_MAX)
		return 0;
	strb_add(&a->text, p, size * n);
	return a->text.failed ? 0 : size * n;
}

/* "header: value" to the list; false without memory. */
static bool add_header(struct curl_slist **list, const char *name, const char *value)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct curl_slist *l;

	strb_printf(&b, "%s: %s", name, value);
	l = b.failed ? NULL : curl.curl_slist_append(*list, b.s);
	if (!l)
		return false;
	*list = l;
	return true;
}

/* Makes an error of the server's answer: its first line, without its version. */
static int refused(const struct click *c, long status, const struct strb *answer, struct err *err)
{
	const char *text = strb_str(answer);
	size_t n = strcspn(text, "\n");

	return err_set(err, -EIO, "ClickHouse at %s answers %ld: %.*s", c->url, status,
		       (int)(n < WORDS_MAX ? n : WORDS_MAX), text);
}

static int perform(struct click *c, const char *url, const char *body, size_t n, struct answer *answer, struct err *err)
{
	struct curl_slist *headers = NULL;
	CURLcode r = CURLE_OUT_OF_MEMORY;
	long status = 0;
	bool ok = add_header(&headers, "Expect", "") &&
		  (!c->user || add_header(&headers, "X-ClickHouse-User", c->user)) &&
		  (!c->password || add_header(&headers, "X-ClickHouse-Key", c->password));

	if (ok) {
		curl.curl_easy_reset(c->easy);
		curl.curl_easy_setopt(c->easy, CURLOPT_URL, url);
		curl.curl_easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
		curl.curl_easy_setopt(c->easy, CURLOPT_PROTOCOLS_STR, "http,https");
		curl.curl_easy_setopt(c->easy, CURLOPT_PROXY, "");
		curl.curl_easy_setopt(c->easy, CURLOPT_TIMEOUT, (long)CLICK_WAIT_S);
		curl.curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, headers);
		curl.curl_easy_setopt(c->easy, CURLOPT_POSTFIELDS, body);
		curl.curl_easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
		curl.curl_easy_setopt(c->easy, CURLOPT_BUFFERSIZE, (long)CHUNK);
		curl.curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, take);
		curl.curl_easy_setopt(c->easy, CURLOPT_WRITEDATA, answer);
		curl.curl_easy_setopt(c->easy, CURLOPT_NOPROGRESS, c->ended ? 0L : 1L);
		curl.curl_easy_setopt(c->easy, CURLOPT_XFERINFOFUNCTION, on_progress);
		curl.curl_easy_setopt(c->easy, CURLOPT_XFERINFODATA, c);
		r = curl.curl_easy_perform(c->easy);
		curl.curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	}
	curl.curl_slist_free_all(headers);
	if (answer->error)
		return answer->error;
	if (r == CURLE_ABORTED_BY_CALLBACK)
		return err_set(err, -ECANCELED, "ClickHouse at %s: given up before the answer", c->url);
	if (r != CURLE_OK)
		return err_set(err, -EIO, "ClickHouse at %s: %s", c->url, curl.curl_easy_strerror(r));
	return status == HTTP_OK ? 0 : refused(c, status, &answer->text, err);
}

static int ask_once(struct click *c, const char *escaped, const char *body, size_t n, struct answer *answer,
		    struct err *err)
{
	_cleanup_(strb_free) struct strb url = { 0 };
	size_t len = strlen(c->url);

	strb_printf(&url, "%s%s?database=%s", c->url, len && c->url[len - 1] == '/' ? "" : "/", c->database);
	/* A question that nobody waits for any more ends there, too. */
	if (!c->fixed)
		strb_printf(&url, "&max_execution_time=%d", CLICK_WAIT_S);
	if (escaped)
		strb_printf(&url, "&query=%s", escaped);
	if (url.failed)
		return err_set(err, -ENOMEM, "out of memory");
	answer->easy = c->easy;
	return perform(c, url.s, body, n, answer, err);
}

/* query: in the address, or NULL. */
static int ask(struct click *c, const char *query, const char *body, size_t n, struct answer *answer, struct err *err)
{
	char *escaped = query ? curl.curl_easy_escape(c->easy, query, 0) : NULL;
	int e = query && !escaped ? err_set(err, -ENOMEM, "out of memory") : ask_once(c, escaped, body, n, answer, err);

	if (e == -EIO && !c->fixed && strstr(strb_str(&answer->text), READONLY)) {
		c->fixed = true;
		strb_reset(&answer->text);
		e = ask_once(c, escaped, body, n, answer, err);
	}
	curl.curl_free(escaped);
	return e;
}

int click_run(struct click *c, const char *sql, struct err *err)
{
	struct answer answer = { 0 };
	int e = ask(c, NULL, sql, strlen(sql), &answer, err);

	strb_free(&answer.text);
	return e;
}

int click_insert(struct click *c, const char *sql, const struct strb *rows, struct err *err)
{
	struct answer answer = { 0 };
	int e = rows->failed ? err_set(err, -ENOMEM, "out of memory") : 0;

	if (e == 0 && rows->n)
		e = ask(c, sql, rows->s, rows->n, &answer, err);
	strb_free(&answer.text);
	return e;
}

int click_stream(struct click *c, const char *sql, click_bytes_fn *fn, void *ctx, struct err *err)
{
	struct answer answer = { .fn = fn, .ctx = ctx };
	int e = ask(c, NULL, sql, strlen(sql), &answer, err);

	strb_free(&answer.text);
	return e;
}

int click_select(struct click *c, const char *sql, click_row_fn *fn, void *ctx, struct err *err)
{
	struct answer answer = { 0 };
	char *columns[CLICK_COLUMNS_MAX], *line, *end;
	int e = ask(c, NULL, sql, strlen(sql), &answer, err);

	for (line = answer.text.s; e == 0 && line && *line; line = end) {
		size_t n;

		end = strchr(line, '\n');
		if (!end) {
			e = err_set(err, -EIO, "ClickHouse at %s: its answer ends within a row", c->url);
			break;
		}
		*end++ = '\0';
		n = click_split(line, columns, CLICK_COLUMNS_MAX);
		e = n ? fn(ctx, columns, n)
		      : err_set(err, -EIO, "ClickHouse at %s: a row has too many columns", c->url);
	}
	strb_free(&answer.text);
	return e;
}

/* -- TabSeparated -- */

static void put_escaped(struct strb *b, const char *s, char quote)
{
	const char special[] = { '\\', '\t', '\n', '\r', quote, '\0' };

	for (;; s++) {
		size_t n = strcspn(s, special);

		strb_add(b, s, n);
		s += n;
		if (!*s)
			return;
		strb_addc(b, '\\');
		strb_addc(b, *s == '\t' ? 't' : *s == '\n' ? 'n' : *s == '\r' ? 'r' : *s);
	}
}

void click_put_number(struct strb *b, uint64_t n)
{
	char text[NUMBER_LEN], *at = text + sizeof(text);

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	strb_add(b, at, (size_t)(text + sizeof(text) - at));
}

void click_put_text(struct strb *b, const char *s)
{
	put_escaped(b, s, '\0');
}

void click_quote(struct strb *b, const char *s)
{
	strb_addc(b, '\'');
	put_escaped(b, s, '\'');
	strb_addc(b, '\'');
}

static char unescape(char c)
{
	switch (c) {
	case 't': return '\t';
	case 'n': return '\n';
	case 'r': return '\r';
	case 'b': return '\b';
	case 'f': return '\f';
	case '0': return '?'; /* a NUL would end the text */
	default: return c;
	}
}

size_t click_split(char *line, char **columns, size_t max)
{
	char *to = line;
	size_t n = 0;

	columns[n++] = to;
	for (const char *p = line; *p; p++) {
		if (*p == '\t') {
			*to++ = '\0';
			if (n == max)
				return 0;
			columns[n++] = to;
		} else if (*p == '\\' && p[1]) {
			*to++ = unescape(*++p);
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	return n;
}
