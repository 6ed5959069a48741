/* SPDX-License-Identifier: Apache-2.0 */
/* Lists recordings, receives those that are sent, and draws views of them. The server reads no recording itself: a
 * child without privileges does, for each view. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "serve/serve_int.h"
#include "view/view.h"

#define LIVE_NAME "the live view"

/* Bytes of a file that are sent in one turn. The HTTP library's own 4 KiB would be a trickle: viewers of a flood take
 * BLOCK_SIZE of stream.c each before it is a file's turn again. */
#define FILE_BLOCK (128 << 10)

/* -- which there are -- */

static void put(struct jsonw *w, const char *id, const char *kind, const char *name, uint64_t bytes)
{
	jsonw_object(w, NULL);
	jsonw_str(w, "id", id);
	jsonw_str(w, "kind", kind);
	jsonw_u64(w, "bytes", bytes);
	jsonw_str(w, "name", name);
	jsonw_end_object(w);
}

static bool has_live(const struct server *s)
{
	for (size_t i = 0; i < s->runs.n; i++)
		if (s->runs.v[i]->kind == SERVE_OVERVIEW)
			return s->c->uploads != NULL;
	return false;
}

/* GET /api/v1/recordings */
enum MHD_Result recordings_list(struct request *rq)
{
	const struct server *s = rq->s;
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	char id[24];

	jsonw_object(&w, NULL);
	jsonw_array(&w, "recordings");
	if (has_live(s))
		put(&w, "live", "live", LIVE_NAME, 0);
	for (size_t i = 0; i < s->c->nrecordings; i++) {
		snprintf(id, sizeof(id), "r%zu", i + 1);
		put(&w, id, "file", s->c->recordings[i].name, s->c->recordings[i].bytes);
	}
	for (size_t i = 0; i < s->uploads.n; i++) {
		snprintf(id, sizeof(id), "u%u", s->uploads.v[i].id);
		put(&w, id, "sent", s->uploads.v[i].name, s->uploads.v[i].bytes);
	}
	jsonw_end_array(&w);
	jsonw_u64(&w, "upload_max", s->c->uploads ? SERVE_UPLOAD_MAX : 0);
	jsonw_end_object(&w);
	jsonw_line(&w);
	return http_json(rq, MHD_HTTP_OK, &b);
}

/* -- those that are sent -- */

/* All names are made here, of numbers. */
static char *upload_path(const struct server *s, uint32_t id)
{
	char *path = NULL;

	return asprintf(&path, "%s/%u", s->c->uploads, id) < 0 ? NULL : path;
}

static void forget_upload(struct server *s, size_t i)
{
	_cleanup_free_ char *path = upload_path(s, s->uploads.v[i].id);

	if (path)
		unlink(path);
	free(s->uploads.v[i].name);
	memmove(&s->uploads.v[i], &s->uploads.v[i + 1], (s->uploads.n - i - 1) * sizeof(*s->uploads.v));
	s->uploads.n--;
}

bool recordings_is_upload(const struct request *rq)
{
	return !strcmp(rq->method, "POST") && !strcmp(rq->url, "/api/v1/recordings");
}

void recordings_receive(struct request *rq, const char *data, size_t n)
{
	struct server *s = rq->s;

	if (rq->upload_error)
		return;
	if (rq->upload_fd < 0) {
		_cleanup_free_ char *path = NULL;

		if (!s->c->uploads) {
			rq->upload_error = -ENOTSUP;
			return;
		}
		rq->upload_id = ++s->last_upload;
		path = upload_path(s, rq->upload_id);
		rq->upload_fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
		if (rq->upload_fd < 0) {
			rq->upload_error = path ? -errno : -ENOMEM;
			return;
		}
	}
	if (rq->upload_bytes + n > SERVE_UPLOAD_MAX)
		rq->upload_error = -EFBIG;
	while (n > 0 && !rq->upload_error) {
		ssize_t k = write(rq->upload_fd, data, n);

		if (k < 0 && errno != EINTR)
			rq->upload_error = -errno;
		if (k <= 0)
			continue;
		data += k;
		n -= (size_t)k;
		rq->upload_bytes += (size_t)k;
	}
}

