/* SPDX-License-Identifier: Apache-2.0 */
/* Answers requests of the protocol, and keeps the texts of open documents. */
#include "lsp/server.h"
#include <jansson.h>
#include <string.h>
#include "base/cleanup.h"
#include "lsp/frame.h"
#include "lsp/place.h"

/* Codes of JSON-RPC and of the protocol. */
enum { E_PARSE = -32700, E_REQUEST = -32600, E_METHOD = -32601, E_PARAMS = -32602, E_NOT_BEGUN = -32002 };

struct document {
	char *uri, *text;
	size_t n;
	json_int_t version;
	bool changed; /* and not checked */
};

struct lsp {
	struct lsp_language lang;
	struct document docs[LSP_DOCUMENTS_MAX];
	size_t ndocs;
	bool begun, shut;
	int ended;
};

struct lsp *lsp_new(const struct lsp_language *lang)
{
	struct lsp *s = calloc(1, sizeof(*s));

	if (s) {
		s->lang = *lang;
		s->ended = -1;
	}
	return s;
}

static void doc_done(struct document *d)
{
	free(d->uri);
	free(d->text);
	*d = (struct document){ 0 };
}

void lsp_free(struct lsp *s)
{
	for (size_t i = 0; s && i < s->ndocs; i++)
		doc_done(&s->docs[i]);
	free(s);
}

int lsp_ended(const struct lsp *s)
{
	return s->ended;
}

/* -- sending -- */

/* Takes the message. */
static void send_message(struct strb *out, json_t *m)
{
	char *text = m ? json_dumps(m, JSON_COMPACT) : NULL;

	if (text)
		frame_put(out, text, strlen(text));
	free(text);
	json_decref(m);
}

/* Takes the result; id is not taken. */
static void answer(struct strb *out, json_t *id, json_t *result)
{
	send_message(out,
		     json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result ? result : json_null()));
}

static void refuse(struct strb *out, json_t *id, int code, const char *reason)
{
	json_t *none = json_null();

	send_message(out, json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id ? id : none, "error", "code",
				    code, "message", reason));
}

/* -- documents -- */

/* "params.textDocument.uri", or NULL. */
static const char *uri_of(const json_t *params)
{
	const char *uri = json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));

	return uri && strlen(uri) < LSP_URI_MAX ? uri : NULL;
}

static struct document *find(struct lsp *s, const char *uri)
{
	for (size_t i = 0; uri && i < s->ndocs; i++)
		if (!strcmp(s->docs[i].uri, uri))
			return &s->docs[i];
	return NULL;
}

static void set_text(struct document *d, const json_t *text, const json_t *version)
{
	size_t n = json_string_length(text);
	char *copy;

	/* A NUL ends a D text; one that is too large is looked at as an empty one. */
	if (!json_is_string(text) || n > LSP_TEXT_MAX || strlen(json_string_value(text)) != n)
		n = 0;
	copy = strndup(n ? json_string_value(text) : "", n);
	if (!copy)
		return;
	free(d->text);
	d->text = copy;
	d->n = n;
	d->version = json_integer_value(version);
	d->changed = true;
}

static void did_open(struct lsp *s, json_t *params, struct strb *out)
{
	const json_t *item = json_object_get(params, "textDocument");
	const char *uri = uri_of(params);
	struct document *d = find(s, uri);

	(void)out;
	if (!uri || (!d && s->ndocs == LSP_DOCUMENTS_MAX))
		return;
	if (!d) {
		d = &s->docs[s->ndocs];
		d->uri = strdup(uri);
		d->text = strdup("");
		if (!d->uri || !d->text) {
			doc_done(d);
			return;
		}
		s->ndocs++;
	}
	set_text(d, json_object_get(item, "text"), json_object_get(item, "version"));
}

/* Whole texts only: it is what initialize() has asked for. */
static void did_change(struct lsp *s, json_t *params, struct strb *out)
{
	const json_t *changes = json_object_get(params, "contentChanges");
	const json_t *last = json_array_get(changes, json_array_size(changes) - 1);
	struct document *d = find(s, uri_of(params));

	(void)out;
	if (d && last)
		set_text(d, json_object_get(last, "text"),
			 json_object_get(json_object_get(params, "textDocument"), "version"));
}

