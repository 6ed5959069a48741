/* SPDX-License-Identifier: Apache-2.0 */
/* Hits the places in its own code where dwell's probes are, for the code that the agent inserts into Java methods, and
 * carries the agent's connection to dwell. Does nothing at a place without a probe. Makes no objects of the program's
 * classes and runs none of its code. At a probe, the first name of a class is made by the JVM and kept there, and
 * the hash of a locked object inflates its monitor, as System.identityHashCode() does. */
#include <errno.h>
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "print.h"

#define NSITES 16384
#define SITE_SIZE 8
#define NARGS 6	     /* in registers */
#define MANY_ARGS 10 /* the others are on the stack */

/* A place: an instruction that does nothing, and the return. */
extern const unsigned char dwell_java_sites[];
#if defined(__x86_64__)
#define NOP \
	"0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3, 0xcc, 0xcc" /* a nop of five bytes: newer kernels make a call of it \
							  */
static const unsigned char nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
#elif defined(__aarch64__)
#define NOP "0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6"
static const unsigned char nop[] = { 0x1f, 0x20, 0x03, 0xd5 };
#else
#error "this processor's nop is not known"
#endif
__asm__(".pushsection .text\n.balign 4096\n.hidden dwell_java_sites\n.globl dwell_java_sites\ndwell_java_sites:\n.rept 16384\n.byte " NOP
	"\n.endr\n.popsection\n");

static jvmtiEnv *jvmti; /* NULL: it gives none */