/* Removes an upload that no recording took over. */
static void drop_upload(struct request *rq)
{
	if (rq->upload_fd >= 0) {
		_cleanup_free_ char *path = upload_path(rq->s, rq->upload_id);

		closep(&rq->upload_fd);
		if (path)
			unlink(path);
	}
	rq->upload_fd = -1;
}

void recordings_done(struct request *rq)
{
	if (rq->is_copy)
		rq->s->copies--;
	drop_upload(rq);
}

static enum MHD_Result refuse_upload(struct request *rq)
{
	char text[128];

	drop_upload(rq);
	switch (rq->upload_error) {
	case -EFBIG:
		snprintf(text, sizeof(text),
			 "a recording that is sent may have %" PRIu64 " MiB: name larger ones on dwell's command line",
			 SERVE_UPLOAD_MAX >> 20);
		return http_error(rq, MHD_HTTP_CONTENT_TOO_LARGE, text);
	case -ENOTSUP: return http_error(rq, MHD_HTTP_FORBIDDEN, "the server has no folder for recordings");
	default:
		snprintf(text, sizeof(text), "the recording cannot be kept: %s", strerror(-rq->upload_error));
		return http_error(rq, MHD_HTTP_INSUFFICIENT_STORAGE, text);
	}
}

/* POST /api/v1/recordings?name=NAME, the file as body → {"id": "u1"} */
enum MHD_Result recordings_upload(struct request *rq)
{
	const char *name = mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, "name");
	struct server *s = rq->s;
	struct strb b = { 0 };
	struct jsonw w;
	struct upload u = { .bytes = rq->upload_bytes };

	if (rq->upload_error)
		return refuse_upload(rq);
	if (rq->upload_fd < 0)
		return http_error(rq, MHD_HTTP_BAD_REQUEST, "a recording is wanted as the body");
	while (s->uploads.n >= SERVE_UPLOADS_MAX)
		forget_upload(s, 0);
	u.id = rq->upload_id;
	u.name = strndup(name && *name ? name : "recording", SERVE_NAME_MAX);
	if (!u.name || vec_try_push(&s->uploads, u) < 0) {
		free(u.name);
		return http_error(rq, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	}
	closep(&rq->upload_fd);
	rq->upload_fd = -1; /* it stays */
	w = jsonw_to(&b);
	jsonw_object(&w, NULL);
	jsonw_strf(&w, "id", "u%u", u.id);
	jsonw_end_object(&w);
	jsonw_line(&w);
	return http_json(rq, MHD_HTTP_CREATED, &b);
}

void recordings_forget_all(struct server *s)
{
	while (s->uploads.n)
		forget_upload(s, s->uploads.n - 1);
	vec_free(&s->uploads);
}

/* -- views -- */

/* The name of recording id; NULL: there is none. */
static const char *name_of(const struct server *s, const char *id)
{
	uint64_t n = 0;

	if (!strcmp(id, "live"))
		return LIVE_NAME;
	if (!id[0] || num_parse_u64(id + 1, &n) < 0)
		return NULL;
	if (id[0] == 'r' && n >= 1 && n <= s->c->nrecordings)
		return s->c->recordings[n - 1].name;
	for (size_t i = 0; id[0] == 'u' && i < s->uploads.n; i++)
		if (s->uploads.v[i].id == n)
			return s->uploads.v[i].name;
	return NULL;
}

/* A line of the question: what recording id is called, and its id where another one is called so. */
static void put_name(const struct server *s, const char *key, const char *id, const char *not_as, struct strb *b)
{
	const char *name = name_of(s, id), *same = name_of(s, not_as);

	if (!name)
		return;
	strb_printf(b, "%s=", key);
	for (const char *p = name; *p; p++)
		strb_addc(b, (unsigned char)*p < ' ' ? '?' : *p);
	if (same && !strcmp(name, same))
		strb_printf(b, " (%s)", id);
	strb_addc(b, '\n');
}

