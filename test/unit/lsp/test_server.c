/* SPDX-License-Identifier: Apache-2.0 */
/* The server with a language of one word: documents, order of messages, errors, limits. */
#include "lsp/server.h"
#include "base/cleanup.h"
#include "unit.h"

static size_t check(void *ctx, struct arena *a, const char *name, const char *text, const struct lsp_diag **ret)
{
	struct lsp_diag *v = arena_new_arr(a, struct lsp_diag, 1);
	const char *bad = strstr(text, "bad");

	(void)name;
	++*(unsigned *)ctx;
	*v = (struct lsp_diag){ .off = bad ? (size_t)(bad - text) : 0,
				.len = 3,
				.severity = LSP_ERROR,
				.tag = "D_BAD",
				.text = "it is bad" };
	*ret = v;
	return bad != NULL;
}

static size_t complete(void *ctx, struct arena *a, const char *text, size_t off, const struct lsp_item **ret)
{
	struct lsp_item *v = arena_new_arr(a, struct lsp_item, 1);

	(void)ctx;
	(void)text;
	*v = (struct lsp_item){ .label = "word", .detail = "int", .kind = LSP_VARIABLE, .from = off };
	*ret = v;
	return 1;
}

static const char *hover(void *ctx, struct arena *a, const char *text, size_t off, size_t *from, size_t *to)
{
	(void)ctx;
	(void)a;
	*from = off;
	*to = off + 1;
	return text[off] == 'h' ? "about h" : NULL;
}

static bool define(void *ctx, struct arena *a, const char *text, size_t off, struct lsp_place *ret)
{
	(void)ctx;
	(void)a;
	*ret = (struct lsp_place){ .file = "/a b/\xc3\xa9.d", .text = "x\ny", .n = 3, .off = 2, .len = 1 };
	return text[off] == 'h';
}

#define OPEN \
	"{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///t\",\"version\":7," \
	"\"text\":\"ok\\nbad h\"}}}"
#define AT(method, line, character) \
	"{\"id\":9,\"method\":\"textDocument/" method "\",\"params\":{\"textDocument\":{\"uri\":\"file:///t\"}," \
	"\"position\":{\"line\":" line ",\"character\":" character "}}}"
#define INITIALIZE "{\"id\":1,\"method\":\"initialize\",\"params\":{}}"

/* A server, and what it says to messages. */
struct fix {
	struct lsp *s;
	struct strb out;
	unsigned checks;
};

static void begin(struct fix *f)
{
	struct lsp_language l = { &f->checks, check, complete, hover, define };

	*f = (struct fix){ .s = lsp_new(&l) };
	assert_non_null(f->s);
}

static const char *say(struct fix *f, const char *m)
{
	strb_reset(&f->out);
	lsp_message(f->s, m, strlen(m), &f->out);
	return strb_str(&f->out);
}

static void end(struct fix *f)
{
	lsp_free(f->s);
	strb_free(&f->out);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
}

static void test_answers(void **state)
{
	struct fix f;

	(void)state;
	begin(&f);
	has(say(&f, "{\"id\":1,\"method\":\"shutdown\"}"), "-32002");
	has(say(&f, INITIALIZE), "\"hoverProvider\":true");
	has(say(&f, INITIALIZE), "-32600");
	assert_string_equal(say(&f, OPEN), "");
	assert_true(lsp_has_changes(f.s));
	say(&f, OPEN); /* typed on before it was checked */
	lsp_idle(f.s, &f.out);
	assert_int_equal(f.checks, 1);
	has(strb_str(&f.out),
	    "\"range\":{\"start\":{\"line\":1,\"character\":0},\"end\":{\"line\":1,\"character\":3}}");
	has(strb_str(&f.out), "\"code\":\"D_BAD\"");
	has(strb_str(&f.out), "\"version\":7");
	assert_false(lsp_has_changes(f.s));
	has(say(&f, AT("completion", "0", "1")), "\"label\":\"word\"");
	has(say(&f, AT("hover", "1", "4")), "about h");
	has(say(&f, AT("hover", "0", "0")), "\"result\":null");
	has(say(&f, AT("definition", "1", "4")), "file:///a%20b/%C3%A9.d");
	has(strb_str(&f.out), "\"start\":{\"line\":1,\"character\":0}");
	has(say(&f, AT("completion", "-1", "0")), "-32602");
	has(say(&f, "{\"id\":\"x\",\"method\":\"textDocument/hover\"}"), "-32602");
	has(say(&f, "{\"id\":2,\"method\":\"workspace/what\"}"), "-32601");
	assert_string_equal(say(&f, "{\"method\":\"$/setTrace\"}"), "");
	has(say(&f, "{\"method\":\"textDocument/didClose\",\"params\":{\"textDocument\":{\"uri\":\"file:///t\"}}}"),
	    "\"diagnostics\":[]");
	has(say(&f, AT("hover", "1", "4")), "-32602");
	has(say(&f, "{\"id\":3,\"method\":\"shutdown\"}"), "\"result\":null");
	has(say(&f, AT("hover", "1", "4")), "-32600");
	assert_int_equal(lsp_ended(f.s), -1);
	say(&f, "{\"method\":\"exit\"}");
	assert_int_equal(lsp_ended(f.s), 0);
	end(&f);
}

static void test_hostile(void **state)
{
	static const char *const rows[] = {
		"", "x", "[", "null", "1", "[]", "{}", "{\"id\":[1],\"method\":\"initialize\"}",
	};
	static const char *const silent[] = {
		"{\"method\":\"textDocument/didOpen\"}",
		"{\"method\":\"textDocument/didOpen\",\"params\":[]}",
		"{\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\":\"no\"},\"contentChanges\":[]}}",
		"{\"method\":\"textDocument/didClose\"}",
		"{\"id\":1,\"result\":{}}",
		"{\"id\":1}",
		"{\"id\":{}}",
		"{\"method\":\"initialize\"}",
	};
	struct fix f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		has(say(&f, rows[i]), "\"error\"");
	for (size_t i = 0; i < ARRAY_SIZE(silent); i++)
		assert_string_equal(say(&f, silent[i]), "");
	say(&f, "{\"method\":\"exit\"}");
	assert_int_equal(lsp_ended(f.s), 1);
	end(&f);
}

static void test_limits(void **state)
{
	struct strb m = { 0 };
	struct fix f;

	(void)state;
	begin(&f);
	say(&f, INITIALIZE);
	for (unsigned i = 0; i < LSP_DOCUMENTS_MAX + 1; i++) {
		strb_reset(&m);
		strb_printf(
			&m,
			"{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"%u\",\"text\":\"\"}}}",
			i);
		say(&f, strb_str(&m));
	}
	strb_reset(&f.out);
	lsp_idle(f.s, &f.out);
	assert_int_equal(f.checks, LSP_DOCUMENTS_MAX);
	strb_reset(&m); /* a text that is too large is an empty one */
	strb_adds(&m,
		  "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"1\",\"text\":\"bad");
	strb_fill(&m, ' ', LSP_TEXT_MAX);
	strb_adds(&m, "\"}}}");
	say(&f, strb_str(&m));
	lsp_idle(f.s, &f.out);
	has(strb_str(&f.out), "\"diagnostics\":[]");
	strb_free(&m);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_answers), cmocka_unit_test(test_hostile),
					    cmocka_unit_test(test_limits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
