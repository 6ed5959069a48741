/* SPDX-License-Identifier: Apache-2.0 */
/* Prints objects as text. Strings, boxes, enum constants, exceptions and builders are printed by the fields of the
 * JDK's classes. Other objects are printed by the name of their class and their identity hash. */
#include "print.h"
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SURROGATE_HIGH 0xd800u
#define SURROGATE_LOW 0xdc00u
#define SURROGATE_END 0xe000u
#define SUPPLEMENT 0x10000u

/* A class with a number in it. */
struct boxed {
	const char *name, *type; /* of the field "value" */
	jclass class;
	jfieldID value;
};

static struct boxed boxes[] = {
	{ "java/lang/Integer", "I", NULL, NULL },
	{ "java/lang/Long", "J", NULL, NULL },
	{ "java/lang/Boolean", "Z", NULL, NULL },
	{ "java/lang/Double", "D", NULL, NULL },
	{ "java/lang/Float", "F", NULL, NULL },
	{ "java/lang/Character", "C", NULL, NULL },
	{ "java/lang/Short", "S", NULL, NULL },
	{ "java/lang/Byte", "B", NULL, NULL },
	{ "java/util/concurrent/atomic/AtomicInteger", "I", NULL, NULL },
	{ "java/util/concurrent/atomic/AtomicLong", "J", NULL, NULL },
};
#define NBOXES (sizeof(boxes) / sizeof(boxes[0]))

static struct {
	jclass string, class, enumeration, throwable, builder, system;
	jmethodID get_name, identity;
	jfieldID enum_name, message, value, coder,
		count; /* value, coder, count: of a StringBuilder; NULL: not as known */
} jdk;

__thread bool dwell_busy;

static jclass find(JNIEnv *env, const char *name)
{
	jclass c = (*env)->FindClass(env, name);

	return c ? (*env)->NewGlobalRef(env, c) : NULL;
}

static void no_exception(JNIEnv *env)
{
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
}

/* What other versions of the JDK may have otherwise: then such objects are printed as any other. */
static void find_fields(JNIEnv *env)
{
	for (size_t i = 0; i < NBOXES; i++) {
		jclass c = find(env, boxes[i].name);

		boxes[i].value = c ? (*env)->GetFieldID(env, c, "value", boxes[i].type) : NULL;
		boxes[i].class = boxes[i].value ? c : NULL;
		no_exception(env);
	}
	jdk.builder = find(env, "java/lang/AbstractStringBuilder");
	no_exception(env);
	if (jdk.builder) {
		jdk.value = (*env)->GetFieldID(env, jdk.builder, "value", "[B");
		no_exception(env);
		jdk.coder = (*env)->GetFieldID(env, jdk.builder, "coder", "B");
		no_exception(env);
		jdk.count = (*env)->GetFieldID(env, jdk.builder, "count", "I");
		no_exception(env);
	}
}

bool print_init(JNIEnv *env)
{
	jdk.string = find(env, "java/lang/String");
	jdk.class = find(env, "java/lang/Class");
	jdk.enumeration = find(env, "java/lang/Enum");
	jdk.throwable = find(env, "java/lang/Throwable");
	jdk.system = find(env, "java/lang/System");
	if (!jdk.string || !jdk.class || !jdk.enumeration || !jdk.throwable || !jdk.system)
		return false;
	jdk.get_name = (*env)->GetMethodID(env, jdk.class, "getName", "()Ljava/lang/String;");
	jdk.identity = (*env)->GetStaticMethodID(env, jdk.system, "identityHashCode", "(Ljava/lang/Object;)I");
	jdk.enum_name = (*env)->GetFieldID(env, jdk.enumeration, "name", "Ljava/lang/String;");
	jdk.message = (*env)->GetFieldID(env, jdk.throwable, "detailMessage", "Ljava/lang/String;");
	if (!jdk.get_name || !jdk.identity || !jdk.enum_name || !jdk.message)
		return false;
	find_fields(env);
	return true;
}

/* -- characters -- */

static size_t put(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < SUPPLEMENT) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