static void publish(struct document *d, json_t *list, struct strb *out)
{
	json_t *params = json_pack("{s:s, s:I, s:o}", "uri", d->uri, "version", d->version, "diagnostics", list);

	send_message(out, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", "textDocument/publishDiagnostics",
				    "params", params));
}

static void did_close(struct lsp *s, json_t *params, struct strb *out)
{
	struct document *d = find(s, uri_of(params));

	if (!d)
		return;
	publish(d, json_array(), out);
	doc_done(d);
	*d = s->docs[--s->ndocs];
	s->docs[s->ndocs] = (struct document){ 0 };
}

static json_t *place_json(const char *text, size_t n, size_t off)
{
	struct place p = place_of(text, n, off);

	return json_pack("{s:I, s:I}", "line", (json_int_t)p.line, "character", (json_int_t)p.character);
}

static json_t *range_json(const char *text, size_t n, size_t from, size_t to)
{
	return json_pack("{s:o, s:o}", "start", place_json(text, n, from), "end", place_json(text, n, to));
}

static void check(struct lsp *s, struct document *d, struct strb *out)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	const struct lsp_diag *v;
	size_t n = s->lang.check(s->lang.ctx, a, d->uri, d->text, &v);
	json_t *list = json_array();

	for (size_t i = 0; i < n && i < LSP_DIAGNOSTICS_MAX; i++)
		json_array_append_new(list, json_pack("{s:o, s:i, s:s, s:s, s:s}", "range",
						      range_json(d->text, d->n, v[i].off, v[i].off + v[i].len),
						      "severity", (int)v[i].severity, "code", v[i].tag, "source",
						      "dwell", "message", v[i].text));
	publish(d, list, out);
	d->changed = false;
	arena_free(a);
}

bool lsp_has_changes(const struct lsp *s)
{
	for (size_t i = 0; i < s->ndocs; i++)
		if (s->docs[i].changed)
			return true;
	return false;
}

void lsp_idle(struct lsp *s, struct strb *out)
{
	for (size_t i = 0; i < s->ndocs; i++)
		if (s->docs[i].changed)
			check(s, &s->docs[i], out);
}

/* -- requests -- */

/* The document and the byte that a request is about. False: there is no such document. */
static bool asked(struct lsp *s, const json_t *params, struct document **ret, size_t *ret_off)
{
	const json_t *p = json_object_get(params, "position");
	json_int_t line = json_integer_value(json_object_get(p, "line"));
	json_int_t character = json_integer_value(json_object_get(p, "character"));
	struct document *d = find(s, uri_of(params));

	if (!d || line < 0 || character < 0 || line > UINT32_MAX || character > UINT32_MAX)
		return false;
	*ret = d;
	*ret_off = place_offset(d->text, d->n, (struct place){ (uint32_t)line, (uint32_t)character });
	return true;
}

static json_t *initialize(struct lsp *s, json_t *params)
{
	json_t *can = json_pack("{s:s, s:{s:b, s:i}, s:{s:[s,s,s,s,s]}, s:b, s:b}", "positionEncoding", "utf-16",
				"textDocumentSync", "openClose", 1, "change", 1, "completionProvider",
				"triggerCharacters", ".", ">", ":", "$", "@", "hoverProvider", 1, "definitionProvider",
				1);

	(void)params;
	s->begun = true;
	return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", can, "serverInfo", "name", "dwell", "version",
			 DWELL_VERSION);
}

static json_t *shut_down(struct lsp *s, json_t *params)
{
	(void)params;
	s->shut = true;
	return json_null();
}

static json_t *complete(struct lsp *s, json_t *params)
{
	struct document *d;
	struct arena *a;
	const struct lsp_item *v;
	size_t off, n;
	json_t *list;

	if (!asked(s, params, &d, &off))
		return NULL;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	n = s->lang.complete(s->lang.ctx, a, d->text, off, &v);
	list = json_array();
	for (size_t i = 0; i < n && i < LSP_ITEMS_MAX; i++) {
		json_t *item = json_pack("{s:s, s:i, s:{s:o, s:s}}", "label", v[i].label, "kind", (int)v[i].kind,
					 "textEdit", "range", range_json(d->text, d->n, v[i].from, off), "newText",
					 v[i].label);

		if (item && v[i].detail)
			json_object_set_new(item, "detail", json_string(v[i].detail));
		json_array_append_new(list, item);
	}
	arena_free(a);
	return json_pack("{s:b, s:o}", "isIncomplete", n > LSP_ITEMS_MAX, "items", list);
}