/* Adds "key=value", if the request has the key. False: the value has what no value has. */
static bool put_value(const struct request *rq, const char *key, struct strb *b)
{
	const char *v = mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, key);

	for (const char *p = v; p && *p; p++)
		if ((unsigned char)*p < ' ')
			return false;
	if (v)
		strb_printf(b, "%s=%s\n", key, v);
	return true;
}

/* Does a view before the i-th take an option of this name, too? */
static bool is_known(const struct view *const *views, size_t i, const char *name)
{
	for (size_t k = 0; k < i; k++)
		if (view_asked(views[k], name))
			return true;
	return false;
}

/* Adds all keys of the request that any view takes: whether this one does is for the launcher to say. */
static bool put_values(const struct request *rq, struct strb *b)
{
	static const char *const common[] = { "title", "other", "before_from", "before_to" };
	const struct view *const *views = rq->s->c->views;
	bool ok = true;

	for (size_t i = 0; views[i]; i++)
		for (size_t k = 0; k < views[i]->noptions; k++) {
			const struct optrow *o = &views[i]->options[k];

			if (o->asked && !is_known(views, i, o->name))
				ok &= put_value(rq, o->name, b);
		}
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		ok &= put_value(rq, common[i], b);
	return ok;
}

/* Adds what the launcher is asked. False: a value has what no value has. */
static bool put_question(struct request *rq, struct strb *b)
{
	const char *other = mhd.lookup_connection_value(rq->conn, MHD_GET_ARGUMENT_KIND, "other");

	strb_printf(b, "%s\n%s\n", rq->source, rq->name);
	if (!put_values(rq, b))
		return false;
	if (other) {
		put_name(rq->s, SERVE_VIEW_NAME, rq->source, other, b);
		put_name(rq->s, SERVE_VIEW_OTHER_NAME, other, rq->source, b);
	}
	return b->n < SERVE_PROGRAM_MAX;
}

/* The form that is asked for so; NULL: there is none. */
static const struct view_form *find(const struct server *s, const char *name)
{
	for (const struct view *const *v = s->c->views; *v; v++)
		for (const struct view_form *f = (*v)->forms; f->name; f++)
			if (f->served && !strcmp(f->served, name))
				return f;
	return NULL;
}

static enum MHD_Result reply(struct request *rq, const struct view_form *v, struct MHD_Response *r)
{
	char save[64];

	if (r) {
		mhd.add_response_header(r, "Content-Type", v->type);
		snprintf(save, sizeof(save), "attachment; filename=\"dwell-%s\"", v->served);
		if (v->flags & VIEW_SAVED) /* never shown as a page of this server's */
			mhd.add_response_header(r, "Content-Disposition", save);
	}
	return http_reply(rq, MHD_HTTP_OK, r);
}

/* Whether a path is of the places from which children read: the client must not learn them. */
static bool is_inner_path(const struct server *s, const char *p)
{
	const char *slash = s->c->uploads ? strrchr(s->c->uploads, '/') : NULL;
	size_t n = slash ? (size_t)(slash + 1 - s->c->uploads) : 0;

	return !strncmp(p, "/dev/fd/", 8) || (n > 1 && !strncmp(p, s->c->uploads, n));
}

/* The child's first line, without its own name and those of files. */
static const char *reason(const struct server *s, const struct run *r, struct strb *b)
{
	const char *p = strb_str(&r->messages);

	if (!r->messages.n)
		return r->stopped ? "it took too long" : "there is nothing of the kind";
	if (!strncmp(p, "dwell: ", 7))
		p += 7;
	if (is_inner_path(s, p) && strstr(p, ": ") == p + strcspn(p, ": "))
		p = strstr(p, ": ") + 2;
	while (*p && *p != '\n') {
		if (is_inner_path(s, p)) {
			strb_adds(b, b->n ? "the file" : "this file");
			p += strcspn(p, ": \n");
		} else {
			strb_addc(b, *p++);
		}
	}
	return strb_str(b);
}