static void put_all(const jchar *v, jsize n, char to[PRINT_TEXT])
{
	size_t at = 0;

	for (jsize i = 0; i < n && at < PRINT_TEXT - 4; i++) {
		uint32_t c = v[i];

		if (c >= SURROGATE_HIGH && c < SURROGATE_LOW && i + 1 < n && v[i + 1] >= SURROGATE_LOW &&
		    v[i + 1] < SURROGATE_END)
			c = SUPPLEMENT + ((c - SURROGATE_HIGH) << 10) + (v[++i] - SURROGATE_LOW);
		at += put(to + at, c ? c : '?');
	}
	to[at] = '\0';
}

void print_string(JNIEnv *env, jstring s, char to[PRINT_TEXT])
{
	jchar v[PRINT_TEXT];
	jsize n = (*env)->GetStringLength(env, s);

	if (n > PRINT_TEXT - 1)
		n = PRINT_TEXT - 1;
	(*env)->GetStringRegion(env, s, 0, n, v);
	put_all(v, n, to);
}

/* What is in a StringBuilder: bytes, or pairs of bytes, of which another thread may change the number. */
static void print_builder(JNIEnv *env, jobject o, char to[PRINT_TEXT])
{
	jbyteArray value = (*env)->GetObjectField(env, o, jdk.value);
	jint n = (*env)->GetIntField(env, o, jdk.count);
	bool wide = (*env)->GetByteField(env, o, jdk.coder) != 0;
	jsize room = value ? (*env)->GetArrayLength(env, value) >> wide : 0;
	jchar v[PRINT_TEXT];
	jbyte b[PRINT_TEXT];

	if (n > room)
		n = room;
	if (n > PRINT_TEXT - 1)
		n = PRINT_TEXT - 1;
	if (wide && n) {
		(*env)->GetByteArrayRegion(env, value, 0, n * 2, (jbyte *)v);
	} else if (n) {
		(*env)->GetByteArrayRegion(env, value, 0, n, b);
		for (jint i = 0; i < n; i++)
			v[i] = (jchar)(unsigned char)b[i];
	}
	no_exception(env);
	put_all(v, n, to);
	(*env)->DeleteLocalRef(env, value);
}

/* -- numbers -- */

/* As few digits as tell it from its neighbours, with a point, whatever the program's locale is. */
static void print_double(double d, int digits, int most, bool is_float, char to[PRINT_TEXT])
{
	bool whole = true;

	if (d != d || d - d != 0) {
		strcpy(to, d != d ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
		return;
	}
	for (; digits <= most; digits++) {
		snprintf(to, PRINT_TEXT, "%.*g", digits, d);
		if (is_float ? strtof(to, NULL) == (float)d : strtod(to, NULL) == d)
			break;
	}
	for (char *p = to; *p; p++) {
		if (strchr("+-0123456789", *p))
			continue;
		whole = false;
		if (*p != 'e')
			*p = '.';
	}
	if (whole)
		strcat(to, ".0");
}

static void print_box(JNIEnv *env, jobject o, const struct boxed *b, char to[PRINT_TEXT])
{
	jchar c;

	switch (*b->type) {
	case 'Z': strcpy(to, (*env)->GetBooleanField(env, o, b->value) ? "true" : "false"); break;
	case 'C':
		c = (*env)->GetCharField(env, o, b->value);
		put_all(&c, 1, to);
		break;
	case 'B': snprintf(to, PRINT_TEXT, "%d", (*env)->GetByteField(env, o, b->value)); break;
	case 'S': snprintf(to, PRINT_TEXT, "%d", (*env)->GetShortField(env, o, b->value)); break;
	case 'I': snprintf(to, PRINT_TEXT, "%" PRId32, (int32_t)(*env)->GetIntField(env, o, b->value)); break;
	case 'J': snprintf(to, PRINT_TEXT, "%" PRId64, (int64_t)(*env)->GetLongField(env, o, b->value)); break;
	case 'F': print_double((double)(*env)->GetFloatField(env, o, b->value), 6, 9, true, to); break;
	default: print_double((*env)->GetDoubleField(env, o, b->value), 15, 17, false, to);
	}
}

static bool print_boxed(JNIEnv *env, jobject o, jclass c, char to[PRINT_TEXT])
{
	for (size_t i = 0; i < NBOXES; i++)
		if (boxes[i].class && (*env)->IsSameObject(env, c, boxes[i].class)) {
			print_box(env, o, &boxes[i], to);
			return true;
		}
	return false;
}

/* -- names -- */

static void print_name(JNIEnv *env, jclass c, char to[PRINT_TEXT])
{
	jstring s;

	dwell_busy = true;
	s = (*env)->CallObjectMethod(env, c, jdk.get_name); /* the JVM keeps it with the class */
	dwell_busy = false;
	no_exception(env);
	to[0] = '\0';
	if (s)
		print_string(env, s, to);
	(*env)->DeleteLocalRef(env, s);
}

void print_class_of(JNIEnv *env, jobject o, char to[PRINT_TEXT])
{
	jclass c = (*env)->GetObjectClass(env, o);

	print_name(env, c, to);
	(*env)->DeleteLocalRef(env, c);
}

/* "[[I" of 3 as "int[3][]". */
static void print_array(const char *name, jsize n, char to[PRINT_TEXT])
{
	static const struct {
		char c;
		const char *name;
	} types[] = { { 'Z', "boolean" }, { 'B', "byte" }, { 'C', "char" },  { 'S', "short" },
		      { 'I', "int" },	  { 'J', "long" }, { 'F', "float" }, { 'D', "double" } };
	size_t dims = strspn(name, "["), at, len;
	const char *element = name + dims;

	len = strlen(element);
	if (*element == 'L' && len > 2) {
		element++;
		len -= 2;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].c == *element && !element[1]) {
			element = types[i].name;
			len = strlen(element);
			break;
		}
	at = (size_t)snprintf(to, PRINT_TEXT, "%.*s[%d]", (int)len, element, (int)n);
	for (; dims > 1 && at + 3 < PRINT_TEXT; dims--, at += 2)
		memcpy(to + at, "[]", 3);
}

