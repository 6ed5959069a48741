/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the head of a request line by line as it comes, so that an error is answered at once. */
#include "serve/head.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include "base/cleanup.h"

enum { BAD = 400, URI_TOO_LONG = 414, EXPECTATION = 417, TOO_LARGE = 431, NOT_IMPLEMENTED = 501, VERSION = 505 };

/* Fields that decide about a request: one of each at most. */
enum single { HOST, LENGTH, ENCODING, EXPECT, TYPE, AUTHORIZATION, ORIGIN, SITE, NSINGLE };
static const char *const singles[NSINGLE] = {
	[HOST] = "Host",     [LENGTH] = "Content-Length", [ENCODING] = "Transfer-Encoding",
	[EXPECT] = "Expect", [TYPE] = "Content-Type",	  [AUTHORIZATION] = "Authorization",
	[ORIGIN] = "Origin", [SITE] = "Sec-Fetch-Site",
};
/* The texts of answers have the names in them. */
static const char *const twice[NSINGLE] = {
	[HOST] = "Host is there twice",
	[LENGTH] = "Content-Length is there twice",
	[ENCODING] = "Transfer-Encoding is there twice",
	[EXPECT] = "Expect is there twice",
	[TYPE] = "Content-Type is there twice",
	[AUTHORIZATION] = "Authorization is there twice",
	[ORIGIN] = "Origin is there twice",
	[SITE] = "Sec-Fetch-Site is there twice",
};

struct head {
	bool seen[NSINGLE];
	bool old; /* HTTP/1.0 */
	unsigned pieces;
	struct head_verdict verdict;
};

struct text {
	const char *p;
	size_t n;
};

