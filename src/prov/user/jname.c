/* SPDX-License-Identifier: Apache-2.0 */
/* Writes names and types of Java's methods, which a JVM has in a form of its own, as the language has them. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "prov/user/jvm.h"

#define MAX_METHOD 2048 /* bytes of a name and its signature */

static const char *type_name(char c)
{
	switch (c) {
	case 'Z': return "boolean";
	case 'B': return "byte";
	case 'C': return "char";
	case 'S': return "short";
	case 'I': return "int";
	case 'J': return "long";
	case 'F': return "float";
	case 'D': return "double";
	case 'V': return "void";
	default: return NULL;
	}
}

const char *java_type_end(const char *s)
{
	while (*s == '[')
		s++;
	if (*s == 'L') {
		s = strchr(s, ';');
		return s ? s + 1 : NULL;
	}
	return type_name(*s) ? s + 1 : NULL;
}

/* "[Ljava/lang/String;" as "java.lang.String[]". */
static size_t put_type(char *to, size_t size, const char *s, const char *end)
{
	unsigned dims = 0;
	const char *name;
	size_t n;

	for (; *s == '['; s++)
		dims++;
	name = type_name(*s);
	n = name ? (size_t)snprintf(to, size, "%s", name)
		 : (size_t)snprintf(to, size, "%.*s", (int)(end - s - 2), s + 1);
	for (char *p = to; n < size && *p; p++)
		*p = *p == '/' ? '.' : *p;
	for (; dims && n + 2 < size; dims--, n += 2)
		memcpy(to + n, "[]", 3);
	return n;
}

const char *java_plain_name(struct arena *a, const char *name, const char *desc)
{
	char b[MAX_METHOD];
	size_t n = (size_t)snprintf(b, sizeof(b), "%s(", name);
	const char *s = desc + 1, *end;

	if (desc[0] != '(')
		return NULL;
	for (; *s != ')' && n + 3 < sizeof(b); s = end) {
		end = java_type_end(s);
		if (!end)
			return NULL;
		if (s > desc + 1)
			b[n++] = ',';
		n += put_type(b + n, sizeof(b) - n, s, end);
	}
	return n + 2 < sizeof(b) && *s == ')' ? arena_printf(a, "%s)", (b[n] = '\0', b)) : NULL;
}