/* As Object.toString() has it: the same object has the same text. */
static void print_other(JNIEnv *env, jobject o, jclass c, char to[PRINT_TEXT])
{
	char name[PRINT_TEXT];
	jint hash;

	print_name(env, c, name);
	if (name[0] == '[') {
		print_array(name, (*env)->GetArrayLength(env, o), to);
		return;
	}
	dwell_busy = true;
	hash = (*env)->CallStaticIntMethod(env, jdk.system, jdk.identity, o);
	dwell_busy = false;
	no_exception(env);
	snprintf(to, PRINT_TEXT, "%.490s@%x", name, (unsigned)hash);
}

/* "java.io.IOException: closed" */
static void print_throwable(JNIEnv *env, jthrowable t, jclass c, char to[PRINT_TEXT])
{
	jstring s = print_message_of(env, t);
	char message[PRINT_TEXT];
	size_t n;

	print_name(env, c, to);
	n = strlen(to);
	if (s && n + 2 < PRINT_TEXT) {
		print_string(env, s, message);
		snprintf(to + n, PRINT_TEXT - n, ": %s", message);
	}
	(*env)->DeleteLocalRef(env, s);
}

jstring print_message_of(JNIEnv *env, jthrowable t)
{
	return (*env)->GetObjectField(env, t, jdk.message);
}

void print_object(JNIEnv *env, jobject o, char to[PRINT_TEXT])
{
	jclass c;
	jstring s;

	if ((*env)->IsInstanceOf(env, o, jdk.string)) {
		print_string(env, o, to);
		return;
	}
	c = (*env)->GetObjectClass(env, o);
	if (print_boxed(env, o, c, to)) {
		/* done */
	} else if ((*env)->IsInstanceOf(env, o, jdk.enumeration)) {
		s = (*env)->GetObjectField(env, o, jdk.enum_name);
		to[0] = '\0';
		if (s)
			print_string(env, s, to);
		(*env)->DeleteLocalRef(env, s);
	} else if ((*env)->IsInstanceOf(env, o, jdk.class)) {
		print_name(env, o, to);
	} else if ((*env)->IsInstanceOf(env, o, jdk.throwable)) {
		print_throwable(env, o, c, to);
	} else if (jdk.value && jdk.coder && jdk.count && (*env)->IsInstanceOf(env, o, jdk.builder)) {
		print_builder(env, o, to);
	} else {
		print_other(env, o, c, to);
	}
	(*env)->DeleteLocalRef(env, c);
}