static json_t *hover(struct lsp *s, json_t *params)
{
	struct document *d;
	struct arena *a;
	const char *text;
	size_t off, from = 0, to = 0;
	json_t *r = json_null();

	if (!asked(s, params, &d, &off))
		return NULL;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	text = s->lang.hover(s->lang.ctx, a, d->text, off, &from, &to);
	if (text)
		r = json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value", text, "range",
			      range_json(d->text, d->n, from, to));
	arena_free(a);
	return r;
}

/* "file:" and the path, bytes that may not be in an address as %XX. */
static json_t *file_uri(const char *path)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	strb_adds(&b, "file://");
	for (; *path; path++)
		if (strchr("/._-~+", *path) || (*path >= '0' && *path <= '9') || (*path >= 'a' && *path <= 'z') ||
		    (*path >= 'A' && *path <= 'Z'))
			strb_addc(&b, *path);
		else
			strb_printf(&b, "%%%02X", (unsigned char)*path);
	return json_string(strb_str(&b));
}

static json_t *define(struct lsp *s, json_t *params)
{
	struct lsp_place p = { 0 };
	struct document *d;
	struct arena *a;
	json_t *r = json_null();
	size_t off;

	if (!asked(s, params, &d, &off))
		return NULL;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	if (s->lang.define(s->lang.ctx, a, d->text, off, &p))
		r = json_pack("{s:o, s:o}", "uri", p.file ? file_uri(p.file) : json_string(d->uri), "range",
			      range_json(p.file ? p.text : d->text, p.file ? p.n : d->n, p.off, p.off + p.len));
	arena_free(a);
	return r;
}

static void exit_now(struct lsp *s, json_t *params, struct strb *out)
{
	(void)params;
	(void)out;
	s->ended = s->shut ? 0 : 1;
}

static const struct {
	const char *name;
	json_t *(*request)(struct lsp *s, json_t *params); /* NULL: the parameters are wrong */
	void (*notice)(struct lsp *s, json_t *params, struct strb *out);
} methods[] = {
	{ "initialize", initialize, NULL },
	{ "shutdown", shut_down, NULL },
	{ "textDocument/completion", complete, NULL },
	{ "textDocument/hover", hover, NULL },
	{ "textDocument/definition", define, NULL },
	{ "exit", NULL, exit_now },
	{ "textDocument/didOpen", NULL, did_open },
	{ "textDocument/didChange", NULL, did_change },
	{ "textDocument/didClose", NULL, did_close },
};

/* id: NULL for a notice. */
static void dispatch(struct lsp *s, const char *method, json_t *id, json_t *params, struct strb *out)
{
	bool first = !strcmp(method, "initialize");

	if (id && !s->begun && !first) {
		refuse(out, id, E_NOT_BEGUN, "initialize comes first");
		return;
	}
	if (id && (s->shut || (s->begun && first))) {
		refuse(out, id, E_REQUEST,
		       s->shut ? "nothing may follow shutdown but exit" : "it is initialized already");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		json_t *r;

		if (strcmp(methods[i].name, method) != 0 || !id != !methods[i].request)
			continue;
		if (!id) {
			methods[i].notice(s, params, out);
			return;
		}
		r = methods[i].request(s, params);
		if (r)
			answer(out, id, r);
		else
			refuse(out, id, E_PARAMS, "no open document is at this address, or the place is none");
		return;
	}
	if (id) /* notices that are not known are for others */
		refuse(out, id, E_METHOD, "this server does not know the method");
}

void lsp_message(struct lsp *s, const char *body, size_t n, struct strb *out)
{
	json_error_t reason;
	json_t *m = json_loadb(body, n, 0, &reason);
	const char *method = json_string_value(json_object_get(m, "method"));
	json_t *id = json_object_get(m, "id");

	if (!m)
		refuse(out, NULL, E_PARSE, "no JSON");
	else if (method && (!id || json_is_integer(id) || json_is_string(id)))
		dispatch(s, method, id, json_object_get(m, "params"), out);
	else if (!json_is_object(m) || !json_object_get(m, "id") || method) /* answers to us, which has asked nothing */
		refuse(out, NULL, E_REQUEST, "no request");
	json_decref(m);
}