typedef void site(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
typedef void site_many(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

/* The site's code if there is a probe, else NULL. */
static site *enabled(jint slot)
{
	const unsigned char *at = dwell_java_sites + (size_t)slot * SITE_SIZE;

	if (dwell_busy || slot < 0 || slot >= NSITES || !memcmp(at, nop, sizeof(nop)))
		return NULL;
	return (site *)(uintptr_t)at;
}

/* The text of an object in `to`: its address, or 0 for null. */
static int64_t text(JNIEnv *env, jobject o, char *to)
{
	if (!o)
		return 0;
	print_object(env, o, to);
	return (int64_t)(uintptr_t)to;
}

static void JNICALL entry_plain(JNIEnv *env, jclass c, jint slot)
{
	site *at = enabled(slot);

	(void)env;
	(void)c;
	if (at)
		at(0, 0, 0, 0, 0, 0);
}

static void JNICALL entry_longs(JNIEnv *env, jclass k, jint slot, jlong a, jlong b, jlong c, jlong d, jlong e, jlong f)
{
	site *at = enabled(slot);

	(void)env;
	(void)k;
	if (at)
		at(a, b, c, d, e, f);
}

static void JNICALL entry_objects(JNIEnv *env, jclass k, jint slot, jlong a, jlong b, jlong c, jlong d, jlong e,
				  jlong f, jobject oa, jobject ob, jobject oc, jobject od, jobject oe, jobject of)
{
	site *at = enabled(slot);
	const jobject o[NARGS] = { oa, ob, oc, od, oe, of };
	int64_t v[NARGS] = { a, b, c, d, e, f };
	char texts[NARGS][PRINT_TEXT];

	(void)k;
	if (!at)
		return;
	for (int i = 0; i < NARGS; i++)
		if (o[i])
			v[i] = text(env, o[i], texts[i]);
	at(v[0], v[1], v[2], v[3], v[4], v[5]);
}

static void JNICALL entry_many(JNIEnv *env, jclass k, jint slot, jlong a, jlong b, jlong c, jlong d, jlong e, jlong f,
			       jlong g, jlong h, jlong i, jlong j, jobject oa, jobject ob, jobject oc, jobject od,
			       jobject oe, jobject of, jobject og, jobject oh, jobject oi, jobject oj)
{
	site *at = enabled(slot);
	const jobject o[MANY_ARGS] = { oa, ob, oc, od, oe, of, og, oh, oi, oj };
	int64_t v[MANY_ARGS] = { a, b, c, d, e, f, g, h, i, j };
	char texts[MANY_ARGS][PRINT_TEXT];

	(void)k;
	if (!at)
		return;
	for (int n = 0; n < MANY_ARGS; n++)
		if (o[n])
			v[n] = text(env, o[n], texts[n]);
	((site_many *)(uintptr_t)at)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
}

static void JNICALL leave_plain(JNIEnv *env, jclass c, jint slot, jint line)
{
	site *at = enabled(slot);

	(void)env;
	(void)c;
	if (at)
		at(line, 0, 0, 0, 0, 0);
}

static void JNICALL leave_long(JNIEnv *env, jclass c, jlong value, jint slot, jint line)
{
	site *at = enabled(slot);

	(void)env;
	(void)c;
	if (at)
		at(line, value, 0, 0, 0, 0);
}

static void JNICALL leave_object(JNIEnv *env, jclass c, jobject value, jint slot, jint line)
{
	site *at = enabled(slot);
	char to[PRINT_TEXT];

	(void)c;
	if (at)
		at(line, text(env, value, to), 0, 0, 0, 0);
}

static void JNICALL thrown(JNIEnv *env, jclass c, jobject t, jint slot)
{
	site *at = enabled(slot);
	char name[PRINT_TEXT], message[PRINT_TEXT];
	jstring s;

	(void)c;
	if (!at)
		return;
	print_class_of(env, t, name);
	s = print_message_of(env, t);
	at((int64_t)(uintptr_t)name, text(env, s, message), 0, 0, 0, 0);
}

/* Its size is a question to the JVM, about 0.1 us. 0: it has no answer. */
static void JNICALL made(JNIEnv *env, jclass k, jobject o, jclass of, jint slot)
{
	site *at = enabled(slot);
	jclass c;
	jlong size = 0;

	(void)k;
	if (!at)
		return;
	c = (*env)->GetObjectClass(env, o);
	if ((*env)->IsSameObject(env, c, of)) {
		if (!jvmti || (*jvmti)->GetObjectSize(jvmti, o, &size) != JVMTI_ERROR_NONE)
			size = 0;
		at(size, 0, 0, 0, 0, 0);
	}
	(*env)->DeleteLocalRef(env, c);
}

static jboolean JNICALL quiet(JNIEnv *env, jclass c, jboolean on)
{
	bool was = dwell_busy;

	(void)env;
	(void)c;
	dwell_busy = on;
	return was;
}

static jlong JNICALL sites(JNIEnv *env, jclass c)
{
	(void)env;
	(void)c;
	return (jlong)(uintptr_t)dwell_java_sites;
}

static jint JNICALL nsites(JNIEnv *env, jclass c)
{
	(void)env;
	(void)c;
	return NSITES;
}

static jint JNICALL connect_to(JNIEnv *env, jclass c, jstring path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	char s[PRINT_TEXT];
	int fd;

	(void)c;
	print_string(env, path, s);
	if (strlen(s) >= sizeof(to.sun_path))
		return -1;
	strcpy(to.sun_path, s);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static jint JNICALL read_some(JNIEnv *env, jclass c, jint fd, jbyteArray to)
{
	jbyte b[4096];
	jsize max = (*env)->GetArrayLength(env, to);
	ssize_t n;

	(void)c;
	do
		n = read(fd, b, max < (jsize)sizeof(b) ? (size_t)max : sizeof(b));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		(*env)->SetByteArrayRegion(env, to, 0, (jsize)n, b);
	return (jint)n;
}

static jboolean JNICALL write_all(JNIEnv *env, jclass c, jint fd, jbyteArray from)
{
	jbyte b[4096];
	jsize all = (*env)->GetArrayLength(env, from);

	(void)c;
	for (jsize i = 0; i < all;) {
		jsize k = all - i < (jsize)sizeof(b) ? all - i : (jsize)sizeof(b);
		ssize_t n;

		(*env)->GetByteArrayRegion(env, from, i, k, b);
		n = send(fd, b, (size_t)k, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return JNI_FALSE;
		i += n > 0 ? (jsize)n : 0;
	}
	return JNI_TRUE;
}

/* A short message of a stream socket goes whole or not at all. */
static jboolean JNICALL write_now(JNIEnv *env, jclass c, jint fd, jbyteArray from)
{
	jbyte b[2048];
	jsize n = (*env)->GetArrayLength(env, from);

	(void)c;
	if (n > (jsize)sizeof(b))
		return JNI_FALSE;
	(*env)->GetByteArrayRegion(env, from, 0, n, b);
	return send(fd, b, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n;
}

static void JNICALL close_it(JNIEnv *env, jclass c, jint fd)
{
	(void)env;
	(void)c;
	close(fd);
}

#define OBJECT "Ljava/lang/Object;"
#define FN(f) ((void *)(uintptr_t)(f))

static const JNINativeMethod methods[] = {
	{ (char *)"entry", (char *)"(I)V", FN(entry_plain) },
	{ (char *)"entry", (char *)"(IJJJJJJ)V", FN(entry_longs) },
	{ (char *)"entry", (char *)"(IJJJJJJ" OBJECT OBJECT OBJECT OBJECT OBJECT OBJECT ")V", FN(entry_objects) },
	{ (char *)"entry",
	  (char *)"(IJJJJJJJJJJ" OBJECT OBJECT OBJECT OBJECT OBJECT OBJECT OBJECT OBJECT OBJECT OBJECT ")V",
	  FN(entry_many) },
	{ (char *)"leave", (char *)"(II)V", FN(leave_plain) },
	{ (char *)"leave", (char *)"(JII)V", FN(leave_long) },
	{ (char *)"leave", (char *)"(" OBJECT "II)V", FN(leave_object) },
	{ (char *)"thrown", (char *)"(Ljava/lang/Throwable;I)V", FN(thrown) },
	{ (char *)"made", (char *)"(" OBJECT "Ljava/lang/Class;I)V", FN(made) },
	{ (char *)"quiet", (char *)"(Z)Z", FN(quiet) },
	{ (char *)"sites", (char *)"()J", FN(sites) },
	{ (char *)"nsites", (char *)"()I", FN(nsites) },
	{ (char *)"connect", (char *)"(Ljava/lang/String;)I", FN(connect_to) },
	{ (char *)"read", (char *)"(I[B)I", FN(read_some) },
	{ (char *)"write", (char *)"(I[B)Z", FN(write_all) },
	{ (char *)"writeNow", (char *)"(I[B)Z", FN(write_now) },
	{ (char *)"close", (char *)"(I)V", FN(close_it) },
};

JNIEXPORT void JNICALL Java_dwell_agent_Agent_define(JNIEnv *env, jclass k, jbyteArray from);

/* Also looks up what the others need. An exception is the caller's. */
JNIEXPORT void JNICALL Java_dwell_agent_Agent_define(JNIEnv *env, jclass k, jbyteArray from)
{
	jbyte b[16384];
	jsize n = (*env)->GetArrayLength(env, from);
	JavaVM *vm;
	jclass c;

	(void)k;
	if (n > (jsize)sizeof(b))
		return;
	(*env)->GetByteArrayRegion(env, from, 0, n, b);
	if (!print_init(env))
		return;
	if ((*env)->GetJavaVM(env, &vm) != 0 || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
		jvmti = NULL;
	c = (*env)->DefineClass(env, "dwell/probe/Probe", NULL, b, n);
	if (c)
		(*env)->RegisterNatives(env, c, methods, sizeof(methods) / sizeof(methods[0]));
}