/* Always false. */
static bool fault(struct head *h, int status, const char *reason)
{
	h->verdict = (struct head_verdict){ HEAD_WRONG, status, reason };
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* tchar of RFC 9110, 5.6.2 */
static bool is_token(struct text t)
{
	for (size_t i = 0; i < t.n; i++) {
		char c = t.p[i], low = (char)(c | 0x20);

		if (!(low >= 'a' && low <= 'z') && !is_digit(c) && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return t.n > 0;
}

static unsigned count(struct text t, char c)
{
	unsigned n = 0;

	for (size_t i = 0; i < t.n; i++)
		n += t.p[i] == c;
	return n;
}

static bool equals(struct text t, const char *s)
{
	return t.n == strlen(s) && !strncasecmp(t.p, s, t.n);
}

/* Cuts the text at c: *rest follows it. False: there is no c. */
static bool cut(struct text t, char c, struct text *before, struct text *rest)
{
	const char *at = t.n ? memchr(t.p, c, t.n) : NULL;

	if (!at)
		return false;
	*before = (struct text){ t.p, (size_t)(at - t.p) };
	*rest = (struct text){ at + 1, t.n - before->n - 1 };
	return true;
}

/* The judges return whether what they saw is right.
 * request-line = method SP request-target SP HTTP-version */
static bool judge_request(struct head *h, struct text line)
{
	struct text method, target, version;

	if (!cut(line, ' ', &method, &version) || !cut(version, ' ', &target, &version) || !is_token(method) ||
	    !target.n)
		return fault(h, BAD, "the first line is no request: METHOD /ADDRESS HTTP/1.1");
	for (size_t i = 0; i < target.n; i++)
		if ((unsigned char)target.p[i] <= ' ' || target.p[i] == 0x7f || target.p[i] == '#')
			return fault(h, BAD, "the address has a character that no address has");
	if (version.n != 8 || memcmp(version.p, "HTTP/", 5) != 0 || !is_digit(version.p[5]) || version.p[6] != '.' ||
	    !is_digit(version.p[7]))
		return fault(h, BAD, "the first line does not end with a version of HTTP");
	h->old = !memcmp(version.p, "HTTP/1.0", 8);
	if (!h->old && memcmp(version.p, "HTTP/1.1", 8) != 0)
		return fault(h, VERSION, "this server speaks HTTP/1.1");
	h->pieces += count(target, '&');
	return h->pieces <= HEAD_PIECES_MAX || fault(h, URI_TOO_LONG, "the address has too many parameters");
}

/* 1*DIGIT, of 63 bits */
static bool is_length(struct text v)
{
	uint64_t n = 0;

	for (size_t i = 0; i < v.n; i++) {
		if (!is_digit(v.p[i]) || n > INT64_MAX / 10)
			return false;
		n = n * 10 + (uint64_t)(v.p[i] - '0');
	}
	return v.n > 0 && n <= INT64_MAX;
}

static bool judge_single(struct head *h, enum single s, struct text value)
{
	if (h->seen[s])
		return fault(h, BAD, twice[s]);
	h->seen[s] = true;
	if (s == LENGTH && !is_length(value))
		return fault(h, BAD, "Content-Length is no length");
	if (s == ENCODING && !equals(value, "chunked"))
		return fault(h, NOT_IMPLEMENTED, "a Transfer-Encoding other than chunked");
	if (s == ENCODING && h->old)
		return fault(h, BAD, "HTTP/1.0 has no Transfer-Encoding");
	if (s == EXPECT && !equals(value, "100-continue"))
		return fault(h, EXPECTATION, "only 100-continue can be expected");
	if (h->seen[LENGTH] && h->seen[ENCODING])
		return fault(h, BAD, "Content-Length and Transfer-Encoding: the length of the body is given twice");
	return true;
}

/* field-line = field-name ":" OWS field-value OWS */
static bool judge_field(struct head *h, struct text line)
{
	struct text name, value;

	if (line.p[0] == ' ' || line.p[0] == '\t')
		return fault(h, BAD, "a field goes on in another line");
	if (!cut(line, ':', &name, &value) || !is_token(name))
		return fault(h, BAD, "a line of the head is no field: NAME: VALUE");
	for (size_t i = 0; i < value.n; i++)
		if (((unsigned char)value.p[i] < ' ' && value.p[i] != '\t') || value.p[i] == 0x7f)
			return fault(h, BAD, "a field has a control character");
	while (value.n && (value.p[0] == ' ' || value.p[0] == '\t')) {
		value.p++;
		value.n--;
	}
	while (value.n && (value.p[value.n - 1] == ' ' || value.p[value.n - 1] == '\t'))
		value.n--;
	h->pieces += 1 + (equals(name, "Cookie") ? count(value, ';') : 0);
	if (h->pieces > HEAD_PIECES_MAX)
		return fault(h, TOO_LARGE, "too many fields, parameters and cookies");
	for (enum single s = 0; s < NSINGLE; s++)
		if (equals(name, singles[s]))
			return judge_single(h, s, value);
	return true;
}

static bool judge_line(struct head *h, struct text line, bool first)
{
	if (first)
		return judge_request(h, line);
	if (line.n)
		return judge_field(h, line);
	if (!h->old && !h->seen[HOST])
		return fault(h, BAD, "there is no Host");
	h->verdict.is = HEAD_WHOLE;
	return true;
}

static bool judge(struct head *h, const char *p, size_t n)
{
	size_t at = 0;

	while (h->verdict.is == HEAD_PART) {
		const char *end = memchr(p + at, '\n', n - at);
		struct text line = { p + at, end ? (size_t)(end - p) - at : n - at };

		if (at == 0 && line.n > HEAD_LINE_MAX)
			return fault(h, URI_TOO_LONG, "the address is too long");
		if (!end)
			return n < HEAD_MAX || fault(h, TOO_LARGE, "the head is too large");
		if (!line.n || line.p[line.n - 1] != '\r' || memchr(line.p, '\r', line.n - 1))
			return fault(h, BAD, "lines end with CR and LF, and have neither in them");
		line.n--;
		judge_line(h, line, at == 0);
		at = (size_t)(end - p) + 1;
		if (at > HEAD_MAX)
			return fault(h, TOO_LARGE, "the head is too large");
	}
	return h->verdict.is == HEAD_WHOLE;
}

struct head_verdict head_judge(const char *p, size_t n)
{
	struct head h = { .verdict.is = HEAD_PART };

	judge(&h, p, n);
	return h.verdict;
}