/* The HTTP library calls this when the connection takes more of a file. */
static ssize_t on_file(void *arg, uint64_t pos, char *buf, size_t max)
{
	const int *fd = arg;
	ssize_t n = pread(*fd, buf, max, (off_t)pos);

	return n > 0 ? n : MHD_CONTENT_READER_END_WITH_ERROR; /* it is shorter than it was */
}

static void on_file_end(void *arg)
{
	int *fd = arg;

	close(*fd);
	free(fd);
}

/* The file itself, which the launcher has given in place of a pipe: as fast as the viewer takes it, and from the file.
 */
static enum MHD_Result send_file(struct request *rq, const struct view_form *v, struct run *r)
{
	int *fd = malloc(sizeof(*fd));
	struct MHD_Response *response = NULL;
	struct stat st;

	if (fd && fstat(r->child.out, &st) == 0)
		response = mhd.create_response_from_callback((uint64_t)st.st_size, FILE_BLOCK, on_file, fd,
							     on_file_end);
	if (response) {
		*fd = r->child.out;
		r->child.out = -1; /* the response's now */
	} else {
		free(fd);
	}
	return reply(rq, v, response);
}

static enum MHD_Result answer(struct request *rq, const struct view_form *v)
{
	_cleanup_(strb_free) struct strb words = { 0 };
	struct run *r = rq->job;
	size_t n = r->part.n;
	struct MHD_Response *response;
	enum MHD_Result ret;
	char *text;

	if (r->in_file && !r->messages.n && !r->stopped)
		ret = send_file(rq, v, r);
	else if (r->skipped)
		ret = http_error(rq, MHD_HTTP_CONTENT_TOO_LARGE,
				 "too large for the page: dwell makes it from the command line");
	else if (n == 0)
		ret = http_error(rq, MHD_HTTP_UNPROCESSABLE_CONTENT, reason(rq->s, r, &words));
	else {
		text = strb_take(&r->part);
		response = mhd.create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
		if (!response)
			free(text);
		ret = reply(rq, v, response);
	}
	rq->job = NULL;
	run_free(rq->s, r);
	return ret;
}

static enum MHD_Result start_failed(struct request *rq, int e, const struct err *err)
{
	if (e == -EBUSY)
		return http_error(rq, MHD_HTTP_TOO_MANY_REQUESTS, err->msg);
	if (e == -ENOENT)
		return http_error(rq, MHD_HTTP_NOT_FOUND, "no such recording");
	if (e == -ENOTSUP)
		return http_error(rq, MHD_HTTP_NOT_FOUND, "a recording that was sent can be had where it came from");
	return http_error(rq, e == -EINVAL ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_INTERNAL_SERVER_ERROR,
			  e == -EINVAL ? "this view does not take these parameters" : err->msg);
}

/* A copy takes room on the disk until the last byte of it is sent. False: there are too many. */
static bool count_copy(struct request *rq)
{
	if (rq->is_copy || rq->s->copies >= SERVE_COPIES_MAX)
		return rq->is_copy;
	rq->s->copies++;
	return rq->is_copy = true;
}

/* GET /api/v1/recordings/ID/VIEW?key=value… */
enum MHD_Result recordings_view(struct request *rq)
{
	const struct view_form *v = find(rq->s, rq->name);
	_cleanup_(strb_free) struct strb b = { 0 };
	struct err err = { 0 };
	int e;

	if (!v)
		return http_error(rq, MHD_HTTP_NOT_FOUND, "no such view of a recording");
	if (rq->job)
		return answer(rq, v);
	if (!put_question(rq, &b))
		return http_error(rq, MHD_HTTP_BAD_REQUEST, "a parameter is no text");
	if (!strcmp(v->served, VIEW_FILE) && !strcmp(rq->source, "live") && !count_copy(rq))
		return http_error(
			rq, MHD_HTTP_TOO_MANY_REQUESTS,
			"the live recording is being sent to as many as can have it at once: ask again later");
	e = run_start(rq->s, SERVE_VIEW, strb_str(&b), b.n, &rq->job, &err);
	if (e < 0)
		return start_failed(rq, e, &err);
	rq->job->waiter = rq;
	mhd.suspend_connection(rq->conn);
	return MHD_YES;
}
