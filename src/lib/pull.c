/* SPDX-License-Identifier: Apache-2.0 */
/* Finds members in a line of JSON and reads their values. */
#include "lib/pull.h"
#include <stdlib.h>
#include <string.h>
#include "base/strb.h"

static const char *skip_space(const char *s)
{
	return s + strspn(s, " \t\n");
}

/* After the string that begins at s; at the NUL when it does not end. */
static const char *skip_string(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : s;
}

static const char *skip_container(const char *s)
{
	size_t depth = 0;

	while (*s) {
		if (*s == '"') {
			s = skip_string(s);
			continue;
		}
		if (*s == '[' || *s == '{')
			depth++;
		else if (*s == ']' || *s == '}')
			depth--;
		s++;
		if (!depth)
			break;
	}
	return s;
}

struct pull pull_value(const char *text)
{
	const char *s = skip_space(text), *e;

	if (!*s || strchr(",:]}", *s))
		return (struct pull){ 0 };
	if (*s == '"')
		e = skip_string(s);
	else if (*s == '[' || *s == '{')
		e = skip_container(s);
	else
		e = s + strcspn(s, ",:]} \t\n");
	return (struct pull){ s, (size_t)(e - s) };
}

struct pull pull_first(struct pull array)
{
	return array.p && (*array.p == '[' || *array.p == '{') ? pull_value(array.p + 1) : (struct pull){ 0 };
}

struct pull pull_after(struct pull e)
{
	const char *s = skip_space(e.p + e.n);

	return *s == ',' || *s == ':' ? pull_value(s + 1) : (struct pull){ 0 };
}

size_t pull_count(struct pull array)
{
	size_t n = 0;

	for (struct pull e = pull_first(array); e.p; e = pull_after(e))
		n++;
	return n;
}

struct pull pull_member(struct pull object, const char *name)
{
	size_t n = strlen(name);
	struct pull key = object.p && *object.p == '{' ? pull_first(object) : (struct pull){ 0 };

	while (key.p) {
		struct pull v = pull_after(key);

		if (key.n == n + 2 && !memcmp(key.p + 1, name, n))
			return v;
		key = v.p ? pull_after(v) : v;
	}
	return (struct pull){ 0 };
}

/* A character as UTF-8. */
static void add_utf8(struct strb *b, unsigned c)
{
	if (c < 0x80) {
		strb_addc(b, (char)c);
	} else if (c < 0x800) {
		strb_addc(b, (char)(0xc0 | c >> 6));
		strb_addc(b, (char)(0x80 | (c & 0x3f)));
	} else {
		strb_addc(b, (char)(0xe0 | c >> 12));
		strb_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
		strb_addc(b, (char)(0x80 | (c & 0x3f)));
	}
}

/* The view escapes control characters, quotes and backslashes only: no pairs of surrogates. */
static void add_unescaped(struct strb *b, const char *s, size_t n)
{
	static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";

	for (size_t i = 0; i < n; i++) {
		const char *esc;

		if (s[i] != '\\' || i + 1 >= n) {
			strb_addc(b, s[i]);
			continue;
		}
		i++;
		esc = strchr(from, s[i]);
		if (s[i] == 'u' && i + 4 < n) {
			char hex[5] = { s[i + 1], s[i + 2], s[i + 3], s[i + 4] };

			add_utf8(b, (unsigned)strtoul(hex, NULL, 16));
			i += 4;
		} else {
			strb_addc(b, esc ? to[esc - from] : s[i]);
		}
	}
}

static bool is_integer(struct pull v)
{
	size_t i = v.n && v.p[0] == '-', first = i;

	while (i < v.n && v.p[i] >= '0' && v.p[i] <= '9')
		i++;
	return i == v.n && i > first;
}

bool pull_copy(struct pull v, struct dwell_value *ret)
{
	struct strb b = { 0 };

	*ret = (struct dwell_value){ .kind = DWELL_JSON };
	if (v.n >= 2 && v.p[0] == '"') {
		ret->kind = DWELL_TEXT;
		add_unescaped(&b, v.p + 1, v.n - 2);
	} else {
		strb_add(&b, v.p, v.n);
	}
	strb_adds(&b, "");
	if (is_integer(v)) {
		ret->kind = DWELL_NUMBER;
		ret->number = v.p[0] == '-' ? strtoll(strb_str(&b), NULL, 10)
					    : (int64_t)strtoull(strb_str(&b), NULL, 10);
	}
	ret->text = strb_take(&b);
	return ret->text != NULL;
}
